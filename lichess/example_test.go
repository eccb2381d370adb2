package lichess_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// A bot of atomic chess. It accepts challenges to its variant, and plays by a function
// that returns the next move.
func Example() {
	server := httptest.NewServer(fakeLichess()) // without Options.URL it is lichess.org
	defer server.Close()

	token, err := lichess.NewToken("lip_example")
	if err != nil {
		fmt.Println(err)
		return
	}
	client, err := lichess.New(lichess.Options{Token: token, URL: server.URL, UserAgent: "atombot/1.0"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()
	if err := run(context.Background(), client); err != nil {
		fmt.Println(err)
	}
	// Output:
	// challenge by DropFan: crazyhouse 3+2
	// skipped line "{\"type\":": unexpected end of JSON input
	// challenge by Splitter: atomic 5+0
	// game atomgame as white
	// g1f3 after []
	// f3g5 after [g1f3 f7f6]
	// resign, white wins
}

// run answers challenges and plays games until the event stream ends. Then a bot that is
// to run for long opens it again, after a pause.
func run(ctx context.Context, client *lichess.Client) error {
	var games sync.WaitGroup
	defer games.Wait()
	events, err := client.StreamEvents(ctx)
	if err != nil {
		return err
	}
	defer events.Close()
	for {
		event, err := events.Next()
		var bad *lichess.LineError
		switch {
		case errors.As(err, &bad):
			fmt.Println(bad)
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		switch e := event.(type) {
		case *lichess.ChallengeCreated:
			if err := answer(ctx, client, &e.Challenge); err != nil {
				fmt.Println(err)
			}
		case *lichess.GameStart:
			games.Go(func() {
				if err := play(ctx, client, &e.Game, nextMove); err != nil {
					fmt.Println(err)
				}
			})
		}
	}
}

// answer accepts a challenge to atomic chess and declines all others.
func answer(ctx context.Context, client *lichess.Client, c *lichess.Challenge) error {
	fmt.Printf("challenge by %s: %s %s\n", c.Challenger.Name, c.Variant.Key, c.TimeControl)
	if c.Variant.Key != "atomic" {
		return client.DeclineChallenge(ctx, c.ID, lichess.DeclineVariant)
	}
	return client.AcceptChallenge(ctx, c.ID, lichess.Human)
}

// play posts a move whenever it is the bot's turn, until the game is over.
func play(ctx context.Context, client *lichess.Client, g *lichess.Game, next func(moves []string) string) error {
	fmt.Println("game", g.ID, "as", g.Color)
	stream, err := client.StreamGame(ctx, g.ID)
	if err != nil {
		return err
	}
	defer stream.Close()
	posted := -1 // the number of moves before the last one that the bot has posted
	for {
		event, err := stream.Next()
		if err != nil {
			return err
		}
		var state *lichess.GameState
		switch e := event.(type) {
		case *lichess.GameFull:
			state = &e.State
		case *lichess.GameState:
			state = e
		default: // chat, or the opponent has left
			continue
		}
		if state.Status.Over() {
			fmt.Printf("%s, %s wins\n", state.Status, state.Winner)
			return nil
		}
		moves, clock := state.MoveList(), state.WhiteTime
		if g.Color == lichess.Black {
			clock = state.BlackTime
		}
		if ours := (len(moves)%2 == 0) == (g.Color == lichess.White); !ours || len(moves) == posted {
			continue
		}
		move := next(moves)
		fmt.Println(move, "after", moves)
		err = client.Move(ctx, lichess.MoveRequest{
			GameID: g.ID, UCI: move, Ply: len(moves), FlagAt: time.Now().Add(clock.Duration()),
		})
		if err != nil {
			return err
		}
		posted = len(moves)
	}
}

// nextMove is where the engine goes.
func nextMove(moves []string) string { return []string{"g1f3", "f3g5"}[len(moves)/2] }

// fakeLichess is a server with two challenges and a game.
func fakeLichess() http.Handler {
	moved := make(chan struct{}, 2)
	ok := func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"ok":true}`) }
	mux := http.NewServeMux()
	mux.HandleFunc("POST /api/challenge/{id}/decline", ok)
	mux.HandleFunc("POST /api/challenge/{id}/accept", ok)
	mux.HandleFunc("POST /api/bot/game/{id}/move/{uci}", func(w http.ResponseWriter, r *http.Request) {
		ok(w, r)
		moved <- struct{}{}
	})
	mux.HandleFunc("GET /api/stream/event", func(w http.ResponseWriter, _ *http.Request) {
		const challenge = `{"type":"challenge","challenge":{"id":%q,"challenger":{"name":%q},"variant":{"key":%q},` +
			`"timeControl":{"type":"clock","limit":%d,"increment":%d}}}` + "\n"
		fmt.Fprintf(w, challenge, "zH4kQ2ab", "DropFan", "crazyhouse", 180, 2)
		fmt.Fprintln(w, `{"type":`)
		fmt.Fprintf(w, challenge, "atomgame", "Splitter", "atomic", 300, 0)
		fmt.Fprintln(w, `{"type":"gameStart","game":{"gameId":"atomgame","color":"white"}}`)
	})
	mux.HandleFunc("GET /api/bot/game/stream/{id}", func(w http.ResponseWriter, _ *http.Request) {
		send := func(line string) {
			fmt.Fprintln(w, line)
			w.(http.Flusher).Flush()
		}
		send(`{"type":"gameFull","id":"atomgame","variant":{"key":"atomic"},"state":{"moves":"","status":"started"}}`)
		<-moved
		send(`{"type":"gameState","moves":"g1f3","status":"started"}`)
		send(`{"type":"gameState","moves":"g1f3 f7f6","status":"started"}`)
		<-moved
		send(`{"type":"gameState","moves":"g1f3 f7f6 f3g5","status":"resign","winner":"white"}`)
	})
	return mux
}

// The kinds of error that a caller may tell apart.
func ExampleRateLimitError() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	defer server.Close()
	token, err := lichess.NewToken("lip_example")
	if err != nil {
		fmt.Println(err)
		return
	}
	client, err := lichess.New(lichess.Options{Token: token, URL: server.URL})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()

	err = client.Chat(context.Background(), "zH4kQ2ab", lichess.PlayerRoom, "glhf")
	var limited *lichess.RateLimitError
	switch {
	case errors.As(err, &limited):
		fmt.Println("wait about", limited.RetryAfter.Round(time.Second))
	case errors.Is(err, lichess.ErrUnauthorized):
		fmt.Println("get a new token")
	case lichess.IsTemporary(err):
		fmt.Println("try again later")
	}
	// Output:
	// wait about 30s
}
