package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/engine/match"
	"github.com/zhbot/zhbot/engine/selfplay"
)

func newMatchMergeCommand() *cobra.Command {
	var test *match.SPRT
	var partial, asJSON bool
	cmd := command("merge FILE...", func(cmd *cobra.Command, args []string) error {
		files, err := expandPatterns(args)
		if err != nil {
			return err
		}
		return mergeMatch(cmd, files, test, partial, asJSON)
	})
	sprtFlag(cmd.Flags(), &test, "stop at the verdict of an SPRT with these bounds, e0,e1 in Elo")
	cmd.Flags().BoolVar(&partial, "partial", false, "merge the games played so far of an unfinished match")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return cmd
}

func mergeMatch(cmd *cobra.Command, files []string, test *match.SPRT, partial, asJSON bool) error {
	m, err := match.Merge(files)
	if err != nil {
		return err
	}
	if missing := m.Missing(); missing != nil {
		if !partial {
			return fmt.Errorf("the match is not complete; --partial merges the games played so far:\n%w", missing)
		}
		fmt.Fprintln(cmd.ErrOrStderr(), missing)
	}
	s := m.Summary(test)
	fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d games\n", s.Games, m.Games())
	if err := printSummary(cmd, s, asJSON); err != nil {
		return err
	}
	if s.SPRT != nil && s.SPRT.Verdict != match.AcceptedH1 {
		return &verdictError{s.SPRT.Verdict}
	}
	return nil
}

// verdictError is a verdict other than success, with its own exit code.
type verdictError struct{ verdict match.Verdict }

func (e *verdictError) Error() string { return "SPRT: " + string(e.verdict) }

func (e *verdictError) exitCode() int {
	if e.verdict == match.AcceptedH0 {
		return exitH0
	}
	return exitUndecided
}

func newDatagenMergeCommand() *cobra.Command {
	return command("merge OUT FILE...", func(cmd *cobra.Command, args []string) error {
		files, err := expandPatterns(args[1:])
		if err != nil {
			return err
		}
		games, plies, err := selfplay.Merge(cmd.Context(), args[0], files)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s has %d games, %d plies\n", args[0], games, plies)
		return err
	})
}

// expandPatterns returns the files that arguments name: containers and Windows have no
// shell that expands patterns.
func expandPatterns(args []string) (files []string, err error) {
	for _, arg := range args {
		if _, err := os.Stat(arg); err == nil {
			files = append(files, arg)
			continue
		}
		matches, err := filepath.Glob(arg)
		if err == nil && len(matches) == 0 {
			err = errors.New("no such file")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", arg, err)
		}
		files = append(files, matches...)
	}
	return files, nil
}
