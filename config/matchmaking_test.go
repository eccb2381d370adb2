package config

import (
	"testing"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// What is read is printed in a form that is read alike.
func TestOffer(t *testing.T) {
	for text, want := range map[string]Offer{
		"3+2":          {lichess.Clock{Initial: 3 * time.Minute, Increment: 2 * time.Second}, true, 1},
		"1+1 casual":   {lichess.Clock{Initial: time.Minute, Increment: time.Second}, false, 1},
		"0+1 casual 4": {lichess.Clock{Increment: time.Second}, false, 4},
		" 5+3 rated 7": {lichess.Clock{Initial: 5 * time.Minute, Increment: 3 * time.Second}, true, 7},
		"2+0 2":        {lichess.Clock{Initial: 2 * time.Minute}, true, 2},
		"15m+10s":      {lichess.Clock{Initial: 15 * time.Minute, Increment: 10 * time.Second}, true, 1},
	} {
		var got, again Offer
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%q: %+v, %v, want %+v", text, got, err, want)
		}
		if err := again.UnmarshalText([]byte(got.String())); err != nil || again != got {
			t.Errorf("%q is printed as %q, which is %+v, %v", text, got, again, err)
		}
	}
}

func TestHours(t *testing.T) {
	for text, want := range map[string]Hours{"22-6": {22, 6}, "0-24": {0, 24}, " 8 - 12": {8, 12}} {
		var got Hours
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%q: %+v, %v, want %+v", text, got, err, want)
		}
	}
}
