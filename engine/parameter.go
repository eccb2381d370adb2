package engine

import "fmt"

// Parameter is a constant of the search that a build with the tag tune can
// change. Its value may be any from Min to Max; Step is how far apart two values
// must be for a match to feel the difference.
type Parameter struct {
	Name           string
	Default        int
	Min, Max, Step int
	value          *int
}

// Parameters returns the constants that this build can change: none but in a
// build with the tag tune.
func Parameters() []Parameter { return parameters }

// SetParameter changes one. It holds for all engines in the program, none of which
// may be searching.
func SetParameter(name string, value int) error {
	for _, p := range parameters {
		if p.Name != name {
			continue
		}
		if value < p.Min || value > p.Max {
			return fmt.Errorf("parameter %s: %d: want a number from %d to %d", name, value, p.Min, p.Max)
		}
		*p.value = value
		reductions = computeReductions()
		return nil
	}
	return fmt.Errorf("parameter %s: this build cannot change it; one with -tags tune can change those in engine/tunable.go", name)
}
