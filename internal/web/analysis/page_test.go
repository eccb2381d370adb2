package analysis

import (
	"encoding/json"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/analysis"
	"github.com/zhbot/zhbot/internal/web"
	"github.com/zhbot/zhbot/rules/pgn"
)

// evil is markup in the places where strangers can write.
const evil = `[Event "<b>Rated</b>"]
[Site "javascript:alert(1)"]
[White "<script>alert(1)</script>"]
[Black "'\"><img src=x onerror=alert(1)>"]
[WhiteTitle "</script>"]
[Variant "Crazyhouse"]
[UTCDate "2026.08.31"]
[TimeControl "180+2"]
[Result "0-1"]

1. f3 { </script><script>alert(2)</script> [%clk 0:02:58.5] } e5 2. g4 { <!-- } Qh4# 0-1
`

// analysed returns a game and its analysis by a small search.
func analysed(t testing.TB, text string) (*pgn.Game, *analysis.Analysis) {
	t.Helper()
	g, err := pgn.NewReader(strings.NewReader(text)).Next()
	if err != nil {
		t.Fatal(err)
	}
	e := engine.New(engine.Options{Threads: 1, HashMB: 1})
	a, err := analysis.Annotate(t.Context(), e, engine.Limits{Nodes: 500}, g, nil)
	if err != nil {
		t.Fatal(err)
	}
	return g, a
}

func write(t testing.TB, text string) string {
	t.Helper()
	g, a := analysed(t, text)
	var out strings.Builder
	if err := Write(&out, g, a, "zhbot <test>"); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// shown returns the game that a page shows.
func shown(t testing.TB, page string) (v web.View) {
	t.Helper()
	if err := json.Unmarshal([]byte(scriptElement.FindStringSubmatch(page)[2]), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// scriptElement matches script elements and what is in them.
var scriptElement = regexp.MustCompile(`(?s)<script([^>]*)>(.*?)</script>`)

// What strangers wrote is text, wherever it stands.
func TestWrite_Escapes(t *testing.T) {
	page := write(t, evil)
	scripts := scriptElement.FindAllStringSubmatch(page, -1)
	if len(scripts) != 2 || scripts[0][1] != ` type="application/json" id="game"` || scripts[1][1] != ` type="module"` {
		t.Fatalf("%d scripts", len(scripts))
	}
	game := shown(t, page)
	if game.White.Name != "<script>alert(1)</script>" || game.Black.Name != `'"><img src=x onerror=alert(1)>` ||
		game.Site != "" {
		t.Errorf("players %+v, %+v, site %s", game.White, game.Black, game.Site)
	}
	markup := scriptElement.ReplaceAllString(page, "")
	for _, bad := range []string{"<script", "<img", "<b>", "href=\"javascript:", "<!-- }"} {
		if strings.Contains(markup, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	for _, text := range []string{"<b>Rated</b> · 3+2 · 2026-08-31", "</script><script>alert(2)</script>"} {
		if !strings.Contains(html.UnescapeString(markup), text) {
			t.Errorf("the page does not show %q", text)
		}
	}
}

// The page is one file: it names nothing to load, and its policy allows its own script and
// style only.
func TestWrite_SelfContained(t *testing.T) {
	page := write(t, evil)
	for _, bad := range []string{"<link rel=\"stylesheet", "@import", "url(", "import {", "\nexport ",
		"<!-- pieces -->", "ZgotmplZ"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	scripts := scriptElement.FindAllStringSubmatch(page, -1)
	style := page[strings.Index(page, "<style>")+len("<style>") : strings.Index(page, "</style>")]
	policy := html.UnescapeString(regexp.MustCompile(`Content-Security-Policy" ` +
		`content="([^"]*)"`).FindStringSubmatch(page)[1])
	if !strings.HasPrefix(policy, "default-src 'none'; ") || !strings.Contains(policy, hash(scripts[1][2])) ||
		!strings.Contains(policy, hash(style)) {
		t.Errorf("policy %q", policy)
	}
}

// The page shows what the analysis found.
func TestWrite_Findings(t *testing.T) {
	game := shown(t, write(t, evil))
	if len(game.Steps) != 4 || *game.Steps[0].Clock != 178500 || game.Steps[2].Glyph != "??" ||
		game.By != "zhbot <test>" {
		t.Errorf("game %+v", game)
	}
	if e := game.Steps[1].Evaluation; game.Evaluation == nil || e == nil || len(e.Steps) == 0 {
		t.Errorf("evaluations %+v, %+v", game.Evaluation, e)
	}
	if last := game.Steps[3]; last.Evaluation != nil || game.Result != "0–1, checkmate" {
		t.Errorf("last step %+v, result %s", last, game.Result)
	}
	if mate := game.Steps[2].Evaluation; mate.Mate != -1 || mate.Steps[0].SAN != "Qh4#" {
		t.Errorf("before the mate %+v", mate)
	}
	if len(game.Summary) != 5 || game.Summary[2][0] != "Blunders" || game.Summary[2][1] == "0" ||
		game.Summary[2][2] != "0" ||
		game.Summary[4] != [3]string{"Accuracy", game.Summary[4][1], "100 %"} {
		t.Errorf("summary %q", game.Summary)
	}
}

// Games of other shapes are shown, too.
func TestWrite_Games(t *testing.T) {
	const blackFirst = "[FEN \"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR[] b KQkq - 0 1\"]\n[SetUp \"1\"]\n"
	for _, tt := range []struct {
		text, result, white, site string
		steps, firstPly           int
	}{
		{"[White \"a\"]\n[Variant \"Crazyhouse\"]\n\n*", "no result", "a", "", 0, 0},
		{blackFirst + "\n1... e5 2. Nf3 1/2-1/2", "½–½", "White", "", 2, 1},
		{blackFirst + "[Site \"https://lichess.org/x\"]\n[Termination \"Time forfeit\"]\n\n1... e5 1-0", "1–0, on time",
			"White", "https://lichess.org/x", 1, 1},
		{
			"[FEN \"7k/5Q2/8/8/8/8/8/K7[] w - - 0 1\"]\n[SetUp \"1\"]\n\n1. Qg6 1/2-1/2",
			"½–½, stalemate", "White", "", 1, 0,
		},
	} {
		game := shown(t, write(t, tt.text))
		if game.Result != tt.result || game.White.Name != tt.white || len(game.Steps) != tt.steps ||
			game.FirstPly != tt.firstPly ||
			game.Evaluation == nil || game.Site != tt.site {
			t.Errorf("%s: %+v", tt.text, game)
		}
	}
}

// FuzzWrite: a game with any tags and comments becomes a page with the program's script
// only.
func FuzzWrite(f *testing.F) {
	f.Add("zhbot", "</script>", "https://lichess.org/zH4kQ2ab", "{{.}}")
	f.Add("\x00", "\u2028--!>", "//example.org", "${alert(1)}")
	g, a := analysed(f, evil)
	f.Fuzz(func(t *testing.T, name, title, site, comment string) {
		changed := *g
		changed.Tags = []pgn.Tag{{Name: "White", Value: name}, {Name: "BlackTitle", Value: title},
			{Name: "Site", Value: site}, {Name: "Event", Value: comment}}
		changed.Moves = append([]pgn.Move(nil), g.Moves...)
		changed.Moves[0].Comment = comment
		var out strings.Builder
		if err := Write(&out, &changed, a, title); err != nil {
			t.Fatal(err)
		}
		scripts := scriptElement.FindAllStringSubmatch(out.String(), -1)
		if len(scripts) != 2 || strings.Count(out.String(), "<script") != 2 ||
			!strings.Contains(html.UnescapeString(out.String()), hash(scripts[1][2])) {
			t.Errorf("%d scripts in %s", len(scripts), out.String())
		}
		if game := shown(t, out.String()); len(game.Steps) != 4 {
			t.Errorf("game %+v", game)
		}
	})
}
