package engine

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

// Set sets the parameter, to a value from Min to Max, for all engines of the program, none
// of which may be searching.
func (p Parameter) Set(value int) {
	*p.value = value
}
