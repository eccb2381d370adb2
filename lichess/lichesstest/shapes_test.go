package lichesstest

import (
	"testing"
	"time"
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
	if full.at("white", "provisional") != true || full.at("white", "rating") != 1500.0 {
		t.Errorf("White %v", full["white"])
	}
}
