package lichesstest

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/zhbot/zhbot/internal/waittest"
)

func TestArena(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewServer(t, Options{InMemory: true})
		a := bot(t, s, "zhbot")
		s.AddHuman("alice", Idle())
		id := s.AddArena(ArenaSpec{
			Name: "Drops", Team: "crazy-bots", Limit: 3 * time.Minute, Increment: 2 * time.Second, Rated: true,
			Password: "secret",
		})
		a.get("/api/tournament/"+id).want(t, 200, `"variant":"crazyhouse"`)
		a.get("/api/tournament/unknown0").want(t, 404, "Not found")
		a.get("/api/team/crazy-bots/arena?max=5").want(t, 200, `"botsAllowed":true`)
		if got := a.get("/api/team/others/arena"); got.body != "" {
			t.Errorf("arenas of another team: %s", got.body)
		}
		path := "/api/tournament/" + id
		a.post(path+"/join").want(t, 400, "Wrong entry code")
		s.EnterArena(id, "alice")
		a.must(path+"/join", "password", "secret")
		if state := s.Arena(id, "zhbot"); !state.Joined || state.Games != 0 {
			t.Errorf("joined without a wish to be paired: %+v", state)
		}
		events := a.open("/api/stream/event")
		a.must(path+"/join", "password", "secret", "pairMeAsap", "true")
		games := s.Playing("zhbot")
		if len(games) != 1 {
			t.Fatalf("%d games after the wish to be paired", len(games))
		}
		a.get("/api/account/playing").want(t, 200, `"tournamentId":"`+id+`"`)
		a.post("/api/bot/game/"+games[0]+"/abort").want(t, 400, cannotAbort)
		waittest.Until(t, "the game ends for want of a first move", func() bool { r, _ := s.Game(games[0]); return r.Status == "noStart" })
		if over := events.until("gameFinish", nil); over.at("game", "ratingDiff") == nil || over.at("game", "opponent", "ratingDiff") == nil {
			t.Errorf("no rating changes of a game that never started: %v", over)
		}
		if playing := s.Playing("zhbot"); len(playing) != 0 {
			t.Errorf("paired again without a wish: %v", playing)
		}
		a.must(path + "/withdraw")
		a.post(path+"/join").want(t, 400, "Your pause is not over yet")
		time.Sleep(10 * time.Second)
		a.must(path + "/join") // whoever was let in needs no password
		a.must(path + "/withdraw")
		if state := s.Arena(id, "zhbot"); !state.Joined || !state.Paused || state.Games != 1 {
			t.Errorf("after the withdrawal: %+v", state)
		}
		s.EndArena(id)
		a.get(path).want(t, 200, `"isFinished":true`)
		a.post(path+"/join", "password", "secret").want(t, 400, "This tournament no longer exists")
	})
}

// After leaving an arena a user can join none for a while, which grows with the arena's games.
func TestArena_Pause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := NewServer(t, Options{InMemory: true})
		a := bot(t, s, "zhbot")
		slow := "/api/tournament/" + s.AddArena(ArenaSpec{Limit: 5 * time.Minute, Duration: 3 * time.Hour})
		fast := "/api/tournament/" + s.AddArena(ArenaSpec{})
		a.must(slow + "/join")
		for i, pause := range []time.Duration{10, 20, 40, 60, 80, 100, 120, 120, 10, 20} {
			if i == 8 {
				time.Sleep(20 * time.Minute)
			}
			a.must(slow + "/withdraw")
			a.must(slow + "/withdraw") // which changes nothing
			time.Sleep(pause*time.Second - 1)
			a.post(slow+"/join").want(t, 400, "Your pause is not over yet")
			if i == 1 {
				a.must(fast + "/join") // whose games are shorter
			}
			time.Sleep(time.Nanosecond)
			a.must(slow + "/join")
		}
	})
}

func TestArena_Refusals(t *testing.T) {
	s := NewServer(t, Options{})
	a := bot(t, s, "zhbot")
	humans := s.AddArena(ArenaSpec{NoBots: true})
	a.post("/api/tournament/"+humans+"/join").want(t, 400, "Tournament restrictions")
	if got := a.get("/api/tournament/" + humans); strings.Contains(got.body, "botsAllowed") {
		t.Errorf("says that bots are allowed: %s", got.body)
	}
	login(t, s, s.AddUser("Weak", "BOT", "challenge:read")).post("/api/tournament/"+humans+"/join").want(t, 403, "Missing scope: tournament:write")

	later := s.AddArena(ArenaSpec{StartsIn: time.Hour})
	a.must("/api/tournament/" + later + "/join")
	a.must("/api/tournament/" + later + "/withdraw")
	if s.Arena(later, "zhbot").Joined {
		t.Error("still in after withdrawing before the start")
	}
}

// All arenas share a user's joins.
func TestArena_JoinsAreLimited(t *testing.T) {
	s := NewServer(t, Options{})
	a, b := bot(t, s, "zhbot"), bot(t, s, "rival")
	arenas := []string{s.AddArena(ArenaSpec{StartsIn: time.Hour}), s.AddArena(ArenaSpec{StartsIn: time.Hour})}
	for i := range 30 {
		a.must("/api/tournament/" + arenas[i%2] + "/join")
	}
	a.post("/api/tournament/"+arenas[0]+"/join").want(t, 429, `"key":"tournament.user.joinOrResume"`)
	a.must("/api/tournament/" + arenas[0] + "/withdraw")
	b.must("/api/tournament/" + arenas[0] + "/join")
	s.mu.Lock()
	for i := range s.users["zhbot"].joins {
		s.users["zhbot"].joins[i].at = time.Now().Add(-10*time.Minute - time.Second)
	}
	s.mu.Unlock()
	a.must("/api/tournament/" + arenas[0] + "/join")
}
