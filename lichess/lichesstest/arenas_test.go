package lichesstest

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/internal/fixture"
)

// arena adds an arena, whose path {name} stands for.
func (w *world) arena(name string, spec ArenaSpec) (id string) {
	id = w.AddArena(spec)
	w.values[name] = "/api/tournament/" + id
	return id
}

func TestArena(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, Options{InMemory: true}, "zhbot")
		w.AddHuman("alice", Idle())
		id := w.arena("arena", ArenaSpec{
			Name: "Drops", Team: "crazy-bots", Limit: 3 * time.Minute, Increment: 2 * time.Second, Rated: true,
			Password: "secret",
		})
		w.say(`
			zhbot GET {arena} -> 200 "variant":"crazyhouse"
			zhbot GET /api/tournament/unknown0 -> 404 Not found
			zhbot GET /api/team/crazy-bots/arena?max=5 -> 200 "botsAllowed":true
			zhbot POST {arena}/join -> 400 Wrong entry code
			zhbot POST {arena}/join password=secret -> 400 Missing team
		`)
		if got := w.say("zhbot GET /api/team/others/arena -> 200"); got.body != "" {
			t.Errorf("arenas of another team: %s", got.body)
		}
		w.EnterArena(id, "alice")
		w.say("zhbot POST {arena}/join password=secret&team=crazy-bots")
		if state := w.Arena(id, "zhbot"); !state.Joined || state.Games != 0 {
			t.Errorf("joined without a wish to be paired: %+v", state)
		}
		events := w.events("zhbot")
		w.say("zhbot POST {arena}/join password=secret&pairMeAsap=true")
		games := w.Playing("zhbot")
		if len(games) != 1 {
			t.Fatalf("%d games after the wish to be paired", len(games))
		}
		w.values["id"] = games[0]
		w.say(`zhbot GET /api/account/playing -> 200 "tournamentId":"` + id + `"
			zhbot POST abort -> 400 This game can no longer be aborted`)
		fixture.Until(t, "the game ends for want of a first move", func() bool {
			return w.result().Status == "noStart"
		})
		if over := events.until("gameFinish", nil); over.at("game.ratingDiff") == nil ||
			over.at("game.opponent.ratingDiff") == nil {
			t.Errorf("no rating changes of a game that never started: %v", over)
		}
		if playing := w.Playing("zhbot"); len(playing) != 0 {
			t.Errorf("paired again without a wish: %v", playing)
		}
		w.say(`
			zhbot POST {arena}/withdraw
			zhbot POST {arena}/join -> 400 Your pause is not over yet
		`)
		time.Sleep(10 * time.Second)
		w.say(` 
			zhbot POST {arena}/join
			zhbot POST {arena}/withdraw
		`) // whoever was let in needs no password
		if state := w.Arena(id, "zhbot"); !state.Joined || !state.Paused || state.Games != 1 {
			t.Errorf("after the withdrawal: %+v", state)
		}
		w.EndArena(id)
		w.say(`
			zhbot GET {arena} -> 200 "isFinished":true
			zhbot POST {arena}/join password=secret -> 400 This tournament no longer exists
		`)
	})
}

// A game of an arena cannot be aborted, so whoever resigns before the first move loses it.
func TestArena_Resign(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, Options{InMemory: true}, "zhbot")
		w.AddHuman("alice", Idle())
		w.EnterArena(w.arena("arena", ArenaSpec{Rated: true}), "alice")
		w.say("zhbot POST {arena}/join pairMeAsap=true")
		w.values["id"] = w.Playing("zhbot")[0]
		w.say("zhbot POST resign")
		if r := w.result(); r.Status != "resign" {
			t.Errorf("%+v", r)
		}
	})
}

// After leaving an arena a user can join none for a while, which grows with the arena's games.
func TestArena_Pause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := start(t, Options{InMemory: true}, "zhbot")
		w.arena("slow", ArenaSpec{Limit: 5 * time.Minute, Duration: 3 * time.Hour})
		w.arena("fast", ArenaSpec{})
		w.say("zhbot POST {slow}/join")
		for i, pause := range []time.Duration{10, 20, 40, 60, 80, 100, 120, 120, 10, 20} {
			if i == 8 {
				time.Sleep(20 * time.Minute)
			}
			w.say(`
				zhbot POST {slow}/withdraw
				zhbot POST {slow}/withdraw
			`) // the second changes nothing
			time.Sleep(pause*time.Second - 1)
			w.say("zhbot POST {slow}/join -> 400 Your pause is not over yet")
			if i == 1 {
				w.say("zhbot POST {fast}/join") // whose games are shorter
			}
			time.Sleep(time.Nanosecond)
			w.say("zhbot POST {slow}/join")
		}
	})
}

func TestArena_Refusals(t *testing.T) {
	w := start(t, Options{}, "zhbot")
	w.login("weak", w.AddUser("Weak", "BOT", "challenge:read"))
	w.arena("humans", ArenaSpec{NoBots: true})
	later := w.arena("later", ArenaSpec{StartsIn: time.Hour})
	w.say(`
		zhbot POST {humans}/join -> 400 Tournament restrictions
		weak POST {humans}/join -> 403 Missing scope: tournament:write || bot:play
		zhbot POST /api/tournament/none0000/join -> 400 This tournament no longer exists
		zhbot POST {later}/join
		zhbot POST {later}/withdraw
	`)
	if w.Arena(later, "zhbot").Joined {
		t.Error("still in after withdrawing before the start")
	}
}

// All arenas share a user's joins.
func TestArena_JoinsAreLimited(t *testing.T) {
	w := start(t, Options{}, "zhbot", "rival")
	w.arena("first", ArenaSpec{StartsIn: time.Hour})
	w.arena("second", ArenaSpec{StartsIn: time.Hour})
	w.say(strings.Repeat("zhbot POST {first}/join\nzhbot POST {second}/join\n", 15) + `
		zhbot POST {first}/join -> 429 "key":"tournament.user.joinOrResume"
		zhbot POST {first}/withdraw
		rival POST {first}/join
	`)
	w.change("zhbot", func(u *user) {
		for i := range u.joins {
			u.joins[i].at = time.Now().Add(-10*time.Minute - time.Second)
		}
	})
	w.say("zhbot POST {first}/join")
}

// What an arena shows of itself before, while and after it runs, and if bots may not join.
func TestArena_Shape(t *testing.T) {
	w := start(t, Options{}, "zhbot")
	w.arena("later", ArenaSpec{Team: "drops", StartsIn: time.Hour, Password: "secret"})
	w.arena("now", ArenaSpec{NoBots: true})
	w.EndArena(w.arena("over", ArenaSpec{}))
	const optional = "botsAllowed private secondsToStart isStarted secondsToFinish isFinished"
	for name, want := range map[string]string{
		"later": "botsAllowed private secondsToStart", "now": "isStarted secondsToFinish",
		"over": "botsAllowed isFinished",
	} {
		o, sent := w.get("zhbot", w.values[name]), []string(nil)
		for key := range strings.FieldsSeq(optional) {
			if o[key] != nil {
				sent = append(sent, key)
			}
		}
		if got := strings.Join(sent, " "); got != want || o["perf"] == nil {
			t.Errorf("%s: sent %s, want %s", name, got, want)
		}
	}
	w.say(`zhbot GET /api/team/drops/arena -> 200 "secondsToStart":`)
}

// The time for a first move is sent whole, however much of it has passed.
func TestArena_Expiration(t *testing.T) {
	w := start(t, Options{}, "zhbot")
	w.AddHuman("alice", Idle())
	w.EnterArena(w.arena("arena", ArenaSpec{Limit: 3 * time.Minute}), "alice")
	w.say("zhbot POST {arena}/join pairMeAsap=true")
	w.values["id"] = w.Playing("zhbot")[0]
	fixture.Until(t, "time passes", func() bool {
		full := w.watch("zhbot").until("gameFull", nil)
		full.check(t, "first line", "state.expiration.millisToMove=21000")
		return full.at("state.expiration.idleMillis").(float64) > 0
	})
}
