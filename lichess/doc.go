// Package lichess is a client of the Lichess Bot API.
//
// [New] returns a [Client] for one account's [Token]. [Client.StreamEvents] and
// [Client.StreamGame] open the two kinds of stream, whose Next method returns one
// typed event at a time; [Client.Move] posts a move; the other methods are the
// remaining endpoints of the API, each with a link to its page in the reference
// (https://lichess.org/api). Every method has one shape: context first, typed
// result, error last.
//
// # Connections
//
// Streams, moves and all other calls have separate connection pools, over HTTP/1.1.
// Streams have no total timeout but a watchdog: the server sends a blank line every
// 7 s, so longer silence is an error ([ErrStalled]). Moves are never queued. Calls
// are sent one at a time, as Lichess asks.
//
// # Errors
//
// An error response is an [*APIError], which also matches [ErrUnauthorized],
// [ErrNotFound], [ErrUnavailable] and [ErrRedirect]; a missing scope is a
// [*ScopeError]; a missing response is a [*NetworkError]. [IsTemporary] reports
// whether a later attempt may succeed. When the network or the server fails,
// requests that only read are retried for a minute, commands only if they certainly
// never reached the server.
//
// After a 429 nothing is sent to that class of endpoint until the wait is over:
// calls return a [*RateLimitError] at once, moves wait. Moves are a class of their
// own.
//
// # Guarantees
//
// The token is sent to the configured host only, encrypted unless that is loopback;
// redirects are not followed; no error, String method or format verb reveals it.
// All input from the network is bounded and untrusted: unknown events, fields and
// statuses are accepted, and an invalid line does not end a stream. The package
// does not log.
package lichess
