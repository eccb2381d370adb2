package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
	"github.com/zhbot/zhbot/rules/pgn"
)

// TestMain puts this program, which is that of the tests, on the PATH under its own name.
func TestMain(m *testing.M) {
	switch filepath.Base(os.Args[0]) {
	case "zhbot":
		main()
	case "gated-engine":
		gatedEngine()
	}
	flag.Parse()
	// The tests wait more than they compute.
	err := flag.Set("test.parallel", "8")
	self, errSelf := os.Executable()
	dir, errDir := os.MkdirTemp(filepath.Dir(self), "bin-") // beside it, so that it can be linked
	err = errors.Join(err, errSelf, errDir, os.Link(self, filepath.Join(dir, "zhbot")),
		os.Link(self, filepath.Join(dir, "gated-engine")),
		os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH")))
	if err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// The scripts of this folder run programs in this process, where only one can run at a time.
func TestScripts(t *testing.T) { testscript.RunT(oneByOne{t}, scripts("testdata/script")) }

// Those of this folder run them by exec, in processes of their own.
func TestScripts_Processes(t *testing.T) {
	t.Parallel()
	testscript.Run(t, scripts("testdata/process"))
}

// oneByOne runs scripts one after another, since commands in this process share its folder
// and its environment.
type oneByOne struct{ *testing.T }

// Parallel implements testscript.T.
func (oneByOne) Parallel() {}

// Run implements testscript.T.
func (t oneByOne) Run(name string, f func(testscript.T)) {
	t.T.Run(name, func(t *testing.T) { f(oneByOne{t}) })
}

// Verbose implements testscript.T.
func (oneByOne) Verbose() bool { return testing.Verbose() }

// scripts returns the parameters of the scripts of a folder.
func scripts(dir string) testscript.Params {
	return testscript.Params{
		Dir: dir,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"zhbot": func(ts *testscript.TestScript, failing bool, args []string) {
				if code := runZhbot(ts, args); (code != exitOK) != failing {
					ts.Fatalf("exit code %d", code)
				}
			},
			"lichess":     startLichess,
			"unreachable": unreachableServer,
			"status":      status,
			"busyport":    busyPort,
			"readpgn":     readPGN,
			"savetoken":   saveToken,
			"mode":        checkMode,
			"freeport":    freePort,
		},
		Setup: func(e *testscript.Env) error {
			repo, err := filepath.Abs(filepath.Join("..", ".."))
			e.Vars = append(e.Vars, "REPO="+repo, "ZHBOT_RECORDS_DIR="+e.WorkDir+"/records", "ZHBOT_ENGINE_HASH_MB=1",
				"GORACE="+os.Getenv("GORACE"))
			return err
		},
	}
}

// runZhbot runs a command line in the folder and the environment of a script, and returns
// the exit code; its last argument may be "<" and the file to read. "exec zhbot" runs it in a
// process of its own, which takes much longer.
func runZhbot(ts *testscript.TestScript, args []string) int {
	input := ""
	if last := len(args) - 1; last >= 0 && strings.HasPrefix(args[last], "<") {
		args, input = args[:last], ts.ReadFile(args[last][1:])
	}
	before, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	defer os.Chdir(before)
	defer setEnvironment(os.Environ())
	environment := []string{"PWD=" + ts.MkAbs(".")}
	// testscript has no method that lists it
	for _, variable := range reflect.ValueOf(ts).Elem().FieldByName("env").Seq2() {
		environment = append(environment, variable.String())
	}
	setEnvironment(environment)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	return run(ctx, args, strings.NewReader(input), ts.Stdout(), ts.Stderr())
}

func setEnvironment(variables []string) {
	os.Clearenv()
	for _, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		os.Setenv(name, value)
	}
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

// unreachableServer sets the URL to an address where nobody listens.
func unreachableServer(ts *testscript.TestScript, _ bool, _ []string) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Check(ln.Close())
	ts.Setenv("ZHBOT_LICHESS_URL", "http://"+ln.Addr().String())
	ts.Setenv("ZHBOT_LICHESS_TOKEN", "lip_sometoken")
}

// busyPort listens at an address, which it names in BUSY, and hangs up on
// whoever connects.
func busyPort(ts *testscript.TestScript, _ bool, _ []string) {
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
	ts.Setenv("BUSY", ln.Addr().String())
}

// saveToken moves the token from the environment into a file, for it must not be in the
// script's output: savetoken FILE.
func saveToken(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(ts.Getenv("ZHBOT_LICHESS_TOKEN")), 0o600))
	ts.Setenv("ZHBOT_LICHESS_TOKEN", "")
}

// checkMode checks who may do what with files: mode PERMISSIONS FILE...
func checkMode(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args[1:] {
		info, err := os.Stat(ts.MkAbs(name))
		ts.Check(err)
		if got := strconv.FormatUint(uint64(info.Mode().Perm()), 8); got != args[0] {
			ts.Fatalf("%s has the mode %s, want %s", name, got, args[0])
		}
	}
}

// status runs a command and checks its exit code: status CODE [exec] COMMAND...
func status(ts *testscript.TestScript, _ bool, args []string) {
	code := "0"
	if args[1] == "zhbot" {
		code = strconv.Itoa(runZhbot(ts, args[2:]))
	} else if err := ts.Exec(args[2], args[3:]...); err != nil {
		_, code, _ = strings.Cut(err.Error(), "exit status ")
	}
	if code != args[0] {
		ts.Fatalf("exit code %q, want %s", code, args[0])
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
		ts.Fatalf("a game of %d moves that ends with %s on the board has the result %q",
			len(g.Moves), o.Result(), g.Result)
	}
}

// TestCommands_ExplainThemselves holds every command to an example in its help, and every
// file with help to a command.
func TestCommands_ExplainThemselves(t *testing.T) {
	texts, err := fs.Glob(helpTexts, "help/*")
	if err != nil {
		t.Fatal(err)
	}
	commands := []*cobra.Command{newRoot()}
	for i := 0; i < len(commands); i++ {
		commands = append(commands, commands[i].Commands()...)
	}
	for _, c := range commands[1:] {
		texts = slices.DeleteFunc(texts, func(name string) bool { return name == helpFile(c) })
		if c.Hidden {
			continue
		}
		if c.Short == "" || !strings.Contains(c.Example, "  "+c.CommandPath()) {
			t.Errorf("%s: short %q, example %q", c.CommandPath(), c.Short, c.Example)
		}
	}
	if len(texts) != 1 || texts[0] != helpFile(commands[0]) {
		t.Errorf("no command has the help in %s", texts)
	}
	if len(commands) < 20 {
		t.Errorf("only %d commands", len(commands))
	}
}

// zhbotPath returns the program that TestMain has put on the PATH.
func zhbotPath(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("zhbot")
	if err != nil {
		t.Fatal(err)
	}
	return path
}
