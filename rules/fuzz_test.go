package rules

import (
	"errors"
	"slices"
	"testing"
)

func seedFENs(f *testing.F) {
	for _, c := range perftCases(f) {
		f.Add(c.fen)
	}
	f.Add(StartFEN)
	f.Add("r1bqk2r/ppp2ppp/2n2n2/3p4/1b1P4/2N5/PPP1BPPP/R1BQK1NR w KQkq - 0 7 Pp")
	f.Add("r2q1r1k/2p1ppb1/p2p2pp/3P1p2/B6B/2N2NPp/1PP2P1K/3Q3q w - - 0 26 NNBRpr h1")
	f.Add("4k3/1Q6/8/8/8/8/8/R3K3 b - - 12 34 - b7,a1")
	f.Add("4k3/1Q~6/8/8/8/8/8/4K3/- b - - 12 34")
}

// Whatever is playable is in order, and written and read back the same.
func FuzzParseFEN(f *testing.F) {
	seedFENs(f)
	f.Fuzz(func(t *testing.T, fen string) {
		p, err := ParseFEN(fen)
		if err != nil {
			if _, unplayable := errors.AsType[*UnplayableError](err); !unplayable && !errors.Is(err, ErrFEN) {
				t.Fatalf("%q: %v is no ErrFEN", fen, err)
			}
			return
		}
		checkPosition(t, &p)
		q, err := ParseFEN(p.FEN())
		if err != nil || q != p {
			t.Fatalf("%q: position written as %q, read as %q, %v", fen, p.FEN(), q.FEN(), err)
		}
	})
}

// checkPosition compares all that a position keeps with what it follows from.
func checkPosition(t *testing.T, p *Position) {
	t.Helper()
	if key := p.recomputeKey(); key != p.key {
		t.Fatalf("%s: key %x, recomputed %x", p.FEN(), p.key, key)
	}
	if checkers := p.AttackersTo(p.King(p.turn), p.Occupied()) & p.byColor[p.turn^1]; checkers != p.Checkers() {
		t.Fatalf("%s: checkers %x, recomputed %x", p.FEN(), p.checkers, checkers)
	}
	if err := p.checkPlayable(); err != nil {
		t.Fatalf("%s: %v", p.FEN(), err)
	}
	for s := range Square(64) {
		pc := p.board[s]
		for pt := Pawn; pt <= King; pt++ {
			if p.byType[pt].Has(s) != (pc.Type() == pt) {
				t.Fatalf("%s: board and bitboards differ on %s", p.FEN(), s)
			}
		}
		for c := White; c <= Black; c++ {
			if p.byColor[c].Has(s) != (pc != NoPiece && pc.Color() == c) {
				t.Fatalf("%s: board and colours differ on %s", p.FEN(), s)
			}
			if attacked := p.AttackersTo(s, p.Occupied())&p.byColor[c] != 0; p.Attacked(c, s,
				p.Occupied()) != attacked {
				t.Fatalf("%s: %s attacked by %s is %t, not so by its attackers", p.FEN(), s, c, !attacked)
			}
		}
	}
	if p.promoted&^p.Occupied() != 0 || p.promoted&(p.byType[Pawn]|p.byType[King]) != 0 {
		t.Fatalf("%s: promoted marks %x", p.FEN(), p.promoted)
	}
}

func FuzzParseUCI(f *testing.F) {
	seeds := []string{"e2e4", "e1h1", "e1g1", "N@f7", "p@f7", "e7e8", "e7e8Q", "0000", "a1a1"}
	fuzzMoves(f, seeds, (*Position).ParseUCI,
		func(p *Position, m Move) []string { return []string{m.String(), p.UCI(m)} })
}

func FuzzParseSAN(f *testing.F) {
	seeds := []string{"Nf3", "exd5", "e8=Q+", "O-O", "0-0-0", "N@f7#", "@e4", "P@e4", "Ngf3", "R1e2", "Qh4e1"}
	fuzzMoves(f, seeds, (*Position).ParseSAN, func(p *Position, m Move) []string { return []string{p.SAN(m)} })
}

// fuzzMoves parses moves of any position: an error is one of two kinds, and what the move
// is written as is read as the same move.
func fuzzMoves(f *testing.F, seeds []string, parse func(*Position, string) (Move, error),
	write func(*Position, Move) []string) {
	f.Helper()
	for _, s := range seeds {
		f.Add(StartFEN, s)
		f.Add("r3k2r/1P2P3/8/8/8/8/1p2p3/R3K2R[PNpn] w KQkq - 0 1", s)
	}
	f.Fuzz(func(t *testing.T, fen, s string) {
		p, err := ParseFEN(fen)
		if err != nil {
			return
		}
		m, err := parse(&p, s)
		if err != nil {
			if m != NoMove || !errors.Is(err, ErrMoveNotation) && !errors.Is(err, ErrIllegalMove) {
				t.Fatalf("%q: %s, %v", s, m, err)
			}
			return
		}
		for _, text := range write(&p, m) {
			if again, err := parse(&p, text); err != nil || again != m {
				t.Fatalf("%q in %s is %s, read back as %s, %v", s, fen, text, again, err)
			}
		}
	})
}

// FuzzPlay plays the moves that the bytes choose and checks every position and
// every legal move on the way.
func FuzzPlay(f *testing.F) {
	for _, c := range perftCases(f) {
		f.Add(c.fen, []byte{0, 50, 100, 150, 200, 250, 7, 77, 177, 207})
	}
	f.Add("4k3/8/8/8/8/8/8/4K2R~ w K - 0 1", []byte{255, 0})
	f.Fuzz(func(t *testing.T, fen string, choices []byte) {
		p, err := ParseFEN(fen)
		if err != nil {
			return
		}
		for _, choice := range choices[:min(len(choices), 100)] {
			checkPosition(t, &p)
			l := checkMoves(t, &p)
			if l.Len() == 0 {
				return
			}
			next := p.After(l.At(int(choice) * l.Len() / 256))
			if pieceCount(&p) != pieceCount(&next) {
				t.Fatalf("%s: %d pieces, then %d", p.FEN(), pieceCount(&p), pieceCount(&next))
			}
			p = next
		}
	})
}

func pieceCount(p *Position) int { return p.Occupied().Count() + p.InHand() }

// checkMoves compares the ways to find the legal moves, and what is said of
// each with what it does.
func checkMoves(t *testing.T, p *Position) *MoveList {
	t.Helper()
	var l, parts MoveList
	p.Generate(&l, All)
	for _, kind := range []GenKind{Captures, QuietBoardMoves, Drops} {
		p.Generate(&parts, kind)
	}
	if l.Len() != p.CountMoves() || l.Len() != parts.Len() || p.HasLegalMove() != (l.Len() > 0) {
		t.Fatalf("%s: %d moves, counted %d, %d by kind", p.FEN(), l.Len(), p.CountMoves(), parts.Len())
	}
	if !slices.Equal(p.LegalMoves(), l.Moves()) || p.IsCheckmate() != (l.Len() == 0 && p.InCheck()) ||
		p.IsStalemate() != (l.Len() == 0 && !p.InCheck()) {
		t.Fatalf("%s: moves %v, listed %v, checkmate %v, stalemate %v",
			p.FEN(), l.Moves(), p.LegalMoves(), p.IsCheckmate(), p.IsStalemate())
	}
	var checks Checks
	checks.Find(p)
	for _, m := range l.Moves() {
		next := p.After(m)
		if !p.IsLegal(m) || !parts.Has(m) || p.GivesCheck(m) != next.InCheck() || checks.Gives(p, m) != next.InCheck() {
			t.Fatalf("%s: %s is legal %v, gives check %v and %v",
				p.FEN(), m, p.IsLegal(m), p.GivesCheck(m), checks.Gives(p, m))
		}
		if m.IsDrop() && m.Dropped() != NoPieceType && checks.Squares(m.Dropped()).Has(m.To()) != next.InCheck() {
			t.Fatalf("%s: check squares differ for %s", p.FEN(), m)
		}
	}
	return &l
}
