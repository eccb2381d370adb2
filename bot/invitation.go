package bot

import (
	"strings"
	"sync"

	"github.com/zhbot/zhbot/lichess"
)

// invitation is a challenge of ours that is under way. Its id is not known
// before the server has answered, and the event stream may be faster.
type invitation struct {
	opponent string      // id
	id       string      // "" while it is not known; guarded by the outbox
	learned  chan string // its id, as the event stream tells it; buffered
	answered chan answer // buffered; the first answer counts
}

// answer is what became of a challenge of ours.
type answer struct {
	started bool
	reason  string // why not; Lichess's key in small letters, or one of ours
}

func newInvitation(opponent string) *invitation {
	return &invitation{opponent: opponent, learned: make(chan string, 1), answered: make(chan answer, 1)}
}

// outbox tells our invitation what the event stream says about it. There is one
// at a time.
type outbox struct {
	mu      sync.Mutex
	current *invitation
}

func (o *outbox) set(i *invitation) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.current = i
}

// know notes the id of our invitation.
func (o *outbox) know(id string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.current.id = id
}

// created hears of a challenge of ours. The stream tells it before anything else
// about it.
func (o *outbox) created(c *lichess.Challenge) {
	o.mu.Lock()
	defer o.mu.Unlock()
	i := o.current
	if i == nil || i.id != "" || c.DestUser == nil || !strings.EqualFold(c.DestUser.ID, i.opponent) {
		return
	}
	i.id = c.ID
	i.learned <- c.ID // once only
}

// settle hears what became of a challenge, ours or not.
func (o *outbox) settle(id string, a answer) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.current == nil || o.current.id != id {
		return
	}
	select {
	case o.current.answered <- a:
	default: // settled already
	}
}

// reasonOf returns the key of a decline.
func reasonOf(c *lichess.Challenge) string {
	if c.DeclineReasonKey == "" {
		return strings.ToLower(string(lichess.DeclineGeneric))
	}
	return strings.ToLower(c.DeclineReasonKey)
}
