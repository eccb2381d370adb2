package match

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/zhbot/zhbot/internal/file"
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

// OrderShards returns the files of the shards of one piece of work by their index, "" for a
// missing one. read returns a file's shard and its other settings, which all files must
// share. A file of the whole work, of a different number of shards, of the same shard as
// another or with other settings is an error that names the files.
func OrderShards[S any](names []string, read func(name string) (S, Shard, error)) (
	files []string, settings S, err error) {
	var first Shard
	for i, name := range names {
		s, sh, err := read(name)
		if err != nil {
			return nil, settings, err
		}
		if i == 0 {
			files, settings, first = make([]string, sh.Count), s, sh
		}
		switch d := file.Differences(s, settings); {
		case sh.Count == 0:
			err = fmt.Errorf("%s was made without --shard: there is nothing to merge it with", name)
		case sh.Count != first.Count:
			err = fmt.Errorf("%s is shard %s, but %s is shard %s", name, sh, names[0], first)
		case files[sh.Index] != "":
			err = fmt.Errorf("shard %s is in two files: %s and %s", sh, files[sh.Index], name)
		case len(d) > 0:
			err = fmt.Errorf("%s is of another run than %s: %s %v, not %v",
				name, names[0], d[0].Name, d[0].First, d[0].Second)
		}
		if err != nil {
			return nil, settings, err
		}
		files[sh.Index] = name
	}
	return files, settings, nil
}
