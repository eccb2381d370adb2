package lichess

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// apiCall is one method of the client with its expected request, a response and the
// expected result.
type apiCall struct {
	name   string
	call   func(context.Context, *Client) (any, error)
	send   string // method, path and query
	form   url.Values
	answer string
	want   any
}

const ok = `{"ok":true}`

// command is a call without a result.
func command(name, send string, form url.Values, call func(context.Context, *Client) error) apiCall {
	return apiCall{name: name, call: func(ctx context.Context, c *Client) (any, error) { return nil, call(ctx, c) }, send: send, form: form, answer: ok}
}

var apiCalls = []apiCall{
	{
		name:   "Arena",
		call:   func(ctx context.Context, c *Client) (any, error) { return c.Arena(ctx, "may24lta") },
		send:   "GET /api/tournament/may24lta",
		answer: `{"id":"may24lta","fullName":"Drop Arena","variant":"crazyhouse","botsAllowed":true,"startsAt":"2026-05-25T18:00:00Z","minutes":120,"isFinished":true,"standing":{}}`,
		want: &Arena{
			ID: "may24lta", Name: "Drop Arena", Variant: "crazyhouse", BotsAllowed: true, Finished: true,
			Starts: time.Date(2026, 5, 25, 18, 0, 0, 0, time.UTC), Finishes: time.Date(2026, 5, 25, 20, 0, 0, 0, time.UTC),
		},
	},
	{
		name: "TeamArenas",
		call: func(ctx context.Context, c *Client) (any, error) { return c.TeamArenas(ctx, "crazy-bots") },
		send: "GET /api/team/crazy-bots/arena?max=50",
		answer: `{"id":"XhfVxYPG","fullName":"Bots","variant":{"key":"crazyhouse","name":"Crazyhouse"},"botsAllowed":true,"startsAt":1716930043067,"finishesAt":1716931663067,"status":20}` + "\n" +
			`{"id":"old00000","variant":{"key":"standard"},"startsAt":1716930043067,"finishesAt":1716931663067,"status":30}` + "\n",
		want: []Arena{
			{ID: "XhfVxYPG", Name: "Bots", Variant: "crazyhouse", BotsAllowed: true, Starts: time.UnixMilli(1716930043067).UTC(), Finishes: time.UnixMilli(1716931663067).UTC()},
			{ID: "old00000", Variant: "standard", Finished: true, Starts: time.UnixMilli(1716930043067).UTC(), Finishes: time.UnixMilli(1716931663067).UTC()},
		},
	},
	command("JoinArena", "POST /api/tournament/XhfVxYPG/join", url.Values{"password": {"s3cret"}, "team": {"crazy-bots"}, "pairMeAsap": {"true"}}, func(ctx context.Context, c *Client) error {
		return c.JoinArena(ctx, "XhfVxYPG", ArenaEntry{Password: "s3cret", Team: "crazy-bots", PairNow: true})
	}),
	command("WithdrawArena", "POST /api/tournament/XhfVxYPG/withdraw", nil, func(ctx context.Context, c *Client) error { return c.WithdrawArena(ctx, "XhfVxYPG") }),
	{
		name:   "Account",
		call:   func(ctx context.Context, c *Client) (any, error) { return c.Account(ctx) },
		send:   "GET /api/account",
		answer: `{"id":"zhbot","username":"zhBot","title":"BOT","perfs":{"crazyhouse":{"games":7,"rating":2350,"rd":60,"prog":-4,"prov":true}},"url":"https://lichess.org/@/zhBot","profile":{"bio":"A bot.","links":""},"new":{"field":1}}`,
		want: &Account{
			ID: "zhbot", Username: "zhBot", Title: "BOT", URL: "https://lichess.org/@/zhBot", Profile: Profile{Bio: "A bot."},
			Perfs: map[string]PerfRating{"crazyhouse": {Games: 7, Rating: 2350, Provisional: true}},
		},
	},
	{
		name:   "Account without title",
		call:   func(ctx context.Context, c *Client) (any, error) { return c.Account(ctx) },
		send:   "GET /api/account",
		answer: `{"id":"a","username":"A","title":null,"perfs":null,"profile":null,"tosViolation":true}`,
		want:   &Account{ID: "a", Username: "A", TOSViolation: true},
	},
	{
		name:   "Playing, status an object",
		call:   playing,
		send:   "GET /api/account/playing?nb=50",
		answer: `{"nowPlaying":[{"gameId":"zH4kQ2ab","status":{"id":20,"name":"started"},"isMyTurn":true,"secondsLeft":0,"opponent":{"id":null,"username":"Stockfish level 3","ai":3}}],"nbMyTurn":1}`,
		want: []Game{{
			ID: "zH4kQ2ab", Status: StatusStarted, IsMyTurn: true, SecondsLeft: new(Seconds),
			Opponent: Opponent{Username: "Stockfish level 3"},
		}},
	},
	{
		name:   "Playing, status a string",
		call:   playing,
		send:   "GET /api/account/playing?nb=50",
		answer: `{"nowPlaying":[{"id":"zH4kQ2ab","status":"started"}]}`,
		want:   []Game{{ID: "zH4kQ2ab", Status: StatusStarted}},
	},
	{
		name:   "Preferences",
		call:   func(ctx context.Context, c *Client) (any, error) { return c.Preferences(ctx) },
		send:   "GET /api/account/preferences",
		answer: `{"prefs":{"dark":true,"takeback":1,"moretime":1},"language":"en-GB"}`,
		want:   &Preferences{Takeback: TakebackNever},
	},
	command("UpgradeToBot", "POST /api/bot/account/upgrade", nil, func(ctx context.Context, c *Client) error { return c.UpgradeToBot(ctx) }),
	{
		name:   "TestToken",
		call:   func(ctx context.Context, c *Client) (any, error) { return c.TestToken(ctx) },
		send:   "POST /api/token/test",
		answer: `{"` + secret + `":{"userId":"zhbot","scopes":"bot:play,challenge:read","expires":1787400000000}}`,
		want:   &TokenInfo{UserID: "zhbot", Scopes: []string{"bot:play", "challenge:read"}, Expires: time.UnixMilli(1787400000000)},
	},
	{
		name:   "TestToken without end or scopes",
		call:   func(ctx context.Context, c *Client) (any, error) { return c.TestToken(ctx) },
		send:   "POST /api/token/test",
		answer: `{"` + secret + `":{"userId":"zhbot","scopes":"","expires":null}}`,
		want:   &TokenInfo{UserID: "zhbot", Scopes: []string{}},
	},
	{
		name:   "TestToken of an unknown token",
		call:   func(ctx context.Context, c *Client) (any, error) { return c.TestToken(ctx) },
		send:   "POST /api/token/test",
		answer: `{"` + secret + `":null}`,
		want:   (*TokenInfo)(nil),
	},
	{
		name:   "User",
		call:   func(ctx context.Context, c *Client) (any, error) { return c.User(ctx, "DropFan") },
		send:   "GET /api/user/DropFan",
		answer: `{"id":"dropfan","username":"DropFan","count":{"all":12,"rated":7},"perfs":{}}`,
		want:   &Account{ID: "dropfan", Username: "DropFan", Count: GameCount{All: 12}, Perfs: map[string]PerfRating{}},
	},
	{
		name:   "UserStatuses",
		call:   func(ctx context.Context, c *Client) (any, error) { return c.UserStatuses(ctx, "a", "b") },
		send:   "GET /api/users/status?ids=a%2Cb",
		answer: `[{"id":"a","name":"A","title":"BOT","online":true,"playing":true},{"id":"b","name":"B"}]`,
		want:   []UserStatus{{ID: "a", Name: "A", Title: "BOT", Online: true, Playing: true}, {ID: "b", Name: "B"}},
	},
	{
		name:   "OnlineBots",
		call:   func(ctx context.Context, c *Client) (any, error) { return c.OnlineBots(ctx, 100) },
		send:   "GET /api/bot/online?nb=100",
		answer: "{\"id\":\"a\",\"username\":\"A\"}\n\n{\"id\":\"b\",\"username\":\"B\"}\n",
		want:   []Account{{ID: "a", Username: "A"}, {ID: "b", Username: "B"}},
	},
	command("Move", "POST /api/bot/game/zH4kQ2ab/move/P@f7", nil, func(ctx context.Context, c *Client) error {
		return c.Move(ctx, MoveRequest{GameID: "zH4kQ2ab", UCI: "P@f7"})
	}),
	command("Move with a draw offer", "POST /api/bot/game/zH4kQ2ab/move/e7e8q?offeringDraw=true", nil, func(ctx context.Context, c *Client) error {
		return c.Move(ctx, MoveRequest{GameID: "zH4kQ2ab", UCI: "e7e8q", OfferDraw: true})
	}),
	command("Chat", "POST /api/bot/game/zH4kQ2ab/chat", url.Values{"room": {"player"}, "text": {"gl & hf"}}, func(ctx context.Context, c *Client) error {
		return c.Chat(ctx, "zH4kQ2ab", PlayerRoom, "gl & hf")
	}),
	{
		name:   "ChatMessages",
		call:   func(ctx context.Context, c *Client) (any, error) { return c.ChatMessages(ctx, "zH4kQ2ab") },
		send:   "GET /api/bot/game/zH4kQ2ab/chat",
		answer: `[{"text":"glhf","user":"DropFan"}]`,
		want:   []ChatMessage{{User: "DropFan", Text: "glhf"}},
	},
	command("Abort", "POST /api/bot/game/zH4kQ2ab/abort", nil, func(ctx context.Context, c *Client) error { return c.Abort(ctx, "zH4kQ2ab") }),
	command("Resign", "POST /api/bot/game/zH4kQ2ab/resign", nil, func(ctx context.Context, c *Client) error { return c.Resign(ctx, "zH4kQ2ab") }),
	command("Draw", "POST /api/bot/game/zH4kQ2ab/draw/yes", nil, func(ctx context.Context, c *Client) error { return c.Draw(ctx, "zH4kQ2ab", true) }),
	command("Takeback", "POST /api/bot/game/zH4kQ2ab/takeback/no", nil, func(ctx context.Context, c *Client) error { return c.Takeback(ctx, "zH4kQ2ab", false) }),
	command("ClaimVictory", "POST /api/bot/game/zH4kQ2ab/claim-victory", nil, func(ctx context.Context, c *Client) error { return c.ClaimVictory(ctx, "zH4kQ2ab") }),
	{
		name:   "Challenges",
		call:   func(ctx context.Context, c *Client) (any, error) { return c.Challenges(ctx) },
		send:   "GET /api/challenge",
		answer: `{"in":[{"id":"aaaaaaaa","challenger":null}],"out":[{"id":"bbbbbbbb","destUser":null,"direction":"out"}]}`,
		want:   &ChallengeList{In: []Challenge{{ID: "aaaaaaaa"}}, Out: []Challenge{{ID: "bbbbbbbb"}}},
	},
	{
		name:   "ShowChallenge",
		call:   func(ctx context.Context, c *Client) (any, error) { return c.ShowChallenge(ctx, "aaaaaaaa") },
		send:   "GET /api/challenge/aaaaaaaa/show",
		answer: `{"id":"aaaaaaaa","timeControl":{"type":"correspondence","daysPerTurn":3},"rules":["noAbort"]}`,
		want: &Challenge{
			ID: "aaaaaaaa", Rules: []string{"noAbort"},
			TimeControl: TimeControl{Type: CorrespondenceControl, DaysPerTurn: 3},
		},
	},
	{
		name: "CreateChallenge with a clock",
		call: func(ctx context.Context, c *Client) (any, error) {
			return c.CreateChallenge(ctx, "PocketBot", ChallengeRequest{
				Rated: true, Clock: Clock{Initial: 3 * time.Minute, Increment: 2 * time.Second}, Color: White,
			})
		},
		send: "POST /api/challenge/PocketBot",
		form: url.Values{
			"variant": {"crazyhouse"}, "rated": {"true"}, "color": {"white"},
			"clock.limit": {"180"}, "clock.increment": {"2"},
		},
		answer: `{"id":"aaaaaaaa","status":"created","timeControl":{"type":"clock","limit":180,"increment":2,"show":"3+2"}}`,
		want: &Challenge{
			ID: "aaaaaaaa", Status: "created",
			TimeControl: TimeControl{Type: ClockControl, Clock: Clock{Initial: 3 * time.Minute, Increment: 2 * time.Second}},
		},
	},
	{
		name: "CreateChallenge by days",
		call: func(ctx context.Context, c *Client) (any, error) {
			return c.CreateChallenge(ctx, "PocketBot", ChallengeRequest{Days: 3})
		},
		send:   "POST /api/challenge/PocketBot",
		form:   url.Values{"variant": {"crazyhouse"}, "rated": {"false"}, "color": {"random"}, "days": {"3"}},
		answer: `{"id":"aaaaaaaa","timeControl":{"type":"unlimited"}}`,
		want:   &Challenge{ID: "aaaaaaaa", TimeControl: TimeControl{Type: UnlimitedControl}},
	},
	command("AcceptChallenge", "POST /api/challenge/aaaaaaaa/accept", nil, func(ctx context.Context, c *Client) error { return c.AcceptChallenge(ctx, "aaaaaaaa", Bot) }),
	command("DeclineChallenge", "POST /api/challenge/aaaaaaaa/decline", url.Values{"reason": {"timeControl"}}, func(ctx context.Context, c *Client) error {
		return c.DeclineChallenge(ctx, "aaaaaaaa", DeclineTimeControl)
	}),
	command("CancelChallenge", "POST /api/challenge/aaaaaaaa/cancel", nil, func(ctx context.Context, c *Client) error { return c.CancelChallenge(ctx, "aaaaaaaa") }),
}

func TestClient(t *testing.T) {
	for _, tc := range apiCalls {
		t.Run(tc.name, func(t *testing.T) {
			var sent *http.Request
			c := testClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if err := r.ParseForm(); err != nil {
					t.Error(err)
				}
				sent = r
				respond(http.StatusOK, tc.answer)(w, r)
			}))
			got, err := tc.call(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
			checkSent(t, sent, &tc)
		})
	}
}

// checkSent compares a request with the API reference.
func checkSent(t *testing.T, r *http.Request, want *apiCall) {
	t.Helper()
	if got := r.Method + " " + r.RequestURI; got != want.send {
		t.Errorf("sent %q, want %q", got, want.send)
	}
	form := want.form
	if form == nil {
		form = url.Values{}
	}
	if diff := cmp.Diff(form, r.PostForm); diff != "" {
		t.Errorf("form (-want +got):\n%s", diff)
	}
	if got := r.Header.Get("Authorization"); got != "Bearer "+secret {
		t.Errorf("Authorization %q", got)
	}
	if got := r.UserAgent(); got != "zhbot/1.2.3" {
		t.Errorf("User-Agent %q", got)
	}
	if r.ProtoMajor != 1 {
		t.Errorf("spoke %s", r.Proto)
	}
	if r.ContentLength < 0 || r.TransferEncoding != nil {
		t.Errorf("sent the body in chunks")
	}
}

func TestClient_TestTokenSendsPlainText(t *testing.T) {
	var body, kind string
	c := testClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var b strings.Builder
		_ = r.Write(&b)
		_, body, _ = strings.Cut(b.String(), "\r\n\r\n")
		kind = r.Header.Get("Content-Type")
		respond(http.StatusOK, `{}`)(w, r)
	}))
	if _, err := c.TestToken(t.Context()); err != nil {
		t.Fatal(err)
	}
	if body != secret || kind != "text/plain" {
		t.Errorf("sent %q as %q", body, kind)
	}
}

func TestOnlineBots_SkipsBadLines(t *testing.T) {
	c := testClient(t, respond(http.StatusOK, "{\"id\":\"a\"}\nnot json\n{\"id\":\"b\"}\n{\"id\":\"c"))
	bots, err := c.OnlineBots(t.Context(), 10)
	if diff := cmp.Diff([]Account{{ID: "a"}, {ID: "b"}}, bots); diff != "" {
		t.Errorf("bots (-want +got):\n%s", diff)
	}
	for _, want := range []string{`skipped line "not json"`, `skipped line "{\"id\":\"c"`} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
}

// playing returns the games of the list of games in progress.
func playing(ctx context.Context, c *Client) (any, error) {
	list, err := c.Playing(ctx)
	return list.Games, err
}
