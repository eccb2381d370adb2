package record

import (
	"testing"

	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

func TestDescribeResult(t *testing.T) {
	for _, tt := range []struct {
		status lichess.Status
		result rules.Result
		want   string
	}{
		{"mate", rules.WhiteWins, "White won by checkmate"},
		{"outoftime", rules.BlackWins, "Black won on time"},
		{"timeout", rules.WhiteWins, "White won because Black left"},
		{"timeout", rules.BlackWins, "Black won because White left"},
		{"timeout", rules.Draw, "Drawn because a player left"},
		{"cheat", rules.WhiteWins, "White won because of cheating"},
		{"stalemate", rules.Draw, "Drawn by stalemate"},
		{"aborted", rules.NoResult, "Aborted"},
		{"noStart", rules.NoResult, "Aborted"},
		{"unknownFinish", rules.NoResult, "Ended without a result"},
		{"somethingNew", rules.Draw, "Drawn (somethingNew)"},
	} {
		if got := DescribeResult(tt.status, tt.result); got != tt.want {
			t.Errorf("%s, %s: %q", tt.status, tt.result, got)
		}
	}
}
