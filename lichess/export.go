package lichess

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ExportedGame is a game as Lichess exports it, to anyone.
type ExportedGame struct {
	ID        string `json:"id"`
	Rated     bool   `json:"rated"`
	Variant   string `json:"variant"` // its key, such as [Crazyhouse]
	Speed     Speed  `json:"speed"`
	CreatedAt Millis `json:"createdAt"` // Unix time
	Status    Status `json:"status"`
	Players   struct {
		White ExportedPlayer `json:"white"`
		Black ExportedPlayer `json:"black"`
	} `json:"players"`
	Winner      Color  `json:"winner"`     // "" for none
	InitialFEN  string `json:"initialFen"` // "" for the usual start position
	Moves       string `json:"moves"`      // in SAN, with spaces between them; not checked
	Clocks      []int  `json:"clocks"`     // of the mover after each move, in centiseconds; more or fewer than moves
	Clock       Clock  `json:"clock"`
	DaysPerTurn int    `json:"daysPerTurn"`
}

// ExportedPlayer is a player of an [ExportedGame].
type ExportedPlayer struct {
	User        *ExportedUser `json:"user"`        // nil for an anonymous player, and for Lichess's own computer
	Name        string        `json:"name"`        // of a player without an account
	Rating      int           `json:"rating"`      // at the start; 0 if unknown
	Provisional bool          `json:"provisional"` // the rating was
	RatingDiff  *int          `json:"ratingDiff"`  // won or lost by the game; nil if it changed nothing, or is not known
	AILevel     int           `json:"aiLevel"`     // of Lichess's own computer
}

// ExportedUser is the account of an [ExportedPlayer].
type ExportedUser struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Title string `json:"title"` // such as BOT; "" without one
}

// ExportStream is the stream of a user's games, which ends by itself.
type ExportStream = Stream[*ExportedGame]

// ExportQuery selects the games of an export. The zero value selects all games of the
// user that are over.
type ExportQuery struct {
	Since   time.Time // when the first game was created; the zero time is no bound
	Ongoing bool      // also games in progress, without their last moves
	// Variant restricts the export to a variant; "" exports all. With a variant, Lichess
	// uses its search index, which learns of new games some minutes late and has none in
	// progress.
	Variant string
}

func (q *ExportQuery) values() url.Values {
	v := url.Values{"sort": {"dateAsc"}, "clocks": {"true"}}
	if !q.Since.IsZero() {
		v.Set("since", strconv.FormatInt(max(q.Since.UnixMilli(), firstExport), 10))
	}
	if q.Ongoing {
		v.Set("ongoing", "true")
	}
	if q.Variant != "" {
		v.Set("perfType", q.Variant)
	}
	return v
}

const (
	// firstExport is the earliest time that Lichess accepts as a bound, in Unix milliseconds.
	firstExport = 1356998400070
	// lastExport is the end of the year 9999: no game is created later, and no token ends later.
	lastExport = 253402300799999
	// exportIdle is the silence after which an export is stalled: it has no keep-alives.
	exportIdle = time.Minute
)

// ExportGames opens the stream of a user's games, oldest first by creation. Lichess sends
// about 60 a second of the account's own games, and 20 to 30 of others. It allows one
// such request at a time, two for the account's own games. The stream ends with the
// context.
//
// API reference: https://lichess.org/api#tag/Games/operation/apiGamesUser
func (c *Client) ExportGames(ctx context.Context, user string, q ExportQuery) (*ExportStream, error) {
	r := request{
		endpoint: get("/api/games/user/{user}"), action: "export the games of", args: []string{user},
		query: q.values(), accept: "application/x-ndjson",
	}
	return openStream(ctx, c, r, streamTimeouts{exportIdle, exportIdle}, decodeExportedGame)
}

// ExportGame returns a game; one in progress lacks its last moves.
//
// API reference: https://lichess.org/api#tag/Games/operation/gamePgn
func (c *Client) ExportGame(ctx context.Context, gameID string) (*ExportedGame, error) {
	return fetch[ExportedGame](ctx, c, request{
		endpoint: get("/game/export/{id}"), action: "export game", args: []string{gameID},
		query:  url.Values{"clocks": {"true"}, "evals": {"false"}, "opening": {"false"}, "division": {"false"}},
		accept: "application/json", emptyNotFound: true,
	})
}

func decodeExportedGame(line []byte) (*ExportedGame, error) {
	g := new(ExportedGame)
	return g, unmarshal(line, g)
}

var errNotAGame = errors.New("a game without an id, or without a time at which it was created")

// UnmarshalJSON decodes a game. One without an id, or a plausible time, is an error.
func (g *ExportedGame) UnmarshalJSON(b []byte) error {
	type plain ExportedGame
	game := struct {
		*plain
		Clock *struct{ Initial, Increment Seconds } `json:"clock"`
	}{plain: (*plain)(g)}
	if err := unmarshal(b, &game); err != nil {
		return err
	}
	if c := game.Clock; c != nil {
		g.Clock = Clock{c.Initial.Duration(), c.Increment.Duration()}
	}
	if !segment.MatchString(g.ID) || g.CreatedAt <= 0 || g.CreatedAt > lastExport {
		return errNotAGame
	}
	return nil
}

// gamePath matches the path of a game's page: its id, for a player with four more
// characters, and perhaps the side to look from.
var gamePath = regexp.MustCompile(`^/([A-Za-z0-9]{8})([A-Za-z0-9]{4})?(/white|/black)?/?$`)

// GameID returns the id of a game, given the id or the address of the game's page, on
// lichess.org or on another server with this URL.
func GameID(text, server string) (string, error) {
	if m := gamePath.FindStringSubmatch("/" + text); m != nil && m[3] == "" {
		return m[1], nil
	}
	address := text
	if !strings.Contains(text, "://") {
		address = "https://" + text
	}
	u, err := url.Parse(address)
	if err != nil || u.User != nil || u.Scheme != "https" && u.Scheme != "http" {
		return "", fmt.Errorf("%q is neither the id of a game nor the address of one, such as %s/zH4kQ2ab", excerpt(text), DefaultURL)
	}
	hosts := []string{"lichess.org", "www.lichess.org"}
	if base, err := url.Parse(server); err == nil {
		hosts = append(hosts, base.Host)
	}
	if !slices.Contains(hosts, strings.ToLower(u.Host)) {
		return "", fmt.Errorf("%q: games can be read from lichess.org only, not from %q", excerpt(text), excerpt(u.Host))
	}
	m := gamePath.FindStringSubmatch(u.Path)
	if m == nil {
		return "", fmt.Errorf("%q is not the address of a game: want one such as %s/zH4kQ2ab", excerpt(text), DefaultURL)
	}
	return m[1], nil
}
