package lichess

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// apiCall is a call of a method of the client, with the expected request, a response and the
// expected result.
type apiCall struct {
	method string
	args   args   // after the context
	send   string // method, path and query
	body   string // of the request
	answer string
	want   any // nil for a method that returns only an error
}

type args []any

const ok = `{"ok":true}`

var apiCalls = []apiCall{
	{
		"Arena", args{"may24lta"}, "GET /api/tournament/may24lta", "",
		`{"id":"may24lta","fullName":"Drop Arena","variant":"crazyhouse","botsAllowed":true,
		"startsAt":"2026-05-25T18:00:00Z","minutes":120,"isFinished":true,"standing":{}}`,
		&Arena{
			ID: "may24lta", Name: "Drop Arena", Variant: "crazyhouse", BotsAllowed: true, Finished: true,
			Starts:   time.Date(2026, 5, 25, 18, 0, 0, 0, time.UTC),
			Finishes: time.Date(2026, 5, 25, 20, 0, 0, 0, time.UTC),
		},
	},
	{
		"TeamArenas", args{"crazy-bots"}, "GET /api/team/crazy-bots/arena?max=50", "",
		`{"id":"XhfVxYPG","fullName":"Bots","variant":{"key":"crazyhouse","name":"Crazyhouse"},` +
			`"botsAllowed":true,"startsAt":1716930043067,"finishesAt":1716931663067,"status":20}
{"id":"old00000","variant":{"key":"standard"},"startsAt":1716930043067,"finishesAt":1716931663067,"status":30}
`,
		[]Arena{
			{
				ID: "XhfVxYPG", Name: "Bots", Variant: "crazyhouse", BotsAllowed: true,
				Starts: time.UnixMilli(1716930043067).UTC(), Finishes: time.UnixMilli(1716931663067).UTC(),
			},
			{
				ID: "old00000", Variant: "standard", Finished: true, Starts: time.UnixMilli(1716930043067).UTC(),
				Finishes: time.UnixMilli(1716931663067).UTC(),
			},
		},
	},
	{
		"JoinArena", args{"XhfVxYPG", ArenaEntry{Password: "s3cret", Team: "crazy-bots", PairNow: true}},
		"POST /api/tournament/XhfVxYPG/join", "pairMeAsap=true&password=s3cret&team=crazy-bots", ok, nil,
	},
	{"WithdrawArena", args{"XhfVxYPG"}, "POST /api/tournament/XhfVxYPG/withdraw", "", ok, nil},
	{
		"Account", nil, "GET /api/account", "",
		`{"id":"zhbot","username":"zhBot","title":"BOT",
		"perfs":{"crazyhouse":{"games":7,"rating":2350,"rd":60,"prog":-4,"prov":true}},
		"url":"https://lichess.org/@/zhBot","profile":{"bio":"A bot.","links":""},"new":{"field":1}}`,
		&Account{
			ID: "zhbot", Username: "zhBot", Title: "BOT", URL: "https://lichess.org/@/zhBot",
			Profile: Profile{Bio: "A bot."},
			Perfs:   map[string]PerfRating{"crazyhouse": {Games: 7, Rating: 2350, Provisional: true}},
		},
	},
	{
		"Account", nil, "GET /api/account", "",
		`{"id":"a","username":"A","title":null,"perfs":null,"profile":null,"tosViolation":true}`,
		&Account{ID: "a", Username: "A", TOSViolation: true},
	},
	{
		"Playing", nil, "GET /api/account/playing?nb=50", "",
		`{"nowPlaying":[{"gameId":"zH4kQ2ab","status":{"id":20,"name":"started"},"isMyTurn":true,"secondsLeft":0,
		"opponent":{"id":null,"username":"Stockfish level 3","ai":3}}],"nbMyTurn":1}`,
		&GameList{Complete: true, Games: []Game{{
			ID: "zH4kQ2ab", Status: StatusStarted, IsMyTurn: true, SecondsLeft: new(Seconds),
			Opponent: Opponent{Username: "Stockfish level 3"},
		}}},
	},
	{
		"Playing", nil, "GET /api/account/playing?nb=50", "", `{"nowPlaying":[{"id":"zH4kQ2ab","status":"started"}]}`,
		&GameList{Complete: true, Games: []Game{{ID: "zH4kQ2ab", Status: StatusStarted}}},
	},
	{"UpgradeToBot", nil, "POST /api/bot/account/upgrade", "", ok, nil},
	{
		"TestToken", nil, "POST /api/token/test", secret,
		`{"` + secret + `":{"userId":"zhbot","scopes":"bot:play,challenge:read","expires":1787400000000}}`,
		&TokenInfo{
			UserID: "zhbot", Scopes: []string{"bot:play", "challenge:read"}, Expires: time.UnixMilli(1787400000000),
		},
	},
	{
		"TestToken", nil, "POST /api/token/test", secret,
		`{"` + secret + `":{"userId":"zhbot","scopes":"","expires":null}}`,
		&TokenInfo{UserID: "zhbot", Scopes: []string{}},
	},
	{"TestToken", nil, "POST /api/token/test", secret, `{"` + secret + `":null}`, (*TokenInfo)(nil)},
	{
		"User", args{"DropFan"}, "GET /api/user/DropFan", "",
		`{"id":"dropfan","username":"DropFan","count":{"all":12,"rated":7},"perfs":{}}`,
		&Account{ID: "dropfan", Username: "DropFan", Count: GameCount{All: 12}, Perfs: map[string]PerfRating{}},
	},
	{
		"UserStatuses", args{"a", "b"}, "GET /api/users/status?ids=a%2Cb", "",
		`[{"id":"a","name":"A","title":"BOT","online":true,"playing":true},{"id":"b","name":"B"}]`,
		[]UserStatus{{ID: "a", Name: "A", Title: "BOT", Online: true, Playing: true}, {ID: "b", Name: "B"}},
	},
	{
		"OnlineBots", args{100}, "GET /api/bot/online?nb=100", "",
		"{\"id\":\"a\",\"username\":\"A\"}\n\n{\"id\":\"b\",\"username\":\"B\"}\n",
		[]Account{{ID: "a", Username: "A"}, {ID: "b", Username: "B"}},
	},
	{"Move", args{MoveRequest{GameID: "zH4kQ2ab", UCI: "P@f7"}}, "POST /api/bot/game/zH4kQ2ab/move/P@f7", "", ok, nil},
	{
		"Move", args{MoveRequest{GameID: "zH4kQ2ab", UCI: "e7e8q", OfferDraw: true}},
		"POST /api/bot/game/zH4kQ2ab/move/e7e8q?offeringDraw=true", "", ok, nil,
	},
	{
		"Chat", args{"zH4kQ2ab", PlayerRoom, "gl & hf"}, "POST /api/bot/game/zH4kQ2ab/chat",
		"room=player&text=gl+%26+hf", ok, nil,
	},
	{
		"ChatMessages", args{"zH4kQ2ab"}, "GET /api/bot/game/zH4kQ2ab/chat", "", `[{"text":"glhf","user":"DropFan"}]`,
		[]ChatMessage{{User: "DropFan", Text: "glhf"}},
	},
	{"Abort", args{"zH4kQ2ab"}, "POST /api/bot/game/zH4kQ2ab/abort", "", ok, nil},
	{"Resign", args{"zH4kQ2ab"}, "POST /api/bot/game/zH4kQ2ab/resign", "", ok, nil},
	{"Draw", args{"zH4kQ2ab", true}, "POST /api/bot/game/zH4kQ2ab/draw/yes", "", ok, nil},
	{"Takeback", args{"zH4kQ2ab", false}, "POST /api/bot/game/zH4kQ2ab/takeback/no", "", ok, nil},
	{"ClaimVictory", args{"zH4kQ2ab"}, "POST /api/bot/game/zH4kQ2ab/claim-victory", "", ok, nil},
	{
		"Challenges", nil, "GET /api/challenge", "",
		`{"in":[{"id":"aaaaaaaa","challenger":null}],"out":[{"id":"bbbbbbbb","destUser":null,"direction":"out"}]}`,
		&ChallengeList{In: []Challenge{{ID: "aaaaaaaa"}}, Out: []Challenge{{ID: "bbbbbbbb"}}},
	},
	{
		"ShowChallenge", args{"aaaaaaaa"}, "GET /api/challenge/aaaaaaaa/show", "",
		`{"id":"aaaaaaaa","timeControl":{"type":"correspondence","daysPerTurn":3},"rules":["noAbort"]}`,
		&Challenge{
			ID: "aaaaaaaa", Rules: []string{"noAbort"},
			TimeControl: TimeControl{Type: CorrespondenceControl, DaysPerTurn: 3},
		},
	},
	{
		"CreateChallenge", args{"PocketBot", ChallengeRequest{Rated: true, Clock: blitz, Color: White}},
		"POST /api/challenge/PocketBot", "clock.increment=2&clock.limit=180&color=white&rated=true&variant=crazyhouse",
		`{"id":"aaaaaaaa","status":"created","timeControl":{"type":"clock","limit":180,"increment":2,"show":"3+2"}}`,
		&Challenge{ID: "aaaaaaaa", Status: "created", TimeControl: TimeControl{Type: ClockControl, Clock: blitz}},
	},
	{
		"CreateChallenge", args{"PocketBot", ChallengeRequest{Days: 3}},
		"POST /api/challenge/PocketBot", "color=random&days=3&rated=false&variant=crazyhouse",
		`{"id":"aaaaaaaa","timeControl":{"type":"unlimited"}}`,
		&Challenge{ID: "aaaaaaaa", TimeControl: TimeControl{Type: UnlimitedControl}},
	},
	{"AcceptChallenge", args{"aaaaaaaa", Bot}, "POST /api/challenge/aaaaaaaa/accept", "", ok, nil},
	{
		"DeclineChallenge", args{"aaaaaaaa", DeclineTimeControl}, "POST /api/challenge/aaaaaaaa/decline",
		"reason=timeControl", ok, nil,
	},
	{"CancelChallenge", args{"aaaaaaaa"}, "POST /api/challenge/aaaaaaaa/cancel", "", ok, nil},
}

var blitz = Clock{3 * time.Minute, 2 * time.Second}

// call calls the method of a client.
func (tc *apiCall) call(ctx context.Context, c *Client) (any, error) {
	in := []reflect.Value{reflect.ValueOf(ctx)}
	for _, arg := range tc.args {
		in = append(in, reflect.ValueOf(arg))
	}
	out := reflect.ValueOf(c).MethodByName(tc.method).Call(in)
	err, _ := out[len(out)-1].Interface().(error)
	if len(out) == 1 {
		return nil, err
	}
	return out[0].Interface(), err
}

// Each method sends what the API reference says, and understands the answer.
func TestClient(t *testing.T) {
	for _, tc := range apiCalls {
		t.Run(tc.method, func(t *testing.T) {
			want := []string{tc.send, tc.body, fmt.Sprint(len(tc.body)), "Bearer " + secret, "zhbot/1.2.3", "HTTP/1.1"}
			switch tc.body {
			case "":
			case secret:
				want = append(want, "text/plain")
			default:
				want = append(want, "application/x-www-form-urlencoded")
			}
			var sent []string
			c := testClient(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				sent = []string{
					r.Method + " " + r.RequestURI, string(body), fmt.Sprint(r.ContentLength),
					r.Header.Get("Authorization"), r.UserAgent(), r.Proto,
				}
				if len(body) > 0 {
					sent = append(sent, r.Header.Get("Content-Type"))
				}
				respond(http.StatusOK, tc.answer)(w, r)
			}))
			got, err := tc.call(t.Context(), c)
			if diff := cmp.Diff(tc.want, got, cmpopts.IgnoreFields(GameList{}, "RequestedAt")); diff != "" ||
				err != nil {
				t.Errorf("error %v, result (-want +got):\n%s", err, diff)
			}
			if diff := cmp.Diff(want, sent); diff != "" {
				t.Errorf("request (-want +got):\n%s", diff)
			}
		})
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
