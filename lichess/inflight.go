package lichess

import "sync"

// gameSet is a set of game ids.
type gameSet struct {
	mu  sync.Mutex
	ids map[string]bool
}

func newGameSet() *gameSet { return &gameSet{ids: make(map[string]bool)} }

// add adds a game and reports whether it was absent.
func (s *gameSet) add(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ids[id] {
		return false
	}
	s.ids[id] = true
	return true
}

func (s *gameSet) remove(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.ids, id)
}
