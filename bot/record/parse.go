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

// summaryOf summarises a game by its tags, the result at the end of its moves, and
// whether the last of them gave mate.
func summaryOf(t tagger, result rules.Result, mated bool) Summary {
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
	if s.Result == rules.NoResult {
		s.Result, _ = rules.ParseResult(t("Result"))
	}
	if s.Status = statusFrom(t("Termination"), s.Result, mated); s.Status == lichess.StatusOutOfTime &&
		t(tagLeft) == yes {
		s.Status = lichess.StatusTimeout
	}
	s.setTimeControl(t("TimeControl"))
	return s
}

// isMate reports whether a move in SAN gives mate.
func isMate(san string) bool { return strings.HasSuffix(strings.TrimRight(san, "!?"), "#") }

// statusFrom derives how a game ended.
func statusFrom(termination string, result rules.Result, mated bool) lichess.Status {
	switch strings.ToLower(termination) {
	case "time forfeit":
		return lichess.StatusOutOfTime
	case "abandoned":
		return lichess.StatusAborted
	case "rules infraction":
		return lichess.StatusCheat
	}
	switch {
	case result == rules.NoResult:
		return lichess.StatusUnknownFinish
	case mated:
		return lichess.StatusMate
	case result == rules.Draw:
		return lichess.StatusDraw
	}
	return lichess.StatusResign
}

// parseGame is the inverse of [Game.PGN].
func parseGame(text *pgn.Game) *Game {
	g := &Game{Board: rules.NewGame(text.Start), PostMortem: text.Tag(tagPostMortem)}
	for _, m := range text.Moves {
		if g.Board.Play(m.Move) != nil {
			break // unreachable: the reader checked the move
		}
		g.Notes = append(g.Notes, Note{Clock: m.Clock, HasClock: m.HasClock, Eval: m.Eval})
	}
	g.Summary = summaryOf(text.Tag, text.Result, g.Board.Position().IsCheckmate())
	return g
}

// siteID matches the URL of a game, which ends in an id as long as Lichess's.
var siteID = regexp.MustCompile(`^https?://[^/]+/(?:.*/)?([A-Za-z0-9]{8})$`)

// GameID returns the id of a game with these tags, from GameId or the end of Site; "" if
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

// parseNumber parses a rating, a rating difference or a count; 0 if it is invalid.
func parseNumber(s string) int {
	n, err := strconv.Atoi(s)
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
