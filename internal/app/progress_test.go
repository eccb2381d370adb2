package app

import (
	"testing"
	"time"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// A game has not the id of one that an earlier demo may have left in the records.
func TestStartServer_NewIDs(t *testing.T) {
	ids := map[string]bool{}
	for range 2 {
		s, _, err := startServer()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		ids[s.Challenge(Drifter, SandboxBot, lichesstest.ChallengeSpec{Limit: time.Minute})] = true
	}
	if len(ids) != 2 {
		t.Errorf("two servers have the same id: %v", ids)
	}
}

func TestGamesInPlay(t *testing.T) {
	s, token, err := StartSandbox(lichesstest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	c := config.Default()
	c.Lichess.URL = s.URL()
	client, err := NewClient(&c, token)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	for range 4 {
		id := s.Challenge(Drifter, SandboxBot, lichesstest.ChallengeSpec{Limit: time.Minute, Color: "black"})
		if err := client.AcceptChallenge(t.Context(), id, lichess.Human); err != nil {
			t.Fatal(err)
		}
	}
	want := "Drifter move 1, Drifter move 1, Drifter move 1, 1 more"
	if got := gamesInPlay(s); got != want {
		t.Errorf("in play: %q, want %q", got, want)
	}
}
