package main

import (
	"os"
	"strings"
	"testing"
)

func TestGenerate_IsUpToDate(t *testing.T) {
	text, err := os.ReadFile("../../" + source)
	if err != nil {
		t.Fatal(err)
	}
	want, err := generate(text)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../" + target)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s is not what %s says: run go generate ./engine", target, source)
	}
}

func TestGenerate_Refuses(t *testing.T) {
	for text, want := range map[string]string{
		"const a = 1":                      "a",
		"const a = b // 1 to 2 by 1":       "want a number",
		"const a = 1 // 1 or 2":            "MIN to MAX by STEP",
		"const a = 3 // 1 to 2 by 1":       "want a value from 1 to 2",
		"const a = 1 // 1 to 2 by 0":       "a step of at least 1",
		"const a, b = 1, 1 // 1 to 2 by 1": "NAME = VALUE",
	} {
		if _, err := generate([]byte("package engine\n\n" + text + "\n")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", text, err, want)
		}
	}
}
