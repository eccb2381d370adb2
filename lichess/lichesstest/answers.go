package lichesstest

import (
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// Answer is a scripted user's answer to a challenge. The zero value accepts at
// once.
type Answer struct {
	Decline string        // a reason such as "later"; "" accepts
	Silent  bool          // no answer at all
	After   time.Duration // delay of the answer
}

// AnswerChallenges sets how a scripted user answers challenges. The function must
// return at once and not call the server.
func (s *Server) AnswerChallenges(name string, answer func(ChallengeSpec) Answer) {
	s.change(name, func(u *user) { u.answer = answer })
}

// SetPerf sets a user's crazyhouse rating and number of rated games, after ten of which
// the rating is not provisional.
func (s *Server) SetPerf(name string, rating, games int) {
	s.change(name, func(u *user) { u.rating, u.games, u.rated = float64(rating), games, games })
}

// SetBotGamesPlayed sets how many games against bots a bot has played today: twelve hours
// ago.
func (s *Server) SetBotGamesPlayed(name string, n int) {
	s.change(name, func(u *user) { u.botGames = charges{{time.Now().Add(-day / 2), n}} })
}

// Challenges returns the latest challenges to a user, oldest first.
func (s *Server) Challenges(to string) (list []ReceivedChallenge) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.mustUser(to)
	for _, c := range s.offered {
		if c.to == u {
			list = append(list, ReceivedChallenge{
				ID: c.id, From: c.from.name, Spec: c.ChallengeSpec, Status: c.status, Reason: c.reason,
			})
		}
	}
	return list
}

// ReceivedChallenge is a challenge to a user, with its status.
type ReceivedChallenge struct {
	ID     string
	From   string
	Spec   ChallengeSpec
	Status string // created, canceled, declined, accepted
	Reason string // of a decline, in lower case
}

// answerForPlayer answers a challenge to a scripted user. The caller holds the lock.
func (s *Server) answerForPlayer(c *challenge) {
	answer := Answer{}
	if c.to.answer != nil {
		answer = c.to.answer(c.ChallengeSpec)
	}
	if answer.Silent {
		return
	}
	s.spawn(func() {
		_ = lichess.Sleep(s.ctx, answer.After)
		s.mu.Lock()
		defer s.mu.Unlock()
		switch {
		case !c.open() || s.ctx.Err() != nil:
		case answer.Decline != "":
			s.decline(c, answer.Decline)
		default:
			s.accept(c)
		}
	})
}
