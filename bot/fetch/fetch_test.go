package fetch

import (
	"context"
	"errors"
	"math"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot/opponent"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/internal/file/filetest"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// The first fetch gets all games, the next one those since a day before the last.
func TestGames(t *testing.T) {
	fakeTime(t, func(t *testing.T) {
		r := newRig(t, 30)
		var last Progress
		r.fetch(added(30), func(o *Options) { o.Progress = func(p Progress) { last = p } })
		r.checkIDs(30)
		if last.Games != 30 || !last.From.IsZero() || !last.At.Equal(r.start.Add(58*time.Hour)) {
			t.Errorf("progress %+v", last)
		}
		r.addGame(30)
		r.fetch(Result{Imported: record.Imported{Added: 1, Known: 13}, Received: 14})
		r.checkIDs(31)
		r.fetch(Result{Imported: record.Imported{Known: 1}, Received: 1}, func(o *Options) { o.Since = r.start.Add(60 * time.Hour) })
	})
}

// A record has what the bot would have written itself, but for its evaluations.
func TestGames_Record(t *testing.T) {
	r := newRig(t, 1)
	r.fetch(added(1))
	list, err := record.ReadFiles(t.Context(), r.dir)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d games, %v", len(list), err)
	}
	want := record.Summary{
		ID: gameID(0), Site: r.URL() + "/" + gameID(0), Rated: true, Created: r.start.UTC().Truncate(time.Second),
		White: record.Player{Name: "zhbot", Title: "BOT", Rating: 2000, RatingDiff: 3, Provisional: true}, Black: record.Player{Name: "Alice", Rating: 1500, RatingDiff: -4, Provisional: true},
		RatingKnown: true, Speed: lichess.Blitz, Clock: lichess.Clock{Initial: 3 * time.Minute, Increment: 2 * time.Second},
		Status: lichess.StatusMate, Result: rules.WhiteWins,
	}
	if diff := cmp.Diff(want, *list[0]); diff != "" {
		t.Errorf("summary (-want +got):\n%s", diff)
	}
	text, err := os.ReadFile(filepath.Join(r.dir, r.start.UTC().Format("2006-01")+".pgn"))
	if err != nil || !strings.Contains(string(text), "1. e4 { [%clk 0:03:00] } 1... f6 { [%clk 0:02:59.9] } 2. d4 g5 3. Qh5# 1-0") {
		t.Errorf("%s, %v", text, err)
	}
}

// Fetched games are known to the memory of opponents.
func TestGames_Memory(t *testing.T) {
	r := newRig(t, 8)
	r.fetch(added(8))
	archive, err := record.Open(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	file, err := record.OpenState(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	m := opponent.NewMemory(file, zerolog.Nop())
	if err := m.Load(t.Context(), archive, "zhbot", time.Now()); err != nil {
		t.Fatal(err)
	}
	if alice, want := m.Tally("alice"), (record.Tally{Won: 1, Lost: 3}); alice != want {
		t.Errorf("against Alice %+v, want %+v", alice, want)
	}
	if white, known := m.LastColor("bobbot"); !known || white {
		t.Errorf("last colour against BobBot: white %t, known %t", white, known)
	}
	if n := len(m.Usage(time.Now()).BotGames); n != 4 {
		t.Errorf("%d games against bots in the last day", n)
	}
	first := rules.StartPosition()
	f3, err := first.ParseUCI("f2f3") // it lost two games
	if moves, _ := m.Avoid("", rules.NewGame(first)); err != nil || len(moves) != first.CountMoves()-1 || slices.Contains(moves, f3) {
		t.Errorf("%d moves that have not lost: %v, %v", len(moves), moves, err)
	}
}

// Lines that are repeated, or no games, do no harm.
func TestGames_Noise(t *testing.T) {
	r := newRig(t, 10)
	r.Faults.Inject("duplicate", lichesstest.When{Chance: 1})
	r.Faults.Inject("odd", lichesstest.When{Chance: 1})
	invalid := 0
	r.fetch(Result{Imported: record.Imported{Added: 10}, Received: 10, Invalid: 40}, func(o *Options) {
		o.Invalid = func(string, error) { invalid++ }
	})
	r.checkIDs(10)
	if invalid != 40 {
		t.Errorf("%d lines skipped", invalid)
	}
}

// cutConn closes a connection when so many bytes have been written to this and others.
type cutConn struct {
	net.Conn
	left *atomic.Int64
}

func (c cutConn) Write(p []byte) (int, error) {
	if c.left.Add(int64(-len(p))) < 0 {
		c.left.Store(math.MaxInt64)
		_ = c.Conn.Close()
	}
	return c.Conn.Write(p)
}

// A connection that breaks in a game costs nothing: the fetch continues there.
func TestGames_Resumes(t *testing.T) {
	fakeTime(t, func(t *testing.T) {
		var left atomic.Int64
		left.Store(5000)
		r := newRig(t, 20, func(o *lichesstest.Options) {
			o.WrapConn = func(c net.Conn) net.Conn { return cutConn{c, &left} }
		})
		waits := 0
		r.fetch(added(20), func(o *Options) {
			o.Waiting = func(wait time.Duration, err error) {
				var network *lichess.NetworkError
				if waits++; wait <= 0 || !errors.As(err, &network) {
					t.Errorf("waits %s after %v", wait, err)
				}
				if got := len(r.ids()); got == 0 || got == 20 {
					t.Errorf("%d games are written before the wait", got)
				}
			}
		})
		r.checkIDs(20)
		if waits != 1 {
			t.Errorf("%d waits", waits)
		}
	})
}

// What was received before an interruption is kept, and the next fetch continues there.
func TestGames_Interrupted(t *testing.T) {
	fakeTime(t, func(t *testing.T) {
		r := newRig(t, 80)
		ctx, cancel := context.WithCancel(t.Context())
		o := r.options()
		o.Progress = func(p Progress) {
			if p.Games == 25 {
				cancel()
			}
		}
		got, err := Games(ctx, r.client, o)
		if !errors.Is(err, context.Canceled) || got.Added < 25 || got.Added == 80 {
			t.Fatalf("result %+v, error %v", got, err)
		}
		r.checkIDs(got.Added)
		again := min(got.Added, 13) // of the day before the last
		r.fetch(Result{Imported: record.Imported{Added: 80 - got.Added, Known: again}, Received: 80 - got.Added + again})
		r.checkIDs(80)
	})
}

// After a 429 it waits as long as Lichess says.
func TestGames_RateLimit(t *testing.T) {
	fakeTime(t, func(t *testing.T) {
		r := newRig(t, 3)
		r.Faults.Inject("limit", lichesstest.When{Class: "export", For: time.Second, Style: lichesstest.LimitRetryAfter})
		waits := 0
		r.fetch(added(3), func(o *Options) {
			o.Waiting = func(wait time.Duration, err error) {
				var limited *lichess.RateLimitError
				if waits++; wait < 500*time.Millisecond || !errors.As(err, &limited) {
					t.Errorf("waits %s after %v", wait, err)
				}
			}
		})
		if waits == 0 {
			t.Error("no wait")
		}
	})
}

// A refusal is final, and nothing is written.
func TestGames_Refused(t *testing.T) {
	r := newRig(t, 3)
	o := r.options()
	o.User = "nobody"
	if got, err := Games(t.Context(), r.client, o); !errors.Is(err, lichess.ErrNotFound) || got != (Result{}) {
		t.Errorf("result %+v, error %v", got, err)
	}
}

// A game in progress is fetched when it is over, however long that takes.
func TestGames_InProgress(t *testing.T) {
	r := newRig(t, 0)
	r.Server.AddHuman("Slowpoke", lichesstest.Idle())
	correspondence := r.startGame()
	later := time.Now()
	for i := range 3 {
		r.addGameAt(i, time.Now())
	}
	r.fetch(Result{Imported: record.Imported{Added: 3}, Received: 4, InProgress: 1})
	c, err := readCheckpoint(r.dir)
	if done := c.of("ZHBOT"); err != nil || done.After(later) || done.IsZero() {
		t.Errorf("fetched until %s, %v", done, err)
	}
	if err := r.client.Resign(t.Context(), correspondence); err != nil {
		t.Fatal(err)
	}
	r.fetch(Result{Imported: record.Imported{Known: 3}, Received: 4, Others: 1}) // it was aborted
}

// startGame has zhbot challenge Slowpoke to a game of days, and returns its id.
func (r *rig) startGame() string {
	r.t.Helper()
	id := r.Challenge("zhbot", "Slowpoke", lichesstest.ChallengeSpec{Days: 3})
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if playing, err := r.client.Playing(r.t.Context()); err == nil && len(playing.Games) == 1 {
			return id
		}
	}
	r.t.Fatal("the game does not begin")
	return ""
}

// Games of other variants, and those without moves, are none to record.
func TestGames_Others(t *testing.T) {
	r := newRig(t, 2)
	at := time.Now().Add(-time.Minute)
	r.AddGame(lichesstest.PastGame{White: "zhbot", Black: "Alice", Created: at, Spec: lichesstest.ChallengeSpec{Limit: time.Minute, Variant: "standard"}, Moves: "e2e4 e7e5"})
	r.AddGame(lichesstest.PastGame{White: "zhbot", Black: "Alice", Created: at, Spec: lichesstest.ChallengeSpec{Limit: time.Minute}, Moves: "e2e4", Status: "aborted"})
	r.fetch(Result{Imported: record.Imported{Added: 2}, Received: 4, Others: 2})
	other := func(o *Options) { o.User, o.Own, o.Dir = "Alice", false, filepath.Join(r.dir, "players", "alice") }
	r.fetch(Result{Imported: record.Imported{Added: 1}, Received: 2, Others: 1}, other) // the index has no other variant
}

// A game of another player that was in progress at the last fetch is not listed until it
// is over, under the time at which it began.
func TestGames_OthersInProgress(t *testing.T) {
	r := newRig(t, 1)
	other := func(o *Options) { o.User, o.Own = "Alice", false }
	r.fetch(added(1), other)
	r.addGameAt(2, r.start.Add(-10*day))
	r.fetch(Result{Imported: record.Imported{Added: 1, Known: 1}, Received: 2}, other)
}

const day = 24 * time.Hour

// A fetch that leaves a gap before it is not where the next one continues.
func TestGames_Gap(t *testing.T) {
	fakeTime(t, func(t *testing.T) {
		r := newRig(t, 30)
		r.fetch(added(5), func(o *Options) { o.Since = r.start.Add(50 * time.Hour) })
		r.fetch(Result{Imported: record.Imported{Added: 25, Known: 5}, Received: 30})
		r.checkIDs(30)
	})
}

func TestGames_InUse(t *testing.T) {
	r := newRig(t, 1)
	archive, err := record.Open(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	if _, err := Games(t.Context(), r.client, r.options()); !errors.Is(err, record.ErrInUse) {
		t.Errorf("error %v", err)
	}
}

func TestCheckpoint_Invalid(t *testing.T) {
	r := newRig(t, 1)
	if err := os.MkdirAll(r.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(r.dir, checkpointName)
	filetest.Write(t, path, "{")
	if _, err := Games(t.Context(), r.client, r.options()); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v does not name %s", err, path)
	}
}

func TestGame(t *testing.T) {
	r := newRig(t, 1)
	g, err := Game(t.Context(), r.client, gameID(0), "https://lichess.org")
	if err != nil || g.Site != "https://lichess.org/past0000" || g.Game.Ply() != 5 {
		t.Errorf("game %+v, error %v", g, err)
	}
	r.Server.AddHuman("Slowpoke", lichesstest.Idle())
	if _, err := Game(t.Context(), r.client, r.startGame(), ""); !errors.Is(err, ErrInProgress) {
		t.Errorf("in progress: %v", err)
	}
	id := r.AddGame(lichesstest.PastGame{White: "zhbot", Black: "Alice", Created: time.Now(), Spec: lichesstest.ChallengeSpec{Variant: "atomic"}})
	if _, err := Game(t.Context(), r.client, id, ""); !errors.Is(err, ErrVariant) || !strings.Contains(err.Error(), "atomic") {
		t.Errorf("another variant: %v", err)
	}
	if _, err := Game(t.Context(), r.client, "nonesuch", ""); !errors.Is(err, lichess.ErrNotFound) {
		t.Errorf("unknown: %v", err)
	}
}
