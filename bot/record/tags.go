package record

import (
	"strconv"
	"strings"
	"time"
)

// tagged is a game of which the tags are read.
type tagged interface {
	// Tag returns the value of a tag, "" if there is none.
	Tag(name string) string
}

// idFrom returns a game's id: its own tag, or the end of its address; "" if
// there is neither.
func idFrom(t tagged) string {
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

func playerFrom(t tagged, side string) Player {
	return Player{
		Name: t.Tag(side), Title: t.Tag(side + "Title"),
		Rating: number(t.Tag(side + "Elo")), RatingDiff: number(t.Tag(side + "RatingDiff")),
	}
}

func ratingKnownFrom(t tagged) bool {
	return t.Tag("WhiteRatingDiff") != "" || t.Tag("BlackRatingDiff") != ""
}

// ratedFrom reports whether the event is a rated game, as Lichess names them.
func ratedFrom(t tagged) bool { return strings.HasPrefix(strings.ToLower(t.Tag("Event")), "rated") }

// number reads a rating, 0 for what is none.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < -10000 || n > 10000 {
		return 0
	}
	return n
}

// beganFrom returns when a game began, by its UTC tags or else by its date.
func beganFrom(t tagged) time.Time {
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
