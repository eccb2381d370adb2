package bot

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// liveText returns what live.json says of a game, "" for nothing.
func liveText(dir, id string) string {
	text, _ := os.ReadFile(filepath.Join(dir, "live.json"))
	var games map[string]json.RawMessage
	_ = json.Unmarshal(text, &games)
	return string(games[id])
}

// archivedGames returns the text of all archived games.
func archivedGames(t *testing.T, dir string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.pgn"))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range files {
		all.WriteString(fixture.Read(t, f))
	}
	return all.String()
}

// archivedIn waits until a folder has archived games, and returns their text.
func (r *rig) archivedIn(dir string) string {
	r.t.Helper()
	r.until("the game is archived", func() bool { return archivedGames(r.t, dir) != "" })
	return archivedGames(r.t, dir)
}

// noted waits until live.json has a text about a game.
func (r *rig) noted(dir, id, text string) {
	r.t.Helper()
	r.until(text+" is saved", func() bool { return strings.Contains(liveText(dir, id), text) })
}

// startMidGame has a bot with records in a folder play a few moves against a rival, and kills it.
func (r *rig) startMidGame(dir string) *botOpponent {
	r.t.Helper()
	b := r.startIn(dir, func(b *setup) { b.settings().Chat.Greeting = "hello" })
	o := r.challengeAsBot("white")
	o.exchange("e2e4", "d2d4")
	r.noted(dir, o.id, " d2d4 ")
	b.halt()
	return o
}

// A game that a crash has interrupted is recorded as if there had been none:
// evaluations and clocks from before, no second greeting.
func TestLive_ResumedGame(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		dir := t.TempDir()
		o := r.startMidGame(dir)
		r.startIn(dir, func(b *setup) { b.settings().Chat.Greeting = "hello" })
		o.exchange("a2a3")
		o.resign()
		text := r.archivedIn(dir)
		r.until("it is no longer in progress", func() bool { return liveText(dir, o.id) == "" })
		if n := strings.Count(text, "[%eval"); n != 3 {
			t.Errorf("%d evaluations, want one for each of our moves:\n%s", n, text)
		}
		if n := strings.Count(text, "[%clk"); n != 6 {
			t.Errorf("%d clocks, want 6:\n%s", n, text)
		}
		if said := r.chatSent(o.id); len(said) != 1 {
			t.Errorf("said %q", said)
		}
	})
}

// A game that ended while the bot was down is completed from the server's last
// word on it.
func TestLive_GameOverMeanwhile(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		dir := t.TempDir()
		o := r.startMidGame(dir)
		o.resign()
		b := r.startIn(dir, func(b *setup) { b.settings().Chat.Goodbye = "bye" })
		text := r.archivedIn(dir)
		b.halt()
		for _, want := range []string{`[Result "0-1"]`, `[GameId "` + o.id + `"]`, "[%eval -0.25,1]", "2. d4"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
		if left := liveText(dir, o.id); left != "" {
			t.Errorf("in progress: %s", left)
		}
	})
}

// A game of an earlier run that the server does not know is recorded as far as it was followed.
// One of another server may still be in progress there: it is kept for a bot that plays there.
func TestLive_Unknown(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		dir := t.TempDir()
		archive, err := record.Open(dir)
		r.must(err)
		for _, g := range []struct{ id, site, moves string }{
			{"unknown0", r.URL(), "d2d4 d7d5"}, {"tooshort", r.URL(), "d2d4"},
			{"elsewher", "https://elsewhere.example", "e2e4 e7e5 g1f3"},
		} {
			moves := fixture.Game(t, g.moves)
			archive.Track(&record.Live{Game: &record.Game{
				Summary: record.Summary{ID: g.id, Site: g.site + "/" + g.id, White: record.Player{Name: "x"},
					Black: record.Player{Name: "y"}},
				Board: moves, Notes: make([]record.Note, moves.Ply()),
			}})
		}
		r.must(archive.Close())
		before := liveText(dir, "elsewher")
		b := r.startIn(dir, nil)
		r.until("those of this server are archived", func() bool { return len(b.records.Unfinished()) == 1 })
		b.halt()
		if text := archivedGames(t, dir); strings.Count(text, "[Event ") != 1 || !strings.Contains(text, "1. d4 d5 *") {
			t.Errorf("archived\n%s", text)
		}
		if text := liveText(dir, "elsewher"); text != before || text == "" {
			t.Errorf("of the game\n%s\nis left\n%s", before, text)
		}
		if n := r.log.messages("ignoring a game in progress on another server"); n != 1 {
			t.Errorf("logged %d times", n)
		}
	})
}

// A takeback that was granted before a crash counts after it.
func TestLive_TakebacksCount(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		dir := t.TempDir()
		generous := func(b *setup) { b.settings().Play.Takebacks = 1 }
		b := r.startIn(dir, generous)
		o := r.challengeAsHuman("white casual")
		o.exchange("e2e4")
		o.perform(lichesstest.Action{AskTakeback: true})
		r.noted(dir, o.id, `"takebacks": 1`)
		r.until("the moves are taken back", func() bool { return len(o.moves()) == 0 })
		b.halt()
		r.startIn(dir, generous)
		o.exchange("e2e4")
		o.perform(lichesstest.Action{AskTakeback: true})
		r.until("the second request is answered", func() bool { return r.requests(endpointTakeback) == 2 })
		if n := len(o.moves()); n != 2 {
			t.Errorf("%d moves are left, want both", n)
		}
	})
}

// Moves that our own search made in the place of a program are counted over a restart, and
// the first of them is logged.
func TestLive_FallbacksCount(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		dir := t.TempDir()
		faulty := func(b *setup) {
			b.opts.Engine = &fakeEngine{peace: 1000, hook: func(s *search) error {
				s.found.Fallback = event.FallbackIllegal
				return nil
			}}
		}
		b := r.startIn(dir, faulty)
		o := r.challengeAsBot("white")
		for i, move := range []string{"e2e4", "d2d4", "g1f3", "b1c3"} {
			o.exchange(move)
			r.noted(dir, o.id, fmt.Sprintf(`"fallbacks": %d`, i+1))
			if i == 1 {
				b.halt()
				r.startIn(dir, faulty)
			}
		}
		o.resign()
		if text := r.archivedIn(dir); !strings.Contains(text, `[EngineFallbacks "4"]`) {
			t.Errorf("archived\n%s", text)
		}
		n := r.log.messages("own search chose a move instead of the engine program; " +
			"further ones in this game are only counted")
		if n != 1 {
			t.Errorf("%d warnings", n)
		}
	})
}
