package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse_Contenders(t *testing.T) {
	file, none := "new.zhnn", ""
	want := []Contender{
		{Name: "base", Weight: 1, Network: &none, Book: []string{}},
		{Name: "new network", Weight: 3, Network: &file, Book: []string{"a.zhbk", "b.bin"}},
		{Name: "retired", Weight: 0},
	}
	const text = `[{name: base, network: "", book: []},
		{name: new network, weight: 3, network: new.zhnn, book: [a.zhbk, b.bin]}, {name: retired, weight: 0, network: }]`
	t.Setenv("ZHBOT_CONTENDERS", text)
	for name, source := range map[string]Source{
		"file":        {},
		"environment": {Env: true},
		"flag":        {Flags: map[string]string{"contenders": text}},
	} {
		file := "contenders: [{name: other, network: other.zhnn}, {name: another}]\n"
		if name == "file" {
			file = "contenders: " + text
		}
		c, err := Parse(source, []byte(file))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, c.Contenders); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
