package live

import (
	"net/http"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// Metrics are the metrics of one bot. The set of their label values is bounded: none
// comes unchecked from a player or the server. They are safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry

	finished        *prometheus.CounterVec
	uncounted       *prometheus.CounterVec
	challenges      *prometheus.CounterVec
	secondInstances prometheus.Counter

	panics *prometheus.CounterVec

	latency  prometheus.Histogram
	overhead prometheus.Histogram

	nodes     prometheus.Counter
	depth     prometheus.Histogram
	fallbacks *prometheus.CounterVec

	reconnects *prometheus.CounterVec
	streamless prometheus.Counter
	requests   *prometheus.CounterVec
	limited    *prometheus.CounterVec
}

// Histogram buckets, in seconds.
var (
	lagBuckets   = []float64{.01, .02, .03, .05, .075, .1, .15, .2, .3, .5, 1, 2}
	thinkBuckets = []float64{.01, .03, .1, .3, .5, 1, 2, 3, 5, 10, 20, 60}
)

// newMetrics returns the metrics of a bot, whose gauges are read from its status.
func newMetrics(status func() bot.Status) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry()}
	m.registry.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	in := promauto.With(m.registry)
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return in.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, buckets []float64) prometheus.Histogram {
		return in.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets})
	}
	m.gauges(status)
	m.finished = counter("zhbot_games_finished_total",
		"Finished games by our result, kind of opponent and how they ended.", "result", "opponent", "ending")
	m.uncounted = counter("zhbot_games_uncounted_total",
		"Rated games that changed no rating, by reason.", "reason")
	m.challenges = counter("zhbot_challenges_total",
		"Incoming challenges by decision, decline reason and kind of challenger.", "decision", "reason", "opponent")
	m.secondInstances = counter("zhbot_second_instances_total",
		"Times that another program on our account took over a stream of ours, or made our moves.").WithLabelValues()
	m.panics = counter("zhbot_panics_total",
		"Recovered panics, by where they happened: in a search or in the goroutine of a game.", "in")
	m.latency = histogram("zhbot_move_latency_seconds",
		"Time from receiving our turn to receiving our move back from the server.", thinkBuckets)
	m.overhead = histogram("zhbot_move_overhead_seconds",
		"Time from sending a move to receiving it back from the server.", lagBuckets)
	m.nodes = counter("zhbot_search_nodes_total", "Nodes searched.").WithLabelValues()
	m.depth = histogram("zhbot_search_depth",
		"Depth reached by searches, in plies.", prometheus.LinearBuckets(2, 2, 15))
	m.fallbacks = counter("zhbot_engine_fallbacks_total",
		"Moves that our own search chose because the program of engine.command did not, by reason.", "reason")
	m.reconnects = counter("zhbot_stream_reconnects_total", "Streams reopened, by kind.", "stream")
	m.streamless = counter("zhbot_game_streamless_seconds_total",
		"Time that games in progress were without a stream, during which an opponent may claim the win.").WithLabelValues()
	m.requests = counter("zhbot_http_requests_total",
		"Requests to Lichess by endpoint and status, \"none\" without a response.", "endpoint", "status")
	m.limited = counter("zhbot_rate_limits_total", "Responses with status 429 by endpoint.", "endpoint")
	for _, stream := range []string{eventStream, gameStream} {
		m.reconnects.WithLabelValues(stream) // exported from the start, so that increase() sees the first one
	}
	for _, in := range []string{event.InSearch, event.InGame} {
		m.panics.WithLabelValues(in)
	}
	for _, reason := range event.Fallbacks() {
		m.fallbacks.WithLabelValues(string(reason))
	}
	for _, reason := range record.UncountedReasons() {
		m.uncounted.WithLabelValues(string(reason))
	}
	for _, opponent := range []string{opponentHuman, opponentBot} {
		m.exportFinished(opponent)
	}
	return m
}

// exportFinished exports the counters of finished games against a kind of opponent, for
// all results and endings.
func (m *Metrics) exportFinished(opponent string) {
	for _, result := range []rules.Result{rules.WhiteWins, rules.Draw, rules.BlackWins} {
		for _, ending := range endingLabels {
			m.finished.WithLabelValues(result.For(rules.White), opponent, string(ending))
		}
	}
	for _, ending := range []lichess.Status{lichess.StatusAborted, lichess.StatusNoStart, lichess.StatusUnknownFinish} {
		m.finished.WithLabelValues(rules.NoResult.For(rules.White), opponent, string(ending))
	}
}

// gauges registers the metrics that are read at each scrape.
func (m *Metrics) gauges(status func() bot.Status) {
	in := promauto.With(m.registry)
	gauge := func(name, help string, labels prometheus.Labels, value func(s *bot.Status) int) {
		in.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, func() float64 {
			return float64(value(new(status())))
		})
	}
	const games = "Games by state: live on the server, or starting."
	gauge("zhbot_games", games, prometheus.Labels{"state": "live"}, func(s *bot.Status) int { return s.Slots.Live })
	gauge("zhbot_games", games, prometheus.Labels{"state": "starting"}, func(s *bot.Status) int {
		return s.Slots.Games - s.Slots.Live
	})
	gauge("zhbot_slots", "Maximum number of concurrent games.", nil, func(s *bot.Status) int { return s.Slots.Max })
	gauge("zhbot_event_stream_up", "1 while the event stream is open.", nil, func(s *bot.Status) int {
		return flag(s.Connected)
	})
	gauge("zhbot_paused", "1 while the bot is paused.", nil, func(s *bot.Status) int { return flag(s.Paused != nil) })
	gauge("zhbot_rating", "Our crazyhouse rating.", nil, func(s *bot.Status) int { return s.Rating })
	const unsaved = "Finished games not in the records: they wait to be written, or were dropped since too many waited."
	gauge("zhbot_games_unsaved", unsaved, nil, func(s *bot.Status) int { return s.Records.Waiting + s.Records.Dropped })
	build := prometheus.Labels{"version": status().Version, "goversion": runtime.Version()}
	gauge("zhbot_build_info", "1; the labels describe the build.", build, func(*bot.Status) int { return 1 })
}

// flag returns the value of a gauge.
func flag(set bool) int {
	if set {
		return 1
	}
	return 0
}

// CountDroppedLines exports how many lines of the log were dropped.
func (m *Metrics) CountDroppedLines(dropped func() int64) {
	promauto.With(m.registry).NewCounterFunc(prometheus.CounterOpts{
		Name: "zhbot_log_lines_dropped_total", Help: "Log lines that could not be written, or not fast enough.",
	}, func() float64 { return float64(dropped()) })
}

// Label values.
const (
	eventStream   = "event"
	gameStream    = "game"
	opponentHuman = "human"
	opponentBot   = "bot"
)

// Observe counts an event. It never blocks.
func (m *Metrics) Observe(e event.Event) {
	switch e := e.(type) {
	case event.StreamOpened:
		m.streamless.Add(e.Absent.Seconds())
		if e.Reopened {
			m.reconnects.WithLabelValues(streamKind(e.Game)).Inc()
		}
	case event.Duplicate:
		m.secondInstances.Inc()
	case event.Panicked:
		m.panics.WithLabelValues(e.In).Inc()
	case event.ChallengeDecided:
		decision := "decline"
		if e.Decision.Accept {
			decision = "accept"
		}
		m.challenges.WithLabelValues(decision, string(e.Decision.Reason), opponentKind(e.Challenger)).Inc()
	case event.GameEnded:
		m.countGame(&e)
	case event.Searched:
		m.nodes.Add(float64(e.Info.Nodes))
		if e.Info.Depth > 0 { // not for a book move
			m.depth.Observe(float64(e.Info.Depth))
		}
		if e.Fallback != "" {
			m.fallbacks.WithLabelValues(string(e.Fallback)).Inc()
		}
	case event.Moved:
		m.latency.Observe(e.Latency.Seconds())
		m.overhead.Observe(e.Lag.Seconds())
	}
}

// endingLabels are the statuses of games with a result that are labels.
var endingLabels = []lichess.Status{
	lichess.StatusMate, lichess.StatusResign, lichess.StatusOutOfTime, lichess.StatusTimeout, lichess.StatusStalemate,
	lichess.StatusDraw, lichess.StatusCheat, lichess.StatusVariantEnd, lichess.StatusInsufficientMaterial, otherEnding,
}

// otherEnding stands for all other statuses of games with a result.
const otherEnding lichess.Status = "other"

func (m *Metrics) countGame(e *event.GameEnded) {
	ending := e.Status
	if e.Result != rules.NoResult && !slices.Contains(endingLabels, ending) {
		ending = otherEnding
	}
	m.finished.WithLabelValues(e.Result.For(e.Us), opponentKind(e.Opponent()), string(ending)).Inc()
	if e.Uncounted != "" {
		m.uncounted.WithLabelValues(string(e.Uncounted)).Inc()
	}
}

func streamKind(game string) string {
	if game == "" {
		return eventStream
	}
	return gameStream
}

func opponentKind(p record.Player) string {
	if p.IsBot() {
		return opponentBot
	}
	return opponentHuman
}

// ObserveRequest counts a request to Lichess. It never blocks.
func (m *Metrics) ObserveRequest(r lichess.Observation) {
	status := "none"
	if r.Status != 0 {
		status = strconv.Itoa(r.Status)
	}
	m.requests.WithLabelValues(r.Endpoint, status).Inc()
	if r.Wait > 0 {
		m.limited.WithLabelValues(r.Endpoint).Inc()
	}
}

// Limits on scrapes.
const (
	maxScrapes    = 4 // at once
	scrapeTimeout = 9 * time.Second
)

// Handler serves the metrics.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		MaxRequestsInFlight: maxScrapes, Timeout: scrapeTimeout,
	})
}
