package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/internal/fixture"
)

func TestSource_Warnings_Conflicts(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       string // part of the only warning; "" for none
	}{
		{"defaults", "", ""},
		{"as many threads as cores", "engine: {threads: 2}", ""},
		{
			"more", "engine: {threads: 3}",
			"engine.threads: 3 threads share 2 cores, so moves may come late; want at most 2",
		},
		{"a program", "engine: {command: x, options: [A=1]}", ""},
		{"no program", "engine: {options: [A=1]}",
			"engine.command: without a program, engine.protocol, clock and options have no effect"},
		{"a clock of no program", "engine: {clock: program}", "engine.command: without a program, engine.protocol"},
		{"nodes over xboard's protocol", "engine: {command: x, protocol: xboard, max_nodes: 9}",
			"engine.max_nodes: it limits only our own search"},
		{
			"a level of another program", "engine: {command: x, skill: 19}",
			"engine.skill: it limits only our own search",
		},
		{"a level for casual games", "engine: {skill: 3}\ncontenders: [{name: a}]",
			"engine.skill: only casual games are played at level 3"},
		{"contenders without records", "records: {dir: ''}\ncontenders: [{name: a}]",
			"contenders: without records.dir no games are kept"},
		{"no game for bots", "games: {max: 2, reserved_for_humans: 2}", ""},
		{"no game for matchmaking", "games: {max: 2, reserved_for_humans: 2}\nmatchmaking: {enabled: true}",
			"matchmaking.enabled: games.reserved_for_humans leaves no game"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, err := parseText(t, tt.text)
			if err != nil {
				t.Fatal(err)
			}
			got := Source{Cores: 2}.Warnings(c, nil)
			if tt.want == "" && len(got) > 0 || tt.want != "" && (len(got) != 1 || !strings.Contains(got[0], tt.want)) {
				t.Errorf("warnings %q, want %q", got, tt.want)
			}
		})
	}
}

// secretFile writes a file with a mode, whatever the umask.
func secretFile(t *testing.T, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "secret")
	fixture.Write(t, path, "lip_verysecret\n")
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSource_Warnings(t *testing.T) {
	open, closed := secretFile(t, 0o644), secretFile(t, 0o600)
	t.Setenv("ZHBOT_LICHESS_TOKEN", "lip_verysecret")
	const readable = ": other users of this machine can read OPEN; run chmod 600"
	for name, tt := range map[string]struct {
		source  Source
		config  Config
		environ string
		want    string
	}{
		"nothing": {environ: "PATH=/bin ZHBOT_GAMES_MAX=3 ZHBOTANY=1"},
		"a typo": {environ: "ZHBOT_GAME_MAX=3",
			want: "ZHBOT_GAME_MAX is not a setting and has no effect; did you mean ZHBOT_GAMES_MAX?"},
		"something else": {environ: "ZHBOT_X=1", want: "ZHBOT_X is not a setting and has no effect"},
		"open token file": {
			config: Config{Lichess: Lichess{TokenFile: open}}, want: "lichess.token_file" + readable,
		},
		"closed token file": {config: Config{Lichess: Lichess{TokenFile: closed}}},
		"token in open file": {
			Source{File: open}, Config{Lichess: Lichess{Token: "t"}}, "", "lichess.token" + readable,
		},
		"two in open files": {Source{File: open}, Config{Lichess: Lichess{Token: "t", TokenFile: open}}, "",
			"lichess.token" + readable + "\nlichess.token_file" + readable},
		"URLs in open file": {Source{File: open}, Config{Notify: Notify{URLs: []Secret{"https://a.org"}}}, "",
			"notify.urls" + readable},
		"password in its file": {
			Source{File: open}, Config{Web: Web{Password: "verysecret"}}, "", "web.password" + readable,
		},
		"token in closed file": {Source{File: closed}, Config{Lichess: Lichess{Token: "t"}}, "", ""},
		"token in environment": {Source{File: open, Env: true}, Config{Lichess: Lichess{Token: "t"}}, "", ""},
		"page on this machine": {config: Config{Web: Web{Listen: "127.0.0.1:8080"}}},
		"page by name":         {config: Config{Web: Web{Listen: "LocalHost:8080"}}},
		"page with a password": {config: Config{Web: Web{Listen: ":8080", Password: "verysecret"}}},
		"page without": {config: Config{Web: Web{Listen: ":8080"}},
			want: "web.listen: others can reach :8080; without web.password, " +
				"they see all but the evaluations of games in progress"},
	} {
		got := strings.Join(tt.source.Warnings(&tt.config, strings.Fields(tt.environ)), "\n")
		if got = strings.ReplaceAll(got, open, "OPEN"); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// A file that only its group can read is open unless it is another user's, whose group is
// how we read it.
func TestIsOpen(t *testing.T) {
	us := os.Geteuid()
	for mode, want := range map[os.FileMode][2]bool{
		0o600: {false, false}, 0o640: {true, false}, 0o644: {true, true}, 0o604: {true, true},
	} {
		info, err := os.Stat(secretFile(t, mode))
		if err != nil {
			t.Fatal(err)
		}
		if got := [2]bool{isOpen(info, us), isOpen(info, us+1)}; got != want {
			t.Errorf("mode %o: open %t as our own and as another's, want %t", mode, got, want)
		}
	}
}
