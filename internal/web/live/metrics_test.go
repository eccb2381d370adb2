package live

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/zhbot/zhbot/bot"
	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// withEvents returns the metrics of a bot that has reported one event of each kind.
func withEvents(t *testing.T) *Metrics {
	t.Helper()
	m := newTestPage(t, Options{Status: func() bot.Status {
		return bot.Status{
			Version: "v1.2.3", Slots: game.Use{Max: 4, Games: 3, Live: 2}, Connected: true, Rating: 2002,
			Records: record.Backlog{Waiting: 2, Dropped: 3}, Paused: &record.Pause{},
		}
	}}).Metrics
	end := func(title string, status lichess.Status, result rules.Result, u record.Uncounted) event.GameEnded {
		return event.GameEnded{Uncounted: u, GameView: event.GameView{
			Summary: record.Summary{Black: record.Player{Title: title}, Status: status, Result: result},
		}}
	}
	for _, e := range []event.Event{
		event.StreamOpened{}, event.StreamOpened{Reopened: true},
		event.StreamOpened{Game: "abc", Reopened: true, Absent: 250 * time.Millisecond},
		event.Duplicate{}, event.Panicked{Game: "abc", In: event.InSearch},
		event.ChallengeDecided{ID: "1", Decision: event.Decision{Accept: true}},
		event.ChallengeDecided{
			ID: "2", Challenger: record.Player{Title: "BOT"}, Decision: event.Decision{Reason: "noBot"},
		},
		event.Searched{Game: "abc", Info: engine.Info{Depth: 9, Nodes: 5000, Time: 2 * time.Second}},
		event.Searched{Game: "abc", Fallback: event.FallbackLate},
		event.Moved{Game: "abc", Latency: 2100 * time.Millisecond, Lag: 40 * time.Millisecond},
		end("", "mate", rules.WhiteWins, ""), end("BOT", "inventedByServer", rules.BlackWins, ""),
		end("", "draw", rules.Draw, record.Farming), end("", "aborted", rules.NoResult, ""),
	} {
		m.Observe(e)
	}
	m.CountDroppedLines(func() int64 { return 7 })
	m.ObserveRequest(lichess.Observation{Endpoint: "GET /x", Status: 200, Duration: 30 * time.Millisecond})
	m.ObserveRequest(lichess.Observation{Endpoint: "GET /x", Duration: time.Second})
	m.ObserveRequest(lichess.Observation{Endpoint: "POST /y", Status: 429, Wait: time.Minute})
	return m
}

func TestMetrics(t *testing.T) {
	w := httptest.NewRecorder()
	withEvents(t).Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	body := w.Body.String()
	for _, want := range []string{
		`zhbot_games{state="live"} 2`, `zhbot_games{state="starting"} 1`, `zhbot_slots 4`,
		`zhbot_games_finished_total{ending="mate",opponent="human",result="win"} 1`,
		`zhbot_games_finished_total{ending="other",opponent="bot",result="loss"} 1`,
		`zhbot_games_finished_total{ending="aborted",opponent="human",result="none"} 1`,
		`zhbot_challenges_total{decision="accept",opponent="human",reason=""} 1`,
		`zhbot_challenges_total{decision="decline",opponent="bot",reason="noBot"} 1`,
		`zhbot_second_instances_total 1`,
		`zhbot_panics_total{in="search"} 1`, `zhbot_panics_total{in="game"} 0`,
		`zhbot_move_latency_seconds_bucket{le="3"} 1`, `zhbot_move_overhead_seconds_bucket{le="0.05"} 1`,
		`zhbot_move_overhead_seconds_bucket{le="0.03"} 0`,
		`zhbot_search_nodes_total 5000`, `zhbot_search_depth_bucket{le="10"} 1`,
		`zhbot_games_uncounted_total{reason="farming"} 1`, `zhbot_games_uncounted_total{reason="unknown"} 0`,
		`zhbot_engine_fallbacks_total{reason="late"} 1`, `zhbot_engine_fallbacks_total{reason="crashed"} 0`,
		`zhbot_stream_reconnects_total{stream="event"} 1`, `zhbot_stream_reconnects_total{stream="game"} 1`,
		`zhbot_event_stream_up 1`, `zhbot_paused 1`,
		`zhbot_game_streamless_seconds_total 0.25`,
		`zhbot_http_requests_total{endpoint="GET /x",status="200"} 1`,
		`zhbot_http_requests_total{endpoint="GET /x",status="none"} 1`,
		`zhbot_rate_limits_total{endpoint="POST /y"} 1`,
		`zhbot_games_unsaved 5`, `zhbot_rating 2002`,
		`zhbot_log_lines_dropped_total 7`, `go_goroutines`, `process_cpu_seconds_total`,
	} {
		if !strings.Contains(body, "\n"+want) {
			t.Errorf("no %s", want)
		}
	}
	if !strings.Contains(body, `zhbot_build_info{goversion="go`) || !strings.Contains(body, `version="v1.2.3"} 1`) {
		t.Error("no build info")
	}
	if strings.Contains(body, "inventedByServer") {
		t.Error("a label has an unchecked value from the server")
	}
}

// The counters of finished games are there before the first one, so that increase() sees
// it, and no game adds another.
func TestMetrics_FinishedFromTheStart(t *testing.T) {
	m := newTestPage(t, Options{}).Metrics
	before := testutil.CollectAndCount(m.finished)
	for _, ending := range endingLabels {
		if got := testutil.ToFloat64(m.finished.WithLabelValues("win", opponentHuman, string(ending))); got != 0 {
			t.Errorf("%g games were won by %s", got, ending)
		}
	}
	for _, result := range []rules.Result{rules.WhiteWins, rules.BlackWins, rules.Draw, rules.NoResult} {
		for _, status := range append(endingLabels, lichess.StatusAborted, lichess.StatusNoStart,
			lichess.StatusUnknownFinish) {
			if result != rules.NoResult || status.Over() && record.ResultOf(status, "") == rules.NoResult {
				s := record.Summary{Status: status, Result: result}
				m.Observe(event.GameEnded{GameView: event.GameView{Summary: s}})
			}
		}
	}
	if after := testutil.CollectAndCount(m.finished); after != before {
		t.Errorf("%d counters at first, %d after games of all kinds", before, after)
	}
}

// Names and units follow the Prometheus conventions.
func TestMetrics_Lint(t *testing.T) {
	problems, err := testutil.GatherAndLint(withEvents(t).registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}
