package train_test

import (
	"fmt"

	"github.com/zhbot/zhbot/engine/selfplay"
	"github.com/zhbot/zhbot/engine/train"
	"github.com/zhbot/zhbot/rules"
)

// The zero filter keeps quiet positions.
func ExampleFilter_Keep() {
	p, err := rules.ParseFEN("rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR/ w KQkq - 0 2")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range []string{"b1c3", "e4d5"} {
		m, err := p.ParseUCI(text)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(p.SAN(m), train.Filter{}.Keep(&p, selfplay.Ply{Move: m, Score: 30}, rules.WhiteWins))
	}
	// Output:
	// Nc3 true
	// exd5 false
}
