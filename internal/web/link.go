package web

import "net/http"

// A page without a password is shown in full to those who open its link, which has a key.
// Nothing else shows that a viewer is the operator: a request through a proxy or a tunnel
// may look like one from this machine. The key is replaced at each start, since the logs
// that the link is in are kept and passed on; a password gives lasting access.

// keyParameter is the query parameter of the link that has the key.
const keyParameter = "key"

// Link returns the link that shows all of a page at a URL. Without a password it contains
// a secret.
func (g *Guard) Link(url string) string {
	if g.opts.Password != "" {
		return url
	}
	return url + "/?" + keyParameter + "=" + g.key
}

// isLink reports whether a request is for the link of a page without a password.
func (g *Guard) isLink(r *http.Request) bool {
	return g.opts.Password == "" && r.URL.Path == "/" && r.URL.Query().Has(keyParameter)
}

// openLink exchanges the key for a cookie, and removes it from the address bar.
func (g *Guard) openLink(w http.ResponseWriter, r *http.Request) {
	if !IsSecret(r.URL.Query().Get(keyParameter), g.key) {
		http.Error(w, "This link is no longer valid: each start prints a new one.", http.StatusForbidden)
		return
	}
	// Not Secure, as the page itself is served over HTTP.
	http.SetCookie(w, &http.Cookie{
		Name: g.cookie, Value: g.key, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
	})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// Trusts reports whether a viewer may see what would help an opponent: one who has given
// the password or opened the link.
func (g *Guard) Trusts(r *http.Request) bool {
	if g.opts.Password != "" {
		return true
	}
	cookie, err := r.Cookie(g.cookie)
	return err == nil && IsSecret(cookie.Value, g.key)
}
