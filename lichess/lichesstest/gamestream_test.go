package lichesstest

import (
	"strings"
	"testing"

	"github.com/zhbot/zhbot/internal/waittest"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/rulestest"
)

// mustMove reads a move in the position of a game.
func mustMove(t *testing.T, s *Server, id, uci string) rules.Move {
	t.Helper()
	r, _ := s.Game(id)
	g := rulestest.Game(t, r.Moves...)
	return rulestest.Move(t, g.Position(), uci)
}

// A move between the reading of the game and the subscription is in no line; the
// list of games in play has it.
func TestStream_MissesAMove(t *testing.T) {
	s, white, black, id := match(t, Options{}, blitz)
	s.Faults.Inject("miss", When{Next: 1})
	st := white.open("/api/bot/game/stream/" + id)
	if full := st.until("gameFull", nil); full.at("state", "moves") != "" {
		t.Errorf("first line %v", full)
	}
	both(white, black, id, "e2e4 e7e5")
	if line := st.next(); line["moves"] != "e2e4 e7e5" {
		t.Errorf("the line after the missed one: %v", line)
	}
	list := parse(t, white.get("/api/account/playing").body)
	games, _ := list["nowPlaying"].([]any)
	if len(games) != 1 {
		t.Fatalf("list %v", list)
	}
	game := object(games[0].(map[string]any))
	if game["isMyTurn"] != true || game["lastMove"] != "e7e5" || !strings.HasPrefix(game["fen"].(string), "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR/ w ") {
		t.Errorf("listed %v", game)
	}
	for _, field := range []string{"id", "compat"} {
		if _, sent := game[field]; sent {
			t.Errorf("the list has %s", field)
		}
	}
	if _, sent := list["nbMyTurn"]; sent {
		t.Error("the list has nbMyTurn")
	}
}

// A move's line may come before the first line, which is older then.
func TestStream_FirstLineIsLate(t *testing.T) {
	s, white, _, id := match(t, Options{}, blitz)
	s.Faults.Inject("late", When{Next: 1})
	done := make(chan *stream)
	go func() { done <- white.open("/api/bot/game/stream/" + id) }()
	waittest.Until(t, "the stream is open", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.games[id].presence[0].streams) > 0
	})
	white.play(id, "e2e4")
	st := <-done
	if line := st.next(); line["type"] == "gameState" && line["moves"] == "e2e4" {
		if full := st.next(); full["type"] != "gameFull" || full.at("state", "moves") != "" {
			t.Errorf("second line %v", full)
		}
	} else if line["type"] != "gameFull" { // the move took half a second
		t.Errorf("first line %v", line)
	}
}
