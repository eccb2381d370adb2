package term

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"Élodie ♞": "Élodie ♞", "a\x1b[31mb\r\n\tc": "a[31mbc", "x\u009by\u202ez\u2028": "xyz",
	} {
		if got := Printable(text); got != want {
			t.Errorf("%q is printed as %q, want %q", text, got, want)
		}
	}
}

func TestShort(t *testing.T) {
	for name, want := range map[string]string{
		" Fairy-Stockfish 11.1 LB 64 ": "Fairy-Stockfish 11.1 LB 64", "a\x00\x1b[2Jb\xff": "a[2Jb",
		strings.Repeat("é", 80): strings.Repeat("é", 60),
	} {
		if got := Short(name, 60); got != want {
			t.Errorf("%q becomes %q, want %q", name, got, want)
		}
	}
}

// Elsewhere than on a terminal there is a line every 30 seconds.
func TestProgress_Lines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := NewProgress(&out, 100, "positions")
		for done := range 100 {
			time.Sleep(time.Second)
			p.Set(done + 1)
		}
		p.Clear()
		p.Finish()
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		if want := "30 of 100 positions, 1/s, 30s, about 1m10s left"; len(lines) != 3 || lines[0] != want {
			t.Errorf("printed\n%swant 3 lines, the first %q", &out, want)
		}
	})
}

// What an earlier run did says nothing about the speed. Nothing says how long work takes whose
// size is unknown.
func TestProgress_Resume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := NewProgress(&out, 10_000, "positions")
		p.Resume(2000)
		p.Set(2000)
		time.Sleep(time.Minute)
		p.SetStatus("+1 =2 -3")
		p.Set(2120)
		endless := NewProgress(&out, 0, "positions")
		time.Sleep(time.Minute)
		endless.Set(60)
		want := "2120 of 10000 positions, 2/s, 1m0s, about 1h6m0s left: +1 =2 -3\n60 positions, 1/s, 1m0s\n"
		if out.String() != want {
			t.Errorf("printed %q, want %q", &out, want)
		}
	})
}

// A line of output stands in the place of a terminal's line of progress, which follows it.
func TestProgress_Clear(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var screen strings.Builder
		p := NewProgress(&screen, 2, "games")
		p.width, p.next = 20, time.Time{}
		p.Clear()
		time.Sleep(time.Second)
		p.Set(1)
		p.Set(2) // too soon
		p.Clear()
		screen.WriteString("first\n")
		time.Sleep(time.Second)
		p.Set(2)
		p.Finish()
		want := "\r1 of 2 games, 1/s, \r" + "\r                   \rfirst\n" + "\r2 of 2 games, 1/s, \r\n"
		if screen.String() != want {
			t.Errorf("on the screen: %q, want %q", screen.String(), want)
		}
	})
}
