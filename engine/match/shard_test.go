package match

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestParseShard(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Shard{"0/1": {0, 1}, "0/8": {0, 8}, "7/8": {7, 8}} {
		if got, err := ParseShard(text); err != nil || got != want || got.String() != text {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "3", "/", "8/8", "-1/8", "0/0", "1/x", "x/2", "1/2/3", "0/2000000", "1 /2"} {
		if got, err := ParseShard(text); err == nil || got != (Shard{}) ||
			!strings.Contains(err.Error(), "want INDEX/COUNT") {
			t.Errorf("%q is %v, %v, want an error", text, got, err)
		}
	}
}

// Every number belongs to one shard, which counts and lists it.
func TestShard_DividesNumbers(t *testing.T) {
	t.Parallel()
	for count := 1; count <= 5; count++ {
		for total := range 12 {
			var all []int
			for i := range count {
				s, next := Shard{Index: i, Count: count}, Shard{Index: (i + 1) % count, Count: count}
				for j := range s.Size(total) {
					n := s.Number(j)
					all = append(all, n)
					if !s.Has(n) || next.Has(n) != (count == 1) {
						t.Errorf("number %d of shard %s does not belong to it alone", n, s)
					}
				}
			}
			slices.Sort(all)
			if len(all) != total || len(slices.Compact(all)) != total || total > 0 && all[total-1] != total-1 {
				t.Errorf("%d shards of %d numbers have %v", count, total, all)
			}
		}
	}
	if whole := (Shard{}); !whole.Has(3) || whole.Number(3) != 3 || whole.Size(3) != 3 {
		t.Error("the zero shard is not the whole work")
	}
}

func TestOrderShards(t *testing.T) {
	t.Parallel()
	type settings struct {
		Nodes int `json:"nodes"`
	}
	order := func(names ...string) ([]string, settings, error) {
		return OrderShards(names, func(name string) (s settings, sh Shard, err error) {
			shard, nodes, _ := strings.Cut(name, " ")
			if shard != "none" {
				sh, err = ParseShard(shard)
			}
			s.Nodes, _ = strconv.Atoi(nodes)
			return s, sh, err
		})
	}
	if files, s, err := order("2/3 7", "0/3 7"); err != nil || s.Nodes != 7 ||
		!slices.Equal(files, []string{"0/3 7", "", "2/3 7"}) {
		t.Errorf("files %q with %+v, %v", files, s, err)
	}
	for want, names := range map[string][]string{
		"none was made without --shard":                      {"none", "0/3"},
		"0/4 is shard 0/4, but 2/3 is shard 2/3":             {"2/3", "0/4"},
		"shard 2/3 is in two files: 2/3 and 2/3 again":       {"2/3", "2/3 again"},
		"0/3 8 is of another run than 2/3 7: nodes 8, not 7": {"2/3 7", "0/3 8"},
	} {
		if _, _, err := order(names...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", names, err, want)
		}
	}
}
