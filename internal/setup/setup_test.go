package setup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// chdir makes a new folder the current one, in an environment with the server.
func chdir(t *testing.T, s *lichesstest.Server) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for name, value := range map[string]string{
		"ZHBOT_LICHESS_URL": s.URL(), tokenVariable: "", "ZHBOT_WEB_LISTEN": "",
	} {
		t.Setenv(name, value)
	}
	return dir
}

// wantFile checks a file's content and who can read it.
func wantFile(t *testing.T, name, want string, mode os.FileMode) {
	t.Helper()
	content := fixture.Read(t, name)
	if diff := cmp.Diff(want, content); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != mode && runtime.GOOS != "windows" {
		t.Errorf("%s has the mode %o", name, info.Mode().Perm())
	}
}

// The whole dialogue, from nothing to a bot that can run. Tokens and names that will not
// do are asked for again; no token is ever shown.
func TestRun_Dialogue(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{})
	dir := chdir(t, s)
	tokens := []string{
		"lip_mistyped", s.AddUser("Reader", "", "challenge:read"), s.AddUser("Veteran", "", "bot:play"),
		s.AddUser("Closed", "", "bot:play"), s.AddUser("Tester", "", "bot:play", "challenge:read"),
	}
	s.SetPerf("Veteran", 1800, 12)
	s.CloseAccount("Closed")
	s.SetBio("Tester", "")
	p := sitDown(t)
	done := p.run(t.Context(), options())
	p.expect(s.URL() + "/account/oauth/token/create?" +
		"scopes[]=bot:play&scopes[]=challenge:read&description=zhbot")
	for i, problem := range []string{
		"Lichess does not know this token", "lacks the scope bot:play; it has challenge:read",
		"Veteran is not a BOT account, and has played 12 games, so Lichess will not turn it into one",
		"it may be closed", "",
	} {
		p.expect("Token (it is not shown): ")
		p.enter(tokens[i])
		if problem != "" {
			p.expect("WRONG   ")
			p.expect(problem)
		}
	}
	p.expect("token   of Tester, scopes bot:play, challenge:read\n")
	p.expect("CANNOT be undone")
	for _, name := range []string{"yes", "Tester"} {
		p.expect("Type the account's name to upgrade it")
		p.enter(name)
	}
	p.expect("wrote   " + filepath.Join(dir, "token") + ", which only you can read\n")
	p.expect("wrote   " + filepath.Join(dir, "config.yaml") + "\n")
	p.expect("account Tester is a BOT account now\n")
	p.expect("ok      account: BOT Tester")
	p.expect("note    the account has no bio")
	p.expect("-> write one at " + s.URL() + "/account/profile\n")
	p.expect("Run the bot now? [Y/n] ")
	p.enter("")
	if r := p.end(done); r.err != nil || r.run == nil || r.run.File != filepath.Join(dir, "config.yaml") {
		t.Errorf("the setup ended with %+v", r)
	}
	wantFile(t, "token", tokens[4]+"\n", 0o600)
	wantFile(t, "config.yaml", fmt.Sprintf(newSettings, filepath.Join(dir, "token"),
		filepath.Join(dir, "records")), 0o644)
	for _, token := range tokens {
		if strings.Contains(p.screen(), token) {
			t.Errorf("the terminal has shown %s", token[:6])
		}
	}
}

// The new settings are the defaults, but for the token and the place of the records.
func TestNewSettings(t *testing.T) {
	text := fmt.Sprintf(newSettings, `/home/a "b"/100%`, `/home/a "b"/records`)
	c, err := config.Parse(config.Source{}, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	usual := config.Default()
	changed := config.Diff(c, &usual)
	if !slices.Equal(changed, []string{"lichess.token_file", "records.dir"}) ||
		c.Lichess.TokenFile != `/home/a "b"/100%` || c.Records.Dir != `/home/a "b"/records` {
		t.Errorf("%v changed, the token is in %s, the records in %s", changed, c.Lichess.TokenFile, c.Records.Dir)
	}
	if n := strings.Count(text, "\n"); n > 15 {
		t.Errorf("%d lines", n)
	}
}

// An interrupted setup has written nothing, and the terminal shows what is typed again.
func TestRun_Interrupted(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{})
	chdir(t, s)
	token := s.AddUser("Tester", "", "bot:play")
	for name, interruption := range map[string]func(p *person, interrupt func()){
		"token":  func(_ *person, interrupt func()) { interrupt() },
		"Ctrl-C": func(p *person, _ func()) { p.enter("half\x03") }, // the hidden input reads it itself
		"upgrade": func(p *person, interrupt func()) {
			p.enter(token)
			p.expect("Type the account's name")
			interrupt()
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := sitDown(t)
			ctx, interrupt := context.WithCancel(t.Context())
			done := p.run(ctx, options())
			p.expect("Token (it is not shown): ")
			interruption(p, interrupt)
			r := p.end(done)
			wrote := file.Exists("config.yaml") || file.Exists("token")
			if wrote || !errors.Is(r.err, context.Canceled) && !errors.Is(r.err, io.EOF) {
				t.Errorf("the setup ended with %+v", r)
			}
			p.enter("visible")
			p.expect("visible")
			if strings.Contains(p.screen(), "half") {
				t.Errorf("the terminal has shown\n%s", p.screen())
			}
		})
	}
}

// The upgrade can wait; a second setup asks only about it and the start.
func TestRun_UpgradeLater(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{})
	dir := chdir(t, s)
	token := s.AddUser("Tester", "", "bot:play")
	p := sitDown(t)
	done := p.run(t.Context(), options())
	p.expect("Token (it is not shown): ")
	p.enter(token)
	p.expect("Type the account's name")
	p.enter("")
	p.expect("wrote   " + filepath.Join(dir, "config.yaml") + "\n")
	p.expect("next    run \"zhbot setup\" again to turn Tester into a BOT account\n")
	if r := p.end(done); r.err != nil || r.run != nil {
		t.Errorf("the setup ended with %+v", r)
	}

	p = sitDown(t)
	done = p.run(t.Context(), options())
	p.expect("Type the account's name")
	p.enter("tester")
	p.expect("account Tester is a BOT account now\n")
	p.expect("Run the bot now? [Y/n] ")
	p.enter("n")
	p.expect("ready   start it with \"zhbot run\"\n")
	if r := p.end(done); r.err != nil || r.run != nil || strings.Contains(p.screen(), "wrote") {
		t.Errorf("the setup ended with %+v:\n%s", r, p.screen())
	}
}

// withoutTerminal runs a setup that cannot ask.
func withoutTerminal(t *testing.T, o Options, input string) (out string, err error) {
	t.Helper()
	var b strings.Builder
	o.In, o.Out = strings.NewReader(input), &b
	source, err := Run(t.Context(), o)
	if source != nil {
		t.Error("the bot is run though nobody was asked")
	}
	return b.String(), err
}

// A file that exists is not changed: setup prints the line to add, unless the file has it.
func TestRun_ExistingFile(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{})
	dir := chdir(t, s)
	token := s.AddBot("Tester")
	const own = "# my bot\ngames: {max: 3}\n"
	line := fmt.Sprintf("add     token_file: %q to the section lichess of %s\n",
		filepath.Join(dir, "secret"), filepath.Join(dir, "config.yaml"))
	o := options()
	o.TokenStdin, o.TokenFile = true, "secret"
	fixture.Write(t, "config.yaml", own)
	out, err := withoutTerminal(t, o, "\ufeff"+token)
	if err != nil || !strings.Contains(out, line) || !strings.Contains(out, "up to 3 games at once") {
		t.Errorf("error %v, printed\n%s", err, out)
	}
	wantFile(t, "config.yaml", own, 0o600)
	wantFile(t, "secret", token+"\n", 0o600)

	fixture.Write(t, "config.yaml", own+"lichess: {token_file: secret}\n")
	out, err = withoutTerminal(t, options(), "")
	if err != nil || strings.Contains(out, "add ") || strings.Contains(out, "wrote") {
		t.Errorf("error %v, printed\n%s", err, out)
	}
	fixture.Write(t, "config.yaml", "lichess: {token: "+token+"}\n")
	out, err = withoutTerminal(t, options(), "")
	if err != nil || strings.Contains(out, "add ") || file.Exists("token") {
		t.Errorf("error %v, printed\n%s", err, out)
	}
}

// Lichess may be unreachable.
func TestRun_Unreachable(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{})
	chdir(t, s)
	token := s.AddBot("Tester")
	s.Faults.Inject("down", lichesstest.When{For: time.Hour})
	p := sitDown(t)
	done := p.run(t.Context(), options())
	p.expect("Token (it is not shown): ")
	p.enter(token)
	r := p.end(done)
	want := "could not ask " + s.URL() + " about the token: "
	if r.err == nil || !strings.Contains(r.err.Error(), want) || file.Exists("token") {
		t.Errorf("the setup ended with %+v", r)
	}
}

// A token in the environment is kept if there is none; another is not overwritten.
func TestRun_TokenInTheEnvironment(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{})
	dir := chdir(t, s)
	token, other := s.AddBot("Tester"), s.AddBot("Other")
	t.Setenv(tokenVariable, token)
	if out, err := withoutTerminal(t, options(), ""); err != nil {
		t.Fatalf("%v, printed\n%s", err, out)
	}
	wantFile(t, "token", token+"\n", 0o600)

	t.Setenv(tokenVariable, other)
	_, err := withoutTerminal(t, options(), "")
	want := filepath.Join(dir, "token") + " has another token: remove it, or name another file with --token-file"
	if err == nil || err.Error() != want {
		t.Errorf("with another token: %v", err)
	}
	o := options()
	o.TokenStdin = true
	want = "--token-stdin: ZHBOT_LICHESS_TOKEN takes precedence: unset it"
	if _, err = withoutTerminal(t, o, token); err == nil || err.Error() != want {
		t.Errorf("with two tokens: %v", err)
	}
	s.Revoke(other)
	if _, err = withoutTerminal(t, options(), ""); !bot.IsRefused(err) {
		t.Errorf("with a revoked token: %v", err)
	}
	wantFile(t, "token", token+"\n", 0o600)
}

func TestRun_RunningBot(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{})
	chdir(t, s)
	fixture.Write(t, "token", s.AddBot("Tester"))
	archive, err := record.Open("records")
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	p := sitDown(t)
	r := p.end(p.run(t.Context(), options()))
	p.expect("running the bot is already running")
	if r.err != nil || r.run != nil {
		t.Errorf("the setup ended with %+v", r)
	}
}

func TestNextSteps(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{})
	chdir(t, s)
	source := func(token string) config.Source {
		o := options()
		o.Source.Flags = map[string]string{"lichess.token": token, "web.listen": "127.0.0.1:8123"}
		return o.Source
	}
	for name, tt := range map[string]struct {
		source config.Source
		want   string // in the line, and the first command
	}{
		"no token": {source(""), "there is no token. setup"},
		"ready":    {source("lip_x"), "A bot is set up here. check"},
		"no file": {config.Source{Flags: map[string]string{"lichess.token_file": "none"}},
			"there is no token. setup"},
		"invalid": {config.Source{Flags: map[string]string{"games.max": "0"}},
			"The settings are wrong: --set: games.max: 0 is too small, want at least 1 check"},
		"invalid token": {source("lip x"), "The settings are wrong: lichess.token: "},
	} {
		t.Run(name, func(t *testing.T) {
			state, next := NextSteps(t.Context(), tt.source)
			if got := state + " " + next[0].Command; !strings.Contains(got, tt.want) || len(next) != 4 {
				t.Errorf("got %q, %d commands, want %q", got, len(next), tt.want)
			}
		})
	}
	archive, err := record.Open("records")
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	state, next := NextSteps(t.Context(), source(""))
	if state != "The bot is running; its page is http://127.0.0.1:8123." || next[0].Command != "ctl status" {
		t.Errorf("of a running bot: %s, %v", state, next)
	}
}

func TestConfigFlag(t *testing.T) {
	for file, want := range map[string]string{
		"/etc/zhbot/config.yaml": "--config /etc/zhbot/config.yaml",
		"my bot.yaml":            "--config 'my bot.yaml'",
		"bob's.yaml":             `--config 'bob'\''s.yaml'`,
	} {
		if got := ConfigFlag(file); got != want {
			t.Errorf("the flag for %s is %s, want %s", file, got, want)
		}
	}
}
