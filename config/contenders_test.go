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
	const text = `[{name: base, network: "", book: []}, {name: new network, weight: 3, network: new.zhnn, book: [a.zhbk, b.bin]}, {name: retired, weight: 0, network: }]`
	t.Setenv("ZHBOT_CONTENDERS", text)
	for name, source := range map[string]Source{
		"environment": {Env: true},
		"flag":        {Flags: map[string]string{"contenders": text}},
	} {
		c, err := Parse(source, []byte("contenders: [{name: other}]\n"))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, c.Contenders); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	c, err := parseText(t, "contenders:\n- {name: base, network: '', book: []}\n- name: new network\n  weight: 3\n  network: new.zhnn\n  book: [a.zhbk, b.bin]\n- {name: retired, weight: 0}\n")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, c.Contenders); diff != "" {
		t.Errorf("file: %s", diff)
	}
	c, err = Parse(Source{Flags: map[string]string{"contenders": "[]"}}, []byte("contenders: [{name: other}]\n"))
	if err != nil || len(c.Contenders) != 0 {
		t.Errorf("a flag without contenders leaves %v, %v", c.Contenders, err)
	}
}
