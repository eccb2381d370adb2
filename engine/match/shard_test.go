package match

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestParseShard(t *testing.T) {
	for text, want := range map[string]Shard{"0/1": {0, 1}, "0/8": {0, 8}, "7/8": {7, 8}} {
		if got, err := ParseShard(text); err != nil || got != want || got.String() != text {
			t.Errorf("%q is %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "3", "/", "8/8", "-1/8", "0/0", "1/x", "x/2", "1/2/3", "0/2000000", "1 /2"} {
		if got, err := ParseShard(text); err == nil || got != (Shard{}) || !strings.Contains(err.Error(), "want INDEX/COUNT") {
			t.Errorf("%q is %v, %v, want an error", text, got, err)
		}
	}
}

func FuzzParseShard(f *testing.F) {
	f.Add("3/8")
	f.Add("+3/08")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseShard(text)
		if err != nil {
			return
		}
		if s.Index < 0 || s.Index >= s.Count {
			t.Errorf("%q is %v", text, s)
		}
		if again, err := ParseShard(s.String()); err != nil || again != s {
			t.Errorf("%q is %v, which is then %v, %v", text, s, again, err)
		}
	})
}

// Every number belongs to one shard, which counts and lists it.
func TestShard_DividesNumbers(t *testing.T) {
	for count := 1; count <= 5; count++ {
		for total := range 12 {
			var all []int
			for i := range count {
				s := Shard{Index: i, Count: count}
				var own []int
				for n := range total {
					if s.Has(n) {
						own = append(own, n)
					}
				}
				if s.Size(total) != len(own) {
					t.Errorf("shard %s of %d numbers has the size %d, want %d", s, total, s.Size(total), len(own))
				}
				for i, n := range own {
					if s.Number(i) != n {
						t.Errorf("number %d of shard %s is %d, want %d", i, s, s.Number(i), n)
					}
				}
				all = append(all, own...)
			}
			slices.Sort(all)
			if len(all) != total || len(slices.Compact(all)) != total {
				t.Errorf("%d shards of %d numbers have %v", count, total, all)
			}
		}
	}
	if whole := (Shard{}); !whole.Has(3) || whole.Number(3) != 3 || whole.Size(3) != 3 {
		t.Error("the zero shard is not the whole work")
	}
}

func TestShard_JSON(t *testing.T) {
	type header struct {
		Shard Shard `json:"shard,omitzero"`
	}
	for want, h := range map[string]header{`{"shard":"1/4"}`: {Shard{Index: 1, Count: 4}}, `{}`: {}} {
		text, err := json.Marshal(h)
		if err != nil || string(text) != want {
			t.Errorf("%v is %s, %v", h, text, err)
		}
		var got header
		if err := json.Unmarshal(text, &got); err != nil || got != h {
			t.Errorf("%s is %v, %v", text, got, err)
		}
	}
	if err := json.Unmarshal([]byte(`{"shard":"4/4"}`), new(header)); err == nil {
		t.Error("shard 4/4 is decoded")
	}
}

func TestShardSet(t *testing.T) {
	var s ShardSet
	for file, sh := range map[string]Shard{"a": {2, 3}, "b": {0, 3}} {
		if err := s.Add(sh, file); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.Missing(); !slices.Equal(got, []Shard{{Index: 1, Count: 3}}) || s.Count() != 3 {
		t.Errorf("of %d shards %v are missing", s.Count(), got)
	}
	for want, sh := range map[string]Shard{
		"c was made without --shard":         {},
		"c is shard 0/4, but ":               {0, 4},
		"shard 2/3 is in two files: a and c": {2, 3},
	} {
		if err := s.Add(sh, "c"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("adding %v: %v, want %q", sh, err, want)
		}
	}
	if err := s.Add(Shard{Index: 1, Count: 3}, "c"); err != nil || s.Missing() != nil || s.File(Shard{Index: 1, Count: 3}) != "c" {
		t.Errorf("%v, missing %v", err, s.Missing())
	}
}
