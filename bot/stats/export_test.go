package stats

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/internal/file/filetest"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// recordView returns the record of a simulated game.
func recordView(v *record.PlayerView, id int) *record.Game {
	g := &record.Game{Summary: *v.Summary, Board: rules.NewGame(rules.StartPosition())}
	g.ID, g.Status, g.Clock = fmt.Sprintf("game%04d", id), lichess.StatusResign, lichess.Clock{Initial: 3 * time.Minute}
	us := record.Player{Name: "zhbot", Title: "BOT", Rating: 2000}
	if g.White, g.Black = us, v.Opponent; v.Color == rules.Black {
		g.White, g.Black = v.Opponent, us
	}
	return g
}

// A plain Bradley-Terry fit of exported games finds the difference that our fit finds: it is
// what Ordo and BayesElo compute, with White's advantage known.
func TestExportPGN(t *testing.T) {
	l := ordinary
	l.games, l.difference = 2000, 60
	var text strings.Builder
	ids := 0
	l.visit(7, func(v *record.PlayerView) {
		ids++
		text.WriteString(recordView(v, ids).PGN().String())
	})
	casual := recordView(&record.PlayerView{Summary: &record.Summary{Contender: "a", Result: rules.Draw}, Opponent: record.Player{Name: "x", Rating: 2000}}, 9998)
	unnamed := recordView(&record.PlayerView{Summary: &record.Summary{Rated: true, Result: rules.Draw}, Opponent: record.Player{Name: "x", Rating: 2000}}, 9999)
	text.WriteString(casual.PGN().String() + unnamed.PGN().String())
	path := filepath.Join(t.TempDir(), "2026-01.pgn")
	filetest.Write(t, path, text.String())

	var out strings.Builder
	n, err := ExportPGN(t.Context(), &out, []string{path}, "zhbot", time.Time{}, false)
	if err != nil || n != l.games {
		t.Fatalf("exported %d games, %v, want %d", n, err, l.games)
	}
	ratings := bradleyTerry(t, out.String())
	d := l.play(7).Compare().Differences[0]
	plain := ratings["a"] - ratings["b"]
	t.Logf("our fit %+.1f ± %.1f, plain Bradley-Terry %+.1f", d.Elo, d.Error, plain)
	if d.Stronger != "a" || math.Abs(plain-d.Elo) > d.Error || math.Abs(plain-l.difference) > 1.5*d.Error {
		t.Errorf("difference %+v, by a plain fit %+.1f, want %g", d, plain, l.difference)
	}
}

// bradleyTerry returns the ratings of the players of a PGN, by the classic iteration on
// strengths: points over the sum of 1/(ours + theirs).
func bradleyTerry(t *testing.T, text string) map[string]float64 {
	t.Helper()
	type pair struct{ white, black string }
	games, points, strength := map[pair]float64{}, map[string]float64{}, map[string]float64{}
	for h, err := range pgn.Headers(strings.NewReader(text)) {
		if err != nil {
			t.Fatal(err)
		}
		white, black := h.Tag("White"), h.Tag("Black")
		games[pair{white, black}]++
		score := map[rules.Result]float64{rules.WhiteWins: 1, rules.Draw: 0.5}[h.Result]
		points[white] += score
		points[black] += 1 - score
		strength[white], strength[black] = 1, 1
	}
	for range 300 {
		sums := map[string]float64{}
		for p, n := range games {
			share := n / (strength[p.white] + strength[p.black])
			sums[p.white] += share
			sums[p.black] += share
		}
		for name := range strength {
			strength[name] = max(points[name], 0.5) / sums[name] // half a point to who has none
		}
	}
	for name, s := range strength {
		strength[name] = math.Log(s) / eloUnit
	}
	return strength
}
