package web

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A viewer gets all parts first, and then those that changed.
func TestSent_Changes(t *testing.T) {
	s := Sent{}
	now := time.UnixMilli(7)
	names := func(list []Message) string {
		var all []string
		for _, m := range list {
			if m.Now != 7 {
				t.Errorf("message of %d", m.Now)
			}
			all = append(all, m.Name+"="+string(m.Value))
		}
		return strings.Join(all, " ")
	}
	for _, step := range []struct {
		parts []Part
		want  string
	}{
		{[]Part{{"bot", 1}, {"game/a", 2}}, "bot=1 game/a=2"},
		{[]Part{{"bot", 1}, {"game/a", 2}}, ""},
		{[]Part{{"bot", 1}, {"game/a", 3}}, "game/a=3"},
		{[]Part{{"bot", 1}}, "game/a=null"},
		{[]Part{{"bot", 1}}, ""},
	} {
		list, err := s.Changes(now, step.parts)
		if got := names(list); got != step.want || err != nil {
			t.Errorf("changes %q, want %q, error %v", got, step.want, err)
		}
	}
}

// An update without changes is an event, too: a browser does not show comments to the
// page, which would take the connection for dead.
func TestStream_TellsThatNothingChanged(t *testing.T) {
	w := deadlineRecorder{httptest.NewRecorder()}
	s, err := openStream(w, "v1")
	if err != nil {
		t.Fatal(err)
	}
	none, err := Sent{}.Changes(time.Now(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range [][]Message{{{7, "bot", json.RawMessage("1")}}, none} {
		if err := s.sendParts(list); err != nil {
			t.Fatal(err)
		}
	}
	events := strings.Split(w.Body.String(), "\n\n")
	if len(events) != 4 || !strings.HasPrefix(events[0], "retry: 2000\nevent: hello\ndata: {\"version\":\"v1\",") ||
		events[1] != "event: parts\ndata: [{\"now\":7,\"name\":\"bot\",\"value\":1}]" || events[2] != "event: parts\ndata: []" {
		t.Errorf("sent %q", events)
	}
}

// deadlineRecorder is a recorder that accepts deadlines.
type deadlineRecorder struct{ *httptest.ResponseRecorder }

func (deadlineRecorder) SetWriteDeadline(time.Time) error { return nil }
