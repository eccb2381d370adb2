package control

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/zhbot/zhbot/lichess"
)

func (r *Request) checkUser() error {
	if r.User = subject(r.User); !lichess.ValidUserName(r.User) {
		return fmt.Errorf("%.40q is not a user name", r.User)
	}
	return nil
}

// checkTerms checks clock, mode and colour.
func (r *Request) checkTerms() (err error) {
	switch {
	case !slices.Contains([]string{"", "rated", "casual"}, r.Mode):
		return fmt.Errorf("got %.40q, want rated or casual", r.Mode)
	case !slices.Contains([]string{"", "white", "black"}, r.Color):
		return fmt.Errorf("got %.40q, want white or black", r.Color)
	}
	r.clock, err = lichess.ParseChallengeClock(r.Clock, r.isRated())
	return err
}

func (r *Request) isRated() bool { return r.Mode != "casual" }

// Limits of a gauntlet.
const (
	maxUsers = 20
	maxPairs = 500
)

func (r *Request) checkGauntlet() error {
	switch n := len(r.Users); {
	case r.Stop:
		return nil
	case n == 0 || n > maxUsers:
		return fmt.Errorf("%d users, want 1 to %d", n, maxUsers)
	case r.Pairs < 1 || r.Pairs > maxPairs:
		return fmt.Errorf("%d pairs, want 1 to %d", r.Pairs, maxPairs)
	}
	for i, text := range r.Users {
		user := subject(text)
		switch {
		case !lichess.ValidUserName(user):
			return fmt.Errorf("%.40q is not a user name; want names such as alice,bob", text)
		case slices.ContainsFunc(r.Users[:i], func(other string) bool { return strings.EqualFold(user, other) }):
			return fmt.Errorf("%s is named twice", user)
		}
		r.Users[i] = user
	}
	return r.checkTerms()
}

// idText matches the id of a game or an arena, or the beginning of one.
var idText = regexp.MustCompile(`^[\w-]{1,8}$`)

func (r *Request) checkGame() error {
	id := segments(r.Game)[0]
	if len(id) == 12 { // with a player's secret, as in some addresses
		id = id[:8]
	}
	if !idText.MatchString(id) {
		return fmt.Errorf("%.40q is not a game; want a game's id, the beginning of it, or its address", r.Game)
	}
	r.Game = id
	return nil
}

func (r *Request) checkText() error {
	r.Text = strings.Join(strings.Fields(r.Text), " ")
	switch {
	case r.Text == "":
		return errors.New("the text is empty")
	case strings.ContainsFunc(r.Text, unicode.IsControl):
		return errors.New("the text has control characters")
	}
	return lichess.CheckChat(r.Text)
}

// subject returns what an address is about, the user after an @ or its last part, or the text itself.
func subject(text string) string {
	parts := segments(text)
	if i := slices.Index(parts[:len(parts)-1], "@"); i >= 0 {
		return parts[i+1]
	}
	return parts[len(parts)-1]
}

// segments returns the parts of an address's path, or the text itself; at least one.
func segments(text string) []string {
	if u, err := url.Parse(text); err == nil && u.Host != "" {
		return strings.Split(strings.Trim(u.Path, "/"), "/")
	}
	return []string{text}
}
