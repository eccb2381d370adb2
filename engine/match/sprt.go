package match

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// SPRT is a sequential probability ratio test of two hypotheses: H0, that the engine is
// Elo0 stronger than its opponent, and H1, that it is Elo1 stronger. It continues until
// one is 19 times as likely as the other, so each is wrongly accepted in at most 5 % of
// matches.
type SPRT struct {
	Elo0 float64 `json:"elo0"`
	Elo1 float64 `json:"elo1"`
}

// ParseSPRT parses the two bounds, "e0,e1".
func ParseSPRT(s string) (SPRT, error) {
	low, high, _ := strings.Cut(s, ",")
	elo0, err0 := strconv.ParseFloat(strings.TrimSpace(low), 64)
	elo1, err1 := strconv.ParseFloat(strings.TrimSpace(high), 64)
	if err0 != nil || err1 != nil || !(-eloLimit < elo0 && elo0 < elo1 && elo1 < eloLimit) {
		return SPRT{}, fmt.Errorf("SPRT bounds %q: want two Elo numbers, the lower first, such as 0,10", s)
	}
	return SPRT{elo0, elo1}, nil
}

// sprtError is the rate of both errors, alpha and beta.
const sprtError = 0.05

// Bound returns the log-likelihood ratio at which H1 is accepted; H0 is accepted at its
// negative.
func (SPRT) Bound() float64 { return math.Log((1 - sprtError) / sprtError) }

// priorPairs of each kind are added to estimate the variance. Without them a few equal
// pairs at the start would look like certainty.
const priorPairs = 0.5

// LLR returns the log-likelihood ratio of H1 to H0, 0 without pairs: that of normal
// distributions with the mean of a hypothesis and the most likely variance about it. So it is
// defined, too, where all pairs ended alike.
func (t SPRT) LLR(p Pentanomial) float64 {
	mean, _ := p.moments(0)
	_, variance := p.moments(priorPairs)
	about := func(elo float64) float64 { return variance + math.Pow(mean-scoreFromElo(elo), 2) }
	return float64(p.Pairs()) / 2 * math.Log(about(t.Elo0)/about(t.Elo1))
}

// Verdict is the state of an SPRT.
type Verdict string

// The verdicts of an SPRT.
const (
	Undecided  Verdict = "undecided"
	AcceptedH0 Verdict = "H0 accepted"
	AcceptedH1 Verdict = "H1 accepted"
	Stopped    Verdict = "undecided, stopped by hand"
)

// Verdict returns the verdict after the pairs.
func (t SPRT) Verdict(p Pentanomial) Verdict {
	switch llr := t.LLR(p); {
	case llr >= t.Bound():
		return AcceptedH1
	case llr <= -t.Bound():
		return AcceptedH0
	}
	return Undecided
}

// String returns the bounds as "[e0, e1]".
func (t SPRT) String() string { return fmt.Sprintf("[%g, %g]", t.Elo0, t.Elo1) }
