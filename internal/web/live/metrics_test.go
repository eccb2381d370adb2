package live

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// withEvents returns a page that has observed one event of each kind.
func withEvents(t *testing.T) *Page {
	t.Helper()
	p := newTestPage(t, Options{Version: "v1.2.3", Threads: 2, Slots: func() game.Use { return game.Use{Limits: config.Games{Max: 4}, Games: 3, Live: 2} }})
	view := event.GameView{Summary: record.Summary{ID: "abc", White: record.Player{Name: "zhbot", Title: "BOT"}, Black: record.Player{Name: "alice"}}, Us: rules.White}
	against := view
	against.Black.Title = "BOT"
	for _, e := range []event.Event{
		event.LoggedIn{Account: "zhbot", Rating: 2000, Network: "zh-1"}, event.StreamOpened{}, event.StreamOpened{Reopened: true}, event.StreamOpened{Game: "abc", Reopened: true, Absent: 250 * time.Millisecond},
		event.BacklogChanged{Backlog: record.Backlog{Waiting: 2, Dropped: 3}},
		event.ChallengeSent{ID: "3"}, event.Duplicate{}, event.Panicked{Game: "abc", In: event.InSearch},
		event.ChallengeDecided{ID: "1", Decision: event.Decision{Accept: true}},
		event.ChallengeDecided{ID: "2", Challenger: record.Player{Title: "BOT"}, Decision: event.Decision{Reason: "noBot"}},
		event.Searched{Game: "abc", Info: engine.Info{Depth: 9, Nodes: 5000, Time: 2 * time.Second}},
		event.Searched{Game: "abc", Fallback: event.FallbackLate},
		event.Moved{Game: "abc", Latency: 2100 * time.Millisecond, Lag: 40 * time.Millisecond},
		event.GameEnded{GameView: withEnd(view, "mate", rules.WhiteWins), RatingDiff: 6},
		event.GameEnded{GameView: withEnd(against, "inventedByServer", rules.BlackWins), RatingDiff: -4},
		event.GameEnded{GameView: withEnd(view, "draw", rules.Draw), Uncounted: record.Farming},
		event.GameEnded{GameView: withEnd(view, "aborted", rules.NoResult)},
	} {
		p.Observe(e)
	}
	p.Metrics.CountDroppedLines(func() int64 { return 7 })
	p.ObserveRequest(lichess.Observation{Endpoint: "GET /x", Status: 200, Duration: 30 * time.Millisecond})
	p.ObserveRequest(lichess.Observation{Endpoint: "GET /x", Duration: time.Second})
	p.ObserveRequest(lichess.Observation{Endpoint: "POST /y", Status: 429, Wait: time.Minute})
	return p
}

func TestMetrics(t *testing.T) {
	w := httptest.NewRecorder()
	withEvents(t).Metrics.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	body := w.Body.String()
	for _, want := range []string{
		`zhbot_games{state="live"} 2`, `zhbot_games{state="starting"} 1`, `zhbot_slots 4`, `zhbot_search_threads 2`,
		`zhbot_games_finished_total{ending="mate",opponent="human",result="win"} 1`,
		`zhbot_games_finished_total{ending="other",opponent="bot",result="loss"} 1`,
		`zhbot_games_finished_total{ending="aborted",opponent="human",result="none"} 1`,
		`zhbot_challenges_total{decision="accept",opponent="human",reason=""} 1`,
		`zhbot_challenges_total{decision="decline",opponent="bot",reason="noBot"} 1`,
		`zhbot_challenges_sent_total 1`, `zhbot_second_instances_total 1`,
		`zhbot_panics_total{in="search"} 1`, `zhbot_panics_total{in="game"} 0`,
		`zhbot_move_latency_seconds_bucket{le="3"} 1`, `zhbot_move_overhead_seconds_bucket{le="0.05"} 1`, `zhbot_move_overhead_seconds_bucket{le="0.03"} 0`,
		`zhbot_search_nodes_total 5000`, `zhbot_search_depth_bucket{le="10"} 1`, `zhbot_search_seconds_sum 2`,
		`zhbot_games_uncounted_total{reason="farming"} 1`, `zhbot_games_uncounted_total{reason="unknown"} 0`,
		`zhbot_engine_fallbacks_total{reason="late"} 1`, `zhbot_engine_fallbacks_total{reason="crashed"} 0`,
		`zhbot_stream_reconnects_total{stream="event"} 1`, `zhbot_stream_reconnects_total{stream="game"} 1`, `zhbot_event_stream_up 1`,
		`zhbot_game_streamless_seconds_total 0.25`,
		`zhbot_http_requests_total{endpoint="GET /x",status="200"} 1`, `zhbot_http_requests_total{endpoint="GET /x",status="none"} 1`,
		`zhbot_http_request_seconds_count{endpoint="GET /x"} 2`,
		`zhbot_rate_limits_total{endpoint="POST /y"} 1`, `zhbot_rate_limit_wait_seconds_total{endpoint="POST /y"} 60`,
		`zhbot_games_unsaved 5`, `zhbot_rating 2002`, `zhbot_network_info{network="zh-1"} 1`, `zhbot_log_lines_dropped_total 7`, `go_goroutines`, `process_cpu_seconds_total`,
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

// A rated game shows what the rating is, also after one whose change was missed.
func TestMetrics_Rating(t *testing.T) {
	p := withEvents(t)
	p.Observe(event.RatingShown{Rating: 1987})
	w := httptest.NewRecorder()
	p.Metrics.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if !strings.Contains(w.Body.String(), "\nzhbot_rating 1987\n") {
		t.Errorf("the metrics are\n%s", w.Body)
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
		for _, status := range append(endingLabels, lichess.StatusAborted, lichess.StatusNoStart, lichess.StatusUnknownFinish) {
			if v := withEnd(event.GameView{}, status, result); result != rules.NoResult || status.Over() && record.ResultOf(status, "") == rules.NoResult {
				m.Observe(event.GameEnded{GameView: v})
			}
		}
	}
	if after := testutil.CollectAndCount(m.finished); before == 0 || after != before {
		t.Errorf("%d counters at first, %d after games of all kinds", before, after)
	}
}

// Names and units follow the Prometheus conventions.
func TestMetrics_Lint(t *testing.T) {
	var problems []promlint.Problem
	problems, err := testutil.GatherAndLint(withEvents(t).Metrics.registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}
