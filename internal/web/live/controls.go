package live

import (
	"net/http"

	"github.com/zhbot/zhbot/internal/control"
	"github.com/zhbot/zhbot/internal/web"
)

// The controls of the page change the bot. They exist only with a password; and since a
// browser sends the password with every request, also with those that other sites make it
// send, a request must come from this page: by its Origin, and by a token that only
// somebody with the password can read.

// hasControls reports whether the page has controls.
func (p *Page) hasControls() bool { return p.opts.Password != "" && p.Operator != nil }

// controlsPart is what the page needs to control the bot.
type controlsPart struct {
	Token    string            `json:"token"` // for the header of each command
	Commands []control.Command `json:"commands"`
}

// tokenHeader is the header with the token.
const tokenHeader = "X-Csrf-Token"

// showControls serves the token and the commands.
func (p *Page) showControls(w http.ResponseWriter, r *http.Request) {
	if !p.hasControls() {
		http.NotFound(w, r)
		return
	}
	web.SendJSON(w, http.StatusOK, controlsPart{p.token, control.Commands()})
}

// command executes a command.
func (p *Page) command(w http.ResponseWriter, r *http.Request) {
	switch {
	case !p.hasControls():
		http.NotFound(w, r)
	case !web.IsSecret(r.Header.Get(tokenHeader), p.token):
		web.SendJSON(w, http.StatusForbidden, control.Failure{
			Error: "this request does not come from this page, or the bot has been restarted: load the page again",
		})
	default:
		user, _, _ := r.BasicAuth()
		control.ServeCommand(p.Operator, control.Origin("page", user), w, r)
	}
}
