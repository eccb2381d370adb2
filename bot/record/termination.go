package record

import (
	"strings"

	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// knownEndings are the words, in lower case, by which Lichess, the PGN standard, FICS, chess.com,
// cutechess, fastchess and our own matches say how a game ended. The first that occurs counts.
var knownEndings = []struct {
	words  string
	status lichess.Status
}{
	{"drawn", lichess.StatusDraw}, {"draw by", lichess.StatusDraw}, {"no material to mate", lichess.StatusDraw},
	{"draw adjudicated", lichess.StatusDraw}, {"stalemate", lichess.StatusDraw}, {"repetition", lichess.StatusDraw},
	{"time forfeit", lichess.StatusOutOfTime}, {"on time", lichess.StatusOutOfTime},
	{"out of time", lichess.StatusOutOfTime},
	{"checkmate", lichess.StatusMate}, {" mates", lichess.StatusMate},
	{"resign", lichess.StatusResign},
	{"rules infraction", lichess.StatusCheat},
	{"abort", lichess.StatusAborted},
	{"abandon", lichess.StatusTimeout}, {"disconnect", lichess.StatusTimeout}, {"connection", lichess.StatusTimeout},
	{"unterminated", lichess.StatusUnknownFinish}, {"unknown", lichess.StatusUnknownFinish},
}

// endingOf derives how a game ended from its Termination tag or, where that says nothing, from
// the comment at its end. What is not known has the words of the tag.
func endingOf(termination, comment string, result rules.Result, mated bool) (status lichess.Status, words string) {
	text := termination
	if normal := strings.EqualFold(text, "normal"); normal || text == "" {
		switch status, ok := findEnding(comment); {
		case mated && result != rules.NoResult:
			return lichess.StatusMate, ""
		case ok && result != rules.NoResult:
			return status, ""
		case result == rules.Draw:
			return lichess.StatusDraw, ""
		case normal && result != rules.NoResult:
			return lichess.StatusResign, ""
		}
		return lichess.StatusUnknownFinish, ""
	}
	status, ok := findEnding(text)
	switch {
	case !ok:
		words, _, _ = strings.Cut(text, ":")
		words, _, _ = strings.Cut(words, "(")
		return lichess.StatusUnknownFinish, strings.TrimSpace(words)
	case status == lichess.StatusTimeout && result == rules.NoResult:
		return lichess.StatusAborted, ""
	}
	return status, ""
}

func findEnding(text string) (lichess.Status, bool) {
	text = strings.ToLower(text)
	for _, e := range knownEndings {
		if strings.Contains(text, e.words) {
			return e.status, true
		}
	}
	return "", false
}
