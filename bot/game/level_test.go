package game

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/human"
	"github.com/zhbot/zhbot/lichess"
)

// leveledGame returns a casual game with a person of 1800, changed.
func leveledGame(t *testing.T, c config.Config, change func(*game)) *game {
	t.Helper()
	g, _ := gameAfter(t, "", c)
	g.full.Black = lichess.Player{ID: "ann", Name: "Ann", Rating: 1800}
	if change != nil {
		change(g)
	}
	g.assignLevel()
	return g
}

// settings returns those with a level of people's games and one of the engine.
func settings(of config.Level, skill int) (c config.Config) {
	c.Challenges.Humans.Level, c.Engine.Skill, c.Chat.Commands = of, skill, config.Default().Chat.Commands
	return c
}

func TestGame_AssignLevel(t *testing.T) {
	scale := human.GuessedScale()
	rated := func(g *game) { g.full.Rated = true }
	bot := func(g *game) { g.full.Black.Title = "BOT" }
	contender := func(l config.Level) func(*game) {
		return func(g *game) {
			g.opts.Contenders = []Contender{{Contender: config.Contender{Name: "a", Level: &l}}}
			g.contender = g.opts.Contenders[0]
		}
	}
	for _, tt := range []struct {
		name   string
		of     config.Level
		skill  int
		change func(*game)
		want   float64
		tag    string
	}{
		{"the engine's", "", 7, nil, 7, "7"},
		{"full strength by default", "", human.MaxLevel, nil, human.MaxLevel, ""},
		{"a level", "5.5", human.MaxLevel, nil, 5.5, "5.5"},
		{"a rating", "1800", human.MaxLevel, nil, scale.Level(1800), human.FormatLevel(scale.Level(1800))},
		{"full strength", config.Full, 7, nil, human.MaxLevel, ""},
		{"near", config.Near, 7, nil, scale.Level(1800), human.FormatLevel(scale.Level(1800))},
		{"above the opponent", config.Near, human.MaxLevel,
			func(g *game) { g.opts.Settings().Challenges.Humans.LevelOffset = -150 },
			scale.Level(1650), human.FormatLevel(scale.Level(1650))},
		{"near a provisional rating", config.Near, 7, func(g *game) { g.full.Black.Provisional = true },
			human.MaxLevel / 2, "10"},
		{"rated", "5", human.MaxLevel, rated, human.MaxLevel, ""},
		{"rated, the engine's", "5", 7, rated, 7, "7"},
		{"against a bot", "5", human.MaxLevel, bot, human.MaxLevel, ""},
		{"a contender's", "5", human.MaxLevel, contender("3"), 3, "3"},
		{"a contender's, rated", "5", 7, func(g *game) { contender("3")(g); rated(g) }, human.MaxLevel, ""},
		{"a program's", "5", human.MaxLevel,
			func(g *game) { g.contender.ProgramName = func() string { return "other" } }, human.MaxLevel, ""},
		{"after a restart", "5", 7,
			func(g *game) { g.earlier = &record.Live{Game: new(record.Game), LevelNow: "3.25"} }, 3.25, "3.25"},
		{"after a restart at full strength", "5", 7,
			func(g *game) { g.earlier = &record.Live{Game: new(record.Game)} }, human.MaxLevel, ""},
	} {
		g := leveledGame(t, settings(tt.of, tt.skill), tt.change)
		if g.level != tt.want || g.record().Level != tt.tag {
			t.Errorf("%s: level %g, recorded as %q, want %g, %q", tt.name, g.level, g.record().Level, tt.want, tt.tag)
		}
		wanted := human.AtLevel(g.level, 0)
		a, b := g.baseLimits().Strength, g.baseLimits().Strength
		if a.NodeLimit() != wanted.NodeLimit() || a == b && !a.Full() {
			t.Errorf("%s: searched with %+v, and then %+v", tt.name, a, b)
		}
	}
}

// say returns the answer to a line of the opponent's, "" for none.
func say(g *game, user, text string) string {
	client := g.opts.Client.(*fakeClient)
	before := len(client.requests("chat "))
	g.answers = newChatLimits()
	g.handleChat(context.Background(), &lichess.ChatLine{Room: lichess.PlayerRoom, Username: user, Text: text})
	g.wg.Wait()
	said := client.requests("chat ")[before:]
	return strings.TrimPrefix(strings.Join(said, "\n"), "chat ")
}

func TestGame_LevelCommands(t *testing.T) {
	scale := human.GuessedScale()
	g := leveledGame(t, settings(config.Near, human.MaxLevel), nil)
	if lines := strings.Join(g.greeting(), " "); !strings.Contains(lines, "!harder") ||
		!strings.Contains(lines, "about 1800") {
		t.Errorf("the greeting is %q", lines)
	}
	for _, tt := range []struct {
		text, answer string
		want         float64
	}{
		{"!level", "I play at level 9.4 of 20, about 1800", scale.Level(1800)},
		{"!harder", "about 1900", scale.Level(1900)},
		{"!EASIER", "about 1800", scale.Level(1800)},
		{"!easier", "about 1700", scale.Level(1700)},
		{"!level 1500", "about 1500", scale.Level(1500)},
		{"!harder", "about 1600", scale.Level(1600)},
		{"!level 5", "level 5.0", 5},
		{"!level 40", "a level from 0 to 20, or a rating of 400 or more", 5},
		{"!level x", "a level from 0 to 20, or a rating of 400 or more", 5},
		{"!level 0", "level 0.0", 0},
		{"!easier", "cannot play any weaker", 0},
		{"!harder", "about 1100", scale.Level(scale.Rating(0) + 100)},
		{"!level full", "full strength", human.MaxLevel},
		{"!harder", "full strength already", human.MaxLevel},
		{"!easier", "level ", scale.Level(scale.Rating(human.MaxLevel) - 100)},
		{"!level near", "about 1800", scale.Level(1800)},
	} {
		answer := say(g, "Ann", tt.text)
		if !strings.Contains(answer, tt.answer) || max(g.level-tt.want, tt.want-g.level) > 1e-9 {
			t.Errorf("%s: level %g, want %g; answered %q", tt.text, g.level, tt.want, answer)
		}
		if len(answer) > lichess.MaxChatLength {
			t.Errorf("%s: the answer has %d characters", tt.text, len(answer))
		}
	}
	if tag := g.levelTag(); tag != human.FormatLevel(scale.Level(1800)) {
		t.Errorf("changed before the first moves, the level is recorded as %q", tag)
	}
	show(t, g.board, "e2e4", "e7e5")
	if say(g, "Ann", "!level 1500"); g.levelTag() != record.LevelVaried {
		t.Errorf("changed later, the level is recorded as %q", g.levelTag())
	}
	say(g, "Eve", "!level 20")
	if g.level != scale.Level(1500) {
		t.Errorf("another user sets level %g", g.level)
	}
}

// What nobody may change stays as it is, and is not played at a person's pace.
func TestGame_LevelIsFixed(t *testing.T) {
	limits := &engine.Limits{White: 3 * time.Minute, Black: 3 * time.Minute}
	for name, change := range map[string]func(*game){
		"rated":     func(g *game) { g.full.Rated = true },
		"a program": func(g *game) { g.contender.ProgramName = func() string { return "other" } },
		"a bot":     func(g *game) { g.full.Black.Title = "BOT" },
	} {
		g := leveledGame(t, settings(config.Near, human.MaxLevel), change)
		for _, text := range []string{"!level 3", "!easier"} {
			before := g.level
			if answer := say(g, "Ann", text); g.level != before || answer != "" {
				t.Errorf("%s, %s: level %g, answered %q", name, text, g.level, answer)
			}
		}
		if g.level = 5; len(g.greeting()) != 1 || g.pace(limits, 0) != 0 {
			t.Errorf("%s: greeted with %q; %s for a move", name, g.greeting(), g.pace(limits, 0))
		}
	}
}

func TestGame_Pace(t *testing.T) {
	g := leveledGame(t, settings("5", human.MaxLevel), nil)
	if got := g.pace(&engine.Limits{White: 3 * time.Minute}, 0); got != time.Second {
		t.Errorf("%s for the first move", got)
	}
	if got := g.pace(new(engine.Limits), 0); got != 0 {
		t.Errorf("%s without a clock", got)
	}
	g.level = human.MaxLevel
	if got := g.pace(&engine.Limits{White: 3 * time.Minute}, 0); got != 0 {
		t.Errorf("%s at full strength", got)
	}
}
