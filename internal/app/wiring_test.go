package app

import (
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/challenge"
	"github.com/zhbot/zhbot/config"
)

// The default settings let the bot accept what they say.
func TestTerms(t *testing.T) {
	c := config.Default().Challenges.Humans
	c.Rating = config.Rating{Min: 1000, Max: 2000, MaxDifference: 300}
	got := terms(c)
	if !got.Enabled || len(got.Modes) != 2 || len(got.Speeds) != 4 || got.Speeds[0] != "bullet" || got.MaxRatingDifference != 300 ||
		got.Rating != (challenge.Range[int]{Min: 1000, Max: 2000}) || got.Initial != (challenge.Range[time.Duration]{Max: 3 * time.Hour}) ||
		got.Increment != (challenge.Range[time.Duration]{Max: time.Minute}) {
		t.Errorf("terms %+v", got)
	}
}
