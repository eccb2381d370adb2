package web

import (
	"net/http"
	"runtime"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/zhbot/zhbot/bot"
)

// metrics are the figures for Prometheus. Their labels hold nothing that a
// player or a server could make up.
type metrics struct {
	registry *prometheus.Registry

	finished   *prometheus.CounterVec
	challenges *prometheus.CounterVec
	sent       prometheus.Counter
	rivals     prometheus.Counter
	rating     prometheus.Gauge
	network    *prometheus.GaugeVec

	panics *prometheus.CounterVec

	latency  prometheus.Histogram
	overhead prometheus.Histogram

	nodes      prometheus.Counter
	depth      prometheus.Histogram
	searchTime prometheus.Histogram

	reconnects *prometheus.CounterVec
	streamless prometheus.Counter
	requests   *prometheus.CounterVec
	duration   *prometheus.HistogramVec
	limited    *prometheus.CounterVec
	limitWait  *prometheus.CounterVec
}

// The bounds of the histograms, in seconds.
var (
	lagBuckets   = []float64{.01, .02, .03, .05, .075, .1, .15, .2, .3, .5, 1, 2}
	thinkBuckets = []float64{.01, .03, .1, .3, .5, 1, 2, 3, 5, 10, 20, 60}
)

func newMetrics(p *Page) *metrics {
	m := &metrics{registry: prometheus.NewRegistry()}
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	in := promauto.With(m.registry)
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return in.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, buckets []float64) prometheus.Histogram {
		return in.NewHistogram(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets})
	}
	m.gauges(p)
	m.finished = counter("zhbot_games_finished_total", "Games that ended, by our result, kind of opponent and how they ended.", "result", "opponent", "ending")
	m.challenges = counter("zhbot_challenges_total", "Challenges that came in, by decision, reason and kind of challenger.", "decision", "reason", "opponent")
	m.sent = in.NewCounter(prometheus.CounterOpts{Name: "zhbot_challenges_sent_total", Help: "Challenges of ours."})
	m.rivals = in.NewCounter(prometheus.CounterOpts{Name: "zhbot_second_instances_total", Help: "Times that another program with our token took our event stream."})
	m.panics = counter("zhbot_panics_total", "Panics that cost no more than the search, or the run of the game, that they happened in.", "in")
	m.latency = histogram("zhbot_move_latency_seconds", "From the server's word that it is our turn to its word of our move.", thinkBuckets)
	m.overhead = histogram("zhbot_move_overhead_seconds", "From sending a move to the server's word of it.", lagBuckets)
	m.nodes = in.NewCounter(prometheus.CounterOpts{Name: "zhbot_search_nodes_total", Help: "Positions searched."})
	m.depth = histogram("zhbot_search_depth", "Plies that searches reached.", prometheus.LinearBuckets(2, 2, 15))
	m.searchTime = histogram("zhbot_search_seconds", "Time that searches took.", thinkBuckets)
	m.reconnects = counter("zhbot_stream_reconnects_total", "Streams that were opened again, by kind.", "stream")
	m.streamless = in.NewCounter(prometheus.CounterOpts{Name: "zhbot_game_streamless_seconds_total", Help: "Time that games in play were without a stream; an opponent may claim the win meanwhile."})
	m.requests = counter("zhbot_http_requests_total", "Requests to Lichess by class of endpoint and status, \"none\" without an answer.", "endpoint", "status")
	m.duration = in.NewHistogramVec(prometheus.HistogramOpts{Name: "zhbot_http_request_seconds", Help: "Time of requests to Lichess by class of endpoint; of streams, to their start.", Buckets: lagBuckets}, []string{"endpoint"})
	m.limited = counter("zhbot_rate_limits_total", "Answers of 429 by class of endpoint.", "endpoint")
	m.limitWait = counter("zhbot_rate_limit_wait_seconds_total", "Waits that answers of 429 asked for, by class of endpoint.", "endpoint")
	for _, stream := range []string{eventStream, gameStream} {
		m.reconnects.WithLabelValues(stream) // there from the start, so that the first one is seen to come
	}
	for _, in := range []string{bot.InSearch, bot.InGame} {
		m.panics.WithLabelValues(in)
	}
	for _, opponent := range []string{human, machine} {
		m.finished.WithLabelValues("loss", opponent, "outoftime")
	}
	return m
}

// gauges are what can be looked up at any time.
func (m *metrics) gauges(p *Page) {
	in := promauto.With(m.registry)
	gauge := func(name, help string, labels prometheus.Labels, value func() float64) {
		in.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels}, value)
	}
	const games = "Games by state: the server runs them, or they may start any moment."
	gauge("zhbot_games", games, prometheus.Labels{"state": "live"}, func() float64 { return float64(p.slotUse().Live) })
	gauge("zhbot_games", games, prometheus.Labels{"state": "starting"}, func() float64 {
		use := p.slotUse()
		return float64(use.Games - use.Live)
	})
	gauge("zhbot_slots", "Games at once that are allowed.", nil, func() float64 { return float64(p.slotUse().Max) })
	gauge("zhbot_search_threads", "Threads of the search.", nil, func() float64 { return float64(p.opts.Threads) })
	gauge("zhbot_event_stream_up", "1 while the event stream is open.", nil, func() float64 {
		if p.hub.alive() {
			return 1
		}
		return 0
	})
	build := prometheus.Labels{"version": p.opts.Version, "goversion": runtime.Version()}
	gauge("zhbot_build_info", "1; the labels tell the build.", build, func() float64 { return 1 })
	m.network = in.NewGaugeVec(prometheus.GaugeOpts{Name: "zhbot_network_info", Help: "1; the label names the network that judges positions."}, []string{"network"})
	m.rating = in.NewGauge(prometheus.GaugeOpts{Name: "zhbot_rating", Help: "Our crazyhouse rating."})
}

// Values of labels.
const (
	eventStream = "event"
	gameStream  = "game"
	human       = "human"
	machine     = "bot"
)

// observe takes in what the bot tells.
func (m *metrics) observe(e bot.Event) {
	switch e := e.(type) {
	case bot.LoggedIn:
		m.rating.Set(float64(e.Rating))
		m.network.WithLabelValues(e.Network).Set(1)
	case bot.StreamOpened:
		m.streamless.Add(e.Absent.Seconds())
		if e.Reopened {
			m.reconnects.WithLabelValues(streamKind(e.Game)).Inc()
		}
	case bot.SecondInstance:
		m.rivals.Inc()
	case bot.Panicked:
		m.panics.WithLabelValues(e.In).Inc()
	case bot.ChallengeSent:
		m.sent.Inc()
	case bot.ChallengeDecided:
		decision := "decline"
		if e.Decision.Accept {
			decision = "accept"
		}
		m.challenges.WithLabelValues(decision, string(e.Decision.Reason), opponentKind(e.Challenger.Title)).Inc()
	case bot.GameEnded:
		m.ended(&e)
	case bot.Searched:
		m.nodes.Add(float64(e.Info.Nodes))
		if e.Info.Depth > 0 { // or the move came without a search, out of a book
			m.depth.Observe(float64(e.Info.Depth))
			m.searchTime.Observe(e.Info.Time.Seconds())
		}
	case bot.Moved:
		m.latency.Observe(e.Latency.Seconds())
		m.overhead.Observe(e.Lag.Seconds())
	}
}

func (m *metrics) ended(e *bot.GameEnded) {
	how := e.Status
	if _, known := endings[how]; !known && score(e.Winner, how, e.Us) != "none" {
		how = "other"
	}
	m.finished.WithLabelValues(score(e.Winner, e.Status, e.Us), opponentKind(e.Opponent().Title), how).Inc()
	m.rating.Add(float64(e.RatingDiff))
}

func streamKind(game string) string {
	if game == "" {
		return eventStream
	}
	return gameStream
}

func opponentKind(title string) string {
	if title == "BOT" {
		return machine
	}
	return human
}

// request takes in a request to Lichess.
func (m *metrics) request(r Request) {
	status := "none"
	if r.Status != 0 {
		status = strconv.Itoa(r.Status)
	}
	m.requests.WithLabelValues(r.Endpoint, status).Inc()
	m.duration.WithLabelValues(r.Endpoint).Observe(r.Duration.Seconds())
	if r.Wait > 0 {
		m.limited.WithLabelValues(r.Endpoint).Inc()
		m.limitWait.WithLabelValues(r.Endpoint).Add(r.Wait.Seconds())
	}
}

// mostScrapes bounds those who read the metrics at once.
const mostScrapes = 4

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{MaxRequestsInFlight: mostScrapes, Timeout: writeTimeout - time.Second})
}
