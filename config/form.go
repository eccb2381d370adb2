package config

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"net"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/zhbot/zhbot/lichess"
)

// validator is a section that checks what the tags of its settings do not say.
type validator interface{ validate(p *problems, key string) }

// check adds problems with a section, or with the value of a setting alone.
func (p *problems) check(s setting) {
	if section, ok := s.Addr().Interface().(validator); ok {
		section.validate(p, s.key)
	}
	switch value := reflect.Indirect(s.Value); {
	case value.CanInt():
		limits, orZero := strings.CutPrefix(s.limits, "0|")
		low, high, _ := strings.Cut(limits, "..")
		switch n := value.Int(); {
		case n < s.number(low, 0) && !(orZero && n == 0):
			if low = cmp.Or(low, "0"); orZero {
				low += ", or 0"
			}
			p.add(s.key, "%v is too small, want at least %s", value, low)
		case n > s.number(high, math.MaxInt64):
			p.add(s.key, "%v is too large, want at most %s", value, high)
		}
	case value.Kind() == reflect.String && (!value.IsZero() || s.initial != ""): // zero without a default is not set
		p.addIf(s.key, s.checkText(value.String()))
	case value.Kind() == reflect.Slice:
		for i, item := range value.Seq2() {
			p.addIf(fmt.Sprintf("%s[%v]", s.key, i), s.checkText(item.String()))
		}
	}
}

// number parses a number or a duration, as the setting is, in its range.
func (s setting) number(text string, otherwise int64) int64 {
	if value, err := fromText(text, s.Type()); err == nil {
		return reflect.ValueOf(value).Int()
	}
	return otherwise
}

// Max returns the highest value of a setting that is a number.
func Max(key string) int {
	s, _ := new(Config).setting(key)
	_, high, _ := strings.Cut(s.limits, "..")
	return int(s.number(high, 0))
}

// checkText checks a text, or an item of a list, by the tags of its setting.
func (s setting) checkText(text string) error {
	if form := s.tag.Get("form"); form != "" {
		return forms[form](text)
	}
	if choices := s.choices(); choices != nil {
		return CheckChoice(text, choices)
	}
	return nil
}

// choices returns the texts that a setting can have, nil if its form says more.
func (s setting) choices() (names []string) {
	switch text := s.tag.Get("choices"); text {
	case "":
		return nil
	case "commands":
		return strings.Fields("help eval pv engine stats queue level harder easier")
	case "speeds":
		for _, speed := range lichess.Speeds() {
			names = append(names, string(speed))
		}
		return names
	default:
		return splitList(text)
	}
}

// CheckChoice returns an error if a text is none of the choices.
func CheckChoice(text string, choices []string) error {
	if slices.Contains(choices, text) {
		return nil
	}
	if advice, gone := removedCommands[text]; gone {
		return fmt.Errorf("%q is gone: %s", text, advice)
	}
	return fmt.Errorf("%q is not one of %s%s", text, strings.Join(choices, ", "), DidYouMean(text, choices))
}

// forms are the checks that tags of settings name.
var forms = map[string]func(text string) error{
	"address":  matching(isAddressOrNone, "is not an address; want the form 127.0.0.1:8080"),
	"chat":     checkPlaceholders,
	"command":  checkCommand,
	"ctl":      checkCtl,
	"endpoint": checkEndpoint,
	"host": matching(regexp.MustCompile(`^[^/@*? ]+$`).MatchString,
		"is not a host name; want the form bot.example.org"),
	"id": matching(regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`).MatchString,
		"is not an id; want the last part of the address on Lichess"),
	"level": CheckLevel,
	"list":  checkList,
	"name": matching(regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9 ._+-]{0,39}$`).MatchString,
		"is not a name; want up to 40 letters, digits, spaces and . _ + -"),
	"password": checkPassword,
	"network": matching(func(path string) bool { return path != "none" },
		"was the hand-written evaluation, which is gone; remove the setting"),
	"server": checkServer,
	"user": matching(lichess.ValidUserName,
		"is not a user name; want the one in https://lichess.org/@/name, without @"),
}

func matching(matches func(string) bool, problem string) func(string) error {
	return func(text string) error {
		if matches(text) {
			return nil
		}
		return fmt.Errorf("%q %s", text, problem)
	}
}

// checkServer accepts the address of a server that may be sent a token.
func checkServer(text string) error {
	_, err := lichess.ParseBaseURL(text, "https://lichess.org")
	return err
}

// noProgram matches a command that begins with a variable, or is blank.
var noProgram = regexp.MustCompile(`^\s*([^\s=/\\]*=|$)`)

// checkCommand returns an error, which does not show the text, unless it begins with a program.
func checkCommand(text string) error {
	if noProgram.MatchString(text) {
		return errors.New("does not begin with a program; " +
			"want a command such as fairy-stockfish, or env NAME=value fairy-stockfish")
	}
	return nil
}

func isAddressOrNone(text string) bool {
	_, ok := SplitAddress(text)
	return ok || text == ""
}

// SplitAddress returns the host of an address, and whether it is one with a port.
func SplitAddress(address string) (host string, ok bool) {
	host, port, err := net.SplitHostPort(address)
	_, notNumber := strconv.ParseUint(port, 10, 16)
	return host, err == nil && notNumber == nil
}
