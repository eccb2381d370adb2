package uci

import (
	"fmt"
	"strings"

	"github.com/zhbot/zhbot/engine"
)

// maxMultiPV exceeds the number of legal moves in most positions.
const maxMultiPV = 500

// maxNodesTime exceeds the nodes that one thread searches in a millisecond.
const maxNodesTime = 10_000

// SearchOptions are the UCI options that say how to search: how well, and for how many
// lines.
type SearchOptions struct {
	MultiPV       int
	Skill         int  // 0 to [engine.MaxSkill]
	LimitStrength bool // use Elo instead of Skill
	Elo           int
	NodesTime     int // nodes per millisecond; 0 means real time
}

// DefaultSearchOptions returns one line at full strength.
func DefaultSearchOptions() SearchOptions {
	return SearchOptions{MultiPV: 1, Skill: engine.MaxSkill, Elo: engine.MinElo}
}

// Set sets the option with a name, whose case is ignored. known is false if there is none;
// an invalid value is an error and changes nothing.
func (p *SearchOptions) Set(name, value string) (known bool, err error) {
	switch strings.ToLower(name) {
	case "multipv":
		err = setNumber(&p.MultiPV, value, 1, maxMultiPV)
	case "skill level":
		err = setNumber(&p.Skill, value, 0, engine.MaxSkill)
	case "uci_limitstrength":
		err = setBool(&p.LimitStrength, value)
	case "uci_elo":
		err = setNumber(&p.Elo, value, engine.MinElo, engine.MaxElo)
	case "nodestime":
		err = setNumber(&p.NodesTime, value, 0, maxNodesTime)
	default:
		return false, nil
	}
	return true, err
}

// Strength returns the playing strength. The seed determines the random choices of the
// levels.
func (p SearchOptions) Strength(seed uint64) engine.Strength {
	if p.LimitStrength {
		return engine.StrengthFromElo(p.Elo, seed)
	}
	return engine.StrengthFromSkill(p.Skill, seed)
}

// declare returns the option lines of the answer to uci.
func (p SearchOptions) declare() string {
	return strings.Join([]string{
		fmt.Sprintf("option name MultiPV type spin default %d min 1 max %d", p.MultiPV, maxMultiPV),
		fmt.Sprintf("option name Skill Level type spin default %d min 0 max %d", p.Skill, engine.MaxSkill),
		fmt.Sprintf("option name UCI_LimitStrength type check default %t", p.LimitStrength),
		fmt.Sprintf("option name UCI_Elo type spin default %d min %d max %d", p.Elo, engine.MinElo, engine.MaxElo),
		fmt.Sprintf("option name nodestime type spin default %d min 0 max %d", p.NodesTime, maxNodesTime),
	}, "\n")
}
