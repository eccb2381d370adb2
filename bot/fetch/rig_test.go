package fetch

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/internal/file/filetest"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules/pgn"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fakeTime runs a test on a fake clock, in a year when Lichess has games.
func fakeTime(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(20 * 365 * day)
		test(t)
	})
}

// rig is an embedded Lichess, the account zhbot there, and a folder for its records.
type rig struct {
	*lichesstest.Server
	t      *testing.T
	client *lichess.Client
	dir    string
	start  time.Time // of the first game
}

// games are the moves of the games of the past, by turns.
var games = []string{"e2e4 f7f6 d2d4 g7g5 d1h5", "f2f3 e7e5 g2g4 d8h4", "e2e4 e7e5 g1f3"}

// newRig returns a rig where zhbot has played n games against Alice and BobBot, two hours
// after each other, the last one two hours ago.
func newRig(t *testing.T, n int, change ...func(*lichesstest.Options)) *rig {
	t.Helper()
	o := lichesstest.Options{InMemory: true}
	for _, f := range change {
		f(&o)
	}
	s := lichesstest.NewServer(t, o)
	r := &rig{Server: s, t: t, client: s.Client(t, s.AddBot("zhbot")), dir: filepath.Join(t.TempDir(), "records"), start: time.Now().Add(-2 * time.Hour * time.Duration(n)).Truncate(time.Millisecond)}
	s.AddUser("Alice", "")
	s.AddUser("BobBot", "BOT")
	for i := range n {
		r.addGame(i)
	}
	return r
}

func gameID(i int) string { return fmt.Sprintf("past%04d", i) }

func (r *rig) addGame(i int) { r.addGameAt(i, r.start.Add(2*time.Hour*time.Duration(i))) }

func (r *rig) addGameAt(i int, created time.Time) {
	white, black := "zhbot", []string{"Alice", "BobBot"}[i%2]
	if i%4 >= 2 {
		white, black = black, white
	}
	r.AddGame(lichesstest.PastGame{
		ID: gameID(i), White: white, Black: black, Created: created, Moves: games[i%3],
		Spec:   lichesstest.ChallengeSpec{Limit: 3 * time.Minute, Increment: 2 * time.Second, Rated: true},
		Clocks: []time.Duration{180 * time.Second, 179990 * time.Millisecond}, RatingDiff: [2]int{3, -4},
	})
}

func (r *rig) options() Options {
	return Options{
		Dir: r.dir, User: "zhBot", Own: true, Site: r.URL(),
		Progress: func(Progress) {}, Waiting: func(time.Duration, error) {}, Invalid: func(string, error) {},
	}
}

// fetch fetches games and checks the counts.
func (r *rig) fetch(want Result, change ...func(*Options)) {
	r.t.Helper()
	o := r.options()
	for _, f := range change {
		f(&o)
	}
	got, err := Games(r.t.Context(), r.client, o)
	if err != nil {
		r.t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		r.t.Errorf("result (-want +got):\n%s", diff)
	}
}

func added(n int) Result { return Result{Imported: record.Imported{Added: n}, Received: n} }

// ids returns the ids of the recorded games by when they were created, as many as are in
// the files.
func (r *rig) ids() (list []string) {
	r.t.Helper()
	files, err := filepath.Glob(filepath.Join(r.dir, "*.pgn"))
	if err != nil {
		r.t.Fatal(err)
	}
	var text strings.Builder
	for _, name := range files {
		text.WriteString(filetest.Read(r.t, name))
	}
	for h, err := range pgn.Headers(strings.NewReader(text.String())) {
		if err != nil {
			r.t.Fatal(err)
		}
		list = append(list, h.Tag("GameId"))
	}
	return list
}

// checkIDs checks that the records are the first n games, once and in order.
func (r *rig) checkIDs(n int) {
	r.t.Helper()
	var want []string
	for i := range n {
		want = append(want, gameID(i))
	}
	if diff := cmp.Diff(want, r.ids()); diff != "" {
		r.t.Errorf("recorded (-want +got):\n%s", diff)
	}
}
