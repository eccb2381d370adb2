package lichess

import (
	"testing"
	"time"
)

func TestSpeedOf(t *testing.T) {
	for _, tt := range []struct {
		limit, increment time.Duration // in seconds
		want             Speed
	}{
		{15, 0, UltraBullet}, {29, 0, UltraBullet}, {30, 0, Bullet}, {0, 1, Bullet}, {60, 2, Bullet}, {179, 0, Bullet},
		{180, 0, Blitz}, {180, 2, Blitz}, {300, 4, Blitz}, {480, 0, Rapid}, {600, 5, Rapid}, {1500, 0, Classical}, {10800, 60, Classical},
	} {
		if got := SpeedOf(tt.limit*time.Second, tt.increment*time.Second); got != tt.want {
			t.Errorf("%d+%d is %s, want %s", tt.limit, tt.increment, got, tt.want)
		}
	}
}
