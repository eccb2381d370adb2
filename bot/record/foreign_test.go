package record

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Files as other programs write them: the games with their moves, and how many were left out.
func TestReadFiles_Foreign(t *testing.T) {
	for file, want := range map[string]string{
		"one-site":             "anna 0 bert 0 1-0 unknownFinish 2, carl 0 anna 0 1-0 unknownFinish 2, left out 0",
		"ending-fics-time":     "anna 0 bert 0 0-1 outoftime 4, left out 0",
		"ending-chesscom-time": "anna 0 bert 0 0-1 outoftime 4, left out 0",
		"ending-own-time": "zhbot devel with zh-a7e06f8f5fb3 0 zhbot devel with zh-a7e06f8f5fb3 0 0-1 outoftime 8, " +
			"zhbot devel with zh-a7e06f8f5fb3 0 zhbot devel with zh-a7e06f8f5fb3 0 0-1 outoftime 8, left out 0",
		"ending-own-crash": "zhbot devel with zh-a7e06f8f5fb3 0 zhbot devel 0 1-0 unknownFinish crash 13, " +
			"zhbot devel 0 zhbot devel with zh-a7e06f8f5fb3 0 0-1 unknownFinish crash 12, left out 0",
		"no-terminator":   "anna 0 bert 0 1-0 unknownFinish 3, left out 0",
		"no-variant":      "bert 0 anna 0 1-0 unknownFinish 7, left out 1",
		"bughouse":        "left out 1",
		"latin1":          "Müller 0 Möller 0 1-0 unknownFinish 2, left out 0",
		"rating-suffix":   "anna 1617 bert 1338 1-0 unknownFinish 2, left out 0",
		"uci-moves":       " 0  0 1-0 unknownFinish 4, left out 0",
		"glyph":           "A 0 B 0 * unknownFinish 2, left out 0",
		"castling-rights": " 0  0 * unknownFinish 2, left out 0",
		"variations":      " 0  0 * unknownFinish 2, left out 0",
	} {
		path := "testdata/foreign/" + file + ".pgn"
		games, others, err := ReadFiles(t.Context(), path)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		var moves []int
		must(t, ReadGames(t.Context(), []string{path}, func(f *FinishedGame) {
			if g, _ := f.Game(); g != nil {
				moves = append(moves, g.Board.Ply())
			}
		}))
		var got []string
		for i, g := range games {
			text := fmt.Sprintf("%s %d %s %d %s %s", g.White.Name, g.White.Rating, g.Black.Name, g.Black.Rating,
				g.Result, g.Status)
			if g.Ending != "" {
				text += " " + g.Ending
			}
			got = append(got, fmt.Sprint(text, " ", moves[i]))
		}
		got = append(got, fmt.Sprintf("left out %d", others))
		if diff := cmp.Diff(want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}
