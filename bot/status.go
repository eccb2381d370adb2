package bot

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/zhbot/zhbot/bot/event"
	"github.com/zhbot/zhbot/bot/game"
	"github.com/zhbot/zhbot/bot/matchmaking"
	"github.com/zhbot/zhbot/bot/record"
	"github.com/zhbot/zhbot/bot/stats"
	"github.com/zhbot/zhbot/engine/analysis"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// Status is the state of a bot: "zhbot ctl status" prints it, the live page shows it, and the
// gauges of the metrics are read from it.
type Status struct {
	Version     string                      `json:"version"`
	Network     string                      `json:"network,omitempty"` // that evaluates positions
	Program     string                      `json:"program,omitempty"` // that searches instead of ours
	Server      string                      `json:"server"`            // URL
	Account     string                      `json:"account"`           // "" before the bot has logged in
	Rating      int                         `json:"rating,omitempty"`  // in crazyhouse
	Started     time.Time                   `json:"started"`
	Connected   bool                        `json:"connected"`           // the event stream is open
	Lost        Fault                       `json:"lost,omitzero"`       // why it is not, after a failure
	Reconnects  int                         `json:"reconnects"`          // of all streams
	Takeovers   map[string]Takeover         `json:"takeovers,omitempty"` // the last of "events" and of "game"
	Blocked     map[string]time.Time        `json:"blocked,omitempty"`   // until when, by kind of request, after a 429
	Refused     *string                     `json:"refused,omitempty"`   // why Lichess lets no bot play; nil if one plays
	Draining    bool                        `json:"draining"`
	Paused      *record.Pause               `json:"paused,omitempty"` // nil if it is not
	Slots       game.Use                    `json:"slots"`
	Threads     int                         `json:"threads"`   // of the search
	Searching   int                         `json:"searching"` // games
	NPS         uint64                      `json:"nps"`       // of their searches
	Games       []GameStatus                `json:"games"`     // in progress
	Ended       []GameStatus                `json:"ended"`     // in the slots that are free, the latest first
	Recorded    int                         `json:"recorded"`  // how many have ended since Started
	Challenges  []matchmaking.OpenChallenge `json:"challenges"`
	Decisions   []ChallengeStatus           `json:"decisions"` // on the latest challenges, of both sides
	Matchmaking Matchmaking                 `json:"matchmaking"`
	Gauntlet    *Gauntlet                   `json:"gauntlet,omitempty"` // the current one, or the last; nil for none
	Arenas      []matchmaking.Arena         `json:"arenas"`
	SPRT        *stats.SPRTReport           `json:"sprt,omitempty"` // nil for no test of contenders
	Records     record.Backlog              `json:"records,omitzero"`
	Settings    Fault                       `json:"settings,omitzero"` // why the file was not loaded, if it was not
	Notices     []string                    `json:"notices,omitempty"` // what to know of all this, and to do

	noBio bool // when the bot started
}

// Fault is what has failed since a time; the zero value means that nothing has.
type Fault struct {
	Since  time.Time `json:"since"`
	Reason string    `json:"reason,omitempty"` // names hosts or files; "" if it is withheld
}

// String returns both, in a line.
func (f Fault) String() string {
	return strings.TrimSuffix(dayTime(f.Since)+": "+strings.Join(strings.Fields(f.Reason), " "), ": ")
}

// Takeover is that another program on our account took over a stream of ours, or made our moves.
type Takeover struct {
	At    time.Time `json:"at"`
	Until time.Time `json:"until"` // when we open the stream again
}

// eventsTaken is the key of the takeover of the event stream.
const eventsTaken = "events"

// Gauntlet is a gauntlet and how its matches stand.
type Gauntlet struct {
	record.Gauntlet
	Matches []matchmaking.GauntletMatch `json:"matches"`
}

// Summary describes a gauntlet that is in progress, in a line.
func (g *Gauntlet) Summary() string {
	parts := make([]string, len(g.Matches))
	for i, m := range g.Matches {
		parts[i] = fmt.Sprintf("%s %d of %d games, +%d =%d -%d",
			m.Opponent, m.Games(), 2*g.Pairs, m.Won, m.Drawn, m.Lost)
		if p := stats.PerformanceOf(m.Tally); p != nil && p.Bound != "" {
			parts[i] += fmt.Sprintf(" (%s%+d)", p.Bound, p.Rating)
		} else if p != nil {
			parts[i] += fmt.Sprintf(" (%+d ± %d)", p.Rating, p.Error)
		}
	}
	return strings.Join(parts, "; ")
}

// ChallengeStatus is a challenge, and what has become of it.
type ChallengeStatus struct {
	ID       string        `json:"id"`
	Opponent record.Player `json:"opponent"`
	Clock    string        `json:"clock"`
	Rated    bool          `json:"rated"`
	Sender   event.Sender  `json:"sender,omitempty"` // of ours; "" for one to us
	Accept   bool          `json:"accept,omitempty"` // what the policy decided
	Outcome  event.Outcome `json:"outcome,omitempty"`
	Reason   string        `json:"reason,omitempty"`
	Rule     string        `json:"rule,omitempty"` // see [event.ChallengeClosed]
	At       time.Time     `json:"at"`             // when it was decided on, or sent
}

// GameStatus is a game that is in progress or has ended.
type GameStatus struct {
	ID       string        `json:"id"`
	URL      string        `json:"url"`
	Color    string        `json:"color"` // ours
	Us       record.Player `json:"us"`
	Opponent record.Player `json:"opponent"`
	Rated    bool          `json:"rated"`
	Arena    string        `json:"arena,omitempty"` // its name, or its id
	Clock    string        `json:"clock"`           // such as 3+2, "" without one
	Plies    int           `json:"plies"`
	OurTurn  bool          `json:"our_turn"`
	Check    bool          `json:"check"`
	// Left and TheirLeft are the clocks in seconds, at a time.
	Left      float64   `json:"left,omitempty"`
	TheirLeft float64   `json:"their_left,omitempty"`
	At        time.Time `json:"at"`
	Running   bool      `json:"running"` // the clock of the side to move

	FEN      string `json:"fen"`
	LastMove string `json:"last_move,omitempty"` // such as 12… N@f7+
	LastUCI  string `json:"last_uci,omitempty"`

	Searching bool          `json:"searching,omitempty"`
	Search    *SearchStatus `json:"search,omitempty"` // nil before the first, and if it is withheld
	Withheld  bool          `json:"withheld,omitempty"`

	// After the end:
	Result     string `json:"result,omitempty"` // in words; "" before it
	Score      string `json:"score,omitempty"`  // ours: win, draw, loss or none
	RatingDiff int    `json:"rating_diff,omitempty"`
}

// SearchStatus is what the latest search for one of our moves has found, which would help the
// opponent. The score is from White's point of view.
type SearchStatus struct {
	Centipawns int    `json:"cp"`
	Mate       int    `json:"mate,omitempty"` // moves to mate, if it is not 0
	Depth      int    `json:"depth"`
	Nodes      uint64 `json:"nodes"`
	Line       string `json:"line"`
}

// String returns score and depth.
func (s *SearchStatus) String() string {
	score := fmt.Sprintf("%+.2f", float64(s.Centipawns)/100)
	if s.Mate != 0 {
		score = fmt.Sprintf("#%d", s.Mate)
	}
	return fmt.Sprintf("%s at depth %d", score, s.Depth)
}

// Matchmaking is whether the bot challenges others when idle.
type Matchmaking struct {
	On       bool `json:"on"`
	Operator bool `json:"operator"` // set by a command, whatever the settings say
}

// Withhold removes what would help the opponents of games in progress, and the errors that
// name files or hosts.
func (s *Status) Withhold() {
	for i := range s.Games {
		s.Games[i].Search, s.Games[i].Withheld = nil, true
	}
	s.Records.Reason, s.Lost.Reason, s.Settings.Reason = "", "", ""
	s.UpdateNotices()
}

// Status returns the state of the bot.
func (b *Bot) Status() Status {
	s := Status{
		Version: b.opts.Version, Network: b.opts.Network, Server: b.opts.Site, Account: b.Account(),
		Started: b.started, Connected: b.connected.Load(), Blocked: b.opts.Client.Blocked(),
		Draining: b.games.IsDraining(), Paused: b.pause.current(), Threads: b.opts.Threads,
		Slots:      b.games.Use(),
		Challenges: b.challenger.Open(), Arenas: b.arenas.Status(), SPRT: b.SPRT(),
		Games: []GameStatus{}, Ended: []GameStatus{},
	}
	if b.opts.Program != nil {
		s.Program = b.opts.Program()
	}
	if until := b.memory.Usage(time.Now()).ClosedUntil; !until.IsZero() { // also after a restart
		s.Blocked[lichess.BotGamesLimit] = until
	}
	if b.opts.Archive != nil {
		s.Records = b.opts.Archive.Backlog()
	}
	b.opts.Overrides.change(func(o *Overrides) {
		s.Matchmaking = Matchmaking{On: b.settings().Matchmaking.Enabled}
		if o.matchmaking != nil {
			s.Matchmaking = Matchmaking{On: *o.matchmaking, Operator: true}
		}
	})
	if g := b.challenger.Gauntlet(); g != nil {
		s.Gauntlet = &Gauntlet{Gauntlet: *g, Matches: b.challenger.GauntletMatches(g)}
	}
	if me := b.me(); me != nil {
		s.noBio = strings.TrimSpace(me.Profile.Bio) == ""
	}
	b.addGames(&s)
	s.UpdateNotices()
	return s
}

// addGames adds the games, and what is known from events.
func (b *Bot) addGames(s *Status) {
	views := b.games.Views() // first, so that none is missing that ends meanwhile
	r := &b.recent
	r.mu.Lock()
	defer r.mu.Unlock()
	s.Rating, s.Lost, s.Reconnects, s.Recorded = r.rating, r.lost, r.reconnects, r.recorded
	s.Takeovers, s.Decisions = maps.Clone(r.takeovers), append([]ChallengeStatus{}, r.challenges...)
	for _, v := range views {
		g := gameStatus(&v)
		if i := slices.IndexFunc(s.Arenas, func(a matchmaking.Arena) bool { return a.ID == v.Arena }); i >= 0 {
			g.Arena = s.Arenas[i].Name
		}
		switch {
		case v.Status.Over() && r.find(v.ID) == nil:
			s.Ended = append(s.Ended, g)
		case !v.Status.Over():
			s.Games = append(s.Games, g)
			if v.Searching && v.Search != nil {
				s.NPS += v.Search.Info.NPS
			}
			if v.Searching {
				s.Searching++
			}
		}
	}
	shown := max(0, s.Slots.Max-len(s.Games))
	for _, e := range r.ended[:min(len(r.ended), shown)] { // to describe a game takes time
		g := gameStatus(&e.GameView)
		g.RatingDiff = e.RatingDiff
		s.Ended = append(s.Ended, g)
	}
	s.Ended = s.Ended[:min(len(s.Ended), shown)]
}

// Game returns a game that is in progress or is one of the last that have ended, nil for none.
func (b *Bot) Game(id string) *event.GameView {
	views := b.games.Views()
	if i := slices.IndexFunc(views, func(v event.GameView) bool { return v.ID == id }); i >= 0 {
		return &views[i]
	}
	b.recent.mu.Lock()
	defer b.recent.mu.Unlock()
	if v := b.recent.find(id); v != nil {
		return new(*v)
	}
	return nil
}

// gameStatus describes a game.
func gameStatus(v *event.GameView) GameStatus {
	position := v.Board.Position()
	g := GameStatus{
		ID: v.ID, URL: v.Site, Color: v.Us.String(), Us: v.Summary.Opponent(v.Us.Other()), Opponent: v.Opponent(),
		Rated: v.Rated, Arena: v.Arena, Plies: v.Board.Ply(), OurTurn: position.Turn() == v.Us, Check: position.InCheck(),
		At: v.At.UTC(), Running: v.Running, FEN: position.FEN(), Searching: v.Searching, Search: searchStatus(v.Search),
	}
	if !v.Clock.IsZero() {
		g.Clock = v.Clock.String()
		g.Left, g.TheirLeft = v.Clocks[v.Us].Seconds(), v.Clocks[v.Us.Other()].Seconds()
	}
	if moves := v.Board.Moves(); len(moves) > 0 {
		last := moves[len(moves)-1]
		before := v.Board.PositionAt(len(moves) - 1)
		g.LastMove, g.LastUCI = before.Line([]rules.Move{last}), before.UCI(last)
	}
	if v.Status.Over() {
		g.Result, g.Score = record.DescribeResult(v.Status, v.Result), v.Result.For(v.Us)
	}
	return g
}

// maxLine is how many moves of a line are shown.
const maxLine = 12

func searchStatus(s *event.Search) *SearchStatus {
	if s == nil {
		return nil
	}
	position, i := s.Board.Position(), &s.Info
	score := analysis.PGNScore(i.Score).For(position.Turn())
	return &SearchStatus{
		Centipawns: score.Centipawns, Mate: score.Mate, Depth: i.Depth, Nodes: i.Nodes,
		Line: position.Line(i.PV[:min(len(i.PV), maxLine)]),
	}
}
