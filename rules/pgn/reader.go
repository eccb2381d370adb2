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
	var b builder
	var bad *GameError
	fail := func(err error) {
		if err != nil && bad == nil {
			bad = &GameError{r.games + 1, r.lex.line, err}
		}
	}
	err := r.lex.readGame(func(t token, err error) {
		if err == nil && bad == nil {
			err = b.add(t)
		}
		fail(err)
	})
	if len(b.game.Tags) > 0 && !b.started { // tags alone
		fail(b.begin())
	}
	if bad == nil && !b.started || err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	r.games++
	if bad != nil {
		return nil, bad
	}
	return &b.game, nil
}

// builder builds a game of its tokens.
type builder struct {
	game     Game
	position rules.Position // after the moves
	started  bool           // the tags are over
}

// add adds a token.
func (b *builder) add(t token) error {
	g := &b.game
	if t.kind == commentToken {
		if n := len(g.Moves); n > 0 {
			g.Moves[n-1].addComment(string(t.text))
		}
		return nil
	}
	if t.kind == tagToken {
		return g.addTag(string(t.text))
	}
	if !b.started {
		if err := b.begin(); err != nil {
			return err
		}
	}
	switch t.kind {
	case resultToken:
		g.Result, _ = rules.ParseResult(string(t.text)) // the lexer checked it
	case nagToken:
		g.setNAG(string(t.text))
	case moveToken:
		return b.playSAN(string(t.text))
	}
	return nil
}

// addTag adds a tag, given without its brackets.
func (g *Game) addTag(text string) error {
	if len(g.Tags) == maxTags {
		return fmt.Errorf("more than %d tags", maxTags)
	}
	tag, err := parseTag(text)
	g.Tags = append(g.Tags, tag)
	return err
}

// begin sets the start position from the tags.
func (b *builder) begin() (err error) {
	b.started = true
	g := &b.game
	if v := g.Tag("Variant"); v != "" && !strings.EqualFold(v, "crazyhouse") {
		return fmt.Errorf("variant %q is not crazyhouse", v)
	}
	g.Start, err = rules.ParseFEN(cmp.Or(g.Tag("FEN"), rules.StartFEN))
	b.position = g.Start
	return err
}

// setNAG sets the NAG of the last move. One that is not a number is skipped.
func (g *Game) setNAG(number string) {
	if n, err := strconv.ParseUint(number, 10, 8); err == nil && len(g.Moves) > 0 {
		g.Moves[len(g.Moves)-1].NAG = NAG(n)
	}
}

func (b *builder) playSAN(san string) error {
	g, p := &b.game, &b.position
	if len(g.Moves) == maxMoves {
		return fmt.Errorf("more than %d moves", maxMoves)
	}
	m, err := p.ParseSAN(san)
	switch {
	case errors.Is(err, rules.ErrMoveNotation) && len(g.Tags)+len(g.Moves) == 0:
		return notPGN(san)
	case err != nil:
		return fmt.Errorf("move %d: %w", p.Fullmove(), err)
	}
	g.Moves = append(g.Moves, Move{Move: m})
	*p = p.After(m)
	return nil
}

// notPGN returns the error for a text that begins with no tag and with a word that is no move.
func notPGN(word string) error {
	if strconv.Quote(word) != `"`+word+`"` {
		return errors.New("this is not PGN: want tags or moves, got what is not text; unpack it if it is compressed")
	}
	return fmt.Errorf("this is not PGN: want tags or moves, got %.16q", word)
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
