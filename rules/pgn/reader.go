package pgn

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/zhbot/zhbot/rules"
)

// Reader reads games from a stream of PGN.
type Reader struct {
	lex   lexer
	games int
}

// The bounds on one game.
const (
	maxTags  = 200
	maxMoves = 2000
)

// NewReader returns a reader, which buffers its input.
func NewReader(r io.Reader) *Reader { return &Reader{lex: newLexer(r)} }

// GameError describes an error in one game. The reader continues with the next.
type GameError struct {
	Game int // counted from 1
	Line int // where the error was found
	Err  error
}

// Error names game, line and cause.
func (e *GameError) Error() string {
	return fmt.Sprintf("PGN game %d, line %d: %v", e.Game, e.Line, e.Err)
}

// Unwrap returns the cause.
func (e *GameError) Unwrap() error { return e.Err }

// Next returns the next game, a *[GameError] for one that cannot be read
// (the next call continues after it), or [io.EOF] at the end. Variations are
// skipped.
func (r *Reader) Next() (*Game, error) {
	first, err := r.lex.next()
	for err == nil && first.kind == commentToken { // between games
		first, err = r.lex.next()
	}
	if err != nil && !errors.Is(err, errSyntax) {
		return nil, err
	}
	r.games++
	if err == nil {
		var g *Game
		if g, err = r.readGame(first); err == nil {
			return g, nil
		}
	}
	bad := &GameError{r.games, r.lex.line, err}
	if _, err := new(Header).read(&r.lex, new([]byte)); err != nil { // skips the rest
		return nil, err
	}
	return nil, bad
}

// readGame reads a game whose first token is given.
func (r *Reader) readGame(t token) (*Game, error) {
	g := new(Game)
	var err error
	for t.kind == tagToken {
		if len(g.Tags) == maxTags {
			return nil, fmt.Errorf("more than %d tags", maxTags)
		}
		tag, err := parseTag(string(t.text))
		if err != nil {
			return nil, err
		}
		g.Tags = append(g.Tags, tag)
		if t, err = r.lex.next(); errors.Is(err, io.EOF) {
			t = token{kind: resultToken}
		} else if err != nil {
			return nil, err
		}
	}
	if err := g.setStart(); err != nil {
		r.lex.unread(t)
		return nil, err
	}
	p := g.Start
	for {
		switch t.kind {
		case resultToken:
			g.Result, _ = rules.ParseResult(string(t.text)) // none if the moves are missing
			return g, nil
		case tagToken: // the result is missing
			r.lex.unread(t)
			return g, nil
		case commentToken:
			if n := len(g.Moves); n > 0 {
				g.Moves[n-1].addComment(string(t.text))
			}
		case nagToken:
			g.setNAG(string(t.text))
		case moveToken:
			if p, err = g.playSAN(p, string(t.text)); err != nil {
				r.lex.unread(t) // to skip the game, Next must know that the moves have begun
				return nil, err
			}
		}
		if t, err = r.lex.next(); errors.Is(err, io.EOF) {
			return g, nil
		} else if err != nil {
			r.lex.unread(t)
			return nil, err
		}
	}
}

// setStart sets the start position from the tags.
func (g *Game) setStart() (err error) {
	if v := g.Tag("Variant"); v != "" && !strings.EqualFold(v, "crazyhouse") {
		return fmt.Errorf("variant %q is not crazyhouse", v)
	}
	g.Start, err = rules.ParseFEN(cmp.Or(g.Tag("FEN"), rules.StartFEN))
	return err
}

// setNAG sets the NAG of the last move. One that is not a number is skipped.
func (g *Game) setNAG(number string) {
	if n, err := strconv.ParseUint(number, 10, 8); err == nil && len(g.Moves) > 0 {
		g.Moves[len(g.Moves)-1].NAG = NAG(n)
	}
}

func (g *Game) playSAN(p rules.Position, san string) (rules.Position, error) {
	if len(g.Moves) == maxMoves {
		return p, fmt.Errorf("more than %d moves", maxMoves)
	}
	m, err := p.ParseSAN(san)
	switch {
	case errors.Is(err, rules.ErrMoveNotation) && len(g.Tags)+len(g.Moves) == 0:
		return p, fmt.Errorf("this is not PGN: want tags or moves, got %.16q", san)
	case err != nil:
		return p, fmt.Errorf("move %d: %w", p.Fullmove(), err)
	}
	g.Moves = append(g.Moves, Move{Move: m})
	return p.After(m), nil
}

func parseTag(text string) (Tag, error) {
	name, rest, ok := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	if !ok || strings.Contains(name, `"`) || len(rest) < 2 || rest[0] != '"' || rest[len(rest)-1] != '"' {
		return Tag{}, fmt.Errorf("tag [%.40s]: want [Name \"value\"]", text)
	}
	value := rest[1 : len(rest)-1]
	if strings.IndexByte(value, '\\') >= 0 {
		value = strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(value)
	}
	return Tag{name, value}, nil
}
