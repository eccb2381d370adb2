package lichesstest

import (
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/internal/waittest"
)

// Which programs may play is said for the account that is told: only a BOT account
// plays as a bot, and no board takes bullet.
func TestEvents_Compat(t *testing.T) {
	for name, tt := range map[string]struct {
		spec       ChallengeSpec
		bot, board bool
	}{
		"bullet":         {ChallengeSpec{Limit: time.Minute}, true, false},
		"blitz":          {blitz, true, true},
		"correspondence": {ChallengeSpec{Days: 3}, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := NewServer(t, Options{})
			a, board := bot(t, s, "zhbot"), login(t, s, s.AddUser("alice", "", "board:play", "challenge:read"))
			events, others := a.open("/api/stream/event"), board.open("/api/stream/event")
			id := s.Challenge("alice", "zhbot", tt.spec)
			c, hers := events.until("challenge", nil), others.until("challenge", nil)
			a.must("/api/challenge/" + id + "/accept")
			g, herGame := events.until("gameStart", nil), others.until("gameStart", nil)
			for what, compat := range map[string]any{"challenge": c["compat"], "game": g.at("game", "compat")} {
				if o := object(compat.(map[string]any)); o["bot"] != tt.bot || o["board"] != tt.board {
					t.Errorf("%s: compat %v", what, o)
				}
			}
			if hers.at("compat", "bot") != false || herGame.at("game", "compat", "bot") != false {
				t.Errorf("no BOT account, yet compat %v, %v", hers["compat"], herGame.at("game", "compat"))
			}
		})
	}
}

// A player without a title has none in challenges and games: null, not nothing.
func TestPlayers_NoTitle(t *testing.T) {
	s := NewServer(t, Options{})
	a := bot(t, s, "zhbot")
	s.AddHuman("alice", Idle())
	events := a.open("/api/stream/event")
	id := s.Challenge("alice", "zhbot", blitz)
	c := events.until("challenge", nil)
	a.must("/api/challenge/" + id + "/accept")
	full := a.open("/api/bot/game/stream/"+id).until("gameFull", nil)
	players := []any{c.at("challenge", "challenger"), full["white"], full["black"]}
	for _, p := range players {
		player := object(p.(map[string]any))
		title, sent := player["title"]
		if want := map[any]any{"alice": nil, "zhbot": "BOT"}[player["id"]]; !sent || title != want {
			t.Errorf("player %v", player)
		}
	}
}

// A player's rating and whether it is provisional are those of the game's start.
func TestGame_ProvisionalAtTheStart(t *testing.T) {
	s, white, _, id := match(t, Options{}, blitz)
	s.SetPerf("White", 1700, 100)
	full := white.open("/api/bot/game/stream/"+id).until("gameFull", nil)
	if full.at("white", "provisional") != true || full.at("white", "rating") != 2000.0 {
		t.Errorf("White %v", full["white"])
	}
}

// Ratings of variants that were never played are not sent.
func TestAccount_Shape(t *testing.T) {
	s, white, _, id := match(t, Options{}, blitz)
	fresh := parse(t, white.get("/api/account").body)
	if fresh.at("perfs", "crazyhouse") != nil || fresh.at("perfs", "blitz", "rating") != 2000.0 {
		t.Errorf("never played: %v", fresh["perfs"])
	}
	if fresh["playing"] != "https://lichess.org/"+id+"/white" || fresh["url"] != "https://lichess.org/@/White" || fresh["createdAt"] == nil {
		t.Errorf("account %v", fresh)
	}
	s.SetPerf("White", 1600, 20)
	if known := parse(t, white.get("/api/account").body); known.at("perfs", "crazyhouse", "rating") != 1600.0 {
		t.Errorf("played: %v", known["perfs"])
	}
}

// The time for a first move is sent whole, however much of it has passed.
func TestArena_Expiration(t *testing.T) {
	s := NewServer(t, Options{})
	a := bot(t, s, "zhbot")
	s.AddHuman("alice", Idle())
	id := s.AddArena(ArenaSpec{Limit: 3 * time.Minute})
	s.EnterArena(id, "alice")
	a.must("/api/tournament/"+id+"/join", "pairMeAsap", "true")
	path := "/api/bot/game/stream/" + s.Playing("zhbot")[0]
	waittest.Until(t, "time passes", func() bool {
		full := a.open(path).until("gameFull", nil)
		if full.at("state", "expiration", "millisToMove") != 21000.0 {
			t.Fatalf("expiration %v", full.at("state", "expiration"))
		}
		return full.at("state", "expiration", "idleMillis").(float64) > 0
	})
}

// What an arena shows of itself before, while and after it runs.
func TestArena_Shape(t *testing.T) {
	s := NewServer(t, Options{})
	a := bot(t, s, "zhbot")
	later := s.AddArena(ArenaSpec{Team: "drops", StartsIn: time.Hour, Password: "secret"})
	now := s.AddArena(ArenaSpec{})
	over := s.AddArena(ArenaSpec{})
	s.EndArena(over)
	for _, tt := range []struct {
		id          string
		sent, unset []string
	}{
		{later, []string{"secondsToStart", "private", "perf"}, []string{"secondsToFinish", "isStarted", "isFinished"}},
		{now, []string{"secondsToFinish", "isStarted", "perf"}, []string{"secondsToStart", "isFinished", "private"}},
		{over, []string{"isFinished"}, []string{"secondsToStart", "secondsToFinish", "isStarted"}},
	} {
		o := parse(t, a.get("/api/tournament/"+tt.id).body)
		for _, key := range tt.sent {
			if o[key] == nil {
				t.Errorf("no %s in %v", key, o)
			}
		}
		for _, key := range tt.unset {
			if o[key] != nil {
				t.Errorf("%s in %v", key, o)
			}
		}
	}
	a.get("/api/team/drops/arena").want(t, 200, `"secondsToStart":`)
}

// The server's own lines come in both rooms, and most can be read back. An offer
// that is declined is told by them alone, a takeback that is declined by a line of
// the game too.
func TestChat_SystemLines(t *testing.T) {
	_, white, black, id := match(t, Options{}, blitz)
	path := "/api/bot/game/" + id
	both(white, black, id, "e2e4 e7e5")
	st := white.open("/api/bot/game/stream/" + id)
	st.until("gameFull", nil)
	lines := func(text string) {
		t.Helper()
		for _, room := range []string{"spectator", "player"} {
			if o := st.until("chatLine", nil); o["room"] != room || o["username"] != "lichess" || o["text"] != text {
				t.Errorf("got %v, want %q in room %s", o, text, room)
			}
		}
	}
	white.must(path + "/draw/yes")
	lines("White offers draw")
	black.must(path + "/draw/no")
	lines("Black declines draw")
	white.must(path + "/takeback/yes")
	lines("White proposes takeback")
	st.until("gameState", func(o object) bool { return o["wtakeback"] == true })
	black.must(path + "/takeback/no")
	lines("Black declines takeback")
	if o := st.until("gameState", nil); o["wtakeback"] != nil || o["moves"] != "e2e4 e7e5" {
		t.Errorf("after the refusal %v", o)
	}
	black.must(path+"/chat", "room", "player", "text", "gl")
	black.must(path+"/chat", "room", "spectator", "text", "hi all")
	white.get(path+"/chat").want(t, 200, `[{"text":"White offers draw","user":"lichess"},{"text":"Black declines draw","user":"lichess"},{"text":"gl","user":"Black"}]`)
}

func TestChat_FormIsChecked(t *testing.T) {
	_, white, _, id := match(t, Options{}, blitz)
	path := "/api/bot/game/" + id + "/chat"
	white.post(path, "room", "player").want(t, 400, `"error":{"text":["This field is required"]}`)
	white.post(path, "room", "attic", "text", "hi").want(t, 400, `"error":{"room":["Invalid value"]}`)
	white.post(path, "room", "player", "text", strings.Repeat("😀", 71)).want(t, 400, `"text":["Maximum length is 140"]`)
	white.must(path, "room", "player", "text", strings.Repeat("😀", 70))
}

// The offer of a rematch is shown to the opponent as a challenge, but is in no list;
// of one that is withdrawn nothing is left, and nobody hears that one is declined.
func TestRematch_IsNoChallenge(t *testing.T) {
	s := NewServer(t, Options{})
	a := bot(t, s, "zhbot")
	s.AddHuman("alice", Idle())
	s.OfferRematches("alice", 2)
	events := a.open("/api/stream/event")
	again := func() string {
		id := s.Challenge("alice", "zhbot", blitz)
		a.must("/api/challenge/" + id + "/accept")
		a.must("/api/bot/game/" + id + "/abort")
		offer := events.until("challenge", func(o object) bool { return o.at("challenge", "rematchOf") == id })
		return offer.at("challenge", "id").(string)
	}
	first := again()
	if got := a.get("/api/challenge"); strings.Contains(got.body, first) {
		t.Errorf("listed: %s", got.body)
	}
	a.get("/api/challenge/"+first+"/show").want(t, 404, "Not found")
	a.post("/api/challenge/"+first+"/cancel").want(t, 404, "Not found")
	s.Cancel(first)
	o := events.until("challengeCanceled", nil)
	if o.at("challenge", "id") != first || o.at("challenge", "status") != "created" || o.at("compat", "bot") != true {
		t.Errorf("withdrawn: %v", o)
	}
	a.post("/api/challenge/"+first+"/accept").want(t, 404, "Not found")
	second := again()
	a.must("/api/challenge/" + second + "/decline")
	s.Challenge("alice", "zhbot", blitz)
	if o := events.next(); o["type"] != "challenge" {
		t.Errorf("after declining: %v", o)
	}
}
