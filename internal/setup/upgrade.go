package setup

import (
	"context"
	"fmt"
	"strings"
)

// upgrade turns the account into a BOT account, if it is not one and the user wants that.
func (s *setup) upgrade(ctx context.Context) error {
	if s.account.IsBot() {
		s.say("account", "%s is already a BOT account", s.name())
		return nil
	}
	s.say("account", "%s is not a BOT account yet, and has never played", s.name())
	wanted, err := s.wantsUpgrade(ctx)
	if err != nil || !wanted {
		return err
	}
	if err := s.client.UpgradeToBot(ctx); err != nil {
		return fmt.Errorf("upgrade %s: %w", s.name(), err)
	}
	if s.account, err = s.client.Account(ctx); err != nil {
		return fmt.Errorf("inspect the upgraded account: %w", err)
	}
	s.say("account", "%s is a BOT account now", s.name())
	return nil
}

// wantsUpgrade reports whether the account is to be upgraded: its name was given, or is
// typed.
func (s *setup) wantsUpgrade(ctx context.Context) (bool, error) {
	switch name := s.Answers.Upgrade; {
	case name != "" && strings.EqualFold(name, s.account.Username):
		return true, nil
	case name != "":
		return false, fmt.Errorf("--upgrade %s: the token belongs to %s; nothing was changed", name, s.name())
	case s.prompt == nil:
		return false, &MissingError{[]string{fmt.Sprintf("--upgrade %s: turns the account into a BOT account, which CANNOT be undone", s.name())}}
	}
	fmt.Fprintf(s.Out, "\nThe bot needs a BOT account. Turning %s into one CANNOT be undone: no person will be able\nto play with it again.\n\n", s.name())
	for {
		answer, err := s.prompt.Line(ctx, "Type the account's name to upgrade it now, or press Enter to do so later: ")
		if err != nil || answer == "" {
			return false, err
		}
		if strings.EqualFold(answer, s.account.Username) {
			return true, nil
		}
	}
}
