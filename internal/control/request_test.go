package control

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/internal/web"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// idleEngine is an engine that is never asked for a move.
type idleEngine struct{ game.Engine }

func (idleEngine) EndGame(string) {}

// Each command is decoded, validated, executed and noted.
func TestServeCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := lichesstest.NewServer(t, lichesstest.Options{InMemory: true})
		client := s.Client(t, s.AddBot("zhbot"))
		s.AddHuman("alice", lichesstest.Idle())
		s.AddBotPlayer("rival", lichesstest.Idle())
		arena := s.AddArena(lichesstest.ArenaSpec{Name: "Crazy", Limit: time.Minute})
		dir := t.TempDir()
		state, err1 := record.OpenState(dir)
		users, err2 := record.OpenUsers(dir)
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		settings := config.Default()
		b := bot.New(bot.Options{
			Client: client, Engine: idleEngine{}, Log: zerolog.Nop(), State: state, Users: users,
		}, &settings)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- b.Run(ctx) }()
		defer func() { cancel(); <-ended }()
		fixture.Until(t, "the bot has logged in", func() bool { return b.Account() != "" })
		id := s.Challenge("alice", "zhbot", lichesstest.ChallengeSpec{Limit: 3 * time.Minute, Color: "white"})
		fixture.Until(t, "the game is known", func() bool { return len(b.Status().Games) == 1 })
		// An open challenge takes the place that the game needs, if the bot hears of it first.
		s.AddUser("carol", "")
		open := s.Challenge("zhbot", "carol", lichesstest.ChallengeSpec{Limit: 3 * time.Minute})
		fixture.Until(t, "the challenge is known", func() bool { return len(b.Status().Challenges) == 1 })
		ids := strings.NewReplacer("GAME", id, "ARENA", arena, "OPEN", open)

		o := &Operator{
			Bot: func() *bot.Bot { return b }, Status: b.Status,
			Journal: filepath.Join(dir, JournalFile), Log: zerolog.Nop(),
			Reload: func(context.Context) (Reloaded, error) {
				return Reloaded{Changed: []string{"games.max"}, Later: []string{"web.listen"}}, nil
			},
		}
		const (
			done    = http.StatusOK
			failed  = http.StatusConflict
			invalid = http.StatusBadRequest
		)
		serve := func(body string) *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(ids.Replace(body)))
			ServeCommand(o, "test", w, r)
			return w
		}
		noted := 0
		for _, tt := range []struct {
			body   string
			status int
			want   string
		}{
			{``, invalid, "not understood"},
			{`[]`, invalid, "not understood"},
			{
				`{"command":"resign","args":["GAME"]}`, invalid,
				`perhaps since the bot is of another version: json: unknown field \"args\"`,
			},
			{`{"command":"status"} {}`, invalid, "text after the JSON"},
			{`{"command":"` + strings.Repeat("x", web.MaxBody) + `"}`, invalid, "too large"},
			{`{}`, invalid, `unknown command \"\"`},
			{`{"command":"Status"}`, invalid, `unknown command \"Status\"`},
			{`{"command":"status"}`, done, `"account":"zhbot"`},
			{
				`{"command":"pause","keep":true}`, done,
				"paused, also after a restart; challenge OPEN to carol cancelled; games in progress: 1",
			},
			{`{"command":"matchmaking","on":true}`, done, "it begins when the bot is resumed"},
			{`{"command":"resume"}`, done, "resumed"},
			{`{"command":"resume"}`, done, "was not paused"},
			{`{"command":"matchmaking","on":false}`, done, "matchmaking is off"},
			{`{"command":"matchmaking"}`, invalid, "matchmaking: want on or off"},
			{`{"command":"challenge","user":"../account","clock":"3+2"}`, invalid, "is not a user name"},
			{`{"command":"challenge","user":"maia1"}`, invalid, "is not a clock"},
			{`{"command":"challenge","user":"maia1","clock":"3+61"}`, invalid, "an increment of 61s"},
			{
				`{"command":"challenge","user":"maia1","clock":"0+1","color":"white"}`, invalid,
				"never rated on Lichess; make it casual",
			},
			{`{"command":"challenge","user":"maia1","clock":"0+1","mode":"fast"}`, invalid, "want rated or casual"},
			{`{"command":"challenge","user":"maia1","clock":"3+2","color":"red"}`, invalid, "want white or black"},
			{`{"command":"challenge","user":"nobody","clock":"0+1","mode":"casual"}`, failed, "no such user"},
			{
				`{"command":"challenge","user":"https://lichess.org/@/alice","clock":"3+2"}`, done,
				"alice has accepted: game ",
			},
			{`{"command":"rematch"}`, failed, "no game with a clock has ended"},
			{
				`{"command":"gauntlet","users":["alice","","bob"],"clock":"3+2","pairs":1}`, invalid,
				"is not a user name",
			},
			{
				`{"command":"gauntlet","users":["alice","Alice"],"clock":"3+2","pairs":1}`, invalid,
				"Alice is named twice",
			},
			{`{"command":"gauntlet","users":["rival"],"clock":"3+2","pairs":501}`, invalid, "501 pairs, want 1 to 500"},
			{`{"command":"gauntlet","clock":"3+2","pairs":1}`, invalid, "0 users, want 1 to 20"},
			{
				`{"command":"gauntlet","users":["rival"],"clock":"3+2","pairs":2}`, done,
				"gauntlet begun: 4 games against each of rival; it is played once matchmaking is on",
			},
			{`{"command":"gauntlet","stop":true}`, done, "gauntlet ended"},
			{`{"command":"gauntlet","stop":true}`, done, "there is no gauntlet"},
			{`{"command":"cancel"}`, done, "we have no open challenge"},
			{`{"command":"block","user":"https://lichess.org/@/bob/perf/crazyhouse"}`, done, "bob is blocked"},
			{`{"command":"allow","user":"bob"}`, done, "bob is allowed"},
			{`{"command":"unblock","user":"bob"}`, done, "bob is no longer allowed"},
			{`{"command":"unblock","user":"bob"}`, done, "bob was neither blocked nor allowed"},
			{`{"command":"arena","arena":"a/b"}`, invalid, "is not an id"},
			{
				`{"command":"arena","arena":"https://lichess.org/tournament/ARENA?x=1"}`, done,
				"arena Crazy (ARENA): joined",
			},
			{`{"command":"arena","arena":"ARENA","leave":true}`, done, "arena Crazy (ARENA): left"},
			{`{"command":"draw","game":"GAME"}`, failed, "game GAME: no draw can be offered before both have moved"},
			{`{"command":"draw","game":"abcd12345"}`, invalid, "is not a game"},
			{`{"command":"say","game":"GAME"}`, invalid, "the text is empty"},
			{`{"command":"say","game":"GAME","text":"a\u001bb"}`, invalid, "control characters"},
			{
				`{"command":"say","game":"GAME","text":"` + strings.Repeat("é", lichess.MaxChatLength+1) + `"}`,
				invalid, "at most 140",
			},
			{`{"command":"say","game":"GAME","text":"good   luck"}`, done, "game GAME: said"},
			{`{"command":"resign","game":"zzz"}`, failed, "no game zzz is in progress"},
			{`{"command":"abort","game":"https://lichess.org/GAMEwxyz/black#3"}`, done, "game GAME: aborted"},
			{`{"command":"reload"}`, done, "configuration reloaded; changed: games.max; at the next start: web.listen"},
			{`{"command":"drain"}`, done, "draining; games in progress: "},
		} {
			w := serve(tt.body)
			if want := ids.Replace(tt.want); w.Code != tt.status || !strings.Contains(w.Body.String(), want) {
				t.Errorf("%.80s: status %d, %s, want %q", tt.body, w.Code, w.Body, want)
			}
			if tt.status != invalid {
				noted++
			}
		}
		lines := slices.Collect(strings.Lines(fixture.Read(t, o.Journal)))
		var first entry
		if err := json.Unmarshal([]byte(lines[0]), &first); err != nil {
			t.Fatal(err)
		}
		if len(lines) != noted-1 || first.Origin != "test" || first.Command != "pause" || !first.Keep ||
			first.Result == "" || first.Time.IsZero() {
			t.Errorf("%d lines, want all of %d but the status; first %+v", len(lines), noted, first)
		}
		if info, err := os.Stat(o.Journal); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("the journal: %v, %v", info, err)
		}

		var log fixture.Log
		none := func() *bot.Bot { return nil }
		o = &Operator{Bot: none, Log: zerolog.New(&log), Journal: filepath.Join(dir, "none", "x")}
		w := serve(`{"command":"drain"}`)
		if w.Code != failed || !strings.Contains(w.Body.String(), errNotPlaying.Error()) {
			t.Errorf("drain without a bot: status %d, %s", w.Code, w.Body)
		}
		if !strings.Contains(log.String(), "not written to the journal") {
			t.Error("nothing is logged")
		}
	})
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
}

// Whatever is typed, what is accepted can be part of a path.
func FuzzRequest(f *testing.F) {
	f.Add("https://lichess.org//")
	f.Add("x://@/")
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range []Request{
			{Command: "resign", Game: text},
			{Command: "block", User: text},
			{Command: "arena", Arena: text},
			{Command: "gauntlet", Users: []string{text}, Clock: "3+2", Pairs: 1},
		} {
			err := r.validate()
			all := r.Game + r.User + r.Arena + strings.Join(r.Users, "")
			if err == nil && strings.ContainsAny(all, "/?#% \n") {
				t.Errorf("accepted %+v", r)
			}
		}
	})
}

func TestOrigin(t *testing.T) {
	for name, want := range map[string]string{
		"alice": "ctl (alice)", "": "ctl", "a\x1b[31mb\u202e": "ctl (a[31mb)",
		strings.Repeat("é", 100): "ctl (" + strings.Repeat("é", 64) + ")",
	} {
		if got := Origin("ctl", name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
