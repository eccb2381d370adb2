package game

import (
	"strings"
	"testing"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

func TestChatText(t *testing.T) {
	long := strings.Repeat("ü", lichess.MaxChatLength+1)
	wide := strings.Repeat("😀", lichess.MaxChatLength) // each counts twice
	for text, want := range map[string]string{
		"a\n b\t c ": "a b c", long: long[:2*lichess.MaxChatLength], "   ": "",
		long[:2*lichess.MaxChatLength]: long[:2*lichess.MaxChatLength],
		wide:                           wide[:2*lichess.MaxChatLength],
		"x" + wide:                     "x" + wide[:2*lichess.MaxChatLength-4],
	} {
		if got := chatText(text); got != want {
			t.Errorf("%q becomes %q", text, got)
		}
	}
}

// The answer to a command depends on the game, the settings, and who asks.
func TestGame_ChatAnswer(t *testing.T) {
	rated := func(g *game) { g.full.Rated = true }
	inBook := func(g *game) { g.board.notes[1], g.move.turn.chosen.info.PV = record.Note{}, nil }
	scored := func(s engine.Score) func(*game) {
		return func(g *game) { g.board.noteEval(1, engine.Info{Depth: 1, Score: s}, rules.Black) }
	}
	only := func(names ...string) func(*game) { return func(g *game) { g.opts.Settings().Chat.Commands = names } }
	for _, tt := range []struct {
		name      string
		change    func(*game)
		ask, want string // "" for no answer
	}{
		{"help", nil, "!help", "I answer to !eval, !pv, !engine, !stats, !queue."},
		{"other case", nil, " !EVAL please", "From my side: +1.23 at depth 1, after move 1."},
		{"mating", scored(engine.MateScore(3)), "!eval", "From my side: mate in 2 at depth 1, after move 1."},
		{"being mated", scored(engine.MateScore(-2)), "!eval", "From my side: mated in 2 at depth 1, after move 1."},
		{"not searched", inBook, "!eval", "I have not searched in this game yet."},
		{"engine", nil, "!engine", "I am zhbot v9, network zh-abc."},
		{"program", func(g *game) { g.contender.ProgramName = func() string { return "Fairy-Stockfish 11.1" } },
			"!engine",
			"I am zhbot v9, and Fairy-Stockfish 11.1 searches for me."},
		{"stats", nil, "!stats", "Rival, this is the first game between us that I know of."},
		{"line", nil, "!pv", "I expect 1… e5 2. Nf3"},
		{"no line", inBook, "!pv", "I have not searched for my latest move."},
		{"taken back", func(g *game) { _, _ = g.board.update(nil) }, "!pv", "I have not searched for my latest move."},
		{"queue", nil, "!queue", "I play 1 of at most 4 games, and nobody waits."},
		{"rated", rated, "!help", "I answer to !engine, !stats, !queue."},
		{"rated, score", rated, "!eval", ""},
		{"rated, line", rated, "!pv", ""},
		{"rated, over", func(g *game) { rated(g); g.state.Status = lichess.StatusMate }, "!eval",
			"From my side: +1.23 at depth 1, after move 1."},
		{"turned off", only("help", "queue"), "!engine", ""},
		{"others turned off", only("help", "queue"), "!help", "I answer to !queue."},
		{"all others turned off", only("help"), "!help", "I answer to nothing else."},
		{"no command", nil, "help", ""},
		{"unknown command", nil, "!unknown", ""},
	} {
		g, _ := gameAfter(t, "e2e4 e7e5", config.Config{Chat: config.Chat{Commands: config.Default().Chat.Commands}})
		g.opts.Version, g.contender.NetworkName, g.opts.Waiting = "v9", "zh-abc", func() []string { return nil }
		g.us, g.full.White = rules.Black, lichess.Player{Name: "Rival", Title: "BOT"}
		line := fixture.Game(t, "e2e4", "e7e5", "g1f3").Moves()[1:]
		g.move.turn = &turn{moves: "e2e4", ply: 1, chosen: &decision{info: engine.Info{PV: line}}}
		scored(123)(g)
		if tt.change != nil {
			tt.change(g)
		}
		if got := say(g, "Rival", tt.ask); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// Our own lines are not answered, nor spectators unless the settings say so, nor anybody often;
// spectators leave the opponent some answers.
func TestGame_HandleChat(t *testing.T) {
	for _, tt := range []struct {
		name, user string
		room       lichess.Room
		spectators bool
		want       int
	}{
		{"often", "rival", lichess.PlayerRoom, false, 4},
		{"ourselves", "ZHBOT", lichess.PlayerRoom, false, 1},
		{"spectators", "eve", lichess.SpectatorRoom, true, 5},
		{"no spectators", "eve", lichess.SpectatorRoom, false, 1},
	} {
		chat := config.Chat{Commands: []string{"help"}, Spectators: tt.spectators}
		g, client := gameAfter(t, "", config.Config{Chat: chat})
		g.opponent().Name = "rival"
		for range 7 {
			g.handleChat(t.Context(), &lichess.ChatLine{Room: tt.room, Username: tt.user, Text: "!help"})
			g.handleChat(t.Context(), &lichess.ChatLine{Room: tt.room, Username: tt.user, Text: "hello"})
		}
		g.handleChat(t.Context(), &lichess.ChatLine{Room: lichess.PlayerRoom, Username: "rival", Text: "!help"})
		g.wg.Wait()
		if n := len(client.requests("chat")); n != tt.want {
			t.Errorf("%s: %d answers, want %d", tt.name, n, tt.want)
		}
	}
}
