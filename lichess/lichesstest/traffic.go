package lichesstest

import (
	"slices"
	"sync"
	"time"
)

// Traffic is how many requests the server had.
type Traffic struct {
	Began  time.Time
	Second []int // requests in each second since then
}

// Between returns the requests of a span of time, to the second.
func (t *Traffic) Between(from, to time.Time) (sum int) {
	for i := max(0, int(from.Sub(t.Began)/time.Second)); i < min(len(t.Second), int(to.Sub(t.Began)/time.Second)); i++ {
		sum += t.Second[i]
	}
	return sum
}

// Total returns all requests.
func (t *Traffic) Total() (sum int) {
	for _, n := range t.Second {
		sum += n
	}
	return sum
}

// traffic counts requests.
type traffic struct {
	mu sync.Mutex
	Traffic
}

func (t *traffic) count(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := int(now.Sub(t.Began) / time.Second)
	for len(t.Second) <= at {
		t.Second = append(t.Second, 0)
	}
	t.Second[at]++
}

// Traffic returns how many requests there were so far, refused ones included.
func (s *Server) Traffic() Traffic {
	s.traffic.mu.Lock()
	defer s.traffic.mu.Unlock()
	return Traffic{s.traffic.Began, slices.Clone(s.traffic.Second)}
}
