package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/engine/match"
	"github.com/zhbot/zhbot/internal/file/filetest"
	"github.com/zhbot/zhbot/lichess/lichesstest"
	"github.com/zhbot/zhbot/rules"
)

// execute runs a command line in this process and returns what it has written.
func execute(ctx context.Context, args ...string) (out, errOut string, err error) {
	var stdout, stderr bytes.Buffer
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(&stdout)
	root.SetErr(&stderr)
	err = root.ExecuteContext(ctx)
	return stdout.String(), stderr.String(), err
}

// A signal ends work that takes long, and says so.
func TestCommands_Interrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	games := filepath.Join(t.TempDir(), "games.pgn")
	filetest.Write(t, games, "[White \"a\"]\n\n1. e4 e5 *\n\n[White \"b\"]\n\n1. d4 d5 *\n")
	for _, args := range [][]string{
		{"perft", "20"}, {"perft", "--divide", "20"}, {"bench", "--depth", "60"}, {"stats", games}, {"analyse", games, "--game", "3"},
	} {
		out, _, err := execute(ctx, args...)
		if err == nil || err.Error() != args[0]+": interrupted" {
			t.Errorf("%s: error %v, output %q", args, err, out)
		}
	}
}

// The error of an interrupted run says how it can be continued.
func TestCommands_InterruptedRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	parameters := filepath.Join(dir, "parameters")
	filetest.Write(t, parameters, "Hash 16 1 64 1\n")
	for _, args := range [][]string{
		{"match", "--opponent", "self", "--nodes", "100"},
		{"tune", "--engine", "zhbot uci", "--parameters", parameters, "--nodes", "100"},
	} {
		_, _, err := execute(ctx, args...)
		if want := args[0] + ": interrupted; with --resume FILE it can be continued"; err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", args, err, want)
		}
		_, _, err = execute(ctx, append(args, "--resume", filepath.Join(dir, args[0]+".state"))...)
		if want := args[0] + ": interrupted; the same command continues it"; err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", args, err, want)
		}
	}
}

// cancelOnText cancels a context when a text is written.
type cancelOnText struct {
	text   string
	cancel context.CancelFunc
}

func (c cancelOnText) Write(b []byte) (int, error) {
	if strings.Contains(string(b), c.text) {
		c.cancel()
	}
	return len(b), nil
}

// A signal while upgrade waits for an answer means no.
func TestUpgrade_InterruptedAtTheQuestion(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{})
	t.Setenv("ZHBOT_LICHESS_URL", s.URL())
	t.Setenv("ZHBOT_LICHESS_TOKEN", s.AddUser("Tester", "", "bot:play"))
	ctx, cancel := context.WithCancel(t.Context())
	in, closeInput := io.Pipe() // nobody ever answers
	defer closeInput.Close()
	root := newRoot()
	root.SetArgs([]string{"upgrade"})
	root.SetIn(in)
	root.SetOut(cancelOnText{text: "NOT be undone", cancel: cancel})
	if err := root.ExecuteContext(ctx); err == nil || !strings.Contains(err.Error(), "nothing was changed") {
		t.Errorf("error %v", err)
	}
}

// An account that cannot be a bot stays as it is, since an upgrade cannot be undone.
func TestUpgrade_Unsuitable(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{})
	t.Setenv("ZHBOT_LICHESS_URL", s.URL())
	t.Setenv("ZHBOT_LICHESS_TOKEN", s.AddUser("Tester", "", "bot:play"))
	s.MarkAccount("Tester")
	_, _, err := execute(t.Context(), "upgrade", "--yes")
	if err == nil || !strings.Contains(err.Error(), "Tester is marked for breaking Lichess's terms of service") {
		t.Errorf("error %v", err)
	}
}

func TestMatch(t *testing.T) {
	dir := t.TempDir()
	openings := filepath.Join(dir, "openings.epd")
	fens := "r1bqkbnr/pppp2pp/n3p3/5p2/1P6/N2P4/P1P1PPPP/R1BQKBNR[] w KQkq -\n" +
		"r1bqk1nr/pppppp1p/n5pb/8/3P1P2/8/PPP1PKPP/RNBQ1BNR[] w kq -\n"
	filetest.Write(t, openings, fens)
	args := []string{"match", "--opponent", "self", "--nodes", "400", "--games", "4", "--openings", openings, "--sprt", "0,10",
		"--pgn", filepath.Join(dir, "games.pgn"), "--resume", filepath.Join(dir, "state")}
	out, _, err := execute(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"won 2, drawn 0, lost 2", "both games the same in 2", "Elo      undefined", "LLR undefined of ±2.94: undecided"} {
		if !strings.Contains(out, want) {
			t.Errorf("printed %q, want %q in it", out, want)
		}
	}
	games, err := os.ReadFile(filepath.Join(dir, "games.pgn"))
	if n := bytes.Count(games, []byte("[Event ")); err != nil || n != 4 {
		t.Errorf("the PGN has %d games, %v, want 4", n, err)
	}

	// The same command again finds the match complete.
	out, progress, err := execute(t.Context(), append(args, "--json")...)
	var s struct{ Games, Wins int }
	if err := errors.Join(err, json.Unmarshal([]byte(out), &s)); err != nil || s.Games != 4 || s.Wins != 2 || !strings.HasPrefix(progress, "SPRT [0, 10] needs about ") || strings.Count(progress, "\n") != 1 {
		t.Errorf("the complete match printed %q and %q, %v", out, progress, err)
	}

	// With other openings in the same file it is another match.
	filetest.Write(t, openings, fens+rules.StartFEN)
	if _, _, err := execute(t.Context(), args...); err == nil || !strings.Contains(err.Error(), "it belongs to another run or version of zhbot: its openings was") {
		t.Errorf("with other openings the match returned %v", err)
	}
}

// The opponent gets several multiples of the engine's nodes.
func TestMatch_factors(t *testing.T) {
	args := []string{"match", "--opponent", "self", "--nodes", "100", "--time-factor", "0.25,4", "--games", "4", "--max-plies", "60",
		"--resume", filepath.Join(t.TempDir(), "state")}
	out, _, err := execute(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"(100 nodes) against", "(25 nodes)", "(400 nodes)", "\nTime factor at parity: "} {
		if !strings.Contains(out, want) {
			t.Errorf("printed %q, want %q in it", out, want)
		}
	}
	out, _, err = execute(t.Context(), append(args, "--json")...)
	var s struct {
		Factors []match.FactorResult
		Parity  *match.Parity
	}
	if err := errors.Join(err, json.Unmarshal([]byte(out), &s)); err != nil || len(s.Factors) != 2 || s.Factors[1].Factor != 4 || s.Factors[1].Summary.Games != 4 {
		t.Errorf("printed %q, %v", out, err)
	}
}

// At fixed nodes each pair gets an opening of its own, also if the file repeats some.
func TestMatch_distinctOpenings(t *testing.T) {
	f := matchFlags{openings: filepath.Join(t.TempDir(), "openings.epd"), seed: 1, threads: 1}
	f.match.Games = 10
	var lines strings.Builder
	for _, pawn := range []string{"P7/1PPPPPPP", "1P6/P1PPPPPP", "2P5/PP1PPPPP", "3P4/PPP1PPPP", "4P3/PPPP1PPP"} {
		fen := "rnbqkbnr/pppppppp/8/8/8/" + pawn + "/RNBQKBNR[] b KQkq -\n"
		lines.WriteString(fen + fen)
	}
	filetest.Write(t, f.openings, lines.String())
	openings, _, err := f.openingSource()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[uint64]bool{}
	for pair := range 5 {
		g, err := openings(t.Context(), pair)
		if err != nil {
			t.Fatal(err)
		}
		seen[g.Position().Key()] = true
	}
	if len(seen) != 5 {
		t.Errorf("5 pairs have %d different openings", len(seen))
	}
}

// Both sides play at levels of their own, and table and PGN name them.
func TestMatch_levels(t *testing.T) {
	games := filepath.Join(t.TempDir(), "games.pgn")
	args := []string{"match", "--opponent", "self", "--nodes", "300", "--games", "2", "--max-plies", "40", "--pgn", games,
		"--option", "Skill Level=3", "--opponent-option", "UCI_LimitStrength=true", "--opponent-option", "UCI_Elo=1000"}
	out, _, err := execute(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	text := filetest.Read(t, games)
	for _, want := range []string{" at level 3", " at Elo 1000"} {
		if !strings.Contains(out, want) || strings.Count(text, want) < 2 {
			t.Errorf("%q is not in the table or not in both games:\n%s\n%s", want, out, text)
		}
	}
}

func TestMatch_usage(t *testing.T) {
	short := filepath.Join(t.TempDir(), "openings.epd")
	fen := "r1bqkbnr/pppp2pp/n3p3/5p2/1P6/N2P4/P1P1PPPP/R1BQKBNR[] w KQkq -\n"
	filetest.Write(t, short, fen+fen)
	for want, args := range map[string][]string{
		"--opponent is missing":      {},
		"even number":                {"--opponent", "self", "--games", "3"},
		"both a clock and":           {"--opponent", "self", "--tc", "1+0", "--movetime", "1s"},
		"--sprt":                     {"--opponent", "self", "--sprt", "5"},
		"score=1200,movecount=2":     {"--opponent", "self", "--resign", "score=0,movecount=2"},
		"--resign":                   {"--opponent", "self", "--resign", "score=600,score=700,movecount=2"},
		"movenumber=40":              {"--opponent", "self", "--draw", "score=10"},
		"--draw":                     {"--opponent", "self", "--draw", "score=10,movecount=8,ply=3"},
		"--opponent-option Book=1":   {"--opponent", "self", "--opponent-option", "Book=1"},
		"EvalFile=nowhere.zhnn":      {"--opponent", "self", "--opponent-option", "EvalFile=nowhere.zhnn"},
		"Skill Level=21":             {"--opponent", "self", "--option", "Skill Level=21"},
		"number from 1":              {"--opponent", "self", "--option", "Hash=0"},
		"want Name=Value":            {"--opponent", "x", "--opponent-option", "Book"},
		"is not one of uci, xboard":  {"--opponent", "x", "--opponent-protocol", "usi"},
		"--concurrency":              {"--opponent", "self", "--concurrency", "0"},
		"want seconds+seconds":       {"--opponent", "self", "--opponent-tc", "3+x"},
		"1 openings for 2 pairs":     {"--opponent", "self", "--nodes", "100", "--games", "4", "--openings", short},
		"unknown command \"x\"":      {"x"},
		"SPRT: a shard plays all":    {"--opponent", "self", "--shard", "0/2", "--sprt", "0,10"},
		"no state file (--resume)":   {"--opponent", "self", "--shard", "0/2"},
		"index counted from 0":       {"--opponent", "self", "--shard", "2/2"},
		"at least two factors":       {"--opponent", "self", "--time-factor", "8"},
		"opponent's limits follow":   {"--opponent", "self", "--time-factor", "8,16", "--opponent-nodes", "100"},
		"neither --sprt nor --shard": {"--opponent", "self", "--time-factor", "8,16", "--sprt", "0,8"},
		"3 shards of 2 pairs":        {"--opponent", "self", "--games", "4", "--shard", "0/3", "--resume", "x"},
		"part of the match":          {"--opponent", "self", "--shard", "0/2", "--resume", "x", "--log", "x"},
		"want --log":                 {"--opponent", "self", "--change", "x"},
	} {
		_, _, err := execute(t.Context(), append([]string{"match"}, args...)...)
		var usage *usageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), want) {
			t.Errorf("zhbot match %q returned %v, want a usage error with %q", args, err, want)
		}
	}
}

// A game on the page of zhbot play is saved, by one file or another, when a signal ends it.
func TestPlay(t *testing.T) {
	for _, file := range []string{"", filepath.Join(t.TempDir(), "games.pgn")} {
		ctx, cancel := context.WithCancel(t.Context())
		out, writer := io.Pipe()
		root := newRoot()
		root.SetArgs([]string{"play", "--listen", "127.0.0.1:0", "--level", "0", "--hash", "1", "--clock", "1+0", "--pgn", file})
		root.SetOut(writer)
		ended := make(chan error, 1)
		go func() {
			ended <- root.ExecuteContext(ctx)
			writer.Close()
		}()
		lines := bufio.NewReader(out)
		line, err := lines.ReadString('\n')
		url, _, ok := strings.Cut(strings.TrimPrefix(line, "play at "), ";")
		if err != nil || !ok {
			t.Fatalf("printed %q, %v", line, err)
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/api/move", strings.NewReader(`{"revision":1,"move":"Nf3"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusNoContent {
			t.Errorf("status %d", answer.StatusCode)
		}
		cancel()
		saved, err := io.ReadAll(lines)
		if err != nil {
			t.Fatal(err)
		}
		if err := <-ended; err != nil {
			t.Errorf("ended with %v", err)
		}
		if file != "" {
			if len(saved) > 0 {
				t.Errorf("printed %q though there is a file", saved)
			}
			if saved, err = os.ReadFile(file); err != nil {
				t.Fatal(err)
			}
		}
		if text := string(saved); !strings.Contains(text, "1. Nf3 ") || !strings.Contains(text, `[TimeControl "60+0"]`) {
			t.Errorf("saved %q", text)
		}
	}
}
