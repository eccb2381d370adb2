package lichess_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/zhbot/zhbot/lichess"
)

// A bot that accepts the first challenge and opens the game with 1. e4.
func Example() {
	server := httptest.NewServer(fakeLichess())
	defer server.Close()

	token, err := lichess.NewToken("lip_example")
	if err != nil {
		log.Fatal(err)
	}
	client, err := lichess.New(lichess.Options{Token: token, URL: server.URL})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	ctx := context.Background()
	events, err := client.StreamEvents(ctx)
	if err != nil {
		log.Fatal(err)
	}
	defer events.Close()
	for {
		event, err := events.Next()
		var bad *lichess.LineError
		switch {
		case err == io.EOF:
			return
		case errors.As(err, &bad):
			fmt.Println(bad)
		case err != nil:
			log.Fatal(err)
		}
		switch e := event.(type) {
		case *lichess.ChallengeCreated:
			fmt.Println("challenge by", e.Challenge.Challenger.Name, e.Challenge.TimeControl.Show)
			if err := client.AcceptChallenge(ctx, e.Challenge.ID, lichess.Human); err != nil {
				fmt.Println(err)
			}
		case *lichess.GameStart:
			fmt.Println("game", e.Game.ID, "as", e.Game.Color)
			err := client.Move(ctx, lichess.MoveRequest{GameID: e.Game.ID, UCI: "e2e4"})
			fmt.Println("moved, error:", err)
		}
	}
	// Output:
	// challenge by DropFan 3+2
	// skipped line "{\"type\":": unexpected end of JSON input
	// game zH4kQ2ab as white
	// moved, error: <nil>
}

// ExampleRateLimitError distinguishes the kinds of error.
func ExampleRateLimitError() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	defer server.Close()
	token, _ := lichess.NewToken("lip_example")
	client, err := lichess.New(lichess.Options{Token: token, URL: server.URL})
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()

	err = client.Chat(context.Background(), "zH4kQ2ab", lichess.PlayerRoom, "glhf")
	var limited *lichess.RateLimitError
	switch {
	case errors.As(err, &limited):
		fmt.Println("wait about", limited.RetryAfter.Round(1e9))
	case errors.Is(err, lichess.ErrUnauthorized):
		fmt.Println("get a new token")
	case lichess.IsTemporary(err):
		fmt.Println("try again later")
	}
	// Output:
	// wait about 30s
}

// fakeLichess implements the endpoints that the example needs.
func fakeLichess() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/stream/event", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"type":"challenge","challenge":{"id":"zH4kQ2ab","challenger":{"id":"dropfan","name":"DropFan"},"timeControl":{"type":"clock","limit":180,"increment":2,"show":"3+2"}}}
{"type":
{"type":"gameStart","game":{"gameId":"zH4kQ2ab","color":"white"}}
`)
	})
	mux.HandleFunc("POST /api/challenge/{id}/accept", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"ok":true}`)
	})
	mux.HandleFunc("POST /api/bot/game/{id}/move/{uci}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"ok":true}`)
	})
	return mux
}
