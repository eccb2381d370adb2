package control_test

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/control"
	"github.com/zhbot/zhbot/internal/file/filetest"
	"github.com/zhbot/zhbot/internal/logtest"
	"github.com/zhbot/zhbot/internal/waittest"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/rulestest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	botName  = "ZhBot"
	patience = time.Minute // for every condition
)

// firstMove is an engine that plays the first legal move.
type firstMove struct{}

func (firstMove) Search(_ context.Context, g *rules.Game, _ game.SearchLimits, _ func(event.SearchInfo)) (game.SearchResult, error) {
	return game.SearchResult{Move: g.Position().LegalMoves()[0]}, nil
}

func (firstMove) EndGame(string) {}

// setup is an embedded Lichess, a bot that plays there, and its operator.
type setup struct {
	*lichesstest.Server
	t        *testing.T
	token    string
	dir      string // of state and journal
	inMemory bool   // the state is not written to disk
	settings *config.Config

	client   *lichess.Client
	state    *record.StateFile
	bot      *bot.Bot
	operator *control.Operator
	log      logtest.Log
	stop     func() error // stops the bot and returns how it ended
}

// start starts a bot with at most so many games at once.
func start(t *testing.T, games int) *setup {
	t.Helper()
	terms := config.Terms{
		Enabled: true, Modes: []string{"rated", "casual"}, Speeds: lichess.Speeds(),
		Initial: config.Range[time.Duration]{Max: time.Hour}, Increment: config.Range[time.Duration]{Max: time.Minute}, Provisional: true,
	}
	s := &setup{
		Server: lichesstest.NewServer(t, lichesstest.Options{AnyClock: true, Seed: 7}), t: t, dir: t.TempDir(),
		settings: &config.Config{
			Challenges: config.Challenges{Humans: config.HumanTerms{Terms: terms}, Bots: terms}, Games: config.Games{Max: games},
			Matchmaking: config.Matchmaking{
				Wait: time.Minute, GamesPerDay: 80,
				Offers: []config.Offer{{Clock: lichess.Clock{Initial: time.Minute, Increment: time.Second}, Rated: true, Weight: 1}},
				Pause:  config.Range[time.Duration]{Min: time.Hour, Max: time.Hour},
			},
		},
	}
	s.token = s.AddBot(botName)
	s.run()
	t.Cleanup(func() { _ = s.stop() })
	return s
}

// run starts the bot, again after stop.
func (s *setup) run() {
	s.t.Helper()
	client := s.Client(s.t, s.token)
	file, err := record.OpenState(s.dir)
	if err != nil {
		s.t.Fatal(err)
	}
	if s.inMemory {
		file = record.InMemoryState()
	}
	users, err := record.OpenUsers(s.dir)
	if err != nil {
		s.t.Fatal(err)
	}
	if s.inMemory {
		users = record.InMemoryUsers()
	}
	s.client, s.state = client, file
	log := zerolog.New(&s.log)
	s.bot = bot.New(bot.Options{Client: client, Engine: firstMove{}, Log: log, Site: s.URL(), Version: "v9", State: file, Users: users}, s.settings)
	s.operator = &control.Operator{Bot: func() *bot.Bot { return s.bot }, Journal: filepath.Join(s.dir, control.JournalFile), Log: log}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.bot.Run(ctx) }()
	s.stop = sync.OnceValue(func() error {
		cancel()
		err := <-ended
		if errors.Is(err, context.Canceled) {
			return nil
		}
		return err
	})
	waittest.Until(s.t, "the bot is ready", func() bool { return s.Online(botName) && s.bot.Status().Connected })
	waittest.Until(s.t, "its games are listed", func() bool { return s.bot.Account() != "" })
}

// do executes a command line, which must succeed, and returns its message.
func (s *setup) do(line string) control.Result {
	s.t.Helper()
	result, err := s.try(line)
	if err != nil {
		s.t.Fatalf("%s: %v", line, err)
	}
	return result
}

func (s *setup) try(line string) (control.Result, error) {
	words := strings.Fields(line)
	return s.operator.Execute(s.t.Context(), "test", control.Request{Command: words[0], Args: words[1:]})
}

// refuse fails unless a command line is refused with a text.
func (s *setup) refuse(line, want string) {
	s.t.Helper()
	result, err := s.try(line)
	var usage *control.UsageError
	if err == nil || !strings.Contains(err.Error(), want) || errors.As(err, &usage) {
		s.t.Fatalf("%s: %+v, error %v, want %q in it", line, result, err, want)
	}
}

// challenge makes a human challenge the bot, and returns the id of their game, in
// which the human has White.
func (s *setup) challenge(from string) (id string) {
	s.t.Helper()
	id = s.Challenge(from, botName, lichesstest.ChallengeSpec{Limit: 3 * time.Minute, Increment: 2 * time.Second, Color: "white"})
	waittest.Until(s.t, "the game is read", func() bool {
		for _, g := range s.bot.Status().Games {
			if g.ID == id {
				return true
			}
		}
		return false
	})
	return id
}

// move makes the first legal move of a player.
func (s *setup) move(id, name string) {
	s.t.Helper()
	result, _ := s.Game(id)
	g := rulestest.Game(s.t, result.Moves...)
	s.Perform(id, name, lichesstest.Action{Move: g.Position().LegalMoves()[0]})
	waittest.Until(s.t, "the bot has answered, and has read that on its stream", func() bool {
		return slices.ContainsFunc(s.bot.Status().Games, func(g bot.GameStatus) bool {
			return g.ID == id && g.Plies >= len(result.Moves)+2
		})
	})
}

// chat returns what a user has said to the players of a game.
func (s *setup) chat(id, user string) (texts []string) {
	s.t.Helper()
	messages, err := s.client.ChatMessages(s.t.Context(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, m := range messages {
		if m.User == user {
			texts = append(texts, m.Text)
		}
	}
	return texts
}

// remembered returns what the bot remembers against an opponent.
func (s *setup) remembered(id string) (aborts int, reason string) {
	s.state.View(func(d *record.State) {
		if o := d.Opponents[id]; o != nil {
			aborts, reason = len(o.Aborts), o.Reason
		}
	})
	return aborts, reason
}

// journal returns what was noted.
func (s *setup) journal() (list []control.Entry) {
	s.t.Helper()
	for line := range strings.Lines(filetest.Read(s.t, filepath.Join(s.dir, control.JournalFile))) {
		var e control.Entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			s.t.Fatal(err)
		}
		list = append(list, e)
	}
	return list
}
