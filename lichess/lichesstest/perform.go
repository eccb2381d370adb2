package lichesstest

// Perform makes a player of a game act at any time, as a person does on the
// website. An action that is impossible at the moment is ignored; an illegal move
// resigns.
func (s *Server) Perform(id, name string, a Action) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, u := s.games[id], s.mustUser(name)
	if g != nil && g.has(u) && !g.over() {
		g.perform(g.side(u), a)
	}
}

// Say posts a line to a chat room of a game, for any user.
func (s *Server) Say(id, name, room, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g := s.games[id]; g != nil {
		g.postLine(s.mustUser(name), room, text)
	}
}
