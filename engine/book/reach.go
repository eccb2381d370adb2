package book

import "github.com/zhbot/zhbot/rules"

// reached returns the table without positions that no game comes to in which one
// side plays by the book: what lies behind moves that turned out bad.
func (t *Table) reached() (*Table, error) {
	w := walk{table: t, seen: map[seat]bool{}, reached: map[uint64]bool{}}
	for _, side := range []rules.Color{rules.White, rules.Black} {
		w.follow(rules.StartPosition(), side)
	}
	var entries []entry
	for i := range t.Len() {
		if e := t.at(i); w.reached[e.key] {
			entries = append(entries, e)
		}
	}
	return newTable(t.note, entries)
}

// seat is a position seen by the side that plays by the book.
type seat struct {
	key  uint64
	side rules.Color
}

// walk goes through all games in which one side plays by the book.
type walk struct {
	table   *Table
	seen    map[seat]bool
	reached map[uint64]bool // positions with that side to move
}

func (w *walk) follow(p rules.Position, side rules.Color) {
	at := seat{p.Key(), side}
	if w.seen[at] {
		return
	}
	w.seen[at] = true
	if p.Turn() != side {
		for _, m := range p.LegalMoves() {
			w.follow(p.After(m), side)
		}
		return
	}
	w.reached[p.Key()] = true
	for _, m := range w.table.Moves(&p) {
		w.follow(p.After(m.Move), side)
	}
}
