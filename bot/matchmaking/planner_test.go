package matchmaking

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

var now = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)

// prepare returns a planner and our account, rated 1900, after steps: settings of matchmaking,
// such as "target=300", and what is done below.
func prepare(t testing.TB, steps string) (*planner, *lichess.Account) {
	t.Helper()
	c, flags := newTestConfig(nil), map[string]string{
		"matchmaking.enabled": "true", "matchmaking.offers": "1+1 rated, 1+3 rated",
	}
	p := &planner{
		memory: c.Opponents, random: rand.New(rand.NewPCG(1, 2)), //nolint:gosec // no secret depends on it
		blocks: func(p *lichess.Player) bool { return p.ID == "enemy" },
	}
	me := &lichess.Account{ID: "zhbot", Perfs: map[string]lichess.PerfRating{lichess.Crazyhouse: {Rating: 1900}}}
	var done [][]string
	for step := range strings.SplitSeq(steps, "; ") {
		if key, value, isSetting := strings.Cut(step, "="); isSetting {
			flags["matchmaking."+key] = value
		} else {
			done = append(done, append(strings.Fields(step), "", "", ""))
		}
	}
	settings, err := config.Parse(config.Source{Flags: flags}, nil)
	if err != nil {
		t.Fatal(err)
	}
	p.settings = settings.Matchmaking
	for _, words := range done {
		name, ago := words[1], time.Hour
		if hours, err := time.ParseDuration(words[2]); err == nil {
			ago = hours
		}
		slow := config.Offer{
			Clock: lichess.Clock{Initial: time.Minute, Increment: 3 * time.Second}, Rated: words[2] != "casual",
		}
		switch words[0] {
		case "played":
			p.played(name, slow.Clock, ago, rules.White)
		case "lost":
			p.played(name, slow.Clock, ago, rules.Black)
		case "refused":
			p.memory.Refused(name, p.settings.Offers[0], words[2], now.Add(-ago), p.settings.Pause)
		case "aborted":
			p.memory.Aborted(name, now)
		case "paired":
			p.memory.BeginPair(name, slow, true, now)
		case "gauntlet":
			p.gauntlet = &record.Gauntlet{
				Opponents: words[2:], Control: "60+3", Rated: true, Pairs: len(name), Since: now.Add(-3 * time.Hour),
			}
		case "unrated":
			me.Perfs = nil
		}
	}
	return p, me
}

// played records a rated game that White, who we are or not, has won.
func (p *planner) played(opponent string, clock lichess.Clock, ago time.Duration, us rules.Color) {
	g := &record.Game{Board: rules.NewGame(rules.StartPosition()), Summary: record.Summary{
		ID: fmt.Sprint(opponent, ago), Created: now.Add(-ago), Clock: clock, Rated: true, Result: rules.WhiteWins,
		White: record.Player{Name: opponent, Title: "BOT"}, Black: record.Player{Name: opponent, Title: "BOT"},
	}}
	p.memory.Played(g, us)
}

// Who may be challenged, in what order, and to which games.
func TestPlanner_Rank(t *testing.T) {
	const (
		byShare                     = "even weak strong stronger"
		anything, anyQuick, anySlow = "1+1 black, 1+1 white, 1+3 black, 1+3 white", "1+1 black, 1+1 white",
			"1+3 black, 1+3 white"
	)
	var online []lichess.Account
	for name, rating := range map[string]int{
		"weak": 1500, "Even": 1900, "strong": 2400, "stronger": 2410, // those who can be challenged
		"": 1900, "ZHbot": 1900, "closed": 1900, "cheat": 1900, "enemy": 1900, "newcomer": 0,
	} {
		online = append(online, lichess.Account{
			ID: name, Username: name, Disabled: name == "closed", TOSViolation: name == "cheat",
			Perfs: map[string]lichess.PerfRating{lichess.Crazyhouse: {Games: min(rating, 9), Rating: rating}},
		})
	}
	for _, tt := range []struct {
		steps, order string
		first        string // what the first is offered, and our colour; anything by default
	}{
		{"rating.target=0", byShare, ""},
		{"rating.target=300", "strong stronger even weak", ""},
		{"rating.min=1900", "even strong stronger", ""},
		{"rating.max=2400", "even weak strong", ""},
		{"rating.max_difference=500", "even weak strong", ""},
		{"rating.max_difference=2000; rating.target=1900; unrated", byShare, ""},
		{"only=EVEN,nobody", "even", ""},
		{
			"games_per_opponent=2; played even 1h; played even 23h; played weak 1h; played weak 25h",
			"strong stronger weak", "",
		},
		// our clock is behind
		{"games_per_opponent=2; played even -1h; played even 1h", "weak strong stronger", ""},
		{"refused even nobot", "weak strong stronger", ""},
		{"aborted even; aborted even", "weak even strong stronger", ""},
		{"refused even toofast", byShare, anySlow},
		{"refused even toofast; offers=1+1 rated", "weak strong stronger", anyQuick},
		{"paired weak", "weak even strong stronger", "second 1+3 black"},
		{"paired weak casual", byShare, ""},
		{"paired weak; pairs=false; played even 1h", byShare, "1+1 black, 1+3 black"},
		{"gauntlet 1 Weak", "weak", anySlow},
		{"gauntlet 22 weak newcomer enemy; played weak 1h", "weak newcomer", "second 1+3 black"},
		{"gauntlet 22 weak newcomer; played weak 1h; lost weak 2h", "newcomer weak", anySlow},
		{"gauntlet 1 weak newcomer; played weak 1h; lost weak 2h", "newcomer", anySlow},
	} {
		t.Run(tt.steps, func(t *testing.T) {
			p, me := prepare(t, tt.steps)
			var order []string
			first := map[string]bool{}
			for range 50 {
				order = nil
				for _, n := range p.rank(now, me, online) {
					order = append(order, n.opponent)
					if len(order) == 1 {
						second := map[bool]string{true: "second "}[n.second]
						first[second+n.offer.Clock.String()+map[bool]string{true: " white",
							false: " black"}[n.white]] = true
					}
				}
			}
			if got := strings.Join(order, " "); got != tt.order {
				t.Errorf("challenges %q, want %q", got, tt.order)
			}
			if got := strings.Join(slices.Sorted(maps.Keys(first)), ", "); got != cmp.Or(tt.first, anything) {
				t.Errorf("the first is offered %q", got)
			}
		})
	}
}

// FuzzPlanner_Rank proposes games to whatever the server calls bots.
func FuzzPlanner_Rank(f *testing.F) {
	f.Add([]byte(`[{"id":"A","username":"A","perfs":{"crazyhouse":{"games":9,"rating":2300}}},` +
		`{"id":"a","perfs":{"crazyhouse":{"games":-1}}}]`))
	f.Add([]byte(`[{"id":"zhbot","perfs":{"crazyhouse":{"games":1,"rating":-9223372036854775808}}},` +
		`{"id":"b","disabled":true}]`))
	p, account := prepare(f, "")
	f.Fuzz(func(t *testing.T, list []byte) {
		var online []lichess.Account
		if json.Unmarshal(list, &online) != nil {
			return
		}
		for _, n := range p.rank(time.Now(), newest(account, online), online) {
			if n.opponent == "" || strings.EqualFold(n.opponent, account.ID) || n.offer.Clock.IsZero() {
				t.Errorf("proposed %+v", n)
			}
		}
	})
}
