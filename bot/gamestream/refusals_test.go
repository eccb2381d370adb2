package gamestream

import (
	"io"
	"testing"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

func TestRefusals(t *testing.T) {
	forbidden := &lichess.APIError{StatusCode: 403}
	missing := &lichess.APIError{StatusCode: 404}
	bad := &lichess.APIError{StatusCode: 400}
	down := &lichess.APIError{StatusCode: 502}
	type step struct {
		after time.Duration
		err   error // nil: the stream was open
		want  bool
	}
	for name, steps := range map[string][]step{
		"for two minutes":     {{0, forbidden, false}, {time.Minute, missing, false}, {time.Minute, bad, true}},
		"since the first one": {{time.Hour, missing, false}, {time.Second, missing, false}},
		"open in between":     {{0, missing, false}, {time.Minute, nil, false}, {time.Minute, missing, false}},
		"down in between":     {{0, missing, false}, {time.Minute, down, false}, {time.Minute, missing, false}, {2 * time.Minute, missing, true}},
		"lost in between":     {{0, missing, false}, {time.Minute, io.EOF, false}, {time.Minute, missing, false}},
	} {
		var r refusals
		now := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
		for i, s := range steps {
			now = now.Add(s.after)
			if s.err == nil {
				r.clear()
			} else if got := r.exceeded(s.err, 2*time.Minute, now); got != s.want {
				t.Errorf("%s, step %d: %t", name, i+1, got)
			}
		}
	}
}
