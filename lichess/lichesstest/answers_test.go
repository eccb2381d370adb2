package lichesstest

import (
	"testing"
	"time"

	"github.com/zhbot/zhbot/internal/fixture"
)

func TestAnswers(t *testing.T) {
	w := start(t, Options{BotGamesPerDay: 3}, "zhbot")
	for name, tt := range map[string]struct {
		answer Answer
		status string
	}{
		"willing": {Answer{}, "accepted"},
		"tired":   {Answer{Decline: "later"}, "declined"},
		"silent":  {Answer{Silent: true}, "created"},
		"slow":    {Answer{Decline: "tooFast", After: 5 * time.Millisecond}, "declined"},
	} {
		w.AddBotPlayer(name, Idle())
		w.AnswerChallenges(name, func(ChallengeSpec) Answer { return tt.answer })
		w.say("zhbot POST /api/challenge/" + name + ` {blitz} -> 200 "direction":"out"`)
		fixture.Until(t, name+" has answered", func() bool { return w.Challenges(name)[0].Status == tt.status })
	}
	if c := w.Challenges("tired")[0]; c.Reason != "later" || c.From != "zhbot" || c.Spec.Limit != 3*time.Minute {
		t.Errorf("declined challenge %+v", c)
	}

	w.AddBotPlayer("busy", Idle())
	w.SetBotGamesPlayed("busy", 3)
	w.say(`
		zhbot POST /api/challenge/busy {blitz} -> 400 "key":"bot.vsBot.day"
	`)
	w.SetBotGamesPlayed("zhbot", 3)
	w.say(`zhbot POST /api/challenge/willing {blitz} -> 429 "key":"bot.vsBot.day"`)
	w.change("zhbot", func(u *user) { u.botGames[0].at = time.Now().Add(-day - time.Second) })
	w.SetPerf("busy", 2345, 12)
	w.say(`
		zhbot POST /api/challenge/willing {blitz} -> 200 created
		zhbot GET /api/bot/online?nb=10 -> 200 "crazyhouse":{"games":12,"prog":0,"rating":2345,"rd":45}
	`)
}
