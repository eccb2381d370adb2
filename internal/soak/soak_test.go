package soak

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/internal/sandbox"
)

// Faults that withhold nothing cost no game, and the report says so.
func TestRun(t *testing.T) {
	o := Options{
		Games: 3, Concurrent: 3, Control: sandbox.TimeControl{Initial: 5 * time.Minute}, Every: time.Second, Seed: 1,
		Threads: 1, Nodes: 100, HashMB: 1, Log: zerolog.Nop(),
	}
	if err := o.Faults.Set("mild"); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := Run(t.Context(), o, &out); err != nil {
		t.Errorf("%v\n%s", err, &out)
	}
	text := regexp.MustCompile(" +").ReplaceAllString(out.String(), " ")
	for _, want := range []string{
		"3 games at 300+0, 3 at once, faults mild, seed 1\n", "\ngame 3/3 ", "\ngames 3\n",
		"\nmoves doubled, illegal, out of turn 0, 0, 0\n", "\nmoves lost 0 games missing or wrong in the records\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}

func TestFaults_Set(t *testing.T) {
	for text, want := range map[string]string{"all": "all", "none": "none", "mild": "mild", "cut,disk": "cut,disk"} {
		var f Faults
		if err := f.Set(text); err != nil || f.String() != want {
			t.Errorf("%q: %s, %v", text, &f, err)
		}
	}
	if err := new(Faults).Set("cut,rain"); err == nil || !strings.Contains(err.Error(), `"rain"`) {
		t.Errorf("unknown fault: %v", err)
	}
}
