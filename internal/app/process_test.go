package app

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/waittest"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules/rulestest"
)

// newApp returns an App that plays on a server in memory with the token in a file.
func newApp(t *testing.T, s *lichesstest.Server, token, records string) *App {
	t.Helper()
	c := config.Default()
	c.Lichess.URL, c.Lichess.TokenFile, c.Records.Dir = s.URL(), token, records
	c.Engine.HashMB, c.Engine.Threads, c.Engine.MaxNodes, c.Engine.Book = 16, 1, 100, nil
	a, err := New(t.Context(), &c, Options{Log: zerolog.Nop(), Bot: func(o *bot.Options) {
		secret, err := c.Token()
		if err != nil {
			t.Error(err)
		}
		options, err := clientOptions(&c, secret)
		if err != nil {
			t.Error(err)
		}
		options.Connect = s.Dial
		if o.Client, err = lichess.New(options); err != nil {
			t.Error(err)
		}
		t.Cleanup(o.Client.Close)
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return a
}

// viewer is a viewer's connection, which takes all at once.
type viewer struct{ *httptest.ResponseRecorder }

func (viewer) SetWriteDeadline(time.Time) error { return nil }

// shown returns the parts of an App's page.
func shown(t *testing.T, a *App) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	answer := viewer{httptest.NewRecorder()}
	a.page.Handler().ServeHTTP(answer, httptest.NewRequestWithContext(ctx, http.MethodGet, "http://localhost/api/stream", nil))
	_, parts, found := strings.Cut(answer.Body.String(), "event: parts\n")
	if !found {
		t.Fatalf("no parts: %s", answer.Body)
	}
	parts, _, _ = strings.Cut(parts, "\n")
	return parts
}

// A token that is refused during two games and replaced later costs neither game its
// record, and no override of the operator's.
func TestApp_RefusedDuringGames(t *testing.T) { synctest.Test(t, refuseDuringGames) }

func refuseDuringGames(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{InMemory: true})
	dir := t.TempDir()
	token, records := filepath.Join(dir, "token"), filepath.Join(dir, "records")
	secret := s.AddBot("zhbot")
	write(t, token, secret)
	a := newApp(t, s, token, records)
	drained, ended := false, make(chan error, 1)
	play := func() {
		go func() {
			var err error
			drained, err = a.play(t.Context())
			ended <- err
		}()
		waittest.Until(t, "the bot is online", func() bool { return s.Online("zhbot") })
	}
	end := func() error {
		t.Helper()
		waittest.Until(t, "the bot ends", func() bool { return len(ended) == 1 })
		return <-ended
	}
	ids := map[string]string{} // of the games, by opponent
	moves := func(opponent string) []string {
		game, _ := s.Game(ids[opponent])
		return game.Moves
	}
	answer := func(opponent string) { // and wait for the bot's next move
		t.Helper()
		g := rulestest.Game(t, moves(opponent)...)
		s.Perform(ids[opponent], opponent, lichesstest.Action{Move: g.Position().LegalMoves()[0]})
		waittest.Until(t, "the bot moves", func() bool { return len(moves(opponent)) == g.Ply()+2 })
	}
	written := func(path string) string {
		text, _ := os.ReadFile(path)
		return string(text)
	}

	play()
	for _, opponent := range []string{"alice", "bob"} {
		s.AddHuman(opponent, lichesstest.Idle())
		id := s.Challenge(opponent, "zhbot", lichesstest.ChallengeSpec{Limit: 3 * time.Minute, Color: "black"})
		ids[opponent] = id
		waittest.Until(t, "the bot moves", func() bool { return len(moves(opponent)) == 1 })
		answer(opponent)
		waittest.Until(t, "both moves are saved", func() bool {
			return strings.Count(written(filepath.Join(records, "live.json")), `"eval"`) == 2*len(ids)
		})
		if !strings.Contains(shown(t, a), "game/"+id) {
			t.Error("the game is not on the page")
		}
	}
	a.bot.Load().SetMatchmaking(true)
	s.Revoke(secret)
	s.Restart(0)
	if err := end(); !bot.IsRefused(err) || drained {
		t.Fatalf("ended with %v, drained: %t", err, drained)
	}
	if parts := shown(t, a); strings.Contains(parts, "game/") {
		t.Errorf("games that nobody follows are on the page: %s", parts)
	}
	s.Perform(ids["alice"], "alice", lichesstest.Action{Resign: true})

	write(t, token, s.AddToken("zhbot", "bot:play", "challenge:read", "challenge:write"))
	play()
	if m := a.bot.Load().Status().Matchmaking; !m.On || !m.Operator {
		t.Errorf("the operator's override is now %+v", m)
	}
	waittest.Until(t, "the bot follows the game", func() bool { return strings.Contains(shown(t, a), "game/"+ids["bob"]) })
	answer("bob")
	s.Perform(ids["bob"], "bob", lichesstest.Action{Resign: true})
	recorded := func() string {
		files, _ := filepath.Glob(filepath.Join(records, "*.pgn"))
		var all strings.Builder
		for _, f := range files {
			all.WriteString(written(f))
		}
		return all.String()
	}
	waittest.Until(t, "both games are recorded", func() bool { return strings.Count(recorded(), "[Event ") == 2 })
	a.bot.Load().Drain()
	if err := end(); err != nil || !drained {
		t.Errorf("ended with %v, drained: %t", err, drained)
	}
	if text := recorded(); strings.Count(text, "[%eval") != 2+3 || strings.Count(text, `[Result "1-0"]`) != 2 {
		t.Errorf("recorded\n%s", text)
	}
}
