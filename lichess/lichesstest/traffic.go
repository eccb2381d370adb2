package lichesstest

import (
	"slices"
	"time"
)

// Traffic counts the requests to the server.
type Traffic struct {
	Start     time.Time
	PerSecond []int // requests in each second since then
}

// Between returns the number of requests in a time span, to the second.
func (t *Traffic) Between(from, to time.Time) (sum int) {
	for i := max(0, int(from.Sub(t.Start)/time.Second)); i < min(len(t.PerSecond), int(to.Sub(t.Start)/time.Second)); i++ {
		sum += t.PerSecond[i]
	}
	return sum
}

// Total returns the number of requests.
func (t *Traffic) Total() (sum int) {
	for _, n := range t.PerSecond {
		sum += n
	}
	return sum
}

// count counts a request.
func (t *Traffic) count(now time.Time) {
	at := int(now.Sub(t.Start) / time.Second)
	for len(t.PerSecond) <= at {
		t.PerSecond = append(t.PerSecond, 0)
	}
	t.PerSecond[at]++
}

// Traffic returns the number of requests so far, rejected ones included.
func (s *Server) Traffic() Traffic {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Traffic{s.traffic.Start, slices.Clone(s.traffic.PerSecond)}
}
