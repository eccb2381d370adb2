package engine

import "testing"

func TestScore(t *testing.T) {
	tests := []struct {
		score int
		text  string
		moves int
		mate  bool
	}{
		{0, "cp 0", 0, false},
		{-35, "cp -35", 0, false},
		{mateBound, "cp 31872", 0, false},
		{mateIn(1), "mate 1", 1, true},
		{mateIn(3), "mate 2", 2, true},
		{matedIn(0), "mate 0", 0, true},
		{matedIn(2), "mate -1", -1, true},
		{matedIn(4), "mate -2", -2, true},
	}
	for _, tt := range tests {
		s := Score(tt.score)
		if s.String() != tt.text {
			t.Errorf("Score(%d) = %q, want %q", tt.score, s, tt.text)
		}
		if moves, mate := s.MateIn(); moves != tt.moves || mate != tt.mate {
			t.Errorf("Score(%d).MateIn() = %d, %v, want %d, %v", tt.score, moves, mate, tt.moves, tt.mate)
		}
	}
}
