package engine

import "fmt"

// Parameter is a constant of the search that builds with the tag tune can change, from
// Min to Max. Step is the smallest change that a match can measure.
type Parameter struct {
	Name           string
	Default        int
	Min, Max, Step int
	value          *int
}

// Parameters returns the constants that this build can change: none without the tag tune.
func Parameters() []Parameter { return parameters }

// SetParameter sets a parameter for all engines of the program, none of which may be
// searching. An unknown name or a value out of range is an error.
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
