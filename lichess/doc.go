// Package lichess is a client of the Lichess Bot API (https://lichess.org/api). It knows
// no rules: moves are text in UCI notation, so a bot of any variant can be written with
// it.
//
// # A bot
//
// [New] returns a [Client] for one account's [Token], which needs the scopes bot:play and
// challenge:read. A fresh account becomes a BOT account by [Client.UpgradeToBot].
//
// [Client.StreamEvents] opens the account's event stream, whose Next method returns one
// typed [Event] at a time. A bot answers a [ChallengeCreated] by [Client.AcceptChallenge]
// or [Client.DeclineChallenge], and after a [GameStart] opens the game's own stream by
// [Client.StreamGame]. That begins with a [GameFull], which holds the variant, the players
// and the clock, and brings a [GameState] with all moves after each move. When it is the
// bot's turn, [Client.Move] posts its move, and the status of the state tells when the
// game is over. The package's example is such a bot.
//
// The same states may come again, after a reconnect for example, and rarely one comes
// before the GameFull: whether a move is due follows from the number of moves.
// [Client.Playing] lists the games that are in progress.
//
// The other methods are the remaining calls, each with a link to its page in the API
// reference: sending challenges, draws, takebacks, chat, arenas, online users. Every method
// has one shape: context first, typed result, error last.
//
// # Connections
//
// Streams, moves and all other calls have separate connection pools, over HTTP/1.1.
// Streams have no total timeout but a watchdog: the server sends a blank line every
// 7 s, so longer silence is an error ([ErrStalled]). Moves are never queued. Calls
// are sent one at a time, as Lichess asks, except those that accept a challenge.
//
// A host is looked up for each new connection, with a limit of its own. Addresses found
// earlier are used when that fails or is slow, and at once for a move.
//
// # Errors
//
// An error response is an [*APIError], which also matches [ErrUnauthorized],
// [ErrNotFound], [ErrUnavailable] and [ErrRedirect]; a missing scope is a
// [*ScopeError]; a missing response is a [*NetworkError]. [IsTemporary] reports
// whether a later attempt may succeed. A 401 is temporary until the server has confirmed
// it by its record of the token, twice within seconds. When the network or the server fails,
// requests that only read are retried for a minute, commands only if they certainly
// never reached the server ([ErrNotSent]).
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
