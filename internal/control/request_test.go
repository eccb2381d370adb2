package control

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/internal/web"
	"github.com/zhbot/zhbot/lichess"
)

func TestRequest_Check(t *testing.T) {
	for line, want := range map[string]string{ // part of the error; "" for none
		"status": "", "status now": `status: takes no arguments, got "now"`,
		"":       `unknown command ""`,
		"dance":  `unknown command "dance"`,
		"Status": `unknown command "Status"`,
		"pause":  "", "pause --keep": "", "pause keep": "takes no arguments except --keep", "pause --keep --keep": "takes no arguments except",
		"resume":                         "",
		"challenge maia1 3+2":            "",
		"challenge maia1 3+2 casual":     "",
		"challenge maia1 3+2 black":      "",
		"challenge aa 0+1 white casual":  "",
		"challenge aa casual 0+1":        `got "0+1"`,
		"challenge aa 180m+60s":          "",
		"challenge":                      "got 0 arguments, want USER CLOCK [rated|casual] [white|black]",
		"challenge maia1":                "got 1 arguments",
		"challenge ../account 3+2":       "is not a user name",
		"challenge a?b 3+2":              "is not a user name",
		"challenge maia1 3":              `"3" is not a clock`,
		"challenge maia1 180+2":          "180+2 needs a unit",
		"challenge maia1 3+61":           "an increment of 61s",
		"challenge maia1 100s+2s":        "no clock of Lichess begins with 100s",
		"challenge maia1 0+1":            "0+1 is never rated on Lichess; make it casual",
		"challenge maia1 0+1 rated":      "0+1 is never rated on Lichess; make it casual",
		"challenge maia1 15s+0s":         "is ultraBullet",
		"challenge mm 1+0 rated rated":   `got "rated", want [rated|casual] [white|black], each at most once`,
		"challenge mm 1+0 white black":   "each at most once",
		"challenge mm 1+0 fast":          `got "fast"`,
		"challenge mm 1+0 rated white x": "got 5 arguments",
		"cancel":                         "", "cancel all": "takes no arguments",
		"matchmaking on": "", "matchmaking off": "", "matchmaking": "got 0 arguments, want on|off", "matchmaking maybe": `got "maybe", want on or off`,
		"gauntlet alice,bob 3+2": "", "gauntlet alice 3+2 casual --pairs=4": "", "gauntlet stop": "", "gauntlet": "got 0 arguments, want stop|USERS CLOCK",
		"gauntlet alice,,bob 3+2": `"" is not a user name; want names such as alice,bob`, "gauntlet alice,Alice 3+2": "Alice is named twice",
		"gauntlet alice 3+2 --pairs=0": "--pairs 0: want a number from 1 to 500",
		"arena QQxwqyHY":               "", "arena https://lichess.org/tournament/QQxwqyHY?x=1": "", "arena a/b": "is not an id",
		"arena": "got 0 arguments, want [leave] ID", "arena leave QQxwqyHY": "", "arena leave leave": "", "arena QQxwqyHY leave": "got 2 arguments",
		"rematch": "", "rematch abcd1234": "takes no arguments", "block maia1": "", "allow a b": "got 2 arguments", "unblock ../x": "is not a user name",
		"resign abcd1234": "", "resign a": "", "resign https://lichess.org/abcd1234wxyz/black#12": "", "resign": "got 0 arguments, want GAME",
		"resign a b": "got 2 arguments", "resign abcd12345": "is not a game", "resign https://lichess.org": "is not a game", "resign a/b": "is not a game",
		"abort abcd1234": "", "draw abcd1234": "",
		"say abcd hello there": "", "say abcd": "got 1 arguments, want GAME TEXT", "say abcd  ": "the text is empty", "say ../x hi": "is not a game",
		"say abcd " + strings.Repeat("é", lichess.MaxChatLength):   "",
		"say abcd " + strings.Repeat("é", lichess.MaxChatLength+1): "141 characters, counting most emoji as two or more; Lichess accepts at most 140",
		"drain": "", "reload": "", "reload now": "takes no arguments",
	} {
		words := append(strings.Split(line, " "), "")
		err := Request{Command: words[0], Args: words[1 : len(words)-1]}.Check()
		var usage *UsageError
		if (want == "") != (err == nil) || err != nil && (!strings.Contains(err.Error(), want) || !errors.As(err, &usage)) {
			t.Errorf("%q: error %v, want %q", line, err, want)
		}
	}
}

// Every command has what the help, the page and its own parser need.
func TestCommands(t *testing.T) {
	for _, c := range Commands() {
		args := strings.Fields(c.Example)
		if c.Short == "" || (c.Args == "") != (len(args) == 0) || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%+v", c)
		}
		if err := (Request{c.Name, args}).Check(); err != nil {
			t.Errorf("the example of %s: %v", c.Name, err)
		}
		if c.Option != "" {
			if err := (Request{c.Name, append(args, "--"+c.Option)}).Check(); err != nil {
				t.Errorf("%s --%s: %v", c.Name, c.Option, err)
			}
		}
	}
}

func TestFindGame(t *testing.T) {
	games := []string{"abcd1234", "abce1234", "xyz00000", "ab"}
	for reference, want := range map[string]string{
		"abcd1234": "abcd1234", "abcd": "abcd1234", "x": "xyz00000", "ab": "ab",
		"abc": "several games begin with abc: abcd1234, abce1234",
		"q":   "no game q is in progress; those in progress are abcd1234, abce1234, xyz00000, ab",
	} {
		id, err := findGame(reference, games)
		if err != nil {
			id = err.Error()
		}
		if id != want {
			t.Errorf("%s: %s, want %s", reference, id, want)
		}
	}
	if _, err := findGame("q", nil); err == nil || !strings.Contains(err.Error(), "none is in progress") {
		t.Errorf("without games: %v", err)
	}
}

func TestServeCommand(t *testing.T) {
	for body, want := range map[string]string{
		`{"command":"say","args":["abcd","hi"],"new":1}`: "",
		`{"command":"status"}`:                           "",
		``:                                               "request not read",
		`[]`:                                             "request not read",
		`{"command":"say","args":"x"}`:                   "request not read",
		`{"command":"a\u0007"}`:                          "control characters",
		`{"command":"say","args":["a\nb"]}`:              "control characters",
		`{"args":["` + strings.Repeat("x", maxArgBytes+1) + `"]}`:      "too long",
		`{"args":[` + strings.Repeat(`"",`, maxArgs) + `""]}`:          "65 arguments, want at most 64",
		`{"command":"` + strings.Repeat("x", web.MaxBody) + `"}`:       "request not read",
		`{"command":"status"}` + strings.Repeat(" ", web.MaxBody-10-9): "request not read",
	} {
		w := httptest.NewRecorder()
		ServeCommand(&Operator{Bot: func() *bot.Bot { return nil }}, "test", w, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body)))
		status := http.StatusBadRequest
		if want == "" {
			status, want = http.StatusConflict, ErrNotPlaying.Error()
		}
		if w.Code != status || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%.60q: status %d, %s, want %q", body, w.Code, w.Body, want)
		}
	}
}

// Whatever is sent, a request is refused or within the limits.
func FuzzDecodeRequest(f *testing.F) {
	for _, c := range Commands() {
		text, err := json.Marshal(Request{c.Name, strings.Fields(c.Example)})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(`{"command":"resign","args":["https://lichess.org//"]}`))
	f.Add([]byte(`{"command":"challenge","args":["x://@/","18446744073709551615+1"]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var r Request
		if json.Unmarshal(text, &r) != nil {
			return
		}
		err := r.Check()
		if err == nil && (len(r.Args) > maxArgs || slices.ContainsFunc(r.Args, func(s string) bool { return len(s) > maxArgBytes || strings.ContainsFunc(s, unicode.IsControl) })) {
			t.Errorf("accepted %q", r)
		}
		var usage *UsageError
		if err != nil && !errors.As(err, &usage) {
			t.Errorf("%q: %v is no usage error", r, err)
		}
		if reference, err := parseGame(strings.Join(r.Args, "")); err == nil && !isName(reference, gameID) {
			t.Errorf("%q is a game", reference)
		}
		if name := lastSegment(strings.Join(r.Args, "")); lichess.ValidUserName(name) && strings.ContainsAny(name, "/?#%") {
			t.Errorf("%q is a name", name)
		}
	})
}

func TestOrigin(t *testing.T) {
	for name, want := range map[string]string{
		"alice": "ctl (alice)", "": "ctl", "a\x1b[31mb\u202e": "ctl (a[31mb)", strings.Repeat("é", 100): "ctl (" + strings.Repeat("é", 64) + ")",
	} {
		if got := Origin("ctl", name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
