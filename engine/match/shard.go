package match

import (
	"fmt"
	"strconv"
	"strings"
)

// Shard is one of Count equal shares of numbered work: the numbers whose remainder is
// Index when divided by Count. The zero Shard is the whole work.
type Shard struct{ Index, Count int }

// maxCount bounds the number of shards.
const maxCount = 1_000_000

// ParseShard parses an index and a count, "0/8" to "7/8".
func ParseShard(text string) (Shard, error) {
	index, count, _ := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(count)
	if err1 != nil || err2 != nil || i < 0 || i >= n || n > maxCount {
		return Shard{}, fmt.Errorf("shard %q: want INDEX/COUNT, the index counted from 0: 0/8 to 7/8", text)
	}
	return Shard{i, n}, nil
}

// String returns what [ParseShard] parses, or "none" for the whole work.
func (s Shard) String() string {
	if s.Count == 0 {
		return "none"
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Count)
}

// MarshalText encodes the shard as [Shard.String] does.
func (s Shard) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText decodes what [ParseShard] parses.
func (s *Shard) UnmarshalText(text []byte) (err error) {
	*s, err = ParseShard(string(text))
	return err
}

// Has reports whether a number, at least 0, belongs to the shard.
func (s Shard) Has(number int) bool { return s.Count == 0 || number%s.Count == s.Index }

// Number returns number i of the shard's own numbers, counted from 0.
func (s Shard) Number(i int) int { return s.Index + i*max(s.Count, 1) }

// Size returns how many of the numbers from 0 to total-1 belong to the shard.
func (s Shard) Size(total int) int {
	count := max(s.Count, 1)
	return max(total-s.Index+count-1, 0) / count
}

// ShardSet collects the files of the shards of one piece of work. The zero ShardSet is empty.
type ShardSet struct {
	first Shard // added first, for the count
	files map[Shard]string
}

// Add adds the file of a shard. A file of the whole work, of a different number of shards
// or of the same shard as another is an error that names the files.
func (s *ShardSet) Add(sh Shard, file string) error {
	if s.files == nil {
		s.first, s.files = sh, map[Shard]string{}
	}
	other, duplicate := s.files[sh]
	switch {
	case sh.Count == 0:
		return fmt.Errorf("%s was made without --shard: there is nothing to merge it with", file)
	case sh.Count != s.first.Count:
		return fmt.Errorf("%s is shard %s, but %s is shard %s", file, sh, s.files[s.first], s.first)
	case duplicate:
		return fmt.Errorf("shard %s is in two files: %s and %s", sh, other, file)
	}
	s.files[sh] = file
	return nil
}

// Count returns the number of shards that make a complete set, 0 for an empty one.
func (s *ShardSet) Count() int { return s.first.Count }

// First returns the file added first, "" for none.
func (s *ShardSet) First() string { return s.files[s.first] }

// File returns the file of a shard, "" if it was not added.
func (s *ShardSet) File(sh Shard) string { return s.files[sh] }

// Missing returns the shards that were not added, in order.
func (s *ShardSet) Missing() (missing []Shard) {
	for i := range s.Count() {
		if sh := (Shard{i, s.Count()}); s.files[sh] == "" {
			missing = append(missing, sh)
		}
	}
	return missing
}
