package app

import (
	"bufio"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// newApp returns an App that plays on a server with the token in a file, and the URL of its
// page.
func newApp(t *testing.T, s *lichesstest.Server, token, records string) (a *App, page string) {
	t.Helper()
	c := config.Default()
	c.Lichess.URL, c.Lichess.TokenFile, c.Records.Dir, c.Web.Listen = s.URL(), token, records, "127.0.0.1:0"
	c.Engine.HashMB, c.Engine.Threads, c.Engine.MaxNodes, c.Engine.Book = 16, 1, 100, nil
	a, err := New(t.Context(), &c, Options{Log: zerolog.Nop()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	page, _, _ = strings.Cut(a.ServePage(t.Context()), "/?")
	return a, page
}

// shown returns the parts of a page.
func shown(t *testing.T, page string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, page+"/api/stream", nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if lines.Text() == "event: parts" && lines.Scan() {
			return lines.Text()
		}
	}
	t.Fatalf("no parts: %v", lines.Err())
	return ""
}

// A token that is refused during two games and replaced later costs neither game its
// record, and no override of the operator's.
func TestApp_RefusedDuringGames(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{})
	dir := t.TempDir()
	token, records := filepath.Join(dir, "token"), filepath.Join(dir, "records")
	secret := s.AddBot("zhbot")
	write(t, token, secret)
	a, page := newApp(t, s, token, records)
	drained, ended := false, make(chan error, 1)
	play := func() {
		go func() {
			var err error
			drained, err = a.play(t.Context())
			ended <- err
		}()
		waitFor(t, "the bot is online", func() bool { return s.Online("zhbot") })
	}
	end := func() error {
		t.Helper()
		waitFor(t, "the bot ends", func() bool { return len(ended) == 1 })
		return <-ended
	}
	ids := map[string]string{} // of the games, by opponent
	moves := func(opponent string) []string {
		game, _ := s.Game(ids[opponent])
		return game.Moves
	}
	answer := func(opponent string) { // and wait for the bot's next move
		t.Helper()
		g := rules.NewGame(rules.StartPosition())
		if err := g.PlayUCI(moves(opponent)...); err != nil {
			t.Fatal(err)
		}
		s.Perform(ids[opponent], opponent, lichesstest.Action{Move: g.Position().LegalMoves()[0]})
		waitFor(t, "the bot moves", func() bool { return len(moves(opponent)) == g.Ply()+2 })
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
		waitFor(t, "the bot moves", func() bool { return len(moves(opponent)) == 1 })
		answer(opponent)
		waitFor(t, "the journal has both moves", func() bool {
			return strings.Count(written(filepath.Join(records, "live", id+".jsonl")), `"eval"`) == 2
		})
		if !strings.Contains(shown(t, page), "game/"+id) {
			t.Error("the game is not on the page")
		}
	}
	a.bot.Load().SetMatchmaking(true)
	s.Revoke(secret)
	s.Restart(0)
	if err := end(); !bot.IsRefused(err) || drained {
		t.Fatalf("ended with %v, drained: %t", err, drained)
	}
	if parts := shown(t, page); strings.Contains(parts, "game/") {
		t.Errorf("games that nobody follows are on the page: %s", parts)
	}
	s.Perform(ids["alice"], "alice", lichesstest.Action{Resign: true})

	write(t, token, s.AddToken("zhbot", "bot:play", "challenge:read", "challenge:write"))
	play()
	if m := a.bot.Load().Status().Matchmaking; !m.On || !m.Operator {
		t.Errorf("the operator's override is now %+v", m)
	}
	waitFor(t, "the bot follows the game", func() bool { return strings.Contains(shown(t, page), "game/"+ids["bob"]) })
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
	waitFor(t, "both games are recorded", func() bool { return strings.Count(recorded(), "[Event ") == 2 })
	a.bot.Load().Drain()
	if err := end(); err != nil || !drained {
		t.Errorf("ended with %v, drained: %t", err, drained)
	}
	if text := recorded(); strings.Count(text, "[%eval") != 2+3 || strings.Count(text, `[Result "1-0"]`) != 2 {
		t.Errorf("recorded\n%s", text)
	}
}
