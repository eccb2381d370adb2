package control

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

const (
	gameID = 8  // characters of a game's id
	fullID = 12 // the same with a player's secret, as in some addresses
)

var word = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// isName reports whether a text can be an id or a name.
func isName(text string, maxLen int) bool { return len(text) <= maxLen && word.MatchString(text) }

// lastSegment returns the last part of an address, or the text itself.
func lastSegment(text string) string {
	if !strings.Contains(text, "://") {
		return text
	}
	text, _, _ = strings.Cut(text, "?")
	text, _, _ = strings.Cut(text, "#")
	text = strings.TrimRight(text, "/")
	return text[strings.LastIndex(text, "/")+1:]
}

// parseGame returns the id of a game, or the beginning of one, from a reference to it.
func parseGame(text string) (string, error) {
	id := text
	if _, address, isAddress := strings.Cut(text, "://"); isAddress {
		_, path, _ := strings.Cut(address, "/")
		if id = path; strings.ContainsAny(path, "/?#") {
			id = path[:strings.IndexAny(path, "/?#")]
		}
	}
	if len(id) == fullID {
		id = id[:gameID]
	}
	if !isName(id, gameID) {
		return "", usageErrorf("%q is not a game; want a game's id, the beginning of it, or its address", clip(text))
	}
	return id, nil
}

// findGame returns the one of the games that a reference names.
func findGame(reference string, games []string) (string, error) {
	if slices.Contains(games, reference) {
		return reference, nil
	}
	var found []string
	for _, id := range games {
		if strings.HasPrefix(id, reference) {
			found = append(found, id)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return "", fmt.Errorf("several games begin with %s: %s", reference, strings.Join(found, ", "))
	case len(games) == 0:
		return "", fmt.Errorf("no game %s: none is in progress", reference)
	}
	return "", fmt.Errorf("no game %s is in progress; those in progress are %s", reference, strings.Join(games, ", "))
}
