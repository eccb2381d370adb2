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

// tokenHeader is the header with the token.
const tokenHeader = "X-Csrf-Token"

// showToken serves the token that each command must have.
func (p *Page) showToken(w http.ResponseWriter, r *http.Request) {
	if !p.hasControls() {
		http.NotFound(w, r)
		return
	}
	web.SendJSON(w, http.StatusOK, map[string]string{"token": p.token})
}

// command executes a command.
func (p *Page) command(w http.ResponseWriter, r *http.Request) {
	switch {
	case !p.hasControls():
		http.NotFound(w, r)
	case !web.IsSecret(r.Header.Get(tokenHeader), p.token):
		web.SendJSON(w, http.StatusForbidden, control.Result{
			Error: "this request does not come from this page, or the bot has been restarted: load the page again",
		})
	default:
		user, _, _ := r.BasicAuth()
		control.ServeCommand(p.Operator, control.Origin("page", user), w, r)
	}
}
