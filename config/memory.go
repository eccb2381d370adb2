package config

// What the program needs besides the transposition table, in MiB.
const (
	baseMB   = 64
	threadMB = 4 // of each search thread: its histories, twice for the garbage collector

	contenderMB = 32 // of a contender with a network of its own: the network, and histories of games
)

// The default size of the transposition table: a quarter of the memory, within bounds.
const (
	hashDivisor   = 4
	minHashMB     = 16
	maxHashMB     = 1024
	unknownHashMB = 256 // used when available memory is unknown
)

// HashSize returns the size of the transposition table in MiB: the configured one or, if
// that is 0, one that suits the memory, given in bytes, and the cores. A memory of 0 is
// unknown.
func (c *Config) HashSize(memory uint64, cores int) int {
	mib := int(memory >> 20)
	switch {
	case c.Engine.HashMB > 0:
		return c.Engine.HashMB
	case memory == 0:
		return unknownHashMB
	}
	return min(max(min(mib/hashDivisor, mib-c.otherMB(cores)), minHashMB), maxHashMB)
}

// otherMB returns what the program needs besides the transposition table, in MiB.
func (c *Config) otherMB(cores int) int {
	mib := baseMB + threadMB*c.Engine.SearchThreads(cores)
	for _, k := range c.Contenders {
		if k.Network != nil {
			mib += contenderMB
		}
	}
	return mib
}

// SearchThreads returns the number of search threads: the configured number or, if that
// is 0, one for each core.
func (e *Engine) SearchThreads(cores int) int {
	if e.Threads == 0 {
		return cores
	}
	return e.Threads
}

// checkMemory adds a problem if the memory, in bytes, is too small for the settings
// on so many cores. 0 is not known.
func (c *Config) checkMemory(p *problems, memory uint64, cores int) {
	threads, other := c.Engine.SearchThreads(cores), c.otherMB(cores)
	mib := int(memory >> 20)
	left := mib - other
	switch size := c.HashSize(memory, cores); {
	case memory == 0 || size <= left:
	case left >= minHashMB:
		p.add("engine.hash_mb", "%d does not fit into the %d MiB of memory here: %d threads "+
			"and the rest of the program need %d; want at most %d",
			size, mib, threads, other, left)
	default:
		p.add("engine.threads", "%d and the rest of the program need %d of the %d MiB of memory here, "+
			"and the transposition table %d; want fewer threads, at %d MiB each, or more memory",
			threads, other, mib, minHashMB, threadMB)
	}
}
