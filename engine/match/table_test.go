package match

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func tableSummary() Summary {
	return Summary{
		Engine: SideSummary{Name: "zhbot", Limit: "3+0.03", NPS: 600123, Depth: 12.34, MoveTime: 0.0876,
			ClockLeft: 0.214, Faults: map[Ending]int{TimeForfeit: 1, Crash: 2}},
		Opponent:      SideSummary{Name: "Sjeng 11.2", Limit: "depth 6", NPS: 1000000, Depth: 6},
		Games:         200,
		Wins:          110,
		Draws:         10,
		Losses:        80,
		RepeatedGames: 84,
		Pentanomial:   Pentanomial{10, 20, 20, 30, 20},
		Elo:           Pentanomial{10, 20, 20, 30, 20}.Elo(),
		SPRT:          &SPRTSummary{SPRT: SPRT{0, 10}, LLR: 0.9625, Bound: SPRT{}.Bound(), Verdict: Undecided},
		Endings:       map[Ending]int{"checkmate": 177, IllegalMove: 12, "threefold repetition": 10, TimeForfeit: 1},
	}
}

func TestSummary_Table(t *testing.T) {
	t.Parallel()
	want := `zhbot (3+0.03) against Sjeng 11.2 (depth 6)

Games    200: won 110, drawn 10, lost 80, score 57.5 %; repeated 84
Pairs    100: with 0, ½, 1, 1½, 2 points 10, 20, 20, 30, 20; both games the same in 0
Elo      +52.5 [+8.9, +97.8]
LOS      99.1 %
SPRT     [0, 10], LLR +0.96 of ±2.94: undecided
Endings  checkmate 177, illegal move 12, threefold repetition 10, time forfeit 1

            nodes/s  depth  ms/move  clock left  faults
zhbot       600123   12.3   87.6     21 %        crash 2, time forfeit 1
Sjeng 11.2  1000000  6.0    0.0      0 %         none
`
	if diff := cmp.Diff(want, tableSummary().Table()); diff != "" {
		t.Errorf("Table (-want +got):\n%s", diff)
	}
}

func TestSummary_Line(t *testing.T) {
	t.Parallel()
	s := tableSummary()
	if got, want := s.Line(), "+110 =10 -80  Elo +53 [+9, +98]  LLR +0.96"; got != want {
		t.Errorf("Line() = %q, want %q", got, want)
	}
	s.Elo = nil
	if got, want := s.Line(), "+110 =10 -80  Elo undefined  LLR +0.96"; got != want {
		t.Errorf("Line() = %q, want %q", got, want)
	}
}
