package pgn

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

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

	maxWarnings = 20
)

// NewReader returns a reader, which buffers its input.
func NewReader(r io.Reader) *Reader { return &Reader{lex: newLexer(r)} }

// GameError describes an error in one game. The reader continues with the next.
type GameError struct {
	Game int // counted from 1
	Line int // where the error was found
	Err  error
}

// ErrVariant is in the chain of errors about games that are not crazyhouse.
var ErrVariant = errors.New("not crazyhouse")

// Error names game, line and cause.
func (e *GameError) Error() string {
	return fmt.Sprintf("PGN game %d, line %d: %v", e.Game, e.Line, e.Err)
}

// Unwrap returns the cause.
func (e *GameError) Unwrap() error { return e.Err }

// Next returns the next game, a *[GameError] for one that is no crazyhouse game (the next call
// continues after it), or [io.EOF] at the end. A move that cannot be read or played ends the
// moves of its game, with a warning; other text that cannot be read is skipped with one.
func (r *Reader) Next() (*Game, error) {
	b := builder{locate: func(err error) *GameError { return &GameError{r.games + 1, r.lex.line, err} }}
	variations := r.lex.variations
	err := r.lex.readGame(b.add)
	if len(b.game.Tags) > 0 && !b.started { // tags alone
		b.begin()
	}
	b.checkVariant()
	if !b.started || err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	r.games++
	if b.bad != nil {
		return nil, b.bad
	}
	b.game.Variations = r.lex.variations - variations
	b.game.Result = resultOf(b.game.Result, b.game.Tags)
	return &b.game, nil
}

// builder builds a game of its tokens.
type builder struct {
	game     Game
	position rules.Position // after the moves
	started  bool           // the tags are over
	drops    bool           // there are some
	ended    bool           // a move could not be read
	bad      *GameError     // why this is no crazyhouse game
	locate   func(error) *GameError
}

// add adds a token, or the error of reading one.
func (b *builder) add(t token, err error) {
	if err == nil {
		err = b.apply(t)
	}
	if err != nil {
		b.warn(err)
	}
}

func (b *builder) warn(err error) {
	if len(b.game.Warnings) < maxWarnings {
		b.game.Warnings = append(b.game.Warnings, b.locate(err))
	}
}

func (b *builder) apply(t token) (err error) {
	g := &b.game
	switch t.kind {
	case tagToken:
		return g.addTag(toUTF8(t.text))
	case commentToken:
		if !b.ended {
			g.addComment(toUTF8(t.text))
		}
		return nil
	}
	if !b.started {
		b.begin()
	}
	b.drops = b.drops || t.kind == moveToken && bytes.IndexByte(t.text, '@') >= 0
	switch {
	case b.bad != nil:
	case t.kind == resultToken:
		g.Result, _ = rules.ParseResult(string(t.text)) // the lexer checked it
	case b.ended:
	case t.kind == nagToken:
		g.setNAG(string(t.text))
	case t.kind == moveToken:
		err = b.playSAN(string(t.text))
		b.ended = err != nil
	}
	return err
}

// addTag adds a tag, given without its brackets.
func (g *Game) addTag(text string) error {
	if len(g.Tags) == maxTags {
		return fmt.Errorf("more than %d tags", maxTags)
	}
	tag, err := parseTag(text)
	if err == nil {
		g.Tags = append(g.Tags, tag)
	}
	return err
}

// begin sets the start position from the tags.
func (b *builder) begin() {
	b.started = true
	g := &b.game
	start, cleared, err := rules.RepairFEN(cmp.Or(g.Tag("FEN"), rules.StartFEN))
	if err != nil {
		b.bad = b.locate(err)
		return
	}
	for _, what := range cleared {
		b.warn(fmt.Errorf("cleared %s", what))
	}
	g.Start, b.position = start, start
}

// checkVariant refuses a game that is not crazyhouse, which may also tell why it has no start
// position.
func (b *builder) checkVariant() {
	if !b.started || isCrazyhouse(b.game.Tags, b.drops) {
		return
	}
	b.bad = b.locate(fmt.Errorf("%w: variant %q", ErrVariant, cmp.Or(b.game.Tag("Variant"), "none, which is chess")))
}

// setNAG adds an annotation to the last move: the number of a NAG, or a glyph such as !?. Any
// other is skipped.
func (g *Game) setNAG(text string) {
	n := slices.Index(qualities, text)
	if number, err := strconv.ParseUint(text, 10, 8); err == nil {
		n = int(number)
	}
	switch last := len(g.Moves) - 1; {
	case n <= 0 || last < 0:
	case n < len(qualities):
		g.Moves[last].NAG = NAG(n)
	default:
		g.Moves[last].Symbols = append(g.Moves[last].Symbols, NAG(n))
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
		b.bad = b.locate(notPGN(san))
		return nil
	case err != nil:
		return fmt.Errorf("move %d: %w", p.Fullmove(), err)
	}
	g.Moves = append(g.Moves, Move{Move: m})
	g.setNAG(san[len(strings.TrimRight(san, "!?")):])
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
		return Tag{}, fmt.Errorf("tag %.40q: want [Name \"value\"]", text)
	}
	value := rest[1 : len(rest)-1]
	if strings.IndexByte(value, '\\') >= 0 {
		value = strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(value)
	}
	return Tag{name, value}, nil
}

// toUTF8 returns a text as UTF-8; older programs write that of Western Windows.
func toUTF8(text []byte) string {
	if !utf8.Valid(text) {
		text, _ = charmap.Windows1252.NewDecoder().Bytes(text) // it knows each byte
	}
	return string(text)
}
