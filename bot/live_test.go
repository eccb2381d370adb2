package bot

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/internal/file/filetest"
	"github.com/zhbot/zhbot/internal/waittest"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/rulestest"
)

// openArchive opens an archive in a folder for the bots of a test. What it returns
// closes it, as the end of the program would.
func openArchive(t *testing.T, dir string) (*record.Archive, func()) {
	t.Helper()
	a, err := record.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	return a, func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	}
}

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
		all.WriteString(filetest.Read(t, f))
	}
	return all.String()
}

// startMidGame starts a bot in a folder and has it play a few moves against a rival.
func startMidGame(r *rig, dir string) (opponent *botOpponent, halt func()) {
	r.t.Helper()
	archive, closeArchive := openArchive(r.t, dir)
	b := r.start(func(b *Bot) {
		b.opts.Archive, b.settings().Chat.Greeting = archive, "hello"
		b.opts.Version, b.opts.Network = "v1.2.3", "zh-1"
		b.opts.Engine = &fakeEngine{peace: 1000}
	})
	o := r.challengeAsBot(withColor(blitz, "white"))
	o.play(0, "e2e4")
	o.play(2, "d2d4")
	waittest.Until(r.t, "the bot's second move is saved", func() bool {
		return strings.Contains(liveText(dir, o.id), " d2d4 ")
	})
	return o, func() {
		b.halt()
		closeArchive()
	}
}

// A game that a crash has interrupted is recorded as if there had been none:
// evaluations and clocks from before, no second greeting.
func TestLive_ResumedGame(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		dir := t.TempDir()
		o, halt := startMidGame(r, dir)
		halt()
		archive, closeArchive := openArchive(t, dir)
		defer closeArchive()
		b := r.start(func(b *Bot) {
			b.opts.Archive, b.settings().Chat.Greeting, b.opts.Engine = archive, "hello", &fakeEngine{peace: 1000}
		})
		o.play(4, "a2a3")
		r.plies(o.id, 6)
		if err := o.Resign(t.Context(), o.id); err != nil {
			t.Fatal(err)
		}
		waittest.Until(t, "the game is archived", func() bool { return archivedGames(t, dir) != "" })
		waittest.Until(t, "it is no longer in progress", func() bool { return liveText(dir, o.id) == "" })
		b.halt()
		text := archivedGames(t, dir)
		if n := strings.Count(text, "[%eval"); n != 3 {
			t.Errorf("%d evaluations, want one for each of our moves:\n%s", n, text)
		}
		if n := strings.Count(text, "[%clk"); n != 6 {
			t.Errorf("%d clocks, want 6:\n%s", n, text)
		}
	})
}

// A game that ended while the bot was down is completed from the server's last
// word on it.
func TestLive_GameOverMeanwhile(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		dir := t.TempDir()
		o, halt := startMidGame(r, dir)
		halt()
		if err := o.Resign(t.Context(), o.id); err != nil {
			t.Fatal(err)
		}
		archive, closeArchive := openArchive(t, dir)
		defer closeArchive()
		b := r.start(func(b *Bot) { b.opts.Archive, b.settings().Chat.Goodbye = archive, "bye" })
		waittest.Until(t, "the game is archived", func() bool { return archivedGames(t, dir) != "" })
		b.halt()
		text := archivedGames(t, dir)
		for _, want := range []string{`[Result "0-1"]`, `[GameId "` + o.id + `"]`, "[%eval -0.25,1]", "2. d4"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
		if n := len(archive.Unfinished()); n != 0 {
			t.Errorf("%d games in progress", n)
		}
	})
}

// writeLive leaves a game in progress as an earlier run would have.
func writeLive(t *testing.T, dir, id, site string, moves ...string) {
	t.Helper()
	archive, closeArchive := openArchive(t, dir)
	defer closeArchive()
	archive.Track(&record.Live{Game: &record.Game{
		Summary: record.Summary{ID: id, Site: site + "/" + id, White: record.Player{Name: "x"}, Black: record.Player{Name: "y"}},
		Game:    rulestest.Game(t, moves...), Notes: make([]record.Note, len(moves)),
	}})
}

// A game that the server does not know is recorded as far as it was followed.
func TestLive_UnknownToTheServer(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		dir := t.TempDir()
		writeLive(t, dir, "unknown0", r.URL(), "d2d4", "d7d5")
		writeLive(t, dir, "tooshort", r.URL(), "d2d4")
		archive, closeArchive := openArchive(t, dir)
		defer closeArchive()
		b := r.start(func(b *Bot) { b.opts.Archive = archive })
		waittest.Until(t, "all are archived", func() bool { return len(archive.Unfinished()) == 0 })
		b.halt()
		text := archivedGames(t, dir)
		if strings.Count(text, "[Event ") != 1 || !strings.Contains(text, "1. d4 d5 *") {
			t.Errorf("archived\n%s", text)
		}
	})
}

// A game of another server may still be in progress there: it is kept for a bot that plays
// there.
func TestLive_OfAnotherServer(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		dir := t.TempDir()
		writeLive(t, dir, "elsewher", "https://elsewhere.example", "e2e4", "e7e5", "g1f3")
		before := liveText(dir, "elsewher")
		archive, closeArchive := openArchive(t, dir)
		b := r.start(func(b *Bot) { b.opts.Archive = archive })
		waittest.Until(t, "it is logged", func() bool { return r.log.messages("ignoring a game in progress on another server") == 1 })
		b.halt()
		closeArchive()
		if text := liveText(dir, "elsewher"); text != before || text == "" {
			t.Errorf("of the game\n%s\nis left\n%s", before, text)
		}
		if text := archivedGames(t, dir); text != "" {
			t.Errorf("archived\n%s", text)
		}
	})
}

// A takeback that was granted before a crash counts after it.
func TestLive_TakebacksCount(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		dir := t.TempDir()
		generous := func(archive game.Archive) func(*Bot) {
			return func(b *Bot) {
				b.opts.Archive, b.settings().Play.Takebacks, b.opts.Engine = archive, 1, &fakeEngine{peace: 1000}
			}
		}
		archive, closeArchive := openArchive(t, dir)
		b := r.start(generous(archive))
		o := r.challengeAsHuman(withColor(casual, "white"))
		o.play(0, "e2e4")
		r.plies(o.id, 2)
		o.perform(lichesstest.Action{AskTakeback: true})
		waittest.Until(t, "the takeback is saved", func() bool { return strings.Contains(liveText(dir, o.id), `"takebacks": 1`) })
		waittest.Until(t, "the moves are taken back", func() bool { return len(o.moves()) == 0 })
		b.halt()
		closeArchive()
		archive, closeArchive = openArchive(t, dir)
		defer closeArchive()
		b = r.start(generous(archive))
		o.play(0, "e2e4")
		r.plies(o.id, 2)
		o.perform(lichesstest.Action{AskTakeback: true})
		waittest.Until(t, "the second request is answered", func() bool { return r.requests(endpointTakeback) == 2 })
		if n := len(o.moves()); n != 2 {
			t.Errorf("%d moves are left, want both", n)
		}
		b.halt()
	})
}

// Moves that our own search made in the place of a program are counted over a restart, and
// the first of them is logged.
func TestLive_FallbacksCount(t *testing.T) {
	inBubble(t, func(t *testing.T, r *rig) {
		dir := t.TempDir()
		engine := &fakeEngine{peace: 1000}
		faulty := engineFunc(func(g *rules.Game) (game.SearchResult, error) {
			found, err := engine.Search(t.Context(), g, game.SearchLimits{}, nil)
			found.Fallback = event.FallbackIllegal
			return found, err
		})
		var o *botOpponent
		for run := range 2 {
			archive, closeArchive := openArchive(t, dir)
			b := r.start(func(b *Bot) { b.opts.Archive, b.opts.Engine = archive, faulty })
			if run == 0 {
				o = r.challengeAsBot(withColor(blitz, "white"))
			}
			for i, move := range [][]string{{"e2e4", "d2d4"}, {"g1f3", "b1c3"}}[run] {
				ply := 4*run + 2*i
				o.play(ply, move)
				r.plies(o.id, ply+2)
				waittest.Until(t, "the move is saved", func() bool {
					return strings.Contains(liveText(dir, o.id), fmt.Sprintf(`"fallbacks": %d`, ply/2+1))
				})
			}
			if run == 1 {
				if err := o.Resign(t.Context(), o.id); err != nil {
					t.Fatal(err)
				}
				waittest.Until(t, "the game is archived", func() bool { return archivedGames(t, dir) != "" })
			}
			b.halt()
			closeArchive()
		}
		if text := archivedGames(t, dir); !strings.Contains(text, `[EngineFallbacks "4"]`) {
			t.Errorf("archived\n%s", text)
		}
		if n := r.log.messages("own search chose a move instead of the engine program; further ones in this game are only counted"); n != 1 {
			t.Errorf("%d warnings", n)
		}
	})
}
