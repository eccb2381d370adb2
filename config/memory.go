package config

// What the program needs besides the transposition table, in MiB.
const (
	baseMB   = 64
	threadMB = 4 // of each search thread: its histories, twice for the garbage collector
)

// fits returns a problem if the memory, in bytes, is too small for the settings
// on so many cores. 0 is not known.
func (c *Config) fits(memory uint64, cores int) []Problem {
	threads := c.Engine.Threads
	if threads == 0 {
		threads = cores
	}
	var p problems
	mib, rest := int(memory>>20), baseMB+threadMB*threads
	if memory > 0 && c.Engine.HashMB > mib-rest {
		p.add("engine.hash_mb", "%d does not fit into the %d MiB of memory here: %d threads and the rest of the program need %d; want at most %d",
			c.Engine.HashMB, mib, threads, rest, max(mib-rest, 0))
	}
	return p
}
