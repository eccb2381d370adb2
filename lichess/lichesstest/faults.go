package lichesstest

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Faults inject failures of the server and of the network, at any time. Endpoints are
// named by class: "move", "command", "chat", "challenge", "challenges" (their list),
// "events", "game", "account", "users", "export", "arena".
type Faults struct {
	mu      sync.Mutex // guards the fields below
	rng     *rand.Rand
	outages outageLog
	activeFaults
}

// activeFaults are the current faults.
type activeFaults struct {
	fail        map[string]*failure
	limited     map[string]*rateLimit
	lose        map[string]int
	down        time.Time // 502 for everything until then
	streams     StreamFaults
	rates       Rates
	cut         int // streams to cut at their next line
	stall       int // streams to fall silent at their next line
	blackHoles  int // connections to accept and never answer
	dropMoves   int // game streams to miss the line of the next move
	delayFulls  int // game streams whose first line comes after a later one
	earlyClaims int // claims of the win to refuse as too early
	minClock    time.Duration
	slowBy      time.Duration // delay of the first byte of game streams
	slowUntil   time.Time
}

func noFaults() activeFaults {
	return activeFaults{fail: map[string]*failure{}, limited: map[string]*rateLimit{}, lose: map[string]int{}}
}

// failure responds to the next requests.
type failure struct {
	remaining int
	respond   func(http.ResponseWriter)
}

// rateLimit responds with 429 until a time.
type rateLimit struct {
	until time.Time
	style LimitStyle
}

// LimitStyle is the form of a 429 response.
type LimitStyle int

// The forms of a 429 from Lichess and the proxies in front of it.
const (
	LimitPlain      LimitStyle = iota // JSON without a wait
	LimitSeconds                      // JSON with ratelimit.seconds
	LimitRetryAfter                   // JSON with a Retry-After header
	LimitHTML                         // a proxy's HTML page
)

// StreamFaults change every line of every stream.
type StreamFaults struct {
	Duplicate bool // send each line twice
	OneByte   bool // send each byte in a packet of its own
	Noise     bool // insert unknown events, unknown fields and malformed lines
}

// Rates are probabilities of faults, drawn from the server's seed: that a stream is
// cut within a line; that a line is duplicated, split into bytes or followed by noise;
// that a game stream misses the line of the next move, sends its first line late, or is
// rejected by a proxy; that a request fails with 503, or is executed but its response
// lost, or rejected as if its token were unknown; that a claim of the win is too early.
type Rates struct {
	Cut, Duplicate, OneByte, Noise float64
	Miss, Late                     float64
	Fail, Lose, Unauthorized       float64
	EarlyClaim                     float64
	Stray                          float64 // a game's stream or a move answered by a proxy with 400, 403 or 404
}

func newFaults(seed uint64) *Faults {
	return &Faults{rng: rand.New(rand.NewPCG(seed, 404)), activeFaults: noFaults()}
}

// Fail makes a proxy respond to the next n requests of a class with an HTML page and
// a status. They are not executed.
func (f *Faults) Fail(class string, n, status int) {
	f.update(func() { f.fail[class] = &failure{n, func(w http.ResponseWriter) { writeGatewayError(w, status) }} })
}

// Refuse makes the server reject the next n requests of a class with a JSON error,
// or for an empty text with the status only. They are not executed.
func (f *Faults) Refuse(class string, n, status int, text string) {
	f.update(func() {
		f.fail[class] = &failure{n, func(w http.ResponseWriter) {
			if text == "" {
				w.WriteHeader(status)
				return
			}
			writeJSON(w, status, object{"error": text})
		}}
	})
}

// Limit responds to a class with 429 for a time.
func (f *Faults) Limit(class string, d time.Duration, style LimitStyle) {
	f.update(func() {
		now := time.Now()
		f.limited[class] = &rateLimit{now.Add(d), style}
		if class == "move" {
			f.outages.add("limit", now, d)
		}
	})
}

// LoseReplies executes the next n requests of a class but closes the connection
// before the response.
func (f *Faults) LoseReplies(class string, n int) { f.update(func() { f.lose[class] = n }) }

// CutStreams cuts the next n streams in the middle of their next line.
func (f *Faults) CutStreams(n int) { f.update(func() { f.cut = n }) }

// StallStreams stops the next n streams from sending, with the connection open.
func (f *Faults) StallStreams(n int) { f.update(func() { f.stall = n }) }

// BlackHole accepts the next n connections and never responds on them.
func (f *Faults) BlackHole(n int) { f.update(func() { f.blackHoles = n }) }

// DropMoves drops the line of the next move from the next n game streams that are
// opened, as if it had been played between reading the game and subscribing to its
// moves.
func (f *Faults) DropMoves(n int) { f.update(func() { f.dropMoves = n }) }

// DelayGameFull sends the first line of the next n game streams that are opened
// after the line of the next event, or half a second late.
func (f *Faults) DelayGameFull(n int) { f.update(func() { f.delayFulls = n }) }

// EarlyClaims rejects the next n claims of the win as too early.
func (f *Faults) EarlyClaims(n int) { f.update(func() { f.earlyClaims = n }) }

// claimIsEarly reports whether to reject a claim of the win as too early.
func (f *Faults) claimIsEarly() (early bool) {
	f.update(func() { early = f.happens(&f.earlyClaims, f.rates.EarlyClaim) })
	return early
}

// openingFaults draws the faults of a game stream that is being opened. If the reader
// has little time left, no move is dropped at random.
func (f *Faults) openingFaults(sub *subscriber, left time.Duration) {
	f.update(func() {
		rate := f.rates.Miss
		if left < 2*dropAllowance {
			rate = 0
		}
		sub.dropMove, sub.delayFirst = f.happens(&f.dropMoves, rate), f.happens(&f.delayFulls, f.rates.Late)
	})
}

// happens reports whether a fault happens: requested by count, or at random. The
// caller holds the lock.
func (f *Faults) happens(left *int, rate float64) bool {
	if *left > 0 {
		*left--
		return true
	}
	return f.chance(rate)
}

// SlowStreams delays the first byte of each game stream that is opened within a time
// span.
func (f *Faults) SlowStreams(span, by time.Duration) {
	f.update(func() { f.slowUntil, f.slowBy = time.Now().Add(span), by })
}

// slowness returns the current delay of a game stream's first byte.
func (f *Faults) slowness() (by time.Duration) {
	f.update(func() {
		if time.Now().Before(f.slowUntil) {
			by = f.slowBy
		}
	})
	return by
}

// Streams sets the faults of all streams.
func (f *Faults) Streams(s StreamFaults) { f.update(func() { f.streams = s }) }

// Random sets the rates of random faults.
func (f *Faults) Random(r Rates) { f.update(func() { f.rates = r }) }

// MinClock exempts the streams of games in which the reader has less than this on
// the clock from being cut or stalled.
func (f *Faults) MinClock(minimum time.Duration) { f.update(func() { f.minClock = minimum }) }

// Down responds to every request with 502 for a time.
func (f *Faults) Down(d time.Duration) {
	f.update(func() {
		now := time.Now()
		f.down = now.Add(d)
		f.outages.add("down", now, d)
	})
}

// outagesBetween returns the outages of all games in a time span.
func (f *Faults) outagesBetween(from, to time.Time) []Outage {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.outages.within(from, to)
}

// Clear ends all faults.
func (f *Faults) Clear() {
	f.update(func() {
		f.outages.end(time.Now())
		f.activeFaults = noFaults()
	})
}

func (f *Faults) update(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

// chance returns true with probability p. The caller holds the lock.
func (f *Faults) chance(p float64) bool { return p > 0 && f.rng.Float64() < p }

// intercept applies the faults to a request. It may answer it, or say that the answer
// is to be lost.
func (f *Faults) intercept(w http.ResponseWriter, class string) (answered, lose bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	streaming, now := class == "events" || class == "game" || class == "export", time.Now()
	limit, fail := f.limited[class], f.fail[class]
	switch {
	case now.Before(f.down):
		writeGatewayError(w, http.StatusBadGateway)
	case limit != nil && now.Before(limit.until):
		writeLimitFault(w, limit)
	case fail != nil && fail.remaining > 0:
		fail.remaining--
		fail.respond(w)
	case (class == "game" || class == "move") && f.chance(f.rates.Stray):
		writeGatewayError(w, strayStatuses[f.rng.IntN(len(strayStatuses))])
	case f.chance(f.rates.Unauthorized):
		writeJSON(w, http.StatusUnauthorized, object{"error": noSuchToken})
	case !streaming && f.chance(f.rates.Fail):
		writeGatewayError(w, http.StatusServiceUnavailable)
	case !streaming && (f.lose[class] > 0 || f.chance(f.rates.Lose)):
		f.lose[class] = max(0, f.lose[class]-1)
		return false, true
	default:
		return false, false
	}
	return true, false
}

// strayStatuses are spurious error statuses of a proxy.
var strayStatuses = []int{http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound}

// writeGatewayError responds with a proxy's HTML page.
func writeGatewayError(w http.ResponseWriter, status int) {
	w.Header().Set("Content-Type", "text/html")
	w.WriteHeader(status)
	_, _ = w.Write([]byte("<html><head><title>" + http.StatusText(status) + "</title></head></html>"))
}

func writeLimitFault(w http.ResponseWriter, l *rateLimit) {
	seconds := int(time.Until(l.until)/time.Second) + 1
	body := object{"error": tooManyRequests}
	switch l.style {
	case LimitHTML:
		writeGatewayError(w, http.StatusTooManyRequests)
		return
	case LimitSeconds:
		body["ratelimit"] = object{"key": "test", "seconds": seconds}
	case LimitRetryAfter:
		w.Header().Set("Retry-After", strconv.Itoa(seconds))
	}
	writeJSON(w, http.StatusTooManyRequests, body)
}

// closeConn closes the connection of a request.
func closeConn(w http.ResponseWriter) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = conn.Close()
	}
}
