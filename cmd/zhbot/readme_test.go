package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.yaml.in/yaml/v3"

	"github.com/zhbot/zhbot"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/fixture"
)

var (
	shellBlock = regexp.MustCompile("(?ms)^ *```sh\n(.*?)^ *```")
	// settingsBlock is YAML but for that of a tournament, and of other programs, which a comment names.
	settingsBlock = regexp.MustCompile("(?ms)^```yaml\n([^f#].*?)^```")
	codeSpan      = regexp.MustCompile("`(zhbot [^`]+)`")
	settingSpan   = regexp.MustCompile("`([a-z]+)((?:\\.[a-z_]+)+)`")
	goFile        = regexp.MustCompile("`([a-z]+/[a-z/]+\\.go)`")
	mdLink        = regexp.MustCompile(`\]\(([^)#]+)`)
)

// guides are the README and the guides that it names.
var guides = strings.Fields("README.md docs/install.md docs/operating.md docs/troubleshooting.md docs/alerts.md " +
	"docs/lab.md docs/kubernetes.md docs/architecture.md docs/contenders.md")

func guideText(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	for _, name := range guides {
		b.WriteString(repoFile(t, name))
	}
	return b.String()
}

// readmeCommands returns the commands of the guides' shell blocks, and those of
// their tables that have flags.
func readmeCommands(t *testing.T) (commands []string) {
	t.Helper()
	text := guideText(t)
	for _, block := range shellBlock.FindAllStringSubmatch(text, -1) {
		for line := range strings.Lines(block[1]) {
			commands = append(commands, strings.TrimSpace(line))
		}
	}
	for line := range strings.Lines(text) {
		for _, span := range codeSpan.FindAllStringSubmatch(line, -1) {
			if strings.HasPrefix(line, "|") && strings.Contains(span[1], " --") && !strings.Contains(span[1], "ADDR") {
				commands = append(commands, span[1])
			}
		}
	}
	return commands
}

// TestREADME runs every command of the README.
func TestREADME(t *testing.T) {
	t.Parallel()
	commands := readmeCommands(t)
	if len(commands) < 20 {
		t.Fatalf("only %d commands found: %q", len(commands), commands)
	}
	script := fixture.Read(t, filepath.Join("testdata", "readme", "readme.txtar"))
	dir := t.TempDir()
	whole := script + "-- readme.sh --\n" + strings.Join(commands, "\n") + "\n"
	fixture.Write(t, filepath.Join(dir, "readme.txtar"), whole)
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:  dir,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"lichess": startLichess, "freeport": freePort},
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, "REPO="+root, "ZHBOT_ENGINE_HASH_MB=1", "GORACE="+os.Getenv("GORACE"),
				"ZHBOT_RECORDS_DIR="+e.WorkDir+"/records", "HOME="+os.Getenv("HOME"))
			return nil
		},
	})
}

// freePort names a port at which nobody listens: freeport NAME.
func freePort(ts *testscript.TestScript, _ bool, args []string) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	_, port, err := net.SplitHostPort(ln.Addr().String())
	ts.Check(err)
	ts.Check(ln.Close())
	ts.Setenv(args[0], port)
}

// TestOperating_Reload holds the guide to the settings that can change while the bot runs.
func TestOperating_Reload(t *testing.T) {
	want := "`" + strings.Join(config.Reloaded(), "`, `") + "` change at once; all others change at the next start"
	if !strings.Contains(repoFile(t, "docs/operating.md"), want) {
		t.Errorf("docs/operating.md does not say %q", want)
	}
}

// TestREADME_Names holds the README to the commands and files that exist.
func TestREADME_Names(t *testing.T) {
	text := guideText(t)
	root := newRoot()
	named := 0
	for _, span := range codeSpan.FindAllStringSubmatch(text, -1) {
		for _, command := range strings.Split(span[1], "`, `") {
			words := strings.Fields(command)
			if found, _, err := root.Find(words[1:2]); err != nil || found == root {
				t.Errorf("there is no command %q", command)
			}
			named++
		}
	}
	for _, c := range root.Commands() {
		if c.Name() != "help" && !c.Hidden && !strings.Contains(text, "`zhbot "+c.Name()) {
			t.Errorf("the README does not mention zhbot %s", c.Name())
		}
	}
	for _, file := range goFile.FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(filepath.Join("..", "..", file[1])); err != nil {
			t.Errorf("a file is named that is not there: %v", err)
		}
	}
	for _, name := range guides {
		for _, link := range mdLink.FindAllStringSubmatch(repoFile(t, name), -1) {
			if strings.Contains(link[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join("..", "..", filepath.Dir(name), link[1])); err != nil {
				t.Errorf("a link in %s leads nowhere: %v", name, err)
			}
		}
	}
	if named < 15 {
		t.Errorf("only %d commands named", named)
	}
}

// TestREADME_Settings holds the README's table to the settings that exist, and
// to every section.
func TestREADME_Settings(t *testing.T) {
	text := guideText(t)
	defaults, err := config.Load(config.Source{})
	if err != nil {
		t.Fatal(err)
	}
	var sections map[string]any
	if err := yaml.Unmarshal([]byte(zhbot.Example), &sections); err != nil {
		t.Fatal(err)
	}
	for name := range sections {
		if !strings.Contains(text, "| `"+name+"` |") {
			t.Errorf("the README's table has no section %s", name)
		}
	}
	for _, block := range settingsBlock.FindAllStringSubmatch(text, -1) {
		file := filepath.Join(t.TempDir(), "config.yaml")
		fixture.Write(t, file, block[1])
		if _, err := config.Load(config.Source{File: file}); err != nil {
			t.Errorf("%v in\n%s", err, block[1])
		}
	}
	named := 0
	for _, span := range settingSpan.FindAllStringSubmatch(text, -1) {
		if _, section := sections[span[1]]; !section {
			continue
		}
		named++
		if !slices.Contains(config.Keys(), span[1]+span[2]) {
			t.Errorf("there is no setting %s%s", span[1], span[2])
		}
	}
	if named < 15 {
		t.Errorf("only %d settings named", named)
	}
	for key, value := range map[string]any{
		"games.max": defaults.Games.Max, "games.max_per_opponent": defaults.Games.MaxPerOpponent,
		"engine.hash_mb": defaults.Engine.HashMB, "matchmaking.games_per_day": defaults.Matchmaking.GamesPerDay,
		"web.listen": defaults.Web.Listen, "play.draw": defaults.Play.Draw,
	} {
		if want := fmt.Sprintf("`%s` (%v", key, value); !strings.Contains(text, want) {
			t.Errorf("the README does not say %s)", want)
		}
	}
}
