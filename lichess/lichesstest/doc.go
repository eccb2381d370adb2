// Package lichesstest is a fake Lichess server on loopback for tests and
// demonstrations of bots, as net/http/httptest is for HTTP clients.
//
//	s := lichesstest.NewServer(t, lichesstest.Options{})
//	token := s.AddBot("zhbot")                      // the bot under test
//	s.AddHuman("Drifter", lichesstest.Random(1))    // a scripted player
//	// ... start the bot with s.URL() and the token ...
//	id := s.Challenge("Drifter", "zhbot", lichesstest.ChallengeSpec{Limit: time.Minute})
//	s.Faults.Inject("cut", lichesstest.When{Next: 1}) // inject a fault
//	result, _ := s.Game(id)                         // its state
//	audit := s.Audit("zhbot")                       // what the bot did
//
// [Start] is for programs; [Server.RunGames] plays a series against a bot. A
// [Player] is a function from a position to an [Action]; [Random], [Greedy],
// [Searching], [After], [Slow] and others can be combined.
//
// The server behaves as Lichess does: tokens and scopes, streams with replay and
// keep-alives, clocks in milliseconds without lag compensation, the rules of
// crazyhouse, ratings and what does not change them, quotas and error texts. Bots use
// it over real HTTP. [Faults] injects failures of the server and the network.
//
// The server's state is under one lock; [Faults] have their own. A stream buffers 32 lines
// and, as on Lichess, drops the oldest when its reader is slow.
package lichesstest
