package lichesstest

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Faults are what goes wrong between the server and a bot. All can be switched
// at any time. Endpoints are named by class: "move", "command", "chat",
// "challenge", "challenges" (their list), "events", "game", "account", "users".
type Faults struct {
	mu      sync.Mutex
	rng     *rand.Rand
	fail    map[string]*failure
	limited map[string]*rateLimit
	lose    map[string]int
	down    time.Time // 502 for everything until then
	streams StreamFaults
	rates   Rates
	cut     int // streams to cut at their next line
	stall   int // streams to fall silent at their next line
	hole    int // connections to accept and never answer
	miss    int // game streams to miss the line of the next move
	late    int // game streams whose first line comes after a later one
	early   int // claims of the win to refuse as too early
	spare   time.Duration
	slow    slowness
	outages ledger
}

// failure answers the next requests with a status and a body.
type failure struct {
	left    int
	status  int
	refusal *string // Lichess's own words, "" for an empty body; nil for a proxy's page
}

func (f *failure) answer(w http.ResponseWriter) {
	f.left--
	switch {
	case f.refusal == nil:
		gatewayError(w, f.status)
	case *f.refusal == "":
		w.WriteHeader(f.status)
	default:
		refuse(w, f.status, *f.refusal)
	}
}

// rateLimit answers 429 until a time.
type rateLimit struct {
	until time.Time
	style LimitStyle
}

// LimitStyle is the form of a 429.
type LimitStyle int

// The forms in which Lichess and the proxies before it say 429.
const (
	LimitPlain      LimitStyle = iota // JSON without a wait
	LimitSeconds                      // JSON with ratelimit.seconds
	LimitRetryAfter                   // JSON with a Retry-After header
	LimitHTML                         // a proxy's HTML page
)

// StreamFaults change every line of every stream.
type StreamFaults struct {
	Duplicate bool // each line comes twice
	OneByte   bool // each byte is a packet of its own
	Noise     bool // unknown events, unknown fields and malformed lines in between
}

// Rates are probabilities of faults, drawn from the server's seed: of a stream
// line to be cut in the middle, to be the last one before silence or to come
// twice, or byte by byte; of a game's stream to miss the line of the next move, to
// have its first line late, or to be refused by what stands before the server; of
// a request to fail with 503, or to be done without its answer arriving; of a claim
// of the win to be too early.
type Rates struct {
	Cut, Stall, Duplicate, OneByte, Noise float64
	Miss, Late                            float64
	Fail, Lose                            float64
	EarlyClaim                            float64
	Stray                                 float64 // a game's stream or a move answered by a proxy with 400, 403 or 404
}

func newFaults(seed uint64) *Faults {
	return &Faults{
		rng: rand.New(rand.NewPCG(seed, 404)), fail: map[string]*failure{}, limited: map[string]*rateLimit{}, lose: map[string]int{},
	}
}

// Fail lets a proxy answer the next n requests of a class with a page and a
// status. They are not done.
func (f *Faults) Fail(class string, n, status int) {
	f.set(func() { f.fail[class] = &failure{left: n, status: status} })
}

// Refuse lets the server refuse the next n requests of a class, with its JSON
// error, or for an empty text with nothing but the status. They are not done.
func (f *Faults) Refuse(class string, n, status int, text string) {
	f.set(func() { f.fail[class] = &failure{left: n, status: status, refusal: &text} })
}

// Limit answers a class with 429 for a time.
func (f *Faults) Limit(class string, d time.Duration, style LimitStyle) {
	f.set(func() {
		now := time.Now()
		f.limited[class] = &rateLimit{now.Add(d), style}
		if class == "move" {
			f.outages.add("limit", now, d)
		}
	})
}

// LoseReplies lets the next n requests of a class be done, but cuts the
// connection before the answer.
func (f *Faults) LoseReplies(class string, n int) { f.set(func() { f.lose[class] = n }) }

// CutStreams cuts the next n streams in the middle of their next line.
func (f *Faults) CutStreams(n int) { f.set(func() { f.cut = n }) }

// StallStreams lets the next n streams fall silent, connection open.
func (f *Faults) StallStreams(n int) { f.set(func() { f.stall = n }) }

// BlackHole accepts the next n connections and never answers on them.
func (f *Faults) BlackHole(n int) { f.set(func() { f.hole = n }) }

// DropMoves drops the line of the next move from the next n game streams that are
// opened, as if it had been played between reading the game and subscribing to its
// moves.
func (f *Faults) DropMoves(n int) { f.set(func() { f.miss = n }) }

// DelayGameFull sends the first line of the next n game streams that are opened
// after the line of the next event, or half a second late.
func (f *Faults) DelayGameFull(n int) { f.set(func() { f.late = n }) }

// EarlyClaims refuses the next n claims of the win as too early.
func (f *Faults) EarlyClaims(n int) { f.set(func() { f.early = n }) }

// claimIsEarly reports whether a claim of the win is to be refused as too early.
func (f *Faults) claimIsEarly() (early bool) {
	f.set(func() { early = f.spend(&f.early, f.rates.EarlyClaim) })
	return early
}

// spoilOpening decides what happens to a game's stream that is being opened. Where
// the reader has little time left on the clock, no move is missed by chance.
func (f *Faults) spoilOpening(sub *subscriber, left time.Duration) {
	f.set(func() {
		rate := f.rates.Miss
		if left < 2*missGrant {
			rate = 0
		}
		sub.missMove, sub.lateFirst = f.spend(&f.miss, rate), f.spend(&f.late, f.rates.Late)
	})
}

// spend reports whether a fault happens: one of a number on demand, or by chance.
// The caller holds the lock.
func (f *Faults) spend(left *int, rate float64) bool {
	if *left > 0 {
		*left--
		return true
	}
	return f.chance(rate)
}

// Streams changes all streams.
func (f *Faults) Streams(s StreamFaults) { f.set(func() { f.streams = s }) }

// Random lets faults happen by chance.
func (f *Faults) Random(r Rates) { f.set(func() { f.rates = r }) }

// MinClock exempts the streams of games in which the reader has less than this on
// the clock from being cut or stalled.
func (f *Faults) MinClock(least time.Duration) { f.set(func() { f.spare = least }) }

// Down answers everything with 502 for a time.
func (f *Faults) Down(d time.Duration) {
	f.set(func() {
		now := time.Now()
		f.down = now.Add(d)
		f.outages.add("down", now, d)
	})
}

// withheld returns the outages that hit every game in a span of time.
func (f *Faults) withheld(from, to time.Time) []Outage {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.outages.within(from, to)
}

// Clear switches everything off.
func (f *Faults) Clear() {
	f.set(func() {
		clear(f.fail)
		clear(f.limited)
		clear(f.lose)
		f.outages.end(time.Now())
		f.down, f.streams, f.rates, f.spare = time.Time{}, StreamFaults{}, Rates{}, 0
		f.cut, f.stall, f.hole, f.miss, f.late, f.early = 0, 0, 0, 0, 0, 0
		f.slow = slowness{}
	})
}

func (f *Faults) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// chance draws with a probability. The caller holds the lock.
func (f *Faults) chance(p float64) bool { return p > 0 && f.rng.Float64() < p }

// begin meets a request of a class. It answers the request itself and returns
// nil, or returns the writer to answer on and what to do after.
func (f *Faults) begin(w http.ResponseWriter, class string) (http.ResponseWriter, func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if time.Now().Before(f.down) {
		gatewayError(w, http.StatusBadGateway)
		return nil, nil
	}
	if l := f.limited[class]; l != nil && time.Now().Before(l.until) {
		tooMany(w, l)
		return nil, nil
	}
	streaming := class == "events" || class == "game"
	if fail := f.fail[class]; fail != nil && fail.left > 0 {
		fail.answer(w)
		return nil, nil
	}
	if (class == "game" || class == "move") && f.chance(f.rates.Stray) {
		gatewayError(w, strayRefusals[f.rng.IntN(len(strayRefusals))])
		return nil, nil
	}
	if !streaming && f.chance(f.rates.Fail) {
		gatewayError(w, http.StatusServiceUnavailable)
		return nil, nil
	}
	if !streaming && (f.lose[class] > 0 || f.chance(f.rates.Lose)) {
		f.lose[class] = max(0, f.lose[class]-1)
		return &swallowed{header: http.Header{}}, func() { hangUp(w) }
	}
	return w, func() {}
}

// strayRefusals are what a proxy answers for a moment, though the server would not.
var strayRefusals = []int{http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound}

// gatewayError is the page of a proxy, which is no JSON.
func gatewayError(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(status)
	_, _ = w.Write([]byte("<html><head><title>" + http.StatusText(status) + "</title></head></html>"))
}

func tooMany(w http.ResponseWriter, l *rateLimit) {
	seconds := int(time.Until(l.until)/time.Second) + 1
	body := object{"error": tooManyRequests}
	switch l.style {
	case LimitHTML:
		gatewayError(w, http.StatusTooManyRequests)
		return
	case LimitSeconds:
		body["ratelimit"] = object{"key": "test", "seconds": seconds}
	case LimitRetryAfter:
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
	}
	reply(w, http.StatusTooManyRequests, body)
}

// swallowed takes an answer that nobody will get.
type swallowed struct{ header http.Header }

func (s *swallowed) Header() http.Header         { return s.header }
func (s *swallowed) WriteHeader(int)             {}
func (s *swallowed) Write(b []byte) (int, error) { return len(b), nil }

// hangUp cuts the connection of a request.
func hangUp(w http.ResponseWriter) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = conn.Close()
	}
}
