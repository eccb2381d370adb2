package stats

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// Plan forecasts how many games two contenders need until the 95 % interval of their
// difference is ±Error, if they play equally many, by turns against each opponent.
type Plan struct {
	Error float64 `json:"error"`
	Games int     `json:"games"` // of the two together
	// Opponents is the number of the opponents who are assumed to be met as often as so far.
	// It is 0 while too few games are known: then opponents are assumed to be as strong as we are.
	Opponents int        `json:"opponents"`
	Humans    float64    `json:"humans_per_day"` // games a day against people so far
	Days      []PlanDays `json:"days"`
}

// PlanDays is how many days the games take.
type PlanDays struct {
	BotGames int `json:"bot_games_per_day"`
	Days     int `json:"days"`
}

// enoughToPlan is the number of games from which a plan expects others like them.
const enoughToPlan = 100

// Plan forecasts the games for an interval of plus or minus an error in Elo.
func (r *RatedGames) Plan(e float64) *Plan {
	p := &Plan{Error: e}
	deviation, games := math.Sqrt(4/0.25)/eloUnit, 1 // of one game if each of the two scores 50 %
	if len(r.games) >= enoughToPlan {
		deviation, games = r.shareOut().differenceError()
		p.Opponents, p.Humans = len(r.opponents), r.humansPerDay()
	}
	total := float64(games) * square(twoSided95*deviation/e)
	p.Games = int(math.Ceil(min(total, math.MaxInt32)))
	for _, quota := range []int{100, 64, 50} { // what Lichess allows against bots, and a part of it
		p.Days = append(p.Days, PlanDays{quota, int(math.Ceil(float64(p.Games) / (float64(quota) + p.Humans)))})
	}
	return p
}

// shareOut returns the games as two contenders would have played them by turns: for each
// opponent, two games with one and two with the other.
func (r *RatedGames) shareOut() *RatedGames {
	out := *r
	out.contenders, out.games = nameIndex{"a": 0, "b": 1}, make([]observation, len(r.games))
	met := make([]int, len(r.opponents))
	for i, o := range r.games {
		o.contender = (met[o.opponent]/2 + o.opponent) % 2
		met[o.opponent]++
		out.games[i] = o
	}
	return &out
}

// differenceError returns the standard error of the difference of the first two contenders.
func (r *RatedGames) differenceError() (deviation float64, games int) {
	m, f := r.fit(len(r.contenders))
	_, deviation = f.contrast(m.weights(0, 1))
	return deviation, len(r.games)
}

// humansPerDay returns how many games a day were against people.
func (r *RatedGames) humansPerDay() float64 {
	humans, first, last := 0, r.games[0].began, r.games[0].began
	for i := range r.games {
		first, last = min(first, r.games[i].began), max(last, r.games[i].began)
		if r.games[i].pool < 0 {
			humans++
		}
	}
	return tenths(float64(humans) / max(1, (time.Duration(last-first)*time.Second).Hours()/24))
}

// String describes the plan in a line.
func (p *Plan) String() string {
	var days []string
	for _, d := range p.Days {
		days = append(days, fmt.Sprintf("%d days at %d a day", d.Days, d.BotGames))
	}
	text := fmt.Sprintf("±%g Elo between two contenders takes about %d games: against bots, %s", p.Error, p.Games,
		strings.Join(days, ", "))
	if p.Humans > 0 {
		text += fmt.Sprintf(" and %g against people", p.Humans)
	}
	if p.Opponents > 0 {
		return text + fmt.Sprintf(" (as against the %d opponents so far)", p.Opponents)
	}
	return text + " (against opponents as strong as the bot)"
}
