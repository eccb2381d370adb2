package config

import (
	"testing"
	"time"
)

func TestParseOffer(t *testing.T) {
	for text, want := range map[string]Offer{
		"180+2":          {3 * time.Minute, 2 * time.Second, true, 1},
		"60+1 casual":    {time.Minute, time.Second, false, 1},
		"0+1 casual 4":   {0, time.Second, false, 4},
		" 300+3 rated 7": {5 * time.Minute, 3 * time.Second, true, 7},
		"120+0 2":        {2 * time.Minute, 0, true, 2},
	} {
		if got, err := ParseOffer(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v, want %+v", text, got, err, want)
		}
	}
}

func TestParseHours(t *testing.T) {
	for text, want := range map[string]HourSpan{"22-6": {22, 6}, "0-24": {0, 24}, " 8 - 12": {8, 12}} {
		if got, err := ParseHours(text); err != nil || got != want {
			t.Errorf("%q: %+v, %v, want %+v", text, got, err, want)
		}
	}
}
