package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/engine"
	"github.com/zhbot/zhbot/engine/book"
	"github.com/zhbot/zhbot/internal/explorer"
	"github.com/zhbot/zhbot/internal/wiring"
	"github.com/zhbot/zhbot/lichess"
	"github.com/zhbot/zhbot/rules"
)

// checker goes through what a bot needs, one step after the other.
type checker struct {
	out    io.Writer
	failed bool
}

func newCheckCommand() *cobra.Command {
	var s settings
	var challenge challengeFlags
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Say whether the bot can run, and what to do if not",
		Long: "check reads the configuration, asks the server about token, scopes and account, and tests\n" +
			"the engine. Its exit code is 0 only if everything is in order.\n\n" +
			"With a challenge, from a file or described by flags, check says instead what the bot would\n" +
			"answer to it, and which rule decides. That needs no account; the exit code is 0 for either\n" +
			"answer.",
		Example: "  zhbot check\n  zhbot check --config config.yaml\n  zhbot check --challenge challenge.json\n" +
			"  zhbot check --as human --rating 1900 --tc 180+2 --rated",
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := s.source(); err != nil {
				return err
			}
			isChallenge, err := challenge.requested(args)
			if err != nil {
				return err
			}
			k := &checker{out: cmd.OutOrStdout()}
			if isChallenge {
				k.challenge(cmd.Context(), &s, &challenge, cmd.InOrStdin())
			} else {
				k.checkAll(cmd.Context(), &s)
			}
			if k.failed {
				return errors.New("check: not ready, see above")
			}
			return nil
		},
	}
	s.addFlags(cmd.Flags())
	challenge.addFlags(cmd.Flags())
	return cmd
}

func (k *checker) reportOK(format string, args ...any) {
	fmt.Fprintf(k.out, "ok      "+format+"\n", args...)
}

// reportProblem prints what is wrong and what to do about it.
func (k *checker) reportProblem(what string, err error, todo string) {
	k.failed = true
	fmt.Fprintf(k.out, "WRONG   %s: %v\n", what, err)
	if todo != "" {
		fmt.Fprintf(k.out, "        -> %s\n", todo)
	}
}

func (k *checker) checkAll(ctx context.Context, s *settings) {
	k.engine()
	c := k.configuration(ctx, s)
	if c == nil {
		return
	}
	k.blocklist(ctx, c)
	k.explorer(ctx, c)
	secret, err := c.Token(os.LookupEnv)
	if err != nil {
		k.reportProblem("token", err, "")
		return
	}
	o, err := wiring.ClientOptions(c, secret)
	if err != nil {
		k.reportProblem("token", err, "")
		return
	}
	o.RetryFor = -1
	client, err := lichess.New(o)
	if err != nil {
		k.reportProblem("token", err, "")
		return
	}
	defer client.Close()
	if k.token(ctx, client, c) {
		k.account(ctx, client)
	}
}

// load returns the settings, nil if they are invalid.
func (k *checker) load(s *settings) *config.Config {
	c, err := s.load()
	var bad *config.Error
	switch {
	case errors.As(err, &bad):
		for _, problem := range bad.Problems {
			k.reportProblem("configuration", problem, "")
		}
		return nil
	case err != nil:
		k.reportProblem("configuration", err, "")
		return nil
	}
	for _, warning := range s.warnings(c) {
		fmt.Fprintf(k.out, "note    %s\n", warning)
	}
	return c
}

// configuration loads the settings, nil if that fails, and looks at the files
// they name.
func (k *checker) configuration(ctx context.Context, s *settings) *config.Config {
	c := k.load(s)
	if c == nil {
		return nil
	}
	k.reportOK("configuration: server %s, up to %d games at once", c.Lichess.URL, c.Games.Max)
	if _, err := engine.OpenNetwork(c.Engine.Network); err != nil {
		k.reportProblem("network", fmt.Errorf("engine.network: %w", err), "name a file that \"zhbot train\" wrote, or none")
	}
	k.books(c)
	k.page(ctx, c)
	if err := writable(c.Records.Dir); err != nil {
		k.reportProblem("records", err, "make the folder writable for this user, or set records.dir to another")
	}
	return c
}

// page notes that the live page cannot be served, as the bot does at its start.
func (k *checker) page(ctx context.Context, c *config.Config) {
	if c.Web.Listen == "" {
		return
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", c.Web.Listen)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		fmt.Fprintf(k.out, "note    web.listen: %v: if not by the running bot, set another port\n", err)
	case err != nil:
		fmt.Fprintf(k.out, "note    web.listen: %v: the bot would play without its page\n", err)
	default:
		_ = l.Close()
	}
}

// books reads the opening books, each on its own: more than one may be wrong.
func (k *checker) books(c *config.Config) {
	for _, path := range c.Engine.Book {
		if path == "" {
			continue
		}
		if b, err := book.Open(path); err != nil {
			k.reportProblem("book", fmt.Errorf("engine.book: %w", err), "name a file that \"zhbot book build\" wrote, a Polyglot book (.bin), or embedded; or take it off the list")
		} else {
			k.reportOK("book: %s: %s", path, b)
		}
	}
}

// explorer asks the opening explorer, if it is to be used, about the start
// position.
func (k *checker) explorer(ctx context.Context, c *config.Config) {
	e, err := explorer.New(c, zerolog.Nop())
	if err != nil {
		k.reportProblem("explorer", err, "")
		return
	}
	if e == nil {
		return
	}
	defer e.Close()
	moves, err := e.CountMoves(ctx)
	if err != nil {
		k.reportProblem("explorer", err, "is explorer.url right, and its token not revoked? Or set explorer.enabled to false")
		return
	}
	k.reportOK("explorer: %s answers, %d moves in the start position", c.Explorer.URL, moves)
}

// writable reports whether files can be made in a folder, "" for none. It
// creates the folder as the bot does.
func writable(dir string) error {
	if dir == "" {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("records.dir: %w", err)
	}
	f, err := os.CreateTemp(dir, ".check-*")
	if err != nil {
		return fmt.Errorf("records.dir: %w", err)
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// engine lets rules and search prove themselves.
func (k *checker) engine() {
	p := rules.StartPosition()
	if n := p.Perft(4); n != 197281 {
		k.reportProblem("rules", fmt.Errorf("perft 4 is %d, not 197281", n), "this build is broken: install another")
		return
	}
	const mateByDrop = "6k1/5ppp/8/8/8/8/5PPP/6K1/R w - - 0 1"
	p, err := rules.ParseFEN(mateByDrop)
	if err != nil {
		k.reportProblem("rules", err, "this build is broken: install another")
		return
	}
	r, err := engine.New(engine.Options{Threads: 1, HashMB: 1}).Search(context.Background(), rules.NewGame(p), engine.Limits{Depth: 4}, nil)
	if moves, mate := r.Info.Score.MateIn(); err != nil || !mate || moves != 1 {
		k.reportProblem("engine", fmt.Errorf("no mate found in %s: %s", mateByDrop, r.Move), "this build is broken: install another")
		return
	}
	k.reportOK("engine: moves are counted right and a mate by a drop is found")
}

// token asks the server about the token.
func (k *checker) token(ctx context.Context, client *lichess.Client, c *config.Config) bool {
	info, err := client.TestToken(ctx)
	switch {
	case err != nil:
		k.reportProblem("server", err, fmt.Sprintf("is %s right, and this machine online?", c.Lichess.URL))
		return false
	case info == nil:
		k.reportProblem("token", errors.New("the server does not know it"), "it may be revoked or mistyped: "+createToken(c))
		return false
	}
	k.reportOK("server: %s answers", c.Lichess.URL)
	if !slices.Contains(info.Scopes, "bot:play") {
		k.reportProblem("token", fmt.Errorf("it lacks the scope bot:play, it has %s", joinOrNone(info.Scopes)), createToken(c))
		return false
	}
	k.reportOK("token: of %s, scopes %s", info.UserID, joinOrNone(info.Scopes))
	if !slices.Contains(info.Scopes, "challenge:read") {
		fmt.Fprintf(k.out, "note    the token lacks the scope challenge:read: why a challenge of ours came to nothing is not always known\n")
	}
	return true
}

// createToken says how to make a token with all scopes that the bot uses.
func createToken(c *config.Config) string {
	return "create one with the scopes bot:play and challenge:read at " + c.Lichess.URL + config.TokenPath
}

func joinOrNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}

// account looks at the account the token belongs to.
func (k *checker) account(ctx context.Context, client *lichess.Client) {
	a, err := client.Account(ctx)
	switch {
	case errors.Is(err, lichess.ErrUnauthorized):
		k.reportProblem("account", err, "is it closed? Open it again, or use another account")
	case err != nil:
		k.reportProblem("account", err, "")
	case !a.IsBot():
		k.reportProblem("account", fmt.Errorf("%s is not a BOT account", a.Username), "run \"zhbot upgrade\" once; the account must never have played a game")
	case a.Disabled || a.TOSViolation:
		k.reportProblem("account", fmt.Errorf("%s is closed or marked by Lichess", a.Username), "write to Lichess, or use another account")
	default:
		rating := "no crazyhouse rating yet"
		if perf, played := a.Perfs[lichess.Crazyhouse]; played {
			rating = fmt.Sprintf("crazyhouse rating %d", perf.Rating)
		}
		k.reportOK("account: BOT %s, %s", a.Username, rating)
	}
}
