package lichess_test

import (
	"fmt"

	"github.com/zhbot/zhbot/lichess"
)

func ExampleParseClock() {
	for _, text := range []string{"3+2", "0.5+0", "15s+0.2s", "180+2"} {
		clock, err := lichess.ParseClock(text)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(clock, clock.Speed(), clock.Initial, clock.Increment)
	}
	// Output:
	// 3+2 blitz 3m0s 2s
	// ½+0 bullet 30s 0s
	// ¼+0.2 ultraBullet 15s 200ms
	// 180+2 needs a unit; write 3+2 for 180 seconds, or 180m+2s for 180 minutes
}
