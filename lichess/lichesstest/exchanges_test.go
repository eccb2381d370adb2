package lichesstest

import (
	"os"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/internal/fixture"
)

// One exchange of each shape is saved: of its request the keys, and no token.
func TestServer_Exchanges(t *testing.T) {
	w := start(t, Options{Exchanges: t.TempDir()}, "zhbot", "rival")
	w.say(strings.Repeat(`
		zhbot GET /api/users/status?ids=zhbot -> 200
		zhbot GET /api/users/status?ids=rival -> 200
		zhbot GET /api/users/status -> 400
		zhbot GET /api/account -> 200
		zhbot POST /api/challenge/rival {blitz}&color=white -> 200
		zhbot POST /api/challenge/rival days=3&color=white -> 200
	`, 2))
	token := w.programs["zhbot"].token
	_, err := w.Client(t, token).TestToken(t.Context())
	entries, _ := os.ReadDir(w.opts.Exchanges)
	text := ""
	for _, e := range entries {
		text += fixture.Read(t, w.opts.Exchanges+"/"+e.Name()) + "\n"
	}
	for want, n := range map[string]int{
		"\n": 6, token: 0, `"body":{"lip_":{`: 1,
		`"endpoint":"POST /api/challenge/{username}","form":["color","days"],"query":null,` +
			`"sent":"application/x-www-form-urlencoded","status":200,"type":"application/json"}`: 1,
	} {
		if got := strings.Count(text, want); err != nil || got != n {
			t.Errorf("%q is saved %d times, want %d, in\n%s\n%v", want, got, n, text, err)
		}
	}
}
