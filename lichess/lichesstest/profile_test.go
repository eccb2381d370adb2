package lichesstest

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// listed returns the ids in a list of online bots, with spaces between them.
func listed(t *testing.T, a *account, query string) string {
	t.Helper()
	var ids []string
	for line := range strings.Lines(a.get("/api/bot/online" + query).body) {
		ids = append(ids, parse(t, line)["id"].(string))
	}
	return strings.Join(ids, " ")
}

// setPlayTime sets how long a user has played, all of it against people.
func setPlayTime(s *Server, name string, d time.Duration) {
	s.change(name, func(u *user) { u.played, u.withPeople = d, d })
}

func TestBotsOnline(t *testing.T) {
	s := NewServer(t, Options{BotListAge: time.Nanosecond})
	a := bot(t, s, "zhbot")
	for i, name := range []string{"old", "Nobio", "marked", "closed", "known"} {
		s.AddBotPlayer(name, Idle())
		setPlayTime(s, name, time.Duration(i)*time.Hour)
	}
	s.SetBio("nobio", "")
	s.MarkAccount("marked")
	s.CloseAccount("closed")
	if got := listed(t, a, ""); got != "known old" {
		t.Errorf("listed %s", got)
	}
	a.open("/api/stream/event")
	if got := listed(t, a, "?nb=1"); got != "known" {
		t.Errorf("the first is %s", got)
	}
	if got := listed(t, a, ""); got != "known old zhbot" {
		t.Errorf("listed %s", got)
	}
	for i := range 250 {
		s.AddBotPlayer(fmt.Sprintf("bot%d", i), Idle())
	}
	if got := strings.Fields(listed(t, a, "?nb=512")); len(got) != 200 || got[0] != "known" {
		t.Errorf("%d bots, the first %s", len(got), got[0])
	}
}

// A bot that has just come online is not in the list yet.
func TestBotsOnline_Cached(t *testing.T) {
	s := NewServer(t, Options{})
	a := bot(t, s, "zhbot")
	s.AddBotPlayer("early", Idle())
	for range 2 {
		if got := listed(t, a, ""); got != "early" {
			t.Errorf("listed %s", got)
		}
		s.AddBotPlayer("late", Idle())
	}
	s.mu.Lock()
	s.botListed = s.botListed.Add(-10 * time.Second)
	s.mu.Unlock()
	if got := listed(t, a, ""); got != "early late" {
		t.Errorf("listed %s", got)
	}
}

// Profiles have what decides on the list: the bio and the time played against people.
func TestProfile(t *testing.T) {
	s := NewServer(t, Options{})
	a := bot(t, s, "zhbot")
	s.AddBot("rival")
	s.AddHuman("alice", Idle())
	s.SetBio("zhbot", "A bot.")
	setPlayTime(s, "zhbot", time.Hour)
	created := time.UnixMilli(1767225600000)
	s.SetCreated("zhbot", created)
	for _, opponent := range []string{"rival", "alice"} {
		c := replay(s, "zhbot", opponent, "e2e4 e7e5")
		s.mu.Lock()
		s.games[c].movedAt = s.games[c].created.Add(time.Minute)
		s.games[c].countTime()
		s.mu.Unlock()
	}
	for _, path := range []string{"/api/account", "/api/user/zhbot"} {
		got := parse(t, a.get(path).body)
		if got.at("profile", "bio") != "A bot." || got.at("playTime", "total") != 3720.0 || got.at("playTime", "human") != 3660.0 || got["createdAt"] != 1767225600000.0 {
			t.Errorf("%s: %v", path, got)
		}
	}
	s.SetBio("zhbot", "")
	if got := parse(t, a.get("/api/account").body); got["profile"] != nil {
		t.Errorf("profile %v", got["profile"])
	}
}

// The upgrade allows no takebacks and ends participation in arenas.
func TestUpgrade(t *testing.T) {
	s := NewServer(t, Options{})
	a := login(t, s, s.AddUser("zhbot", "", "bot:play", "preference:read"))
	arena := s.AddArena(ArenaSpec{StartsIn: time.Hour})
	s.EnterArena(arena, "zhbot")
	prefs := func() any { return parse(t, a.get("/api/account/preferences").body).at("prefs", "takeback") }
	if got := prefs(); got != 3.0 {
		t.Errorf("before the upgrade: %v", got)
	}
	a.must("/api/bot/account/upgrade")
	if got := prefs(); got != 1.0 || s.Arena(arena, "zhbot").Joined {
		t.Errorf("after the upgrade: %v, in the arena %v", got, s.Arena(arena, "zhbot").Joined)
	}
	s.SetTakebacks("zhbot", TakebacksCasual)
	if got := prefs(); got != 2.0 {
		t.Errorf("set to casual: %v", got)
	}
}

func TestUser(t *testing.T) {
	s := NewServer(t, Options{})
	own, anyone := bot(t, s, "zhbot"), login(t, s, "")
	s.AddHuman("Alice", Idle())
	replay(s, "zhbot", "Alice", twentyPlies)
	for _, a := range []*account{own, anyone} {
		got := parse(t, a.get("/api/user/ALICE").body)
		if got["username"] != "Alice" || got.at("count", "all") != 1.0 || got.at("perfs", "crazyhouse", "games") != 1.0 {
			t.Errorf("user %v", got)
		}
	}
	anyone.get("/api/user/nobody").want(t, 404, "Not found")
	s.CloseAccount("Alice")
	anyone.get("/api/user/alice").want(t, 200, `"disabled":true`)
}
