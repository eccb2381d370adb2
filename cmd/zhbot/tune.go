package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/external"
	"github.com/zhbot/zhbot/engine/tune"
)

// tuneFlags are the flags of zhbot tune as they were given.
type tuneFlags struct {
	tune  tune.Config // what a match does not have
	match matchFlags  // what it has, too
	only  []string
}

// newTuneCommand returns the command that tunes an engine's options.
func newTuneCommand() *cobra.Command {
	var f tuneFlags
	cmd := command("tune", f.run)
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.match.engine.command, "engine", self, "command that starts the engine, or self: this program")
	flags.StringSliceVar(&f.only, "only", nil, "tune only these parameters")
	flags.IntVar(&f.tune.Iterations, "iterations", 10_000, "total number of pairs of games")
	flags.Float64Var(&f.tune.Rate, "rate", tune.DefaultRate,
		"fraction of a step by which a point of difference moves a value at the end")
	f.match.engine.protocol = string(external.UCI)
	f.match.engine.register(flags, "", "the engine's", "default "+defaultTC.String())
	f.match.registerCommon(flags)
	return cmd
}

func (f *tuneFlags) run(cmd *cobra.Command, _ []string) error {
	config, err := f.config(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	if err := config.Validate(); err != nil {
		return &usageError{err}
	}
	config.OnIteration = func(s *tune.State) {
		if s.Iterations%100 == 0 {
			fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d iterations\n%s", s.Iterations, config.Iterations, s.Table())
		}
	}
	state, err := tune.Run(cmd.Context(), config)
	if state != nil && state.Iterations > 0 {
		_, printed := fmt.Fprintf(cmd.OutOrStdout(), "%d iterations\n%s", state.Iterations, state.Table())
		if printed != nil {
			return errors.Join(err, printed)
		}
	}
	return resumable(f.match.match.StateFile, err)
}

// config returns the tuning that the flags describe.
func (f *tuneFlags) config(errOut io.Writer) (tune.Config, error) {
	c, m := f.tune, &f.match
	if m.engine.unlimited() {
		m.engine.tc = defaultTC
	}
	m.threads = 1
	c.Match, c.Seed = m.match, m.seed
	var errs [3]error
	c.Match.Engine, errs[0] = m.side("--option", m.engine)
	c.Parameters, errs[1] = f.readParameters()
	c.Match.Openings, c.Match.OpeningsName, errs[2] = m.openingSource(errOut)
	return c, errors.Join(errs[:]...)
}

// readParameters returns the parameters to tune.
func (f *tuneFlags) readParameters() (parameters []tune.Parameter, err error) {
	for _, p := range new(engine.Parameters).List() {
		if len(f.only) == 0 || slices.Contains(f.only, p.Name) {
			parameters = append(parameters, tune.Parameter{
				Name: p.Name, Start: float64(p.Default), Min: float64(p.Min), Max: float64(p.Max), Step: float64(p.Step),
			})
		}
	}
	for _, name := range f.only {
		if !slices.ContainsFunc(parameters, func(p tune.Parameter) bool { return p.Name == name }) {
			return nil, usagef("--only %s: no such parameter", name)
		}
	}
	return parameters, nil
}
