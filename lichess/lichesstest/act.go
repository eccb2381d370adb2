package lichesstest

// Act does something for a player of a game, at any time: what a person does on
// the website. What is not possible at the moment is not done; an illegal move
// resigns.
func (s *Server) Act(id, name string, a Action) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, u := s.games[id], s.mustUser(name)
	if g != nil && g.has(u) && !g.over() {
		s.act(g, g.side(u), a)
	}
}

// Say writes a line in a room of a game, for a user who need not play in it.
func (s *Server) Say(id, name, room, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g := s.games[id]; g != nil {
		s.say(g, s.mustUser(name), room, text)
	}
}
