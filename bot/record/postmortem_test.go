package record

import (
	"strings"
	"testing"

	"github.com/zhbot/zhbot/rules"
)

func TestGame_PostMortemTag(t *testing.T) {
	for text, tags := range map[string]int{"blunder: 3.Bc4 (ply 5), from -0.30 to -4.00": 1, "": 0} {
		g := &Game{ID: "abcd1234", Game: rules.NewGame(rules.StartPosition()), Result: rules.BlackWins, Status: "resign", PostMortem: text}
		p := g.PGN()
		var written strings.Builder
		if _, err := p.WriteTo(&written); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(written.String(), "[PostMortem \""+text+"\"]"); n != tags {
			t.Errorf("%d tags in\n%s", n, &written)
		}
		if back := gameOf(p); back.PostMortem != text {
			t.Errorf("read back as %q", back.PostMortem)
		}
	}
}
