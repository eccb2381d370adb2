package lichesstest

import (
	"testing"
	"time"

	"github.com/zhbot/zhbot/internal/waittest"
)

func TestAnswers(t *testing.T) {
	s := NewServer(t, Options{BotGamesPerDay: 3})
	a := bot(t, s, "zhbot")
	challenge := []string{"variant", "crazyhouse", "clock.limit", "180", "clock.increment", "2"}
	for name, tt := range map[string]struct {
		answer Answer
		status string
	}{
		"willing": {Answer{}, "accepted"},
		"tired":   {Answer{Decline: "later"}, "declined"},
		"silent":  {Answer{Silent: true}, "created"},
		"slow":    {Answer{Decline: "tooFast", After: 5 * time.Millisecond}, "declined"},
	} {
		s.AddBotPlayer(name, Idle())
		s.AnswerChallenges(name, func(ChallengeSpec) Answer { return tt.answer })
		a.post("/api/challenge/"+name, challenge...).want(t, 200, `"direction":"out"`)
		waittest.Until(t, name+" has answered", func() bool { return s.Challenges(name)[0].Status == tt.status })
	}
	if c := s.Challenges("tired")[0]; c.Reason != "later" || c.From != "zhbot" || c.Spec.Limit != 3*time.Minute {
		t.Errorf("declined challenge %+v", c)
	}

	s.AddBotPlayer("closed", Idle())
	s.RejectChallenges("closed", "closed does not accept challenges")
	a.post("/api/challenge/closed", challenge...).want(t, 400, "closed does not accept challenges")
	s.AddBotPlayer("busy", Idle())
	s.SetBotGamesPlayed("busy", 3)
	a.post("/api/challenge/busy", challenge...).want(t, 400, `"key":"bot.vsBot.day"`)
	s.SetBotGamesPlayed("zhbot", 3)
	a.post("/api/challenge/willing", challenge...).want(t, 429, `"key":"bot.vsBot.day"`)
	s.mu.Lock()
	s.users["zhbot"].botGames[0].at = time.Now().Add(-day - time.Second)
	s.mu.Unlock()
	a.post("/api/challenge/willing", challenge...).want(t, 200, "created") // a day later
	s.SetPerf("busy", 2345, 12)
	a.get("/api/bot/online?nb=10").want(t, 200, `"crazyhouse":{"games":12,"prog":0,"rating":2345,"rd":60}`)
}
