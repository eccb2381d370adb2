package bot

// Arenas says which tournaments to join.
type Arenas struct {
	IDs      []string
	Teams    []string // all of their arenas
	Password string   // for those that ask for one
}
