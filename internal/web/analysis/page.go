// Package analysis writes an analysed game as a page: one self-contained HTML file with
// the viewer of a game, with what an analysis has found. [Add] adds that to any viewer's game.
package analysis

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strings"

	"github.com/zhbot/zhbot/engine/analysis"
	"github.com/zhbot/zhbot/internal/web"
	"github.com/zhbot/zhbot/rules/pgn"
)

//go:embed static
var static embed.FS

// Write writes the page of an annotated game, as [analysis.Annotate] returns it. The
// page names the program that made it. Names and comments may come from anywhere: none
// is interpreted as markup.
func Write(w io.Writer, g *pgn.Game, a *analysis.Analysis, madeBy string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("page of the analysis: %w", err)
		}
	}()
	files, err := web.NewFiles(static)
	if err != nil {
		return err
	}
	page, err := template.New("page").Parse(string(files.Content["index.html"]))
	if err != nil {
		return err
	}
	script := bundle(files.Content)
	style := string(files.Content["base.css"]) + string(files.Content["viewer.css"])
	view := viewOf(g)
	Add(view, g, a, madeBy)
	return page.Execute(w, map[string]any{
		"Policy": policy(script, style),
		"Script": template.JS(script), //nolint:gosec // it is embedded in the program
		"Style":  template.CSS(style), //nolint:gosec // likewise
		"Icon":   icon(files.Content["icon.svg"]),
		"View":   view,
		"About":  describeGame(g),
		"PGN":    strings.TrimSpace(g.String()),
	})
}

// bundle joins the modules, each after those that it imports, into one script: a file that is
// opened without a server cannot import others.
func bundle(content map[string][]byte) (script string) {
	for _, name := range []string{
		"dom", "clock", "position", "evaluation", "board", "moves", "theme", "viewer", "analysis",
	} {
		script += moduleWords.ReplaceAllString(string(content[name+".js"]), "")
	}
	return script
}

// moduleWords is what makes a script a module.
var moduleWords = regexp.MustCompile(`(?m)^import .*\n|^export `)

// policy is the page's content security policy: it may run its own script, and load nothing.
func policy(script, style string) string {
	const format = "default-src 'none'; script-src %s; style-src %s; img-src data:; base-uri 'none'; form-action 'none'"
	return fmt.Sprintf(format, hash(script), hash(style))
}

// hash is a source of a policy that allows an element with this text.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func icon(svg []byte) template.URL {
	text := base64.StdEncoding.EncodeToString(svg)
	return template.URL("data:image/svg+xml;base64," + text) //nolint:gosec // it is embedded in the program
}
