package engine

import (
	"fmt"
	"testing"
)

func TestScore(t *testing.T) {
	for score, want := range map[int]string{
		0: "cp 0, 0 false", -35: "cp -35, 0 false", mateBound: "cp 31872, 0 false",
		mateIn(1): "mate 1, 1 true", mateIn(3): "mate 2, 2 true",
		matedIn(0): "mate 0, 0 true", matedIn(2): "mate -1, -1 true", matedIn(4): "mate -2, -2 true",
	} {
		moves, mate := Score(score).MateIn()
		if got := fmt.Sprintf("%s, %d %t", Score(score), moves, mate); got != want {
			t.Errorf("Score(%d) is %s, want %s", score, got, want)
		}
	}
}
