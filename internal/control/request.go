package control

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/matchmaking"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
)

// Request is a command with its arguments, as "zhbot ctl" and the page send it.
type Request struct {
	Command string   `json:"command"`
	Keep    bool     `json:"keep,omitempty"`  // of pause: also after a restart
	User    string   `json:"user,omitempty"`  // of challenge, block, allow and unblock
	Users   []string `json:"users,omitempty"` // of gauntlet
	Clock   string   `json:"clock,omitempty"` // of challenge and gauntlet, such as 3+2
	Mode    string   `json:"mode,omitempty"`  // of both: rated, as by default, or casual
	Color   string   `json:"color,omitempty"` // of challenge: white or black; "" for random
	Pairs   int      `json:"pairs,omitempty"` // of gauntlet
	Stop    bool     `json:"stop,omitempty"`  // of gauntlet: end it
	On      *bool    `json:"on,omitempty"`    // of matchmaking
	Arena   string   `json:"arena,omitempty"` // id or address
	Leave   bool     `json:"leave,omitempty"` // of arena
	Game    string   `json:"game,omitempty"`  // id, the beginning of one, or address
	Text    string   `json:"text,omitempty"`  // of say

	clock lichess.Clock // set by validate
}

// UsageError is an invalid request.
type UsageError struct{ text string }

func (e *UsageError) Error() string { return e.text }

func usageErrorf(format string, args ...any) error { return &UsageError{fmt.Sprintf(format, args...)} }

// validate checks the fields that the command needs, and replaces addresses by what they
// are about. An error is a [*UsageError].
func (r *Request) validate() (err error) {
	switch r.Command {
	case "status", "pause", "resume", "rematch", "cancel", "drain", "reload":
		return nil
	case "challenge":
		err = cmp.Or(r.checkUser(), r.checkTerms())
	case "block", "allow", "unblock":
		err = r.checkUser()
	case "gauntlet":
		err = r.checkGauntlet()
	case "matchmaking":
		if r.On == nil {
			err = errors.New("want on or off")
		}
	case "arena":
		if r.Arena = subject(r.Arena); !idText.MatchString(r.Arena) {
			err = fmt.Errorf("%.40q is not an id; want the last part of the arena's address", r.Arena)
		}
	case "resign", "abort", "draw":
		err = r.checkGame()
	case "say":
		err = cmp.Or(r.checkGame(), r.checkText())
	default:
		return usageErrorf("unknown command %.40q", r.Command)
	}
	if err != nil {
		return usageErrorf("%s: %v", r.Command, err)
	}
	return nil
}

// run executes a valid request on a bot. Its error is nil only if the command has been
// executed.
func (r *Request) run(ctx context.Context, b *bot.Bot) (Result, error) {
	switch r.Command {
	case "pause":
		return r.pause(ctx, b)
	case "resume":
		paused, err := b.Resume()
		if !paused {
			return done(err, "was not paused")
		}
		return done(err, "resumed")
	case "challenge":
		color := lichess.Color(r.Color)
		a, err := b.Challenge(ctx, r.User, lichess.ChallengeRequest{Clock: r.clock, Rated: r.isRated(), Color: color})
		return answered(r.User, a, err)
	case "rematch":
		return answered(b.Rematch(ctx))
	case "gauntlet":
		return r.gauntlet(ctx, b)
	case "cancel":
		list, err := b.CancelChallenges(ctx)
		return done(err, "%s", cmp.Or(describe(list), "we have no open challenge"))
	case "block":
		return r.setUser(ctx, b, record.Blocked)
	case "allow":
		return r.setUser(ctx, b, record.Allowed)
	case "unblock":
		return r.setUser(ctx, b, "")
	case "matchmaking":
		return r.setMatchmaking(b)
	case "arena":
		return r.arena(ctx, b)
	case "resign":
		return r.inGame(ctx, b, "resigned", game.Resign)
	case "abort":
		return r.inGame(ctx, b, "aborted", game.Abort)
	case "draw":
		return r.inGame(ctx, b, "draw offered; if the opponent's offer is open, this accepts it", game.Draw)
	case "say":
		return r.inGame(ctx, b, "said", game.Say(r.Text))
	case "drain":
		b.Drain()
		return done(nil, "draining; games in progress: %s", cmp.Or(strings.Join(b.Running(), ", "), "none"))
	}
	return Result{}, usageErrorf("unknown command %.40q", r.Command) // unreachable: the request is valid
}

// done returns the result of a command that is only a message, or its error.
func done(err error, format string, args ...any) (Result, error) {
	if err != nil {
		return Result{}, err
	}
	return Result{Message: fmt.Sprintf(format, args...)}, nil
}

func (r *Request) pause(ctx context.Context, b *bot.Bot) (Result, error) {
	p, canceled, err := b.Pause(ctx, r.Keep)
	text := "paused"
	if p.Keep {
		text += ", also after a restart"
	}
	if len(canceled) > 0 {
		text += "; " + describe(canceled)
	}
	return done(err, "%s; games in progress: %d", text, len(b.Running()))
}

// answered returns the result of a challenge to a user.
func answered(user string, a matchmaking.Answer, err error) (Result, error) {
	result := Result{Challenge: a.ID}
	switch {
	case err != nil:
		return result, err
	case !a.Accepted:
		return result, fmt.Errorf("%s has not accepted: %s", user, a.Reason)
	}
	result.Game, result.Message = a.ID, fmt.Sprintf("%s has accepted: game %s", user, a.ID)
	return result, nil
}

func (r *Request) gauntlet(ctx context.Context, b *bot.Bot) (Result, error) {
	if r.Stop {
		ended, err := b.EndGauntlet()
		if !ended {
			return done(err, "there is no gauntlet")
		}
		return done(err, "gauntlet ended; a game in progress continues")
	}
	g := matchmaking.NewGauntlet(r.Users, r.clock, r.isRated(), r.Pairs)
	err, hint := b.BeginGauntlet(ctx, g), ""
	switch s := b.Status(); {
	case s.Paused != nil:
		hint = "; it is played when the bot is resumed"
	case s.Matchmaking.Operator && !s.Matchmaking.On:
		hint = "; it is played once matchmaking is on"
	}
	return done(err, "gauntlet begun: %d games against each of %s%s", 2*g.Pairs, strings.Join(g.Opponents, ", "), hint)
}

// describe describes challenges that were to be cancelled.
func describe(list []matchmaking.Canceled) string {
	texts := make([]string, len(list))
	for i, c := range list {
		texts[i] = "challenge " + c.ID
		if c.User != "" {
			texts[i] += " to " + c.User
		}
		if c.Started {
			texts[i] += " was accepted just before"
		} else {
			texts[i] += " cancelled"
		}
	}
	return strings.Join(texts, ", ")
}

// setUser moves the user to one of the operator's lists, "" for none.
func (r *Request) setUser(ctx context.Context, b *bot.Bot, list record.UserList) (Result, error) {
	was, canceled, err := b.SetUser(ctx, r.User, list)
	switch {
	case len(canceled) > 0:
		return done(err, "%s is blocked; %s", r.User, describe(canceled))
	case list == "" && was == "":
		return done(err, "%s was neither blocked nor allowed by the operator", r.User)
	case list == "":
		return done(err, "%s is no longer %sed", r.User, was)
	}
	return done(err, "%s is %sed", r.User, list)
}

func (r *Request) setMatchmaking(b *bot.Bot) (Result, error) {
	b.SetMatchmaking(*r.On)
	switch {
	case !*r.On:
		return done(nil, "matchmaking is off until the program ends")
	case b.Status().Paused != nil:
		return done(nil, "matchmaking is on until the program ends; it begins when the bot is resumed")
	}
	return done(nil, "matchmaking is on until the program ends")
}

func (r *Request) arena(ctx context.Context, b *bot.Bot) (Result, error) {
	if r.Leave {
		name, err := b.LeaveArena(ctx, r.Arena)
		return done(err, "arena %s (%s): left", name, r.Arena)
	}
	a, err := b.JoinArena(ctx, r.Arena)
	return done(err, "arena %s (%s): %s", a.Name, a.ID, a.State)
}

// inGame executes a command in the game, after which a message says what was done.
func (r *Request) inGame(ctx context.Context, b *bot.Bot, message string, c game.Command) (Result, error) {
	id, err := findGame(r.Game, b.Running())
	if err != nil {
		return Result{}, err
	}
	if err := b.Command(ctx, id, c); err != nil {
		return Result{Game: id}, fmt.Errorf("game %s: %w", id, err)
	}
	return Result{Game: id, Message: fmt.Sprintf("game %s: %s", id, message)}, nil
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

func (o *Operator) reload(ctx context.Context) (Result, error) {
	r, err := o.Reload(ctx)
	text := "nothing has changed"
	if len(r.Changed) > 0 {
		text = "changed: " + strings.Join(r.Changed, ", ")
	}
	if len(r.Later) > 0 {
		text += "; at the next start: " + strings.Join(r.Later, ", ")
	}
	return done(err, "configuration reloaded; %s", text)
}
