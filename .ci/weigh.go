// Weigh counts the tokens of the Go files named on its standard input, by top-level folder, in
// the code and in the tests, and compares them with a file of the most that each may have.
// Comments and automatic semicolons do not count, so packing lines gains nothing.
//
//	git ls-files '*.go' | go run .ci/weigh.go .ci/weight
package main

import (
	"bufio"
	"fmt"
	"go/scanner"
	"go/token"
	"maps"
	"os"
	"slices"
	"strings"
)

// weight is in tokens.
type weight struct{ code, tests int }

func main() {
	if err := weigh(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func weigh(budget string) error {
	folders := map[string]weight{}
	for files := bufio.NewScanner(os.Stdin); files.Scan(); {
		name := files.Text()
		n, err := tokens(name)
		if err != nil {
			return err
		}
		folder, _, found := strings.Cut(name, "/")
		if !found {
			folder = "."
		}
		for _, f := range []string{folder, "total"} {
			w := folders[f]
			if strings.HasSuffix(name, "_test.go") {
				w.tests += n
			} else {
				w.code += n
			}
			folders[f] = w
		}
	}
	limits, err := readBudget(budget)
	if err != nil {
		return err
	}
	heavy := ""
	for _, f := range slices.Sorted(maps.Keys(folders)) {
		w, limit := folders[f], limits[f]
		fmt.Printf("%-8s %7d %7d\n", f, w.code, w.tests)
		if f != "total" && (w.code > limit.code || w.tests > limit.tests) {
			heavy += fmt.Sprintf("\n%s: %+d in the code, %+d in the tests", f, w.code-limit.code, w.tests-limit.tests)
		}
	}
	if heavy != "" {
		return fmt.Errorf("heavier than %s permits (make lighter, or raise the number and say why):%s", budget, heavy)
	}
	return nil
}

func tokens(name string) (n int, err error) {
	source, err := os.ReadFile(name)
	if err != nil {
		return 0, err
	}
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile(name, -1, len(source)), source, nil, 0)
	for {
		switch _, t, _ := s.Scan(); t {
		case token.EOF:
			return n, nil
		case token.SEMICOLON: // also those that are written, which are few
		default:
			n++
		}
	}
}

// readBudget reads lines of a folder, its code and its tests; "#" begins a comment.
func readBudget(name string) (map[string]weight, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	limits := map[string]weight{}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var folder string
		var w weight
		if _, err := fmt.Sscan(line, &folder, &w.code, &w.tests); err != nil {
			return nil, fmt.Errorf("%s: %q is not a folder and two numbers: %w", name, line, err)
		}
		limits[folder] = w
	}
	return limits, nil
}
