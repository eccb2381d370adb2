package main

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// removedFlags has, for each removed flag, what to do instead.
var removedFlags = map[string]string{
	"zhbot datagen --max-opening":       "openings whose score exceeds 400 are skipped",
	"zhbot datagen --opening-plies":     "random openings have 8 to 10 plies",
	"zhbot datagen --searched-openings": "half of the openings follow searched lines",
	"zhbot train --equalize":            "the scores of all files are always brought to one scale",
	"zhbot train --holdout":             "one game in 50 is held out for validation",
	"zhbot train --max-dead":            "each epoch reports how many pairs are live",
	"zhbot train --max-score":           "scores beyond 1500 that agree with the result are left out",
	"zhbot train --memory":              "positions are kept in files next to --out",
	"zhbot book build --resume":         "an interrupted build saves a book of what it has searched",
	"zhbot check --challenge":           "describe the challenge, as in --as human --rating 1900 --tc 3+2 --rated",
	"zhbot match --debug":               "start the engine by a command that copies its input and output, such as tee",
	"zhbot tune --parameters":           "leave it out, the parameters are those that \"zhbot uci --parameters\" lists",
	"zhbot play --no-browser":           "it opens no browser any more",
	"zhbot soak --engine-clock":         "the bot plans the time of the program",
	"zhbot soak --engine-option":        "the program has the options that it starts with",
	"zhbot soak --engine-protocol":      "a soak runs a UCI program",
	"zhbot soak --hours":                "--games sets how long it takes",
	"zhbot soak --outage":               "--faults restart,down restarts the server again and again",
	"zhbot stats --plan":                "docs/contenders.md, \"Planning\", tells how many games a comparison takes",
	"zhbot stats --export-pgn":          "--by contender compares them; the tag EngineContender names them in the records",
	"zhbot setup --accept":              "set challenges.humans.enabled and challenges.bots.enabled in config.yaml",
	"zhbot setup --speeds":              "set challenges.humans.speeds and challenges.bots.speeds in config.yaml",
	"zhbot setup --modes":               "set challenges.humans.modes and challenges.bots.modes in config.yaml",
	"zhbot setup --matchmaking":         "set matchmaking.enabled in config.yaml",
	"zhbot setup --defaults":            "leave it out, since setup asks only for the token and the upgrade",
	"zhbot setup --again":               "remove the file with the token, and setup asks for another",
	"zhbot setup --replace":             "remove the file with the other token, since setup replaces no file",
	"zhbot setup --start": "\"zhbot run\" starts the bot, and docs/install.md has the three commands that make it a " +
		"service",
}

// flagError returns the error for flags that cannot be parsed.
func flagError(cmd *cobra.Command, err error) error {
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		name := cmd.CommandPath() + " --" + unknown.GetSpecifiedName()
		switch instead := removedFlags[name]; {
		case name == "zhbot setup --token":
			err = errTokenArgument
		case instead != "":
			return usagef("%s is gone: %s", name, instead)
		}
	}
	return &usageError{err}
}
