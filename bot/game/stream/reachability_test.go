package stream

import (
	"context"
	"errors"
	"testing"

	"github.com/zhbot/zhbot/lichess"
)

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
