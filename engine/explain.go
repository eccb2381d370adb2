package engine

import (
	"fmt"

	"github.com/zhbot/zhbot/rules"
)

// Explain returns the evaluation of a position term by term, for people.
func Explain(p *rules.Position) string {
	return fmt.Sprintf("Evaluation: %+d cp (side to move)", evaluate(p))
}
