package lichesstest

import (
	"bytes"
	"cmp"
	"html/template"
	"maps"
	"slices"
)

// tokenPage stands for the page on which an owner creates tokens. Nobody signs in here, so it
// shows all tokens that there are.
func (s *Server) tokenPage(*request) any {
	tokens := slices.SortedFunc(maps.Values(s.tokens), func(a, b *token) int {
		return cmp.Or(cmp.Compare(a.user.name, b.user.name), cmp.Compare(a.text, b.text))
	})
	type row struct {
		Account, Token string
		Scopes         []string
	}
	var rows []row
	for _, t := range tokens {
		if !t.expired() {
			rows = append(rows, row{t.user.name, t.text, t.scopes})
		}
	}
	page := document{contentType: "text/html; charset=utf-8"}
	var b bytes.Buffer
	_ = tokenTemplate.Execute(&b, rows) // it is text
	page.body = b.Bytes()
	return page
}

var tokenTemplate = template.Must(template.New("tokens").Parse(`<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Tokens of the embedded Lichess</title>
<link rel="icon" href="data:,">
<style>
:root { color-scheme: light dark; font-family: system-ui, sans-serif; line-height: 1.5; }
body { max-width: 60rem; margin: 1rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; }
th, td { text-align: left; vertical-align: baseline; padding: .3rem 1.2rem .3rem 0; }
code { user-select: all; overflow-wrap: anywhere; }
</style>
<h1>Tokens of the embedded Lichess</h1>
<p>Copy one of these. They are worth nothing elsewhere.</p>
<table><tr><th>account<th>token<th>scopes</tr>
{{range .}}<tr><td>{{.Account}}<td><code>{{.Token}}</code><td>{{range .Scopes}}{{.}} {{end}}</tr>
{{end}}</table></html>
`))
