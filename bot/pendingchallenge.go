package bot

import (
	"strings"
	"sync"

	"github.com/zhbot/zhbot/lichess"
)

// pendingChallenge gets the id of the challenge that is being sent from the event
// stream, which has it even when the reply is lost. There is one at a time.
type pendingChallenge struct {
	mu sync.Mutex
	to string      // id of the opponent; "" if nothing is being sent
	id chan string // buffered
}

// expect returns a channel that receives the id of the challenge that is about to be
// sent.
func (o *pendingChallenge) expect(opponent string) <-chan string {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.to, o.id = opponent, make(chan string, 1)
	return o.id
}

// forget stops expecting a challenge.
func (o *pendingChallenge) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.to = ""
}

// created handles an outgoing challenge on the event stream, always its first event.
func (o *pendingChallenge) created(c *lichess.Challenge) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.to == "" || c.DestUser == nil || !strings.EqualFold(c.DestUser.ID, o.to) {
		return
	}
	o.id <- c.ID
	o.to = "" // it is the one
}
