package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// zhbotMatch runs zhbot match and returns what it printed.
func zhbotMatch(t *testing.T, args ...string) (out, errOut string, err error) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	root := newRoot()
	root.SetArgs(append([]string{"match"}, args...))
	root.SetOut(&stdout)
	root.SetErr(&stderr)
	err = root.ExecuteContext(t.Context())
	return stdout.String(), stderr.String(), err
}

func TestMatch(t *testing.T) {
	dir := t.TempDir()
	openings := filepath.Join(dir, "openings.epd")
	fens := "r1bqkbnr/pppp2pp/n3p3/5p2/1P6/N2P4/P1P1PPPP/R1BQKBNR[] w KQkq -\n" +
		"r1bqk1nr/pppppp1p/n5pb/8/3P1P2/8/PPP1PKPP/RNBQ1BNR[] w kq -\n"
	if err := os.WriteFile(openings, []byte(fens), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"--opponent", "self", "--nodes", "400", "--games", "4", "--openings", openings, "--sprt", "0,10",
		"--pgn", filepath.Join(dir, "games.pgn"), "--resume", filepath.Join(dir, "state")}
	out, progress, err := zhbotMatch(t, args...)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"won 2, drawn 0, lost 2", "both games the same in 2", "Elo      undefined", "LLR undefined of ±2.94: undecided"} {
		if !strings.Contains(out, want) {
			t.Errorf("printed %q, want %q in it", out, want)
		}
	}
	if lines := strings.Count(progress, "\n"); lines != 4 {
		t.Errorf("progress took %d lines, want 4:\n%s", lines, progress)
	}
	games, err := os.ReadFile(filepath.Join(dir, "games.pgn"))
	if n := bytes.Count(games, []byte("[Event ")); err != nil || n != 4 {
		t.Errorf("the PGN has %d games, %v, want 4", n, err)
	}

	// The same command again finds the match complete.
	out, progress, err = zhbotMatch(t, append(args, "--json")...)
	var s struct{ Games, Wins int }
	if err := errors.Join(err, json.Unmarshal([]byte(out), &s)); err != nil || s.Games != 4 || s.Wins != 2 || progress != "" {
		t.Errorf("the complete match printed %q and %q, %v", out, progress, err)
	}
}

// Both sides play at levels of their own, and table and PGN name them.
func TestMatch_levels(t *testing.T) {
	games := filepath.Join(t.TempDir(), "games.pgn")
	args := []string{"--opponent", "self", "--nodes", "300", "--games", "2", "--max-plies", "40", "--pgn", games,
		"--option", "Skill Level=3", "--opponent-option", "UCI_LimitStrength=true", "--opponent-option", "UCI_Elo=1000"}
	out, _, err := zhbotMatch(t, args...)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(games)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{" at level 3", " at Elo 1000"} {
		if !strings.Contains(out, want) || strings.Count(string(text), want) < 2 {
			t.Errorf("%q is not in the table or not in both games:\n%s\n%s", want, out, text)
		}
	}
}

func TestMatch_usage(t *testing.T) {
	short := filepath.Join(t.TempDir(), "openings.epd")
	fen := "r1bqkbnr/pppp2pp/n3p3/5p2/1P6/N2P4/P1P1PPPP/R1BQKBNR[] w KQkq -\n"
	if err := os.WriteFile(short, []byte(fen), 0o600); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"--opponent is missing":       {},
		"even number":                 {"--opponent", "self", "--games", "3"},
		"both a clock and":            {"--opponent", "self", "--tc", "1+0", "--movetime", "1s"},
		"--sprt":                      {"--opponent", "self", "--sprt", "5"},
		"--adjudicate":                {"--opponent", "self", "--adjudicate", "5"},
		"--opponent-option Book=1":    {"--opponent", "self", "--opponent-option", "Book=1"},
		"EvalFile=nowhere.zhnn":       {"--opponent", "self", "--opponent-option", "EvalFile=nowhere.zhnn"},
		"Skill Level=21":              {"--opponent", "self", "--option", "Skill Level=21"},
		"number of at least 1":        {"--opponent", "self", "--option", "Hash=0"},
		"want Name=Value":             {"--opponent", "x", "--opponent-option", "Book"},
		"want uci or cecp":            {"--opponent", "x", "--opponent-protocol", "usi"},
		"--concurrency":               {"--opponent", "self", "--concurrency", "0"},
		"want seconds+seconds":        {"--opponent", "self", "--opponent-tc", "3"},
		"1 openings for 2 pairs":      {"--opponent", "self", "--nodes", "100", "--games", "4", "--openings", short},
		"takes no arguments, got \"x": {"x"},
	} {
		_, _, err := zhbotMatch(t, args...)
		var usage *usageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), want) {
			t.Errorf("zhbot match %q returned %v, want a usage error with %q", args, err, want)
		}
	}
}
