// Package lichesstest is a Lichess on loopback, for tests and demonstrations
// of bots, as net/http/httptest is for clients.
//
//	s := lichesstest.NewServer(t, lichesstest.Options{})
//	token := s.AddBot("zhbot")                      // the bot under test
//	s.AddHuman("Drifter", lichesstest.Random(1))    // plays by itself
//	// ... start the bot with s.URL() and the token ...
//	id := s.Challenge("Drifter", "zhbot", lichesstest.ChallengeSpec{Limit: time.Minute})
//	s.Faults.CutStreams(1)                          // break something
//	result, _ := s.Game(id)                         // how it stands
//	audit := s.Audit()                              // what the bot did wrong
//
// [Start] is for programs; [Server.RunGames] plays a series against a bot. A
// [Player] is a function from a position to an [Action], and there are some to
// combine: [Random], [Greedy], [Searching], [After], [Slow] and others.
//
// The server keeps what Lichess promises: tokens and scopes, streams that
// replay and keep alive, clocks in milliseconds without lag compensation,
// crazyhouse's rules, quotas, and the texts of refusals. All a bot does goes
// over real HTTP. [Faults] switches on what goes wrong in the world.
//
// All state is under one lock. Streams have a buffer of 32 lines, of which the
// oldest are dropped when a reader is slow, as on Lichess.
package lichesstest
