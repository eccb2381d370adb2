package main

import (
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// TestMain lets scripts run this program under its own name.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"zhbot": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"lichess": startLichess,
			"deaf":    deafServer,
			"status":  status,
			"taken":   takenPort,
			"readpgn": readPGN,
		},
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, "ZHBOT_RECORDS_DIR="+e.WorkDir+"/records", "ZHBOT_ENGINE_HASH_MB=16")
			return nil
		},
	})
}

// startLichess starts an embedded Lichess with an account, and sets URL and
// token for the commands that follow: lichess TITLE SCOPE...
func startLichess(ts *testscript.TestScript, _ bool, args []string) {
	s, err := lichesstest.Start(lichesstest.Options{})
	ts.Check(err)
	ts.Defer(s.Close)
	title := strings.Trim(args[0], "-")
	ts.Setenv("ZHBOT_LICHESS_URL", s.URL())
	ts.Setenv("ZHBOT_LICHESS_TOKEN", s.AddUser("Tester", title, args[1:]...))
}

// deafServer sets the URL to an address where nobody listens.
func deafServer(ts *testscript.TestScript, _ bool, _ []string) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Check(ln.Close())
	ts.Setenv("ZHBOT_LICHESS_URL", "http://"+ln.Addr().String())
	ts.Setenv("ZHBOT_LICHESS_TOKEN", "lip_sometoken")
}

// takenPort listens at an address, which it names in TAKEN, and hangs up on
// whoever connects.
func takenPort(ts *testscript.TestScript, _ bool, _ []string) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { ln.Close() })
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			c.Close()
		}
	}()
	ts.Setenv("TAKEN", ln.Addr().String())
}

// status runs a command and checks its exit code: status CODE COMMAND...
func status(ts *testscript.TestScript, _ bool, args []string) {
	err := ts.Exec(args[1], args[2:]...)
	code := "0"
	if err != nil {
		_, code, _ = strings.Cut(err.Error(), "exit status ")
	}
	if code != args[0] {
		ts.Fatalf("exit code %q, want %s: %v", code, args[0], err)
	}
}

// readPGN reads the games that a bot has left in a folder, checks that each is
// played to the end its tag names, and how many there are: readpgn DIR GAMES.
func readPGN(ts *testscript.TestScript, _ bool, args []string) {
	files, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), "*.pgn"))
	ts.Check(err)
	n := 0
	for _, path := range files {
		file, err := os.Open(path)
		ts.Check(err)
		defer file.Close()
		games := pgn.NewReader(file)
		for g, err := games.Next(); !errors.Is(err, io.EOF); g, err = games.Next() {
			ts.Check(err)
			n++
			replay(ts, g)
		}
	}
	if strconv.Itoa(n) != args[1] {
		ts.Fatalf("%d games, want %s", n, args[1])
	}
}

// replay plays a game again: on the board, it must end as the record says.
func replay(ts *testscript.TestScript, g *pgn.Game) {
	game := rules.NewGame(g.Start)
	for _, m := range g.Moves {
		ts.Check(game.Play(m.Move))
	}
	if o := game.Outcome(rules.Threefold); o.Over() && o.Result() != g.Result || len(g.Moves) == 0 {
		ts.Fatalf("a game of %d moves that ends with %s on the board has the result %q", len(g.Moves), o.Result(), g.Result)
	}
}

// TestCommands_ExplainThemselves holds every command to an example in its help.
func TestCommands_ExplainThemselves(t *testing.T) {
	commands := []*cobra.Command{newRoot()}
	for i := 0; i < len(commands); i++ {
		commands = append(commands, commands[i].Commands()...)
	}
	for _, c := range commands[1:] {
		if c.Short == "" || !strings.Contains(c.Example, "  "+c.CommandPath()) {
			t.Errorf("%s: short %q, example %q", c.CommandPath(), c.Short, c.Example)
		}
	}
	if len(commands) < 20 {
		t.Errorf("only %d commands", len(commands))
	}
}

// waitFor waits until something holds.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !holds(); {
		if time.Now().After(deadline) {
			t.Fatalf("not within two minutes: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// TestRun_KilledAndRestarted kills "zhbot run" in the middle of its games,
// three times, and starts it again: it must finish the same games, lose none
// on time and post nothing twice; then it must drain on SIGTERM.
func TestRun_KilledAndRestarted(t *testing.T) {
	const games = 3
	results := make(chan lichesstest.Result, games)
	s := lichesstest.NewServer(t, lichesstest.Options{AnyClock: true, OnFinish: func(r lichesstest.Result) { results <- r }})
	token := s.AddBot("zhbot")
	for i, name := range []string{"a", "b", "c"} {
		s.AddHuman(name, lichesstest.Slow(lichesstest.Random(uint64(i)), 50*time.Millisecond))
	}
	records := t.TempDir()
	start := func() *exec.Cmd {
		cmd := exec.Command(zhbotPath(t), "run", "--set", "engine.max_time=100ms")
		cmd.Env = append(os.Environ(), "ZHBOT_LICHESS_URL="+s.URL(), "ZHBOT_LICHESS_TOKEN="+token,
			"ZHBOT_RECORDS_DIR="+records, "ZHBOT_ENGINE_HASH_MB=16")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd
	}
	bot := start()
	waitFor(t, "the bot is online", func() bool { return s.Online("zhbot") })
	var ids []string
	for _, name := range []string{"a", "b", "c"} {
		ids = append(ids, s.Challenge(name, "zhbot", lichesstest.ChallengeSpec{Limit: time.Minute, Increment: time.Second}))
	}
	for kill := range 3 {
		waitFor(t, "two more moves", func() bool { return s.Audit().Moves["zhbot"] >= 2*(kill+1) })
		if err := bot.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = bot.Wait()
		bot = start()
	}
	finished := map[string]lichesstest.Result{}
	for range games {
		select {
		case r := <-results:
			finished[r.ID] = r
		case <-time.After(2 * time.Minute):
			t.Fatalf("%d of %d games ended", len(finished), games)
		}
	}
	for _, id := range ids {
		if r, ok := finished[id]; !ok || r.Status == "outoftime" || r.Status == "aborted" {
			t.Errorf("game %s: %+v", id, r)
		}
	}
	a := s.Audit()
	if a.LostOnTime["zhbot"] > 0 || a.Illegal["zhbot"] > 0 || a.Duplicates["zhbot"] > 0 || a.OutOfTurn["zhbot"] > 0 {
		t.Errorf("the server noticed %+v", a)
	}
	if err := bot.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := bot.Wait(); err != nil {
		t.Errorf("drained with %v", err)
	}
	checkRecords(t, records, ids)
}

// checkRecords checks that each game is recorded once, whole, with an evaluation
// of most of our moves, those from before a crash included, and that no journal
// is left.
func checkRecords(t *testing.T, dir string, ids []string) {
	t.Helper()
	games, err := record.ReadFiles(dir)
	if err != nil {
		t.Fatal(err)
	}
	var recorded []string
	for _, g := range games {
		recorded = append(recorded, g.ID)
	}
	slices.Sort(recorded)
	slices.Sort(ids)
	if !slices.Equal(recorded, ids) {
		t.Errorf("recorded are %v, played were %v", recorded, ids)
	}
	if journals, err := os.ReadDir(filepath.Join(dir, "live")); err != nil || len(journals) > 0 {
		t.Errorf("journals left: %v, %v", journals, err)
	}
	plies, evaluations := 0, 0
	for _, g := range games {
		plies += g.Plies
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.pgn"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		evaluations += strings.Count(string(text), "[%eval")
	}
	if evaluations < plies/3 {
		t.Errorf("%d evaluations of %d moves", evaluations, plies)
	}
}

// zhbotPath returns the program that testscript has put on the PATH.
func zhbotPath(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("zhbot")
	if err != nil {
		t.Fatal(err)
	}
	return path
}
