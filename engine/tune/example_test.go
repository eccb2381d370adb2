package tune_test

import (
	"fmt"
	"strings"

	"github.com/zhbot/zhbot/engine/tune"
)

func ExampleReadParameters() {
	parameters, err := tune.ReadParameters(strings.NewReader("# name start min max step\nrazorMargin 350 150 600 40\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(parameters[0].Name, parameters[0].Start, parameters[0].Step)
	// Output: razorMargin 350 40
}
