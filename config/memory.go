package config

// What the program needs besides the transposition table, in MiB.
const (
	baseMB   = 64
	threadMB = 4 // of each search thread: its histories, twice for the garbage collector

	contenderMB = 32 // of a contender with a network of its own: the network, and histories of games
)

// What the transposition table gets when nothing else is asked for: a quarter of
// the memory, within bounds.
const (
	hashDivisor   = 4
	minHashMB     = 16
	maxHashMB     = 1024
	unknownHashMB = 256 // where nobody knows the memory
)

// HashSize returns the size of the transposition table in MiB: what the
// settings ask for or, if that is 0, what suits the memory, in bytes. A memory
// of 0 is not known.
func (e *Engine) HashSize(memory uint64) int {
	mib := int(memory >> 20)
	switch {
	case e.HashMB > 0:
		return e.HashMB
	case memory == 0:
		return unknownHashMB
	}
	return min(max(mib/hashDivisor, minHashMB), maxHashMB)
}

// SearchThreads returns the number of search threads: what the settings ask for or, if
// that is 0, one for each core.
func (e *Engine) SearchThreads(cores int) int {
	if e.Threads == 0 {
		return cores
	}
	return e.Threads
}

// checkMemory adds a problem if the memory, in bytes, is too small for the settings
// on so many cores. 0 is not known.
func (c *Config) checkMemory(p *problems, memory uint64, cores int) {
	threads := c.Engine.SearchThreads(cores)
	mib, rest := int(memory>>20), baseMB+threadMB*threads
	for _, k := range c.Contenders {
		if k.Network != nil {
			rest += contenderMB
		}
	}
	if size := c.Engine.HashSize(memory); memory > 0 && size > mib-rest {
		p.add("engine.hash_mb", "%d does not fit into the %d MiB of memory here: %d threads and the rest of the program need %d; want at most %d",
			size, mib, threads, rest, max(mib-rest, 0))
	}
}
