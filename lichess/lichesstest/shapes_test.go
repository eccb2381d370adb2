package lichesstest

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Which programs may play is said for the account that is told: only a BOT account
// plays as a bot, and no board takes bullet.
func TestEvents_Compat(t *testing.T) {
	for name, tt := range map[string]struct {
		spec  ChallengeSpec
		board bool
	}{
		"bullet":         {ChallengeSpec{Limit: time.Minute}, false},
		"blitz":          {blitz, true},
		"correspondence": {ChallengeSpec{Days: 3}, true},
	} {
		w := start(t, Options{}, "zhbot")
		w.login("alice", w.AddUser("alice", "", "board:play", "challenge:read"))
		events, others := w.events("zhbot"), w.events("alice")
		w.begin("alice", "zhbot", tt.spec)
		want := fmt.Sprintf("compat.bot=true compat.board=%t", tt.board)
		events.until("challenge", nil).check(t, name, want)
		events.until("gameStart", nil).check(t, name, strings.ReplaceAll(want, "compat", "game.compat"))
		others.until("challenge", nil).check(t, name, "compat.bot=false")
		others.until("gameStart", nil).check(t, name, "game.compat.bot=false")
	}
}

// A player without a title has none in challenges, and null in a game's first line. Its rating
// and whether it is provisional are those of the game's start.
func TestPlayers_Shape(t *testing.T) {
	w := start(t, Options{}, "zhbot")
	w.AddHuman("alice", Idle())
	events := w.events("zhbot")
	w.begin("alice", "zhbot", withWhite(blitz))
	w.SetPerf("alice", 1700, 100)
	full := w.watch("zhbot").until("gameFull", nil)
	full.check(t, "game", "white.id=alice white.title=<nil> white.rating=1500 white.provisional=true black.title=BOT")
	challenger := events.until("challenge", nil).at("challenge.challenger").(map[string]any)
	if title, sent := challenger["title"]; sent {
		t.Errorf("challenger with the title %v", title)
	}
	if title, sent := full["white"].(map[string]any)["title"]; !sent || title != nil {
		t.Errorf("player with the title %v", title)
	}
}

// The server's own lines come in both rooms, and most can be read back. An offer
// that is declined is told by them alone, a takeback that is declined by a line of
// the game too.
func TestChat_SystemLines(t *testing.T) {
	w := match(t, Options{}, blitz)
	w.play("e2e4 e7e5")
	st := w.watch("White")
	st.until("gameFull", nil)
	expect := func(request, text string) {
		t.Helper()
		w.say(request)
		for _, room := range []string{"spectator", "player"} {
			o := st.until("chatLine", nil)
			if o.check(t, request, "username=lichess room="+room); o["text"] != text {
				t.Errorf("%s: got %v, want %s", request, o["text"], text)
			}
		}
	}
	expect("White POST draw/yes", "White offers draw")
	expect("Black POST draw/no", "Black declines draw")
	expect("White POST takeback/yes", "White proposes takeback (1. e4 e5)")
	st.until("gameState", func(o object) bool { return o["wtakeback"] == true })
	expect("Black POST takeback/no", "Black declines takeback")
	if o := st.until("gameState", nil); o["wtakeback"] != nil || o["moves"] != "e2e4 e7e5" {
		t.Errorf("after the refusal %v", o)
	}
	w.say(`
		Black POST chat room=player&text=gl
		Black POST chat room=spectator&text=hi+all
		White GET chat -> 200 [{"text":"White offers draw","user":"lichess"},
		White GET chat -> 200 ,{"text":"Black declines draw","user":"lichess"},{"text":"gl","user":"Black"}]
	`)
	for range 2 {
		st.until("chatLine", nil) // of Black
	}
	expect("Black POST draw/yes", "Black offers draw")
	expect("White POST draw/yes", "Draw offer accepted")
	w.checkResult("draw", "")
}

// A draw is offered, or agreed, before the move with which it comes: then that is not played.
func TestMove_OffersDraw(t *testing.T) {
	w := match(t, Options{}, blitz)
	w.play("e2e4 e7e5")
	st := w.watch("White")
	st.until("gameFull", nil)
	w.say("White POST move/g1f3?offeringDraw=True")
	for _, moves := range []string{"e2e4 e7e5", "e2e4 e7e5 g1f3"} {
		if o := st.until("gameState", nil); o["wdraw"] != true || o["moves"] != moves {
			t.Errorf("%v, want the offer after %s", o, moves)
		}
	}
	w.say("White POST draw/no")
	w.say("Black POST move/b8c6?offeringDraw=on")
	w.checkResult(statusStarted, "")
	w.say("White POST move/f1c4?offeringDraw=yes")
	w.checkResult("draw", "")
	if got := w.result().Plies; got != 4 {
		t.Errorf("%d plies were played, want 4", got)
	}
}

func TestChat_FormIsChecked(t *testing.T) {
	w := match(t, Options{}, blitz)
	w.values["long"] = strings.Repeat("😀", 70)
	w.say(`
		White POST chat room=player -> 400 "error":{"text":["This field is required"]}
		White POST chat room=attic&text=hi -> 400 "error":{"room":["Invalid value"]}
		White POST chat room=player&text={long}! -> 400 "text":["Maximum length is 140"]
		White POST chat room=player&text={long}
	`)
}
