package tune

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// ReadParameters reads parameters, one per line: NAME START MIN MAX STEP. Empty lines and
// lines that start with # are skipped. Errors have the line number.
func ReadParameters(r io.Reader) (parameters []Parameter, err error) {
	lines := bufio.NewScanner(r)
	for number := 1; lines.Scan(); number++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		var p Parameter
		if _, err := fmt.Sscan(line, &p.Name, &p.Start, &p.Min, &p.Max, &p.Step); err != nil {
			return nil, fmt.Errorf("line %d: want NAME START MIN MAX STEP: %w", number, err)
		}
		parameters = append(parameters, p)
	}
	return parameters, lines.Err()
}
