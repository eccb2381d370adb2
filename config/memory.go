package config

// minHeapMB is what the program needs besides the transposition table.
const minHeapMB = 64

// fits returns a problem if the memory, in bytes, is too small for the settings.
// 0 is not known.
func (c *Config) fits(memory uint64) []Problem {
	var p problems
	mib := int(memory >> 20)
	if memory > 0 && c.Engine.HashMB > mib-minHeapMB {
		p.add("engine.hash_mb", "%d does not fit into the %d MiB of memory here, %d of which the rest of the program needs; want at most %d",
			c.Engine.HashMB, mib, minHeapMB, max(mib-minHeapMB, 0))
	}
	return p
}
