package stream

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// outage lets every opening fail for so long and returns the pauses.
func outage(clock, long time.Duration) (waits []time.Duration) {
	began := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	flag := time.Time{}
	if clock > 0 {
		flag = began.Add(clock)
	}
	timing := LichessTiming()
	p := newReopenBackoff(&timing)
	for now := began; now.Sub(began) < long; now = now.Add(waits[len(waits)-1]) {
		waits = append(waits, p.next(io.EOF, flag, now))
	}
	return waits
}

// An outage of ten minutes costs few openings, and at its end the next one is
// 30 to 60 s away; a short one costs no more than a share of the clock.
func TestReopenBackoff_Next(t *testing.T) {
	for _, clock := range []time.Duration{0, time.Minute, 30 * time.Minute} {
		waits := outage(clock, 10*time.Minute)
		if last := waits[len(waits)-2]; last < 30*time.Second || last > time.Minute {
			t.Errorf("clock %s: a pause of %s after ten minutes", clock, last)
		}
		if len(waits) > 75 {
			t.Errorf("clock %s: %d openings", clock, len(waits))
		}
		if waits[0] > 150*time.Millisecond {
			t.Errorf("clock %s: a first pause of %s", clock, waits[0])
		}
	}
	for _, wait := range outage(10*time.Second, 9*time.Second) {
		if wait > 2300*time.Millisecond {
			t.Errorf("a pause of %s with 10 s on the clock", wait)
		}
	}
}

func TestReopenBackoff_FirstEvent(t *testing.T) {
	timing := LichessTiming()
	p := newReopenBackoff(&timing)
	for _, want := range []time.Duration{3, 6, 12, 15, 15} {
		if p.timeout() != want*time.Second {
			t.Errorf("a wait of %s, want %d s", p.timeout(), want)
		}
		p.next(lichess.ErrStalled, time.Time{}, time.Now())
	}
	p.firstEvent(9 * time.Second)
	if p.timeout() != 15*time.Second {
		t.Errorf("after 9 s: a wait of %s", p.timeout())
	}
	p.firstEvent(time.Millisecond)
	if p.timeout() != 3*time.Second {
		t.Errorf("after an answer at once: a wait of %s", p.timeout())
	}
}

// A dead connection takes a small part of our clock; a slow server gets more of it after some.
func TestReopenBackoff_Patience(t *testing.T) {
	timing := LichessTiming()
	now := time.Now()
	for left, want := range map[time.Duration][5]time.Duration{
		-1: {3, 6, 12, 15, 15}, 2: {3, 3, 3, 3, 3}, 40: {3, 3, 3, 3, 10}, 100: {3, 5, 5, 5, 15},
	} {
		p := newReopenBackoff(&timing)
		for stalls, want := range want {
			if got := p.patience(now.Add(left*time.Second), now); got != want*time.Second {
				t.Errorf("with %d s left, after %d stalls: %s", left, stalls, got)
			}
			p.next(lichess.ErrStalled, time.Time{}, now)
		}
	}
}

// The end of a connection that was open for long, or that brought news, is not a sign
// of trouble: the next pause is short again.
func TestReopenBackoff_Resets(t *testing.T) {
	for name, tt := range map[string]struct {
		heal  func(*reopenBackoff)
		reset bool
	}{
		"long connection":  {func(p *reopenBackoff) { p.connectionEnded(longLived + 1) }, true},
		"short connection": {func(p *reopenBackoff) { p.connectionEnded(longLived) }, false},
		"news":             {func(p *reopenBackoff) { p.progress(new(lichess.GameState)) }, true},
		"the first event":  {func(p *reopenBackoff) { p.progress(new(lichess.GameFull)) }, false},
	} {
		timing := LichessTiming()
		p := newReopenBackoff(&timing)
		now := time.Now()
		for range 20 {
			p.next(io.EOF, time.Time{}, now)
			now = now.Add(time.Minute)
		}
		tt.heal(&p)
		if wait := p.next(io.EOF, time.Time{}, now); (wait < time.Second) != tt.reset {
			t.Errorf("%s: a pause of %s", name, wait)
		}
	}
}

// Three refusals by Lichess itself end a game, if they are some time apart; what else fails does not
// count.
func TestRefusals(t *testing.T) {
	missing := &lichess.APIError{StatusCode: 404, Explained: true}
	bad := &lichess.APIError{StatusCode: 400, Explained: true}
	page := &lichess.APIError{StatusCode: 404}
	down := &lichess.APIError{StatusCode: 502}
	type step struct {
		after time.Duration
		err   error // nil: the stream was open
		rest  time.Duration
		want  bool
	}
	const gap = 10 * time.Second
	for name, steps := range map[string][]step{
		"three times": {{0, missing, 0, false}, {gap, missing, 0, false}, {gap, bad, 0, true}, {gap, missing, 0, true}},
		"all too soon": {
			{0, missing, 0, false}, {time.Second, missing, gap - time.Second, false},
			{gap - 2*time.Second, missing, time.Second, false}, {gap, missing, 0, false},
		},
		"open in between": {{0, missing, 0, false}, {gap, missing, 0, false}, {gap, nil, 0, false},
			{gap, missing, 0, false}},
		"other failures": {
			{0, missing, 0, false}, {gap, down, 0, false}, {gap, page, 0, false}, {gap, io.EOF, 0, false},
			{gap, missing, 0, false}, {0, page, 0, false}, {gap, missing, 0, true},
		},
	} {
		var r refusals
		now := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
		for i, s := range steps {
			now = now.Add(s.after)
			if s.err == nil {
				r.clear()
			} else if rest, got := r.add(s.err, gap, now); got != s.want || rest != s.rest {
				t.Errorf("%s, step %d: %t, rest %s", name, i+1, got, rest)
			}
		}
	}
}

func TestReachability(t *testing.T) {
	r := NewReachability()
	back := r.nextRecovery()
	isBack := func(back context.Context) bool { return back.Err() != nil }
	r.Record(&lichess.APIError{StatusCode: 404, Explained: true})
	r.Record(errors.New("of our own"))
	r.Record(nil)
	if isBack(back) {
		t.Error("back although it never was away")
	}
	r.Record(&lichess.NetworkError{Err: errors.New("no route")})
	r.Record(&lichess.APIError{StatusCode: 502})
	r.Record(&lichess.APIError{StatusCode: 404, Explained: true})
	if isBack(back) {
		t.Error("back although nothing has succeeded")
	}
	r.Record(nil)
	if !isBack(back) || isBack(r.nextRecovery()) {
		t.Error("not back, or already back from the next time")
	}
}
