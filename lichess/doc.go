// Package lichess is a client of the Lichess Bot API.
//
// [New] makes a [Client] for one account's [Token]. [Client.StreamEvents] and
// [Client.StreamGame] open the two kinds of stream, whose Next method returns
// one typed event at a time; [Client.Move] posts a move; the other methods are
// the commands of the API, a file for each chapter of its manual. Every method
// has one shape: context first, typed result, error last.
//
// # Three ways to the server
//
// Streams, moves and all other calls each have their own connections, over
// HTTP/1.1. Streams have no total timeout, but a watchdog: the server sends a
// blank line every 7 s, so silence is a fault ([ErrStalled]). Moves wait for
// nobody. Calls go out one at a time, as Lichess asks.
//
// # Failures
//
// A refusal is an [*APIError], which also matches [ErrUnauthorized],
// [ErrNotFound], [ErrUnavailable] and [ErrRedirect]; a missing scope is a
// [*ScopeError]; no answer is a [*NetworkError]. [IsTemporary] tells what may
// pass by itself. What only reads is retried for a minute, when the network or
// the server fails; a command is retried only if it surely never arrived.
//
// After a 429 nothing is sent to that class of endpoint until the wait is over:
// calls return a [*RateLimitError] at once, moves wait. Moves are a class of
// their own.
//
// # Promises
//
// The token goes to the configured host only, encrypted unless that is this
// machine; no redirect is followed; no error, no String method and no format
// verb shows it. Everything from the network is bounded and untrusted: unknown
// events, fields and statuses pass, and a bad line does not end a stream. The
// package logs nothing.
package lichess
