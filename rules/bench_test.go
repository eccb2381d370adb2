package rules

import "testing"

// The benchmarks compare the package with its own past: run them in a checkout of each
// commit on the same quiet machine, and compare the rates:
//
//	git worktree add ../before HEAD~10
//	(cd ../before && go test -run '^$' -bench . -count 10 ./rules) >before.txt
//	go test -run '^$' -bench . -count 10 ./rules >after.txt
//	go run golang.org/x/perf/cmd/benchstat@latest before.txt after.txt

// benchPositions have few moves, full pockets, some of everything, and a king under
// attack.
var benchPositions = []struct {
	name, fen string
	depth     int // of perft
}{
	{"start", StartFEN, 5},
	{"pockets", "3q4/2k5/8/8/8/2N4K/8/8[PPPPPPPPNBBRRQppppppppnnbbrr] w - - 4 54", 3},
	{"middlegame", "r1b4r/ppp1kp1p/n1p2p2/4p3/P7/4PP2/2PNN2P/R3K2R[PNBQppbbq] w KQ - 1 14", 3},
	{"attack", "2rn1b1r/1pp2n1p/B1PBk1pP/5p1P/P5p1/2P2RP1/RP1QNP2/1NBK4[PQp] w - - 0 1", 4},
}

// BenchmarkPerft reports leaf nodes a second in three ways: the last ply's moves
// counted, generated, and played.
func BenchmarkPerft(b *testing.B) {
	for _, c := range benchPositions {
		p := mustPosition(b, c.fen)
		for _, way := range []struct {
			name  string
			perft func(*Position, int) uint64
		}{{"counted", (*Position).Perft}, {"generated", perftGenerated}, {"played", perftPlayed}} {
			b.Run(c.name+"/"+way.name, func(b *testing.B) {
				b.ReportAllocs()
				nodes := uint64(0)
				for b.Loop() {
					nodes += way.perft(&p, c.depth)
				}
				b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
			})
		}
	}
}

// perftGenerated counts leaves by the length of the last ply's move lists.
func perftGenerated(p *Position, depth int) uint64 {
	var l MoveList
	var next Position
	p.Generate(&l, All)
	if depth == 1 {
		return uint64(l.Len())
	}
	nodes := uint64(0)
	for _, m := range l.Moves() {
		p.PlayInto(m, &next)
		nodes += perftGenerated(&next, depth-1)
	}
	return nodes
}

// perftPlayed counts leaves with every move played.
func perftPlayed(p *Position, depth int) uint64 {
	if depth == 0 {
		return 1
	}
	var l MoveList
	var next Position
	p.Generate(&l, All)
	nodes := uint64(0)
	for _, m := range l.Moves() {
		p.PlayInto(m, &next)
		nodes += perftPlayed(&next, depth-1)
	}
	return nodes
}

// BenchmarkGenerate reports moves a second by kind.
func BenchmarkGenerate(b *testing.B) {
	for _, kind := range []struct {
		name string
		kind GenKind
	}{{"all", All}, {"captures", Captures}, {"quiets", Quiets}, {"drops", Drops}} {
		b.Run(kind.name, func(b *testing.B) {
			var positions []Position
			for _, c := range benchPositions {
				positions = append(positions, mustPosition(b, c.fen))
			}
			b.ReportAllocs()
			var l MoveList
			moves := 0
			for b.Loop() {
				for i := range positions {
					l.Clear()
					positions[i].Generate(&l, kind.kind)
					moves += l.Len()
				}
			}
			b.ReportMetric(float64(moves)/b.Elapsed().Seconds(), "moves/s")
		})
	}
}
