package lichesstest

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// checkListed checks the ids in a list of online bots.
func (w *world) checkListed(query string, cached bool, want string) {
	w.t.Helper()
	if !cached {
		w.do(func() { w.botListed = time.Time{} })
	}
	var ids []string
	for line := range strings.Lines(w.say("zhbot GET /api/bot/online" + query + " -> 200").body) {
		ids = append(ids, parse(w.t, line)["id"].(string))
	}
	if got := strings.Join(ids, " "); got != want {
		w.t.Errorf("listed %s, want %s", got, want)
	}
}

// setPlayTime sets how long a user has played, all of it against people.
func setPlayTime(s *Server, name string, d time.Duration) {
	s.change(name, func(u *user) { u.played, u.withPeople = d, d })
}

func TestBotsOnline(t *testing.T) {
	w := start(t, Options{}, "zhbot")
	for i, name := range []string{"old", "Nobio", "marked", "closed", "known"} {
		w.AddBotPlayer(name, Idle())
		setPlayTime(w.Server, name, time.Duration(i)*time.Hour)
	}
	w.SetBio("nobio", "")
	w.MarkAccount("marked")
	w.CloseAccount("closed")
	w.checkListed("", false, "known old")
	w.events("zhbot")
	w.checkListed("?nb=1", false, "known")
	w.checkListed("", false, "known old zhbot")
	want := "known"
	for i := range 250 {
		name := fmt.Sprintf("bot%03d", i)
		w.AddBotPlayer(name, Idle())
		if i < maxBotsOnline-1 {
			want += " " + name
		}
	}
	w.CloseAccount("old")
	w.checkListed("?nb=512", false, want)
}

// A bot that has just come online is not in the list yet.
func TestBotsOnline_Cached(t *testing.T) {
	w := start(t, Options{}, "zhbot")
	w.AddBotPlayer("early", Idle())
	for range 2 {
		w.checkListed("", true, "early")
		w.AddBotPlayer("late", Idle())
	}
	w.do(func() { w.botListed = w.botListed.Add(-10 * time.Second) })
	w.checkListed("", true, "early late")
}

// Profiles have what decides on the list: the bio and the time played against people.
func TestProfile(t *testing.T) {
	w := start(t, Options{}, "zhbot", "rival")
	w.AddHuman("alice", Idle())
	w.SetBio("zhbot", "Plays.")
	setPlayTime(w.Server, "zhbot", time.Hour)
	w.SetCreated("zhbot", time.UnixMilli(1767225600000))
	for _, opponent := range []string{"rival", "alice"} {
		g := w.games[replay(w.Server, "zhbot", opponent, "e2e4 e7e5")]
		w.do(func() {
			g.movedAt = g.created.Add(time.Minute)
			g.countTime()
		})
	}
	for _, path := range []string{"/api/account", "/api/user/zhbot"} {
		w.get("zhbot", path).check(t, path,
			"profile.bio=Plays. playTime.total=3720 playTime.human=3660 createdAt=1.7672256e+12")
	}
	w.SetBio("zhbot", "")
	w.get("zhbot", "/api/account").check(t, "without a bio", "profile=<nil>")
}

// The upgrade allows no takebacks and ends participation in arenas.
func TestUpgrade(t *testing.T) {
	w := start(t, Options{})
	w.login("zhbot", w.AddUser("zhbot", "", "bot:play", "preference:read"))
	arena := w.AddArena(ArenaSpec{StartsIn: time.Hour})
	w.EnterArena(arena, "zhbot")
	w.say(`
		zhbot GET /api/account/preferences -> 200 "takeback":3
		zhbot POST /api/bot/account/upgrade
		zhbot GET /api/account/preferences -> 200 "takeback":1
	`)
	if w.Arena(arena, "zhbot").Joined {
		t.Error("still in the arena after the upgrade")
	}
	w.SetTakebacks("zhbot", TakebacksCasual)
	w.say(`zhbot GET /api/account/preferences -> 200 "takeback":2`)
}

func TestUser(t *testing.T) {
	w := start(t, Options{}, "zhbot")
	w.login("anyone", "")
	w.AddHuman("Alice", Idle())
	replay(w.Server, "zhbot", "Alice", twentyPlies)
	for _, name := range []string{"zhbot", "anyone"} {
		w.get(name, "/api/user/ALICE").check(t, name, "username=Alice count.all=1 perfs.crazyhouse.games=1")
	}
	w.CloseAccount("Alice")
	w.say(`
		anyone GET /api/user/nobody -> 404 Not found
		anyone GET /api/user/alice -> 200 "disabled":true
	`)
}

// Ratings of variants that were never played are not sent.
func TestAccount_Shape(t *testing.T) {
	w := match(t, Options{}, blitz)
	fresh := w.get("White", "/api/account")
	fresh.check(t, "never played", "perfs.crazyhouse=<nil> perfs.blitz.rating=2000 url=https://lichess.org/@/White "+
		w.fill("playing=https://lichess.org/{id}/white"))
	if fresh["createdAt"] == nil {
		t.Errorf("account %v", fresh)
	}
	w.SetPerf("White", 1600, 20)
	w.get("White", "/api/account").check(t, "played", "perfs.crazyhouse.rating=1600")
}
