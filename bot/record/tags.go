package record

import (
	"strconv"
	"strings"
	"time"
)

// tagger is a game with PGN tags.
type tagger interface {
	// Tag returns the value of a tag, "" if there is none.
	Tag(name string) string
}

// idFrom returns a game's id, from its GameId tag or the end of its URL; "" if there
// is neither.
func idFrom(t tagger) string {
	if id := t.Tag("GameId"); id != "" {
		return id
	}
	site := t.Tag("Site")
	if !strings.Contains(site, "://") {
		return ""
	}
	id := site[strings.LastIndexByte(site, '/')+1:]
	if !gameID.MatchString(id) {
		return ""
	}
	return id
}

func playerFrom(t tagger, side string) Player {
	return Player{
		Name: t.Tag(side), Title: t.Tag(side + "Title"),
		Rating: parseRating(t.Tag(side + "Elo")), RatingDiff: parseRating(t.Tag(side + "RatingDiff")),
	}
}

func ratingKnownFrom(t tagger) bool {
	return t.Tag("WhiteRatingDiff") != "" || t.Tag("BlackRatingDiff") != ""
}

// ratedFrom reports whether the game is rated by its Event tag, as Lichess writes it.
func ratedFrom(t tagger) bool { return strings.HasPrefix(strings.ToLower(t.Tag("Event")), "rated") }

// parseRating parses a rating or rating difference; 0 if it is invalid.
func parseRating(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < -10000 || n > 10000 {
		return 0
	}
	return n
}

// startTime returns when a game began, from its UTC tags or else from its Date tag.
func startTime(t tagger) time.Time {
	date, clock := t.Tag("UTCDate"), t.Tag("UTCTime")
	if date == "" {
		date, clock = t.Tag("Date"), t.Tag("Time")
	}
	if at, err := time.Parse("2006.01.02 15:04:05", date+" "+clock); err == nil {
		return at
	}
	at, err := time.Parse("2006.01.02", date)
	if err != nil {
		return time.Time{}
	}
	return at
}
