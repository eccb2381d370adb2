package event

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
)

// However many lines are invalid, one a minute is logged, with the number of the others.
func TestInvalidLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		l := InvalidLines{Log: zerolog.New(&log), Message: "invalid line"}
		l.Close()
		for range 130 {
			l.Add(errors.New("bad"))
			time.Sleep(time.Second)
		}
		l.Close()
		l.Close()
		const bad, end = `{"level":"warn","error":"bad","left_out":`, `,"message":"invalid line"}` + "\n"
		want := bad + "0" + end + bad + "59" + end + bad + "59" + end + `{"level":"warn","left_out":9` + end
		if log.String() != want {
			t.Errorf("got\n%swant\n%s", &log, want)
		}
	})
}
