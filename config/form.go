package config

import (
	"errors"
	"fmt"
	"math"
	"net"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/zhbot/zhbot/lichess"
)

// form says which texts a setting can have.
type form struct {
	check   func(text string) error
	choices []string // these texts, for a shell; those with a name if others are allowed, too
}

// forms are what the tags of settings name.
var forms = map[string]form{
	"address":   matching(isAddressOrNone, "is not an address; want the form 127.0.0.1:8080"),
	"clock":     oneOf(BotClock, ProgramClock),
	"color":     oneOf(lichess.White, lichess.Black),
	"chat":      oneOf("help", "eval", "pv", "opening", "engine", "stats", "rematch", "queue", "level", "harder", "easier"),
	"command":   {check: checkCommand},
	"explorer":  serverLike("https://explorer.lichess.org"),
	"format":    oneOf("auto", "console", "json"),
	"host":      matching(isHost, "is not a host name; want the form bot.example.org"),
	"id":        matching(isID.MatchString, "is not an id; want the last part of the address on Lichess"),
	"level":     oneOf("debug", "info", "warn", "error"),
	"mode":      oneOf(modes...),
	"network":   matching(func(path string) bool { return path != "none" }, "was the hand-written evaluation, which is gone; remove the setting"),
	"opponents": oneOf("humans", "bots"),
	"play":      {checkLevel, []string{string(Near), string(Full)}},
	"order":     oneOf(BestFirst, FirstCome, TitledFirst),
	"protocol":  oneOf(UCI, XBoard),
	"server":    serverLike("https://lichess.org"),
	"speed":     oneOf(lichess.Speeds()...),
	"user":      matching(lichess.ValidUserName, "is not a user name; want the one in https://lichess.org/@/name, without @"),
}

// modes are those that terms may list.
var modes = []string{"rated", "casual"}

// isID matches the ids of tournaments and teams.
var isID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

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

func isHost(text string) bool { return text != "" && !strings.ContainsAny(text, "/@*? ") }

func matching(matches func(string) bool, problem string) form {
	return form{check: func(text string) error {
		if matches(text) {
			return nil
		}
		return fmt.Errorf("%q %s", text, problem)
	}}
}

func oneOf[T ~string](choices ...T) form {
	names := make([]string, len(choices))
	for i, choice := range choices {
		names[i] = string(choice)
	}
	return form{func(text string) error { return CheckChoice(text, names) }, names}
}

// CheckChoice returns an error if a text is none of the choices.
func CheckChoice(text string, choices []string) error {
	if slices.Contains(choices, text) {
		return nil
	}
	return fmt.Errorf("%q is not one of %s%s", text, strings.Join(choices, ", "), DidYouMean(text, choices))
}

// Choices returns the values of a setting, or of the items of one that is a list; nil if
// there are too many.
func Choices(key string) []string {
	s, ok := new(Config).setting(key)
	if ok && s.Kind() == reflect.Bool {
		return []string{"true", "false"}
	}
	return forms[s.tag.Get("form")].choices
}

// serverLike accepts the address of a server that may be sent a token.
func serverLike(example string) form {
	return form{check: func(text string) error {
		_, err := lichess.ParseBaseURL(text, example)
		return err
	}}
}

// limits returns the range of a number or a duration.
func (s setting) limits() (low, high int64) {
	first, last, _ := strings.Cut(s.tag.Get("range"), "..")
	return limit(first, 0), limit(last, math.MaxInt64)
}

// limit parses a number or a duration in the tag of a setting.
func limit(text string, otherwise int64) int64 {
	if d, err := time.ParseDuration(text); err == nil {
		return int64(d)
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	return otherwise
}

// Max returns the highest value of a setting that is a number.
func Max(key string) int {
	s, _ := new(Config).setting(key)
	_, high := s.limits()
	return int(high)
}

// checkForm adds problems with the value of a setting alone.
func (p *problems) checkForm(s setting) {
	value, check := reflect.Indirect(s.Value), forms[s.tag.Get("form")].check
	switch {
	case value.CanInt():
		p.checkLimits(value, s)
	case check == nil || value.Kind() == reflect.String && value.IsZero() && s.initial == "": // not set
	case value.Kind() == reflect.String:
		p.addIf(s.key, check(value.String()))
	case value.Kind() == reflect.Slice:
		for _, item := range value.Seq2() {
			p.addIf(s.key, check(item.String()))
		}
	}
}

func (p *problems) checkLimits(value reflect.Value, s setting) {
	low, high := s.limits()
	small, large := "small", "large"
	if value.Type() == durationType {
		small, large = "short", "long"
	}
	typed := func(n int64) any { return reflect.ValueOf(n).Convert(value.Type()) }
	if value.Int() < low {
		p.add(s.key, "%v is too %s, want at least %v", value, small, typed(low))
	}
	if value.Int() > high {
		p.add(s.key, "%v is too %s, want at most %v", value, large, typed(high))
	}
}
