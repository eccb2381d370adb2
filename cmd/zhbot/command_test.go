package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/internal/fixture"
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
	fixture.Write(t, games, "[White \"a\"]\n\n1. e4 e5 *\n\n[White \"b\"]\n\n1. d4 d5 *\n")
	for _, args := range [][]string{
		{"perft", "20"}, {"perft", "--divide", "20"}, {"bench", "--depth", "60"}, {"stats", games},
		{"analyse", games, "--game", "3"},
	} {
		out, _, err := execute(ctx, args...)
		if err == nil || err.Error() != args[0]+": interrupted" {
			t.Errorf("%s: error %v, output %q", args, err, out)
		}
	}
}

// The size of the work is that of the games to be analysed, if they can be read twice.
func TestAnalyse_countPositions(t *testing.T) {
	games := "[Variant \"Crazyhouse\"]\n\n1. e4 e5 *\n\n[Variant \"Standard\"]\n\n1. e4 *\n\n" +
		"[Variant \"Crazyhouse\"]\n\n1. d4 *\n"
	for game, want := range map[int]int{0: 5, 1: 3, 2: 0, 3: 2} {
		f, in := analyseFlags{game: game}, strings.NewReader(games)
		if got, err := f.countPositions(t.Context(), in); got != want || err != nil || in.Len() != len(games) {
			t.Errorf("game %d: %d positions, want %d; %v, %d bytes left", game, got, want, err, in.Len())
		}
		if got, err := f.countPositions(t.Context(), io.NopCloser(in)); got != 0 || err != nil {
			t.Errorf("of a pipe: %d positions, %v", got, err)
		}
	}
}

// A flag or a command that is gone is refused with what to do instead.
func TestCommands_Gone(t *testing.T) {
	for _, line := range append(slices.Collect(maps.Keys(removedFlags)), "zhbot upgrade") {
		_, _, err := execute(t.Context(), strings.Fields(line)[1:]...)
		if _, ok := errors.AsType[*usageError](err); !ok || !strings.HasPrefix(err.Error(), line+" is gone: ") {
			t.Errorf("%s: error %v", line, err)
		}
	}
}

// The error of an interrupted run says how it can be continued.
func TestCommands_InterruptedRun(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, args := range [][]string{
		{"match", "--opponent", "self", "--nodes", "100"},
		{"tune", "--engine", "zhbot uci --parameters", "--nodes", "100"},
		{"tune", "--engine", "zhbot uci --parameters", "--tc", "1+0.01", "--nodestime", "100"},
	} {
		_, _, first := execute(ctx, args...)
		_, _, kept := execute(ctx, append(args, "--resume", filepath.Join(t.TempDir(), "state"))...)
		got := fmt.Sprintf("%v\n%v", first, kept)
		want := args[0] + ": interrupted; with --resume FILE it can be continued\n" +
			args[0] + ": interrupted; the same command continues it"
		if got != want {
			t.Errorf("%s: errors %s", args, got)
		}
	}
	_, _, err := execute(ctx, "datagen", filepath.Join(t.TempDir(), "games.zhg"), "--nodes", "50", "--plies", "100")
	if fmt.Sprint(err) != "datagen: interrupted; with --resume the same command continues it" {
		t.Error(err)
	}
}

// At fixed nodes each pair gets an opening of its own, also if the file repeats some.
func TestMatch_distinctOpenings(t *testing.T) {
	f := matchFlags{openings: filepath.Join(t.TempDir(), "openings.epd"), seed: 1, threads: 1}
	f.match.Games = 10
	lines := ""
	for _, pawn := range []string{"P7/1PPPPPPP", "1P6/P1PPPPPP", "2P5/PP1PPPPP", "3P4/PPP1PPPP", "4P3/PPPP1PPP"} {
		fen := "rnbqkbnr/pppppppp/8/8/8/" + pawn + "/RNBQKBNR[] b KQkq -\n"
		lines += fen + fen
	}
	fixture.Write(t, f.openings, lines)
	openings, _, err := f.openingSource(nil)
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

// A game on the page of zhbot play is saved, by one file or another, when a signal ends it.
func TestPlay(t *testing.T) {
	for _, file := range []string{"", filepath.Join(t.TempDir(), "games.pgn")} {
		ctx, cancel := context.WithCancel(t.Context())
		out, writer := io.Pipe()
		root := newRoot()
		root.SetArgs(append(strings.Fields("play --listen 127.0.0.1:0 --level 0 --hash 1 --clock 1+0 --pgn"), file))
		root.SetOut(writer)
		ended := make(chan error, 1)
		go func() {
			ended <- root.ExecuteContext(ctx)
			writer.Close()
		}()
		lines := bufio.NewReader(out)
		first, _ := lines.ReadString('\n')
		line, err := lines.ReadString('\n') // which a terminal makes a link
		url := strings.TrimSpace(line)
		if err != nil || !strings.HasPrefix(url, "http://127.0.0.1:") {
			t.Fatalf("printed %q and %q, %v", first, line, err)
		}
		move := strings.NewReader(`{"revision":1,"move":"Nf3"}`)
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/api/move", move)
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
		if text := string(saved); !strings.Contains(text, "1. Nf3 ") ||
			!strings.Contains(text, `[TimeControl "60+0"]`) {
			t.Errorf("saved %q", text)
		}
	}
}
