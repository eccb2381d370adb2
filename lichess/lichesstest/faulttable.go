package lichesstest

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"net/http"
	"regexp"
	"strconv"
	"time"
)

// Fault is something that can go wrong. [Faults.Inject] makes it happen by its name; a soak
// does so at random.
type Fault struct {
	Name string
	Doc  string        // what happens
	When string        // it can happen, for people; "" for always
	Cost time.Duration // what a bot needs to notice it and to recover; 0 for nothing

	// A soak makes it happen to each request, stream or line with this chance, or injects it
	// from time to time, the more often the greater its weight.
	Chance float64
	Weight int
	Inject func(*Injection)

	// What it does to a request, to a stream that is opened, or to a line of a stream of one
	// of these classes, by default all. A fault of a request answers it, and may execute it.
	classes []string
	request func(f *injected, w http.ResponseWriter, execute func())
	open    func(f *injected, s *subscriber)
	line    func(l *line)
}

// Injection is one injection of a fault by a soak.
type Injection struct {
	*Fault
	Server *Server
	Bot    string        // the user that is to survive it
	Budget time.Duration // how long the bot may be kept from playing
	Rand   *rand.Rand
	Lasts  time.Duration // set by Inject: how long the fault lasts
}

// ShortestFault is the least that a fault may take of a game's clock, since less would not be
// noticed, and longestFault the most, since a budget may be long.
const ShortestFault, longestFault = 100 * time.Millisecond, 10 * time.Second

// Chances of faults, for each line of a stream or each request.
const rare, frequent = 0.02, 0.1

// calls are the classes of requests that open no stream.
var calls = []string{"move", "command", "chat", "challenge", "challenges", "account", "users", "arena"}

// streams are the classes of requests that open one.
var streams = []string{"game", "events"}

// FaultTable returns the faults of the server. Of those that happen to a request, the first
// one answers it.
func FaultTable() []*Fault {
	return []*Fault{
		{Name: "down", Doc: "the server answers nothing but 502", Weight: 6, request: fail(http.StatusBadGateway, ""),
			Inject: func(i *Injection) {
				i.Server.Faults.Inject(i.Name, When{For: i.Last(i.Budget)})
			}},
		{Name: "restart", Doc: "the server restarts: streams end, and clocks gain time", Weight: 1,
			Inject: func(i *Injection) {
				i.Server.Restart(i.Last(i.Budget))
			}},
		{
			Name: "limit", Doc: "the server answers requests of one kind with 429", Weight: 6, request: limitRequest,
			Inject: limitClass,
		},
		{
			Name: "fail", Doc: "the server answers a request with 503", Chance: rare, classes: calls,
			request: fail(http.StatusServiceUnavailable, ""),
		},
		{
			Name: "stray", Doc: "a proxy answers a move, or the opening of a game's stream, with a page",
			Chance: frequent, classes: []string{"game", "move"}, request: strayPage,
		},
		{
			Name: "token", Doc: "the server refuses the token by mistake", Chance: rare,
			request: fail(http.StatusUnauthorized, noSuchToken),
		},
		{
			Name: "switch", Doc: "the server switches protocols, and falls silent", Chance: rare,
			request: switchProtocols,
		},
		{
			Name: "lose", Doc: "the server executes a request, but its reply is lost", Chance: rare, classes: calls,
			request: loseReply,
		},

		{Name: "cut", Doc: "streams end within a line", Weight: 6, Cost: 500 * time.Millisecond, Inject: next(3),
			line: func(l *line) {
				l.text, l.cut = l.text[:len(l.text)/2], true
			}},
		{
			Name: "stall", Doc: "a stream falls silent", Weight: 6, Cost: 13 * time.Second, Inject: next(1),
			line: func(l *line) { l.last = true },
		},
		{Name: "odd", Doc: "unknown or malformed lines come between others", Chance: frequent, line: addNoise},
		{
			Name: "duplicate", Doc: "lines come twice", Chance: frequent,
			line: func(l *line) { l.text = bytes.Repeat(l.text, 2) },
		},
		{
			Name: "skip", Doc: "the event stream lacks a line", Chance: rare, Cost: 20 * time.Second,
			classes: []string{"events"}, line: func(l *line) { l.text = nil },
		},
		{Name: "types", Doc: "values that are only shown have other types", Chance: frequent, line: func(l *line) {
			l.text = shown.ReplaceAll(l.text, []byte(`"$1":{"is":[1.5]}`))
		}},
		{Name: "status", Doc: "a running game has an unknown status", Chance: frequent, line: func(l *line) {
			l.text = bytes.Replace(l.text, []byte(`"status":"started"`), []byte(`"status":"adjourned"`), 1)
		}},
		{
			Name: "chunk", Doc: "lines come in packets of one byte", Chance: frequent,
			line: func(l *line) { l.packet = 1 },
		},

		{Name: "slow", Doc: "game streams are slow to open", Weight: 4, Cost: 3 * ShortestFault, Inject: slowStreams,
			classes: []string{"game"}, open: func(f *injected, s *subscriber) {
				s.delay = f.By
			}},
		{Name: "late", Doc: "a game's first line comes after a later one", Chance: frequent, classes: []string{"game"},
			open: func(_ *injected, s *subscriber) {
				s.delayFirst = true
			}},
		{
			Name: "mute", Doc: "a stream opens and brings keep-alives, single bytes or chat only", Weight: 6,
			Cost:   6 * time.Second,
			Inject: muteStream, classes: streams, open: mute,
		},
		{
			Name: "empty", Doc: "a stream opens and ends at once", Chance: rare, Cost: 500 * time.Millisecond,
			classes: streams, open: func(_ *injected, s *subscriber) { s.end() },
		},
		{Name: "miss", Doc: "a game's stream lacks a move", Chance: frequent, Cost: 35 * time.Second,
			classes: []string{"game"}, open: func(f *injected, s *subscriber) {
				s.dropMove = f.Fault
			}},

		// One costs 3 s, but each one after it more: a stream is opened more patiently every time.
		{Name: "hole", Doc: "a connection is never answered", Weight: 6, Cost: 7 * time.Second, Inject: next(1)},
		{Name: "early", Doc: "the server refuses a claim of the win as too early", Chance: 0.5},
		{
			Name: "gift", Doc: "both players get 15 s", Weight: 6,
			Inject: func(i *Injection) { i.Server.AddTime(i.game().ID, 15*time.Second) },
		},
		{Name: "leave", Doc: "an opponent leaves for a while", Weight: 4, Inject: opponentLeaves},
	}
}

// UpTo draws a duration below a bound.
func (i *Injection) UpTo(bound time.Duration) time.Duration {
	return time.Duration(i.Rand.Int64N(int64(bound)))
}

// Last draws how long the fault lasts, within a budget.
func (i *Injection) Last(budget time.Duration) time.Duration {
	i.Lasts = ShortestFault + i.UpTo(min(budget, longestFault)-ShortestFault+1)
	return i.Lasts
}

// game draws one of the bot's games; its ID is "" if there is none.
func (i *Injection) game() (r Result) {
	if ids := i.Server.Playing(i.Bot); len(ids) > 0 {
		r, _ = i.Server.Game(ids[i.Rand.IntN(len(ids))])
	}
	return r
}

// next makes a fault happen up to n times, as soon as it can.
func next(n int) func(*Injection) {
	return func(i *Injection) { i.Server.Faults.Inject(i.Name, When{Next: 1 + i.Rand.IntN(n), Spare: true}) }
}

// limitClass limits a class of requests for a while, in one of the forms that are known.
func limitClass(i *Injection) {
	class := []string{"move", "command", "chat", "challenge", "account", "game"}[i.Rand.IntN(6)]
	form := []string{"", "seconds", "header", "page"}[i.Rand.IntN(4)]
	i.Server.Faults.Inject(i.Name, When{Class: class, For: i.Last(i.Budget), Text: form})
}

// slowStreams cuts a stream and delays those that are opened from now on, in which the bot
// may give up on one first.
func slowStreams(i *Injection) {
	by := i.Last(i.Budget / 3)
	i.Server.Faults.Inject(i.Name, When{For: by, By: by})
	i.Server.Faults.Inject("cut", When{Next: 1, Spare: true})
	i.Lasts += by
}

// mute has a stream bring one text again and again in place of its lines.
func mute(f *injected, s *subscriber) {
	texts := []string{"\n", " ", `{"type":"chatLine","room":"player","username":"lichess","text":"hello"}` + "\n"}
	s.refund(f.Cost)
	s.mute, f.Text = f, cmp.Or(f.Text, texts[f.random%3])
	time.AfterFunc(longestMute, s.cancel)
}

// longestMute is when a mute stream ends.
const longestMute = time.Minute

// muteStream cuts a stream and mutes the next one.
func muteStream(i *Injection) {
	w := When{Class: streams[i.Rand.IntN(len(streams))], Next: 1, Spare: true}
	i.Server.Faults.Inject(i.Name, w)
	i.Server.Faults.Inject("cut", w)
}

// opponentLeaves makes an opponent leave: for a moment, or long enough that the win can be
// claimed.
func opponentLeaves(i *Injection) {
	g := i.game()
	opponent := g.White
	if opponent == i.Bot {
		opponent = g.Black
	}
	if g.ID != "" {
		i.Server.Perform(g.ID, opponent, Action{Leave: i.UpTo(3 * cmp.Or(i.Server.opts.ClaimAfter, defaultClaimAfter))})
	}
}

// fail answers with a status: with a JSON error, or without a text with a proxy's page.
func fail(status int, text string) func(*injected, http.ResponseWriter, func()) {
	return func(f *injected, w http.ResponseWriter, _ func()) {
		status, text := cmp.Or(f.Status, status), cmp.Or(f.Text, text)
		if text == "" {
			writePage(w, status)
			return
		}
		writeJSON(w, status, object{"error": text})
	}
}

// strayPage answers with a page and a status that has nothing to do with the request.
func strayPage(f *injected, w http.ResponseWriter, _ func()) {
	writePage(w, []int{http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound}[f.random%3])
}

// limitRequest answers with a 429 as Lichess and the proxies in front of it do: "" is JSON
// without a wait.
func limitRequest(f *injected, w http.ResponseWriter, _ func()) {
	seconds := int(time.Until(f.until)/time.Second) + 1
	body := object{"error": tooManyRequests}
	switch f.Text {
	case "page":
		writePage(w, http.StatusTooManyRequests)
		return
	case "seconds":
		body["ratelimit"] = object{"key": "test", "seconds": seconds}
	case "header":
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
	}
	writeJSON(w, http.StatusTooManyRequests, body)
}

// shown matches fields on which no game depends.
var shown = regexp.MustCompile(
	`"(rating|ratingDiff|createdAt|speed|provisional|secondsLeft)":("\w*"|[-\d]+|true)`)

// switchProtocols answers what only a request for it may be answered with.
func switchProtocols(_ *injected, w http.ResponseWriter, _ func()) {
	w.Header().Set("Connection", "Upgrade")
	w.Header().Set("Upgrade", "other")
	w.WriteHeader(http.StatusSwitchingProtocols)
}

// loseReply executes a request and closes its connection.
func loseReply(_ *injected, w http.ResponseWriter, execute func()) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		execute() // what it writes is discarded
		_ = conn.Close()
	}
}

// addNoise adds what a client must tolerate: an unknown field, a line of an unknown type and
// a malformed one.
func addNoise(l *line) {
	l.text = bytes.Replace(l.text, []byte("{"), []byte(`{"tomorrow":[1,{"field":null}],`), 1)
	l.text = append(l.text, `{"type":"weather","wind":{"beaufort":7}}`+"\n"+`{"type":`+"\n"...)
}

// writePage responds with a proxy's HTML page.
func writePage(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(status)
	_, _ = w.Write([]byte("<html><head><title>" + http.StatusText(status) + "</title></head></html>"))
}
