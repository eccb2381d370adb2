package rules

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
)

// StartFEN is the start of a game as Lichess writes it.
const StartFEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR/ w KQkq - 0 1"

// ErrFEN is in the chain of every error about the form of a FEN.
var ErrFEN = errors.New("not a crazyhouse FEN")

// maxFEN bounds the length of a FEN.
const maxFEN = 256

var startPosition = sync.OnceValue(func() Position {
	p, err := ParseFEN(StartFEN)
	if err != nil {
		panic(err)
	}
	return p
})

// StartPosition returns the start of a game.
func StartPosition() Position { return startPosition() }

// ParseFEN reads a playable position in any of the usual crazyhouse
// notations: the pocket after a ninth slash, in brackets, after the counters,
// or nowhere; promoted pieces marked by ~ on the board or, as chess.com does,
// by their squares in one more field after the pocket. Fields after the board may be
// missing. An en-passant square without a legal capture is cleared, as Lichess does, and
// castling rights and en-passant squares that the board does not allow, which other programs
// write.
//
// The errors wrap [ErrFEN] and name field and place, or are an [*UnplayableError] with every
// reason.
func ParseFEN(fen string) (Position, error) {
	p, _, err := RepairFEN(fen)
	return p, err
}

// RepairFEN is [ParseFEN] and says what it cleared that the board does not allow.
func RepairFEN(fen string) (_ Position, cleared []string, _ error) {
	if len(fen) > maxFEN {
		return Position{}, nil, fmt.Errorf("%w: %d bytes long, want at most %d", ErrFEN, len(fen), maxFEN)
	}
	p := Position{enPassant: NoSquare, fullmove: 1}
	if err := p.parse(strings.Fields(fen)); err != nil {
		return Position{}, nil, fmt.Errorf("%w %q: %w", ErrFEN, fen, err)
	}
	if err := p.checkPlayable(); err != nil {
		return Position{}, nil, fmt.Errorf("FEN %q: %w", fen, err)
	}
	cleared = p.clearImpossible()
	p.fullmove = max(p.fullmove, 1)
	p.finish()
	return p, cleared, nil
}

func (p *Position) parse(fields []string) error {
	if len(fields) == 0 {
		return errors.New("it is empty; want a board, such as " + StartFEN)
	}
	board, pocket, found, err := splitPocket(fields[0])
	if err != nil {
		return err
	}
	if err := p.parseBoard(board); err != nil {
		return fmt.Errorf("board: %w", err)
	}
	rest := fields[1:]
	for _, parse := range []func(string) error{p.parseTurn, p.parseCastling, p.parseEnPassant} {
		if len(rest) == 0 {
			break
		}
		if err := parse(rest[0]); err != nil {
			return err
		}
		rest = rest[1:]
	}
	for _, counter := range []*uint16{&p.rule50, &p.fullmove} {
		if len(rest) == 0 || !isNumber(rest[0]) {
			break
		}
		if *counter, err = parseCounter(rest[0]); err != nil {
			return err
		}
		rest = rest[1:]
	}
	if len(rest) > 0 && !found { // chess.com's form
		pocket, rest = rest[0], rest[1:]
		if len(rest) > 0 {
			if err := p.parsePromoted(rest[0]); err != nil {
				return err
			}
			rest = rest[1:]
		}
	}
	if len(rest) > 0 {
		return fmt.Errorf("%q is one field too many", rest[0])
	}
	return p.parsePocket(pocket)
}

// splitPocket splits the pocket from the board field, in brackets or as the
// ninth rank.
func splitPocket(field string) (board, pocket string, found bool, err error) {
	if open := strings.IndexByte(field, '['); open >= 0 {
		if !strings.HasSuffix(field, "]") {
			return "", "", false, errors.New("pocket: the bracket does not close; want [PNpq]")
		}
		return field[:open], field[open+1 : len(field)-1], true, nil
	}
	if ranks := strings.SplitN(field, "/", 9); len(ranks) == 9 {
		return strings.Join(ranks[:8], "/"), ranks[8], true, nil
	}
	return field, "", false, nil
}

func (p *Position) parseBoard(board string) error {
	ranks := strings.Split(board, "/")
	if len(ranks) != 8 {
		return fmt.Errorf("%d ranks, want 8 between slashes", len(ranks))
	}
	for i, rank := range ranks {
		if err := p.parseRank(7-i, rank); err != nil {
			return fmt.Errorf("rank %d %q: %w", 8-i, rank, err)
		}
	}
	return nil
}

func (p *Position) parseRank(rank int, text string) error {
	file, markable := 0, false // markable: a piece was read last
	for i, ch := range text {
		t := pieceTypeOf(ch)
		switch {
		case ch == '~' && markable:
			p.promoted |= SquareAt(file-1, rank).Bit()
		case t != NoPieceType:
			if file < 8 {
				p.putPiece(PieceOf(colorOf(ch), t), SquareAt(file, rank))
			}
			file++
		case ch >= '1' && ch <= '8':
			file += int(ch - '0')
		default:
			return fmt.Errorf("character %d %q is not a piece, a number of empty squares, or ~ after a piece", i+1, ch)
		}
		if file > 8 {
			return errors.New("more than 8 squares")
		}
		markable = t != NoPieceType
	}
	if file != 8 {
		return fmt.Errorf("%d squares, want 8", file)
	}
	return nil
}

func colorOf(letter rune) Color {
	if letter >= 'a' {
		return Black
	}
	return White
}

func (p *Position) parsePocket(pocket string) error {
	if pocket == "-" {
		return nil
	}
	for i, ch := range pocket {
		t := pieceTypeOf(ch)
		if t == NoPieceType || t == King {
			return fmt.Errorf("pocket %q: character %d %q is not a piece that can be in hand; "+
				"want letters of pnbrqPNBRQ", pocket, i+1, ch)
		}
		c := colorOf(ch)
		if p.pockets[c].Count(t) >= maxPieces {
			return fmt.Errorf("pocket %q: more than %d of one piece", pocket, maxPieces)
		}
		p.pockets[c] = p.pockets[c].With(t)
	}
	return nil
}

// parsePromoted reads the squares of the promoted pieces, with or without commas
// between them. [Position.checkPlayable] refuses marks on pawns and kings.
func (p *Position) parsePromoted(field string) error {
	if field == "-" {
		return nil
	}
	seen := Bitboard(0)
	for text := []rune(field); len(text) > 0; {
		name := string(text[:min(2, len(text))])
		sq, err := ParseSquare(name)
		switch {
		case err != nil:
			return fmt.Errorf("promoted pieces %q: %w, or - for none", field, err)
		case p.board[sq] == NoPiece:
			return fmt.Errorf("promoted pieces %q: no piece on %s", field, sq)
		case seen.Has(sq):
			return fmt.Errorf("promoted pieces %q: %s is given twice", field, sq)
		}
		seen |= sq.Bit()
		text = text[2:]
		if len(text) > 1 && text[0] == ',' {
			text = text[1:]
		}
	}
	p.promoted |= seen
	return nil
}

func (p *Position) parseTurn(field string) error {
	switch field {
	case "w":
		p.turn = White
	case "b":
		p.turn = Black
	default:
		return fmt.Errorf("side to move %q: want w or b", field)
	}
	return nil
}

func (p *Position) parseCastling(field string) error {
	if field == "-" {
		return nil
	}
	for i, ch := range field {
		index := strings.IndexRune("KQkqHAha", ch) // some write the rook's file
		right := CastlingRights(1) << (index & 3)
		if index < 0 || p.castling&right != 0 {
			return fmt.Errorf("castling rights %q: character %d %q; want some of KQkq, each once, or -",
				field, i+1, ch)
		}
		p.castling |= right
	}
	return nil
}

func (p *Position) parseEnPassant(field string) error {
	if field == "-" {
		return nil
	}
	target, err := ParseSquare(field)
	if err != nil {
		return fmt.Errorf("en passant: %w, or -", err)
	}
	p.enPassant = target
	return nil
}

func isNumber(field string) bool {
	return strings.Trim(field, "-+0123456789") == "" && field != "-"
}

func parseCounter(field string) (uint16, error) {
	n, err := strconv.Atoi(field)
	if err != nil || n < 0 || n > maxCounter {
		return 0, fmt.Errorf("move counter %q: want a number from 0 to %d", field, maxCounter)
	}
	return uint16(n), nil
}

// FEN writes the position as Lichess does: the pocket after a ninth
// slash, White's pieces first, each side's from pawn to queen.
func (p *Position) FEN() string {
	b := make([]byte, 0, 96)
	for rank := 7; rank >= 0; rank-- {
		b = append(p.appendRank(b, rank), '/')
	}
	b = p.appendPockets(b)
	b = append(b, ' ', "wb"[p.turn&1], ' ')
	b = append(p.appendCastling(b), ' ')
	b = append(append(b, p.enPassant.String()...), ' ')
	b = strconv.AppendInt(b, int64(p.rule50), 10)
	b = strconv.AppendInt(append(b, ' '), int64(p.fullmove), 10)
	return string(b)
}

func (p *Position) appendRank(b []byte, rank int) []byte {
	empty := byte(0)
	flush := func() {
		if empty > 0 {
			b, empty = append(b, '0'+empty), 0
		}
	}
	for file := range 8 {
		sq := SquareAt(file, rank)
		pc := p.board[sq]
		if pc == NoPiece {
			empty++
			continue
		}
		flush()
		b = append(b, pc.Letter())
		if p.promoted.Has(sq) {
			b = append(b, '~')
		}
	}
	flush()
	return b
}

func (p *Position) appendPockets(b []byte) []byte {
	for c := White; c <= Black; c++ {
		for t := Pawn; t <= Queen; t++ {
			for range p.pockets[c].Count(t) {
				b = append(b, PieceOf(c, t).Letter())
			}
		}
	}
	return b
}

func (p *Position) appendCastling(b []byte) []byte {
	if p.castling&15 == 0 {
		return append(b, '-')
	}
	for i, letter := range []byte("KQkq") {
		if p.castling>>i&1 != 0 {
			b = append(b, letter)
		}
	}
	return b
}
