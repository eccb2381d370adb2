package event

import (
	"testing"

	"github.com/zhbot/zhbot/lichess"
)

func TestPlayerOf(t *testing.T) {
	if got := PlayerOf(nil); got.Name != "Anonymous" {
		t.Errorf("nobody is called %q", got.Name)
	}
	if got := PlayerOf(&lichess.Player{Name: "alice", Title: "BOT", Rating: 2000}); got.Name != "alice" ||
		got.Title != "BOT" {
		t.Errorf("got %+v", got)
	}
}
