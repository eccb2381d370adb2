package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSource_Warnings_Conflicts(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       string // part of the only warning; "" for none
	}{
		{"defaults", "", ""},
		{"as many threads as cores", "engine: {threads: 2}", ""},
		{"more", "engine: {threads: 3}", "engine.threads: 3 threads share 2 cores, so moves may come late; want at most 2"},
		{"a program", "engine: {command: x, options: [A=1]}", ""},
		{"no program", "engine: {options: [A=1]}", "engine.command: without a program, engine.protocol, clock and options have no effect"},
		{"a clock of no program", "engine: {clock: program}", "engine.command: without a program, engine.protocol"},
		{"nodes over xboard's protocol", "engine: {command: x, protocol: xboard, max_nodes: 9}", "engine.max_nodes: it limits only our own search"},
		{"a level of another program", "engine: {command: x, skill: 19}", "engine.skill: it limits only our own search"},
		{"a level for casual games", "engine: {skill: 3}\ncontenders: [{name: a}]", "engine.skill: only casual games are played at level 3"},
		{"a contender for no game", "contenders: [{name: a, for: {speeds: [bullet, blitz]}}, {name: b, for: {speeds: [blitz], color: white}}]", "contenders[1].for: b plays no game"},
		{"contenders without records", "records: {dir: ''}\ncontenders: [{name: a}]", "contenders: without records.dir no games are kept"},
		{"no game for bots", "games: {max: 2, reserved_for_humans: 2}", ""},
		{"no game for matchmaking", "games: {max: 2, reserved_for_humans: 2}\nmatchmaking: {enabled: true}", "matchmaking.enabled: games.reserved_for_humans leaves no game"},
		{"no modes", "challenges: {bots: {modes: []}}", "challenges.bots: without modes or speeds"},
		{"no speeds", "challenges: {humans: {speeds: []}}", "challenges.humans: without modes or speeds"},
		{"a speed closed to bots", "challenges: {bots: {speeds: [ultraBullet, bullet]}}", "challenges.bots.speeds: ultraBullet has no effect"},
		{"closed", "challenges: {humans: {speeds: [], enabled: false}}", ""},
		{"a line of chat", "chat: {greeting: " + strings.Repeat("é", 140) + "}", ""},
		{"too long", "chat: {goodbye: " + strings.Repeat("é", 141) + "}", "chat.goodbye: the text has 141 characters, counting most emoji as two or more; Lichess accepts at most 140"},
		{"a line of emoji", "chat: {greeting: " + strings.Repeat("🙂", 70) + "}", ""},
		{"too many emoji", "chat: {greeting: " + strings.Repeat("🙂", 71) + "}", "chat.greeting: the text has 142 characters, counting most emoji as two or more"},
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

func TestSource_Warnings(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("lichess: {token: lip_verysecret}\n"), mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil { // whatever the umask
			t.Fatal(err)
		}
		return path
	}
	open, closed := write("open", 0o644), write("closed", 0o600)
	for _, tt := range []struct {
		name    string
		source  Source
		lichess Lichess
		environ []string
		token   string // in the environment
		want    []string
	}{
		{name: "nothing", environ: []string{"PATH=/bin", "ZHBOT_GAMES_MAX=3", "ZHBOTANY=1"}},
		{name: "a typo", environ: []string{"ZHBOT_GAME_MAX=3"},
			want: []string{"ZHBOT_GAME_MAX is not a setting and has no effect; did you mean ZHBOT_GAMES_MAX?"}},
		{name: "something else", environ: []string{"ZHBOT_X=1"}, want: []string{"ZHBOT_X is not a setting and has no effect"}},
		{name: "token file", lichess: Lichess{TokenFile: open}, want: []string{
			"lichess.token_file: other users of this machine can read " + open + "; run chmod 600"}},
		{name: "closed token file", lichess: Lichess{TokenFile: closed}},
		{name: "token in the file", source: Source{File: open}, lichess: Lichess{Token: "t"}, want: []string{
			"lichess.token: other users of this machine can read " + open + "; run chmod 600"}},
		{name: "token in a closed file", source: Source{File: closed}, lichess: Lichess{Token: "t"}},
		{name: "token in the environment", source: Source{File: open, Env: true}, lichess: Lichess{Token: "t"}, token: "lip_verysecret"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("ZHBOT_LICHESS_TOKEN", tt.token)
			got := tt.source.Warnings(&Config{Lichess: tt.lichess}, tt.environ)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if strings.Contains(strings.Join(got, ""), "verysecret") {
				t.Error("the token is shown")
			}
		})
	}
}

// A file that only its group can read is open unless it is another user's, whose group is
// how we read it.
func TestIsOpen(t *testing.T) {
	us := os.Geteuid()
	for _, tt := range []struct {
		mode        os.FileMode
		ours, their bool
	}{{0o600, false, false}, {0o640, true, false}, {0o644, true, true}, {0o604, true, true}} {
		path := filepath.Join(t.TempDir(), "secret")
		err := os.WriteFile(path, nil, 0o600)
		if err == nil {
			err = os.Chmod(path, tt.mode)
		}
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if isOpen(info, us) != tt.ours || isOpen(info, us+1) != tt.their {
			t.Errorf("mode %o: open %t as our own, %t as another's, want %t, %t", tt.mode, isOpen(info, us), isOpen(info, us+1), tt.ours, tt.their)
		}
	}
}
