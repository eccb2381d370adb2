package analysis

import (
	"encoding/json"
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/analysis"
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

// scriptElement matches script elements and what is in them.
var scriptElement = regexp.MustCompile(`(?s)<script([^>]*)>(.*?)</script>`)

// What strangers wrote is text, wherever it stands.
func TestWrite_Escapes(t *testing.T) {
	page := write(t, evil)
	scripts := scriptElement.FindAllStringSubmatch(page, -1)
	if len(scripts) != 2 || scripts[0][1] != ` type="application/json" id="game"` || scripts[1][1] != ` type="module"` {
		t.Fatalf("%d scripts", len(scripts))
	}
	var game gameData
	if err := json.Unmarshal([]byte(scripts[0][2]), &game); err != nil {
		t.Fatal(err)
	}
	if game.White.Name != "<script>alert(1)</script>" || game.Black.Name != `'"><img src=x onerror=alert(1)>` {
		t.Errorf("players %+v, %+v", game.White, game.Black)
	}
	markup := scriptElement.ReplaceAllString(page, "")
	for _, bad := range []string{"<script", "<img", "<b>", "href=\"javascript:", "<!-- }", "<test>"} {
		if strings.Contains(markup, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	for _, text := range []string{"<b>Rated</b>", "zhbot <test>", "</script><script>alert(2)</script>"} {
		if !strings.Contains(html.UnescapeString(markup), text) {
			t.Errorf("the page does not show %q", text)
		}
	}
}

// The page is one file: it names nothing to load, and its policy allows its own script and
// style only.
func TestWrite_SelfContained(t *testing.T) {
	page := write(t, evil)
	for _, bad := range []string{"<link rel=\"stylesheet", "@import", "url(", "import {", "<!-- pieces -->", "ZgotmplZ"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	scripts := scriptElement.FindAllStringSubmatch(page, -1)
	style := page[strings.Index(page, "<style>")+len("<style>") : strings.Index(page, "</style>")]
	policy := html.UnescapeString(regexp.MustCompile(`Content-Security-Policy" content="([^"]*)"`).FindStringSubmatch(page)[1])
	if !strings.HasPrefix(policy, "default-src 'none'; ") || !strings.Contains(policy, hash(scripts[1][2])) || !strings.Contains(policy, hash(style)) {
		t.Errorf("policy %q", policy)
	}
}

// The page says what the analysis found.
func TestWrite_Findings(t *testing.T) {
	page := write(t, evil)
	var game gameData
	if err := json.Unmarshal([]byte(scriptElement.FindStringSubmatch(page)[2]), &game); err != nil {
		t.Fatal(err)
	}
	if len(game.Steps) != 4 || len(game.Positions) != 5 || game.Steps[2].Glyph != "??" || len(game.Positions[2].Line) == 0 || *game.Steps[0].Clock != 178500 {
		t.Errorf("steps %+v", game.Steps)
	}
	if last := game.Positions[4]; last.Evaluation != nil || last.White != 0 || len(last.Line) != 0 || game.Result != "0–1, checkmate" {
		t.Errorf("last position %+v, result %s", last, game.Result)
	}
	if mate := game.Positions[3]; mate.Evaluation.Mate != -1 || mate.Line[0].SAN != "Qh4#" {
		t.Errorf("position before mate %+v, %+v", mate, mate.Evaluation)
	}
	for _, want := range []string{
		`data-ply="3">2. g4??</button> <span class="quiet">Blunder, `, " → −#1</span>", `viewBox="0 0 4 100"`, `L3 100.0L4 100.0"`,
		`class="dot blunder" d="M3 100.0h0"`, "3&#43;2 · 2026-08-31", `<span class="disc white"></span>&lt;script&gt;`, `<th scope="row">Blunders</th><td>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %q", want)
		}
	}
}

// A game without moves, or by Black first, has a page, too.
func TestWrite_ShortGames(t *testing.T) {
	page := write(t, "[White \"a\"]\n\n*")
	if !strings.Contains(page, "Nothing: no move lost much.") || !strings.Contains(page, `viewBox="0 0 1 100"`) {
		t.Errorf("without moves: %.20000s", page)
	}
	page = write(t, "[FEN \"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR[] b KQkq - 0 1\"]\n[SetUp \"1\"]\n\n1... e5 2. Nf3 1/2-1/2")
	var game gameData
	if err := json.Unmarshal([]byte(scriptElement.FindStringSubmatch(page)[2]), &game); err != nil {
		t.Fatal(err)
	}
	if game.FirstPly != 1 || len(game.Steps) != 2 || game.Result != "½–½" || len(game.Positions[0].Line) == 0 {
		t.Errorf("by Black first: %+v", game)
	}
}

func TestFormatEval(t *testing.T) {
	for want, e := range map[string]pgn.Eval{
		"mate": {}, "0.00": {Known: true}, "+1.30": {Known: true, Score: pgn.Score{Centipawns: 130}}, "−0.05": {Known: true, Score: pgn.Score{Centipawns: -5}},
		"#3": {Known: true, Score: pgn.Score{Mate: 3}}, "−#2": {Known: true, Score: pgn.Score{Mate: -2}},
	} {
		if got := formatEval(e); got != want {
			t.Errorf("%+v: %q, want %q", e, got, want)
		}
	}
}

func TestBundle(t *testing.T) {
	modules := map[string][]byte{}
	for name, text := range map[string]string{
		"a.js": "import { b, c } from \"./b.js\";\nconst own = 1;\nb(c + own);\n",
		"b.js": "import { d } from \"./d.js\";\nconst own = 2;\nexport const c = own + d;\nexport function b() {}\n",
		"d.js": "export let d = 3;\n", "bare.js": "import x from \"./d.js\";\n", "lost.js": "import { x } from \"./none.js\";\n",
		"default.js": "export default 1;\n",
	} {
		modules[name] = []byte(text)
	}
	got, err := bundle(modules, "a.js")
	const want = `const modules = {};
modules["d.js"] = (() => {
let d = 3;
return { d };
})();
modules["b.js"] = (() => {
const { d } = modules["d.js"];
const own = 2;
const c = own + d;
function b() {}
return { c, b };
})();
modules["a.js"] = (() => {
const { b, c } = modules["b.js"];
const own = 1;
b(c + own);
return {  };
})();
`
	if err != nil || got != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
	for name, part := range map[string]string{"bare.js": "bare.js: \"import x", "lost.js": "lost.js: no module none.js", "default.js": "export default"} {
		if _, err := bundle(modules, name); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: error %v, want %q", name, err, part)
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
		changed.Tags = []pgn.Tag{{Name: "White", Value: name}, {Name: "BlackTitle", Value: title}, {Name: "Site", Value: site}, {Name: "Event", Value: comment}}
		changed.Moves = append([]pgn.Move(nil), g.Moves...)
		changed.Moves[0].Comment = comment
		var out strings.Builder
		if err := Write(&out, &changed, a, title); err != nil {
			t.Fatal(err)
		}
		scripts := scriptElement.FindAllStringSubmatch(out.String(), -1)
		if len(scripts) != 2 || strings.Count(out.String(), "<script") != 2 || !strings.Contains(html.UnescapeString(out.String()), hash(scripts[1][2])) {
			t.Errorf("%d scripts in %s", len(scripts), out.String())
		}
		var game gameData
		if err := json.Unmarshal([]byte(scripts[0][2]), &game); err != nil || len(game.Steps) != 4 {
			t.Errorf("game %+v, %v", game, err)
		}
	})
}
