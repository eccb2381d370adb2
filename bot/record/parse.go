package record

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// tagger returns the value of a PGN tag, "" if there is none.
type tagger func(name string) string

// summaryOf summarises a game by its tags, the result and the comment at the end of its moves,
// and whether the last of them gave mate.
func summaryOf(t tagger, result rules.Result, comment string, mated bool) Summary {
	s := Summary{
		ID: GameID(t), Site: t("Site"), Created: createdFrom(t),
		Rated: strings.HasPrefix(strings.ToLower(t("Event")), "rated"), // as Lichess writes it
		White: playerFrom(t, "White"), Black: playerFrom(t, "Black"),
		RatingKnown: t("WhiteRatingDiff") != "" || t("BlackRatingDiff") != "",
		Result:      result, Version: t(tagVersion), Network: t(tagNetwork), Program: t(tagProgram),
		Contender: t(tagContender), ContenderFor: t(tagFor), Level: t(tagLevel),
		Fallbacks: max(0, parseNumber(t(tagFallbacks))),
	}
	if !s.RatingKnown {
		s.Uncounted = uncountedFrom(t(tagUncounted))
	}
	s.Status, s.Ending = endingOf(t("Termination"), comment, s.Result, mated)
	if s.Status == lichess.StatusOutOfTime && t(tagLeft) == yes {
		s.Status = lichess.StatusTimeout
	}
	s.setTimeControl(t("TimeControl"))
	return s
}

// isMate reports whether a move in SAN gives mate.
func isMate(san string) bool { return strings.HasSuffix(strings.TrimRight(san, "!?"), "#") }

// parseGame is the inverse of [Game.PGN].
func parseGame(text *pgn.Game) *Game {
	g := &Game{Board: rules.NewGame(text.Start)}
	for _, m := range text.Moves {
		if g.Board.Play(m.Move) != nil {
			break // unreachable: the reader checked the move
		}
		g.Notes = append(g.Notes, Note{Clock: m.Clock, HasClock: m.HasClock, Eval: m.Eval})
	}
	comment := text.Comment
	if n := len(text.Moves); n > 0 {
		comment = text.Moves[n-1].Comment
	}
	g.Summary = summaryOf(text.Tag, text.Result, comment, g.Board.Position().IsCheckmate())
	return g
}

// siteID matches the URL of a game on Lichess, which ends in its id. Other sites are no identity:
// the games of a study, a tournament or a server share one.
var siteID = regexp.MustCompile(
	`^https?://lichess\.org/([A-Za-z0-9]{8})(?:[A-Za-z0-9]{4})?(?:/(?:white|black))?(?:#\d*)?$`)

// GameID returns the id of a game with these tags, from GameId or a Site on Lichess; "" if
// neither has one.
func GameID(tag func(name string) string) string {
	if id := tag("GameId"); id != "" {
		return id
	}
	if m := siteID.FindStringSubmatch(tag("Site")); m != nil {
		return m[1]
	}
	return ""
}

func playerFrom(t tagger, side string) Player {
	return Player{
		Name: t(side), Title: t(side + "Title"),
		Rating: parseNumber(t(side + "Elo")), RatingDiff: parseNumber(t(side + "RatingDiff")),
		Provisional: t(side+tagProvisional) == yes,
	}
}

// number is a rating, whose suffix some sites use for what is provisional, a difference or a count.
var number = regexp.MustCompile(`^[-+]?\d+`)

// parseNumber parses the number that a text begins with; 0 if there is none, or an absurd one.
func parseNumber(s string) int {
	n, err := strconv.Atoi(number.FindString(s))
	if err != nil || n < -10000 || n > 10000 {
		return 0
	}
	return n
}

// createdFrom returns when a game was created, from its UTC tags or else from its Date tag.
func createdFrom(t tagger) time.Time {
	date, clock := t("UTCDate"), t("UTCTime")
	if date == "" {
		date, clock = t("Date"), t("Time")
	}
	if at, err := time.Parse("2006.01.02 15:04:05", date+" "+clock); err == nil {
		return at
	}
	at, _ := time.Parse("2006.01.02", date) // the zero time on error
	return at
}

// setTimeControl sets time control and speed from a TimeControl tag such as "180+2".
func (s *Summary) setTimeControl(tag string) {
	control, err := pgn.ParseTimeControl(tag)
	if s.Clock = lichess.Clock(control); err == nil || strings.HasPrefix(tag, "1/") {
		s.Speed = s.Clock.Speed()
	}
}
