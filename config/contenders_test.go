package config

import (
	"strings"
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

func TestParse_InvalidContenders(t *testing.T) {
	for text, want := range map[string]string{
		"a":                                  "--set:1: contenders: want a list such as",
		"{name: a}":                          "--set:1: contenders: want a list such as",
		"[a]":                                "--set:1: contenders[0]: want a section with keys of its own",
		"[{name: a, wieght: 1}]":             "--set:1: unknown key contenders[0].wieght; did you mean contenders[0].weight?",
		"[{name: a, zz: 1}]":                 "--set:1: unknown key contenders[0].zz; contenders[0] has name, weight,",
		"[{name: a, weight: 1, weight: 2}]":  "--set:1: contenders[0].weight: given twice, first at --set:1",
		"[{name: a, weight: many}]":          `--set:1: contenders[0].weight: "many" is not a whole number`,
		"[{name: a, book: b.bin}]":           "--set:1: contenders[0].book: want a list such as [a, b]",
		"[{weight: 2}]":                      "--set:1: contenders[0]: no name",
		"[{name: a\\b}]":                     `--set:1: contenders[0].name: "a\\b" is not a name`,
		"[{name: a}, {name: A}]":             `--set:1: contenders[1].name: "A" is also the name of contenders[0]`,
		"[{name: a, weight: -1}]":            "--set:1: contenders[0].weight: -1 is too small",
		"[{name: a, weight: 1001}]":          "--set:1: contenders[0].weight: 1001 is too large",
		"[{name: a, for: bots}]":             "--set:1: contenders[0].for: want a section with keys of its own",
		"[{name: a, for: {speed: blitz}}]":   "--set:1: unknown key contenders[0].for.speed; did you mean contenders[0].for.speeds?",
		"[{name: a, for: {speeds: [fast]}}]": `--set:1: contenders[0].for.speeds: "fast" is not one of`,
		"[{name: a, for: {modes: []}}]":      "--set:1: contenders[0].for.modes: empty, so no game matches",
		"[{name: a, for: {speeds: []}}]":     "--set:1: contenders[0].for.speeds: empty, so no game matches",
		"[{name: a, for: {opponents: bot}}]": `--set:1: contenders[0].for.opponents: "bot" is not one of humans, bots; did you mean bots?`,
		"[{name: a, for: {color: random}}]":  `--set:1: contenders[0].for.color: "random" is not one of white, black`,
		"[{name: a, network: none}]":         `--set:1: contenders[0].network: "none" was the hand-written evaluation`,
		"[{name: a, command: ' '}]":          "--set:1: contenders[0].command: does not begin with a program",
		"[{name: a, command: K=lip_x e}]":    "--set:1: contenders[0].command: does not begin with a program",
		"[{name: a, weight: 0}]":             "--set:1: contenders: all have a weight of 0",
		"[{name: a},{name: b},{name: c},{name: d},{name: e},{name: f},{name: g},{name: h},{name: i}]": "--set:1: contenders: 9 are too many, want at most 8",
		"[": "--set:",
	} {
		_, err := Parse(Source{Flags: map[string]string{"contenders": text}}, nil)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "lip_") {
			t.Errorf("%s: error %v, want %q in it", text, err, want)
		}
	}
}

// A problem names the line of the contender's own key.
func TestParse_ContendersInFile(t *testing.T) {
	_, err := parseText(t, "contenders:\n  - name: a\n  - name: b\n    weight: -1\n")
	if want := "config.yaml:4: contenders[1].weight: -1 is too small"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q in it", err, want)
	}
}
