package lichess

import "time"

// SpeedOf returns the speed of a game with a clock, by a side's estimated duration:
// the limit plus 40 increments.
func SpeedOf(limit, increment time.Duration) Speed {
	switch expected := limit + 40*increment; {
	case expected < 30*time.Second:
		return UltraBullet
	case expected < 3*time.Minute:
		return Bullet
	case expected < 8*time.Minute:
		return Blitz
	case expected < 25*time.Minute:
		return Rapid
	}
	return Classical
}
