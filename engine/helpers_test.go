package engine

import (
	"testing"

	"github.com/zhbot/zhbot/rules"
)

func TestWorker_AdoptDeepest(t *testing.T) {
	type found struct{ depth, score int }
	mate := mateIn(5)
	tests := map[string]struct {
		main    found
		helpers []found
		want    found
	}{
		"no helper":                   {main: found{0, -30}, want: found{0, -30}},
		"no helper got far":           {main: found{9, 10}, helpers: []found{{8, 90}}, want: found{9, 10}},
		"a helper got deeper":         {main: found{9, 10}, helpers: []found{{8, 90}, {10, -50}, {9, 70}}, want: found{10, -50}},
		"as deep, with a lower score": {main: found{9, 10}, helpers: []found{{9, 9}}, want: found{9, 10}},
		"as deep, the highest score":  {main: found{9, 10}, helpers: []found{{9, 40}, {9, 60}, {9, 20}}, want: found{9, 60}},
		"a mate found early":          {main: found{9, 10}, helpers: []found{{7, mate}, {10, 30}}, want: found{7, mate}},
		"the main worker's mate":      {main: found{9, mate}, helpers: []found{{10, 30}, {10, mate - 2}}, want: found{9, mate}},
		"being mated is no shortcut":  {main: found{9, -mate}, helpers: []found{{8, 30}}, want: found{9, -mate}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := &search{rootMoves: make([]rules.Move, 2)}
			for _, h := range tt.helpers {
				s.deepest.offer(&worker{search: s, depth: h.depth, score: h.score})
			}
			w := &worker{search: s, depth: tt.main.depth, score: tt.main.score}
			w.adoptDeepest()
			if got := (found{w.depth, w.score}); got != tt.want {
				t.Errorf("depth and score %v, want %v", got, tt.want)
			}
		})
	}
}
