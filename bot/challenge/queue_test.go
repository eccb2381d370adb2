package challenge

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
)

// playUntilDone plays a game until its context ends.
func playUntilDone(ctx context.Context, _ *game.Entry) error {
	<-ctx.Done()
	return nil
}

// newTestQueue returns a queue that accepts whatever can be played, except from a player
// who aborts, and does not run.
func newTestQueue(l config.Games) *Queue {
	terms := config.Terms{
		Enabled: true, Modes: []string{"rated", "casual"}, Speeds: lichess.Speeds(),
		Initial: config.Range[time.Duration]{Max: 3 * time.Hour}, Increment: config.Range[time.Duration]{Max: time.Minute}, Provisional: true,
	}
	games := game.NewRegistry(l, playUntilDone, func() {})
	games.Open()
	memory := opponent.NewMemory(record.InMemoryState(), zerolog.Nop())
	for range 3 {
		memory.Aborted("runaway", time.Now())
	}
	return NewQueue(Config{
		Opponents: memory, Games: games, Log: zerolog.Nop(),
		Policy: func() *Policy {
			return &Policy{Challenges: config.Challenges{Humans: config.HumanTerms{Terms: terms}, Bots: terms}}
		}, IsListed: func(*lichess.Player) bool { return false },
		Emit: func(event.Event) {},
	})
}

// newQueued returns a challenge that has come just now, and is to be accepted.
func newQueued(o Offer) *queued {
	return &queued{Challenge: o.Challenge, offer: o, Decision: event.Decision{Accept: true}, receivedAt: time.Now()}
}

// Who has aborted too many games may play later, and who may always play at once.
func TestQueue_Avoids(t *testing.T) {
	for _, allowed := range []bool{false, true} {
		q := newTestQueue(config.Games{Max: 1})
		if allowed {
			q.cfg.Policy = func() *Policy { return &Policy{Challenges: config.Challenges{Allow: []string{"runaway"}}} }
		}
		o := offerOf(func(o *Offer) { o.Challenge.Challenger.ID = "Runaway" })
		q.Add(&lichess.ChallengeCreated{Challenge: *o.Challenge}, 2100)
		c, _ := q.next()
		if c == nil || c.Accept != allowed || !allowed && c.Reason != lichess.DeclineLater {
			t.Errorf("always allowed %t: next is %+v", allowed, c)
		}
	}
}

func TestOrder(t *testing.T) {
	start := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	var all []*queued
	for i, c := range []struct {
		name   string
		title  string
		rating int
		accept bool
	}{
		{"weak bot", "BOT", 1500, true}, {"weak human", "", 1400, true}, {"strong bot", "BOT", 2500, true},
		{"strong human", "GM", 2600, true}, {"no", "", 2900, false}, {"second weak human", "", 1400, true}, {"no either", "BOT", 900, false},
		{"titled", "NM", 1300, true},
	} {
		all = append(all, &queued{
			Challenge: &lichess.Challenge{Challenger: &lichess.Player{Name: c.name, Title: c.title, Rating: c.rating}},
			Decision:  event.Decision{Accept: c.accept}, receivedAt: start.Add(time.Duration(i) * time.Second),
		})
	}
	all[4].Challenger = nil // anonymous ones are declined
	for order, want := range map[config.Order][]string{
		config.BestFirst:   {"Anonymous", "no either", "strong human", "weak human", "second weak human", "titled", "strong bot", "weak bot"},
		config.FirstCome:   {"Anonymous", "no either", "weak bot", "weak human", "strong bot", "strong human", "second weak human", "titled"},
		config.TitledFirst: {"Anonymous", "no either", "strong human", "titled", "weak human", "second weak human", "strong bot", "weak bot"},
		"":                 {"Anonymous", "no either", "strong human", "weak human", "second weak human", "titled", "strong bot", "weak bot"},
	} {
		for range 2 {
			slices.Reverse(all)
			sorted := slices.Clone(all)
			slices.SortStableFunc(sorted, compareBy(order))
			var got []string
			for _, c := range sorted {
				got = append(got, event.PlayerOf(c.Challenger).Name)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%q: got %q, want %q", order, got, want)
			}
		}
	}
}

// A line that comes again while its challenge is taken from the queue does
// not queue it again.
func TestQueue_ReceivedTwiceIsAcceptedOnce(t *testing.T) {
	q := newTestQueue(config.Games{Max: 4})
	twin := func() *queued { return newQueued(offerOf(nil)) }
	if !q.enqueue(twin()) {
		t.Fatal("a new challenge is not queued")
	}
	if q.enqueue(twin()) {
		t.Error("queued while it waits")
	}
	if c, _ := q.next(); c == nil || !q.cfg.Games.Has(c.ID) {
		t.Fatal("the challenge is not taken")
	}
	if q.enqueue(twin()) {
		t.Error("queued while it has its slot")
	}
}

// Lichess cancels a challenge without an event when its challenger sends another, but not
// a rematch, which is an offer in a game.
func TestQueue_Replaced(t *testing.T) {
	for _, tt := range []struct {
		name   string
		second func(*lichess.Challenge)
		want   []string
	}{
		{"same challenger", func(c *lichess.Challenge) { c.Challenger.ID = "DropFan" }, []string{"second"}},
		{"another challenger", func(c *lichess.Challenge) { c.Challenger.ID = "other" }, []string{"first", "second"}},
		{"rematch", func(c *lichess.Challenge) { c.RematchOf = "zH4kQ2ab" }, []string{"first", "second"}},
		{"Anonymous", func(c *lichess.Challenge) { c.Challenger = nil }, []string{"first", "second"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q, closed := closingQueue()
			first := *offerOf(func(o *Offer) { o.Challenge.ID = "first" }).Challenge
			second := *offerOf(func(o *Offer) { o.Challenge.ID = "second"; tt.second(o.Challenge) }).Challenge
			for _, c := range []lichess.Challenge{first, second, second} { // sent again after a reconnect
				q.Add(&lichess.ChallengeCreated{Challenge: c}, 2100)
			}
			var waiting []string
			for _, c := range q.waiting {
				waiting = append(waiting, c.ID)
			}
			if !slices.Equal(waiting, tt.want) || len(closed) != 2-len(tt.want) || len(closed) == 1 && closed["first"].ID == "" {
				t.Errorf("%q wait, closed %+v", waiting, closed)
			}
		})
	}
}

// closingQueue returns a queue for one game, and the challenges that it closes, by id.
func closingQueue() (q *Queue, closed map[string]event.ChallengeClosed) {
	q, closed = newTestQueue(config.Games{Max: 1}), map[string]event.ChallengeClosed{}
	q.cfg.Emit = func(e event.Event) {
		if e, ok := e.(event.ChallengeClosed); ok {
			closed[e.ID] = e
		}
	}
	return q, closed
}

func TestQueue_BoundsItsQueue(t *testing.T) {
	q := newTestQueue(config.Games{Max: 1})
	for i := range maxQueued + 5 {
		o := offerOf(nil)
		o.Challenge.ID, o.Challenge.Challenger.ID = fmt.Sprint(i), fmt.Sprint(i)
		q.Add(&lichess.ChallengeCreated{Challenge: *o.Challenge}, 2100)
		q.Add(&lichess.ChallengeCreated{Challenge: *o.Challenge}, 2100) // sent again after a reconnect
	}
	if n := len(q.waiting); n != maxQueued {
		t.Errorf("%d challenges wait, want %d", n, maxQueued)
	}
	q.enqueue(&queued{Challenge: &lichess.Challenge{ID: "unwanted"}})
	if !q.holds("unwanted") {
		t.Error("challenges to accept leave no place for one to decline")
	}
}

// A full queue keeps the best, and declines whom they displace, so that nobody can shut out
// titled players or those who are always allowed.
func TestQueue_DisplacesTheWorst(t *testing.T) {
	rated := func(rating int) func(*lichess.Player) { return func(p *lichess.Player) { p.Rating = rating } }
	for _, tt := range []struct {
		name     string
		order    config.Order
		id       string
		change   func(*lichess.Player)
		declines int    // that wait
		want     string // who is displaced; "" for nobody, and the challenge is not queued
	}{
		{"weaker", config.BestFirst, "other", rated(1900), 0, ""},
		{"later", config.BestFirst, "other", func(*lichess.Player) {}, 0, ""},
		{"stronger", config.BestFirst, "other", func(p *lichess.Player) { p.Title, p.Rating = "GM", 2600 }, 0, "99"},
		{"stronger, many declines", config.BestFirst, "other", rated(2600), maxQueued, "99"},
		{"titled", config.TitledFirst, "other", func(p *lichess.Player) { p.Title, p.Rating = "NM", 1300 }, 0, "99"},
		{"bot", config.BestFirst, "other", func(p *lichess.Player) { p.Title, p.Rating = "BOT", 2900 }, 0, ""},
		{"first come", config.FirstCome, "other", func(p *lichess.Player) { p.Title, p.Rating = "GM", 2600 }, 0, ""},
		{"allowed", config.FirstCome, "Friend", func(p *lichess.Player) { p.Title, p.Rating = "BOT", 900 }, 0, "99"},
		{"allowed by the operator", config.BestFirst, "guest", rated(900), 0, "99"},
		{"the challenger's next", config.FirstCome, "7", func(*lichess.Player) {}, 0, "7"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q, closed := closingQueue()
			policy := *q.cfg.Policy()
			policy.Order, policy.Allow = tt.order, []string{"friend", "oldest"}
			policy.Users = record.Users{"guest": record.Allowed}
			q.cfg.Policy = func() *Policy { return &policy }
			add := func(challenge, challenger string, change func(*lichess.Player)) {
				c := offerOf(func(o *Offer) { o.Challenge.ID = challenge }).Challenge
				c.Challenger = &lichess.Player{ID: challenger, Name: challenger, Rating: 2000}
				change(c.Challenger)
				q.Add(&lichess.ChallengeCreated{Challenge: *c}, 2100)
			}
			add("always", "oldest", func(p *lichess.Player) { p.Title = "BOT" }) // by rating the worst
			for i := range maxQueued - 1 {
				add(fmt.Sprint(i+1), fmt.Sprint(i+1), func(*lichess.Player) {})
			}
			for i := range tt.declines {
				q.enqueue(&queued{Challenge: &lichess.Challenge{ID: fmt.Sprint("no", i)}})
			}
			add("new", tt.id, tt.change)
			want := map[string]event.ChallengeClosed{}
			var declined []string
			for _, c := range q.waiting {
				if !c.Accept && c.Challenger != nil && c.Reason == lichess.DeclineLater {
					declined = append(declined, c.ID)
				}
			}
			switch {
			case tt.declines > 0 || tt.want == tt.id: // left to expire, or cancelled by the server
				want[tt.want] = event.ChallengeClosed{ID: tt.want, Outcome: event.Gone, Rule: closed[tt.want].Rule}
			case tt.want != "" && !slices.Equal(declined, []string{tt.want}):
				t.Errorf("declined are %q", declined)
			}
			accepted, held := len(q.waiting)-tt.declines-len(declined), q.holds("new")
			if held != (tt.want != "") || !q.holds("always") || accepted != maxQueued || !maps.Equal(closed, want) {
				t.Errorf("queued %t, %d wait, closed %+v", held, accepted, closed)
			}
		})
	}
}

// A challenge that waits is forgotten when its game has begun without our answer:
// to decline it then would say the wrong thing, to accept it play the game twice.
func TestQueue_ForgetsWhatHasBegun(t *testing.T) {
	q := newTestQueue(config.Games{Max: 4})
	var events []event.Event
	q.cfg.Emit = func(e event.Event) { events = append(events, e) }
	for _, id := range []string{"a", "b"} {
		q.enqueue(newQueued(offerOf(func(o *Offer) { o.Challenge.ID, o.Challenge.Challenger.ID = id, id })))
	}
	q.cfg.Games.Start(t.Context(), "a", game.Info{Opponent: "a", Clock: true})
	if c, _ := q.next(); c == nil || c.ID != "b" || len(q.waiting) != 0 {
		t.Errorf("next is %+v, and %d wait", c, len(q.waiting))
	}
	if want := (event.ChallengeClosed{ID: "a", Outcome: event.Accepted, Rule: "its game has started"}); events[len(events)-1] != want {
		t.Errorf("event %+v, want %+v", events[len(events)-1], want)
	}
}

// A challenge with a clock that was not answered in time is not accepted: the challenger may
// be gone, and Lichess would start the game.
func TestQueue_Expired(t *testing.T) {
	for control, accepted := range map[string]bool{lichess.ClockControl: false, lichess.CorrespondenceControl: true} {
		q := newTestQueue(config.Games{Max: 4})
		o := offerOf(func(o *Offer) { o.Challenge.TimeControl.Type = control })
		c := newQueued(o)
		c.receivedAt = c.receivedAt.Add(-2 * time.Minute)
		q.enqueue(c)
		if c, _ := q.next(); c == nil || c.Accept != accepted || q.cfg.Games.Has(c.ID) != accepted {
			t.Errorf("%s: next is %+v, want it accepted: %t", control, c, accepted)
		}
	}
}
