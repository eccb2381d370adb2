package setup

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/internal/file/filetest"
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
	for name, value := range map[string]string{"ZHBOT_LICHESS_URL": s.URL(), tokenVariable: "", "ZHBOT_WEB_LISTEN": ""} {
		t.Setenv(name, value)
	}
	return dir
}

// wantFile checks a file's content and that only its owner can read it.
func wantFile(t *testing.T, name, want string) {
	t.Helper()
	content := filetest.Read(t, name)
	if diff := cmp.Diff(want, content); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
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
	p.expect(s.URL() + "/account/oauth/token/create?scopes[]=bot:play&scopes[]=challenge:read&scopes[]=preference:read&description=zhbot")
	for i, problem := range []string{
		"Lichess does not know this token", "lacks the scope bot:play; it has challenge:read",
		"Veteran is not a BOT account, and has played 12 games, so Lichess will not turn it into one", "it may be closed", "",
	} {
		p.expect("Token (it is not shown): ")
		p.enter(tokens[i])
		if problem != "" {
			p.expect("WRONG   ")
			p.expect(problem)
		}
	}
	p.expect("token   of Tester, scopes bot:play, challenge:read\n")
	p.expect("wrote   " + filepath.Join(dir, "token") + ", which only you can read\n")
	wantFile(t, "token", tokens[4]+"\n")
	p.expect("CANNOT be undone")
	for _, name := range []string{"yes", "Tester"} {
		p.expect("Type the account's name to upgrade it")
		p.enter(name)
	}
	p.expect("account Tester is a BOT account now\n")
	p.expect("Accept challenges from (humans, bots, none) [humans, bots]: ")
	p.enter("boots")
	p.expect(`WRONG   "boots" is not one of humans, bots, none`)
	p.expect("Accept challenges from")
	p.enter("bots")
	p.expect("Speeds (bullet, blitz, rapid, classical, correspondence) [bullet, blitz, rapid, classical]: ")
	p.enter("Blitz, rapid")
	p.expect("Modes (rated, casual) [rated, casual]: ")
	p.enter("")
	p.expect("Challenge other bots while idle (yes, no) [no]: ")
	p.enter("yes")
	p.expect("ok      account: BOT Tester")
	p.expect("note    the account has no bio")
	p.expect("-> write one at " + s.URL() + "/account/profile\n")
	p.expect("Start (run, nothing) [run]: ")
	p.enter("")
	if r := p.end(done); r.err != nil || !r.start {
		t.Errorf("the setup ended with %+v", r)
	}
	wantFile(t, "config.yaml", fileHeader+`
lichess:
  token_file: `+filepath.Join(dir, "token")+`

challenges:
  humans:
    enabled: false
    speeds: [blitz, rapid]
    modes: [rated, casual]
  bots:
    enabled: true
    speeds: [blitz, rapid]
    modes: [rated, casual]

matchmaking:
  enabled: true
`)
	for _, token := range tokens {
		if strings.Contains(p.screen(), token) {
			t.Errorf("the terminal has shown %s", token[:6])
		}
	}
}

// What is known is not asked again, and an interrupted setup resumes where it ended.
func TestRun_Resumes(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{})
	chdir(t, s)
	token := s.AddUser("Tester", "", "bot:play")
	p := sitDown(t)

	// At the token: what is typed later is shown again.
	ctx, interrupt := context.WithCancel(t.Context())
	done := p.run(ctx, options())
	p.expect("Token (it is not shown): ")
	interrupt()
	if r := p.end(done); !errors.Is(r.err, context.Canceled) || file.Exists("config.yaml") || file.Exists("token") {
		t.Errorf("interrupted, the setup ended with %+v", r)
	}
	p.enter("visible")
	p.expect("visible")

	// By Ctrl-C, which the hidden input reads itself.
	p = sitDown(t)
	done = p.run(t.Context(), options())
	p.expect("Token (it is not shown): ")
	p.enter("half\x03")
	if r := p.end(done); !errors.Is(r.err, io.EOF) || strings.Contains(p.screen(), "half") {
		t.Errorf("after Ctrl-C, the setup ended with %+v:\n%s", r, p.screen())
	}

	// At the upgrade.
	p = sitDown(t)
	ctx, interrupt = context.WithCancel(t.Context())
	done = p.run(ctx, options())
	p.expect("Token (it is not shown): ")
	p.enter(token)
	p.expect("Type the account's name")
	interrupt()
	if r := p.end(done); !errors.Is(r.err, context.Canceled) {
		t.Errorf("interrupted, the setup ended with %+v", r)
	}
	wantFile(t, "token", token+"\n")

	// The upgrade can wait, but not the settings.
	p = sitDown(t)
	done = p.run(t.Context(), options())
	for _, question := range []string{"Type the account's name", "Accept challenges from", "Speeds", "Modes", "Challenge other bots"} {
		p.expect(question)
		p.enter("")
		if question == "Accept challenges from" {
			if strings.Contains(p.screen(), "Token (") {
				t.Error("the token is asked for again")
			}
		}
	}
	p.expect("Write this to ")
	p.enter("")
	p.expect("next    run \"zhbot setup\" again to turn Tester into a BOT account\n")
	if r := p.end(done); r.err != nil || r.start {
		t.Errorf("the setup ended with %+v", r)
	}

	// Then only the upgrade and the start are asked about.
	p = sitDown(t)
	done = p.run(t.Context(), options())
	p.expect("Type the account's name")
	p.enter("tester")
	p.expect("set     accept challenges from: humans, bots\n")
	p.expect("set     challenge other bots while idle: no\n")
	p.expect("Start (run, nothing) [run]: ")
	p.enter("nothing")
	p.expect("ready   start it with \"zhbot run\"\n")
	if r := p.end(done); r.err != nil || r.start {
		t.Errorf("the setup ended with %+v", r)
	}
}

// The person's own file is changed only if wanted, where needed, and kept as a backup.
func TestRun_ChangesAFile(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{})
	dir := chdir(t, s)
	token := s.AddBot("Tester")
	const own = "# my bot\ngames: {max: 3}   # enough\nchallenges:\n  humans: {speeds: [blitz], modes: [casual]}\n"
	for name, content := range map[string]string{"config.yaml": own, "secret": token} {
		filetest.Write(t, filepath.Join(dir, name), content)
	}
	o := options()
	o.Source.Flags = map[string]string{"games.max": "2"}
	o.Answers = Answers{TokenFile: "secret", Start: startNothing, Settings: map[string][]string{"accept": {"humans"}, "matchmaking": {"no"}}}
	for _, answer := range []string{"n", "y"} {
		p := sitDown(t)
		done := p.run(t.Context(), o)
		p.expect("Speeds")
		p.enter("")
		p.expect("Modes")
		p.enter("rated")
		p.expect("set     challenges.bots.enabled: false\n")
		p.expect("set     games.max: 2\n")
		p.expect("Write this to " + filepath.Join(dir, "config.yaml") + "? [Y/n] ")
		if answer == "n" {
			p.enter(answer)
			if r := p.end(done); r.err == nil || !strings.Contains(r.err.Error(), "would not use this token") {
				t.Errorf("without its settings, the setup ended with %+v", r)
			}
			wantFile(t, "config.yaml", own)
			continue
		}
		p.enter(answer)
		if r := p.end(done); r.err != nil {
			t.Errorf("the setup ended with %+v", r)
		}
	}
	wantFile(t, "config.yaml.bak", own)
	wantFile(t, "config.yaml", `# my bot
games: {max: 2}   # enough
challenges:
  humans: {speeds: [blitz], modes: [rated], enabled: true}
  bots:
    enabled: false
    speeds: [bullet, blitz, rapid, classical]
    modes: [rated]

matchmaking:
  enabled: false

lichess:
  token_file: `+filepath.Join(dir, "secret")+"\n")
	if file.Exists("token") {
		t.Error("the token is in two files")
	}
}

// Lichess may be unreachable for a moment, or too long.
func TestRun_Unreachable(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{})
	chdir(t, s)
	token := s.AddBot("Tester")
	s.Faults.Inject("down", lichesstest.When{For: time.Hour})
	p := sitDown(t)
	done := p.run(t.Context(), options())
	p.expect("Token (it is not shown): ")
	p.enter(token)
	p.expect("WRONG   could not ask " + s.URL() + " about the token: ")
	p.expect("Try again? [Y/n] ")
	s.Faults.Clear()
	p.enter("")
	p.expect("token   of Tester")
	p.expect("account Tester is already a BOT account\n")
	s.Faults.Inject("down", lichesstest.When{For: time.Hour})
	for _, question := range []string{"Accept challenges from", "Speeds", "Modes", "Challenge other bots"} {
		p.expect(question)
		p.enter("")
	}
	if r := p.end(done); r.err == nil || !strings.Contains(r.err.Error(), "not ready, see above; what was set up is kept") {
		t.Errorf("the setup ended with %+v", r)
	}
	wantFile(t, "token", token+"\n")
}

// A token in the environment is used, and kept if there is none; a bad one is named.
func TestRun_TokenInTheEnvironment(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{})
	chdir(t, s)
	token := s.AddBot("Tester")
	o := options()
	var out strings.Builder
	o.In, o.Out = strings.NewReader(""), &out
	o.Answers.Defaults = true
	t.Setenv(tokenVariable, token)
	if _, err := Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	wantFile(t, "token", token+"\n")

	token = s.AddBot("Other")
	t.Setenv(tokenVariable, token)
	out.Reset()
	if _, err := Run(t.Context(), o); err != nil || !strings.Contains(out.String(), "note    ZHBOT_LICHESS_TOKEN differs from the token in ") {
		t.Errorf("error %v, printed\n%s", err, &out)
	}

	s.Revoke(token)
	p := sitDown(t)
	r := p.end(p.run(t.Context(), o))
	if !bot.IsRefused(r.err) || !strings.HasPrefix(r.err.Error(), "ZHBOT_LICHESS_TOKEN: Lichess does not know this token") {
		t.Errorf("with a revoked token: %v", r.err)
	}
}

func TestRun_RunningBot(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{})
	chdir(t, s)
	filetest.Write(t, "token", s.AddBot("Tester"))
	archive, err := record.Open("records")
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	o := options()
	var out strings.Builder
	o.In, o.Out = strings.NewReader(""), &out
	o.Answers = Answers{Defaults: true, Start: startRun, TokenFile: "token"}
	start, err := Run(t.Context(), o)
	if err != nil || start || !strings.Contains(out.String(), "running the bot is already running") {
		t.Errorf("start %t, error %v, printed\n%s", start, err, &out)
	}
}

func TestNextSteps(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{})
	chdir(t, s)
	revoked := s.AddBot("Revoked")
	s.Revoke(revoked)
	marked, markedBot, veteran := s.AddUser("Marked", "", "bot:play"), s.AddBot("MarkedBot"), s.AddUser("Veteran", "", "bot:play")
	s.MarkAccount("Marked")
	s.MarkAccount("MarkedBot")
	s.SetPerf("Veteran", 1500, 3)
	source := func(token string) config.Source {
		o := options()
		o.Source.Flags = map[string]string{"lichess.token": token, "web.listen": "127.0.0.1:8123"}
		return o.Source
	}
	for name, tt := range map[string]struct {
		source config.Source
		want   string // in the line, and the first command
	}{
		"no token":     {source(""), "there is no token. setup"},
		"revoked":      {source(revoked), "account: Lichess does not know this token"},
		"marked":       {source(marked), "account: Marked is marked"},
		"marked bot":   {source(markedBot), "account: MarkedBot is marked"},
		"has played":   {source(veteran), "account: Veteran is not a BOT account, and has played 3 games"},
		"not upgraded": {source(s.AddUser("Tester", "", "bot:play")), "Tester is not a BOT account yet. setup"},
		"ready":        {source(s.AddBot("Bot")), "The bot is set up as Bot. run"},
		"invalid":      {config.Source{Flags: map[string]string{"games.max": "0"}}, "The settings are wrong: --set: games.max: 0 is too small, want at least 1 check"},
		"unreachable":  {config.Source{Flags: map[string]string{"lichess.token": "lip_x", "lichess.url": "http://127.0.0.1:1"}}, "Lichess does not answer"},
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
	if state, next := NextSteps(t.Context(), source("")); state != "The bot is running; its page is http://127.0.0.1:8123." || next[0].Command != "ctl status" {
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
