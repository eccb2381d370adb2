package live

import (
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"net/http"
	"time"

	"github.com/zhbot/zhbot/internal/control"
	"github.com/zhbot/zhbot/internal/web"
)

// The controls of the page change the bot. They exist only with a password; and since a
// browser sends the password with every request, also with those that other sites make it
// send, a request must come from this page: by its Origin, and by a token that only
// somebody with the password can read.

// SetOperator adds controls to the page, if it has a password. It may be called while the
// page is served.
func (p *Page) SetOperator(o control.Doer) { p.operator.Store(&o) }

// hasControls reports whether the page has controls.
func (p *Page) hasControls() bool { return p.opts.Password != "" && p.operator.Load() != nil }

// controlsPart is what the page needs to control the bot.
type controlsPart struct {
	Token    string        `json:"token"` // for the header of each command
	Commands []commandPart `json:"commands"`
}

// commandPart is a command as sent to the page.
type commandPart struct {
	Name    string `json:"name"`
	Short   string `json:"short"`
	Confirm string `json:"confirm,omitempty"` // what to ask before it
}

// tokenHeader is the header with the token.
const tokenHeader = "X-Csrf-Token"

// newToken returns a token that is valid as long as the program runs.
func newToken() string { return rand.Text() }

// showControls serves the token and the commands.
func (p *Page) showControls(w http.ResponseWriter, r *http.Request) {
	if !p.hasControls() {
		http.NotFound(w, r)
		return
	}
	part := controlsPart{Token: p.token}
	for _, c := range control.Commands() {
		part.Commands = append(part.Commands, commandPart{c.Name, c.Short, c.Confirm})
	}
	p.sendJSON(w, http.StatusOK, part)
}

// command carries out a command.
func (p *Page) command(w http.ResponseWriter, r *http.Request) {
	if !p.hasControls() {
		http.NotFound(w, r)
		return
	}
	status, answer := p.carryOut(w, r)
	// The error is that the writer has no deadlines, as in tests.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(web.WriteTimeout))
	p.sendJSON(w, status, answer)
}

// errForged means that a request may not come from this page.
var errForged = errors.New("this request does not come from this page, or the bot has been restarted: load the page again")

func (p *Page) carryOut(w http.ResponseWriter, r *http.Request) (status int, answer any) {
	given := r.Header.Get(tokenHeader)
	if http.NewCrossOriginProtection().Check(r) != nil || subtle.ConstantTimeCompare([]byte(given), []byte(p.token)) != 1 {
		return http.StatusForbidden, control.Failure{Error: errForged.Error()}
	}
	user, _, _ := r.BasicAuth()
	return control.CarryOut(*p.operator.Load(), control.Origin("page", user), w, r)
}
