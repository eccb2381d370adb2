package setup

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/zhbot/zhbot/config"
)

// resolve returns the node that an alias stands for.
func resolve(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func isEmpty(n *yaml.Node) bool {
	return n == nil || len(n.Content) == 0 && (n.Kind != yaml.ScalarNode || n.Value == "" || n.Tag == "!!null")
}

// isOff reports whether a key or section says that something is not done.
func isOff(n *yaml.Node) bool {
	if i := config.IndexOf(n, "enabled"); i >= 0 && n.Kind == yaml.MappingNode {
		return isOff(n.Content[i+1])
	}
	off, err := asBool(n)
	return isEmpty(n) || err == nil && off == "false" || n.Kind == yaml.ScalarNode && (n.Value == "0" || n.Value == "none")
}

// enabledPart returns a section or, if it is off, the key that says so.
func enabledPart(section *yaml.Node) *yaml.Node {
	if i := config.IndexOf(section, "enabled"); i >= 0 && isOff(section) {
		return &yaml.Node{Kind: yaml.MappingNode, Content: section.Content[i : i+2]}
	}
	return section
}

// Values as flags have them.

func asText(n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode {
		return "", errors.New("want a single value")
	}
	return n.Value, nil
}

// asBool also knows the words of YAML 1.1, which their programs read.
func asBool(n *yaml.Node) (string, error) {
	switch strings.ToLower(n.Value) {
	case "true", "yes", "on", "y":
		return "true", nil
	case "false", "no", "off", "n":
		return "false", nil
	}
	return "", fmt.Errorf("%q is neither true nor false", n.Value)
}

// asNot is asBool negated.
func asNot(n *yaml.Node) (string, error) {
	text, err := asBool(n)
	return map[string]string{"true": "false", "false": "true"}[text], err
}

func asNumber(n *yaml.Node) (string, error) {
	number, err := strconv.ParseFloat(n.Value, 64)
	if err != nil || number != math.Trunc(number) || math.Abs(number) > math.MaxInt32 {
		return "", fmt.Errorf("%q is not a whole number", n.Value)
	}
	return strconv.Itoa(int(number)), nil
}

// asDays is a number of days; without a bound, 0.
func asDays(n *yaml.Node) (string, error) {
	if number, ok := asFloat(n); ok && math.IsInf(number, 1) {
		return "0", nil
	}
	return asNumber(n)
}

// asTime returns the conversion of a number of units up to a limit, which an infinite one
// becomes.
func asTime(unit, limit time.Duration) func(n *yaml.Node) (string, error) {
	return func(n *yaml.Node) (string, error) {
		number, ok := asFloat(n)
		if !ok || number < 0 {
			return "", fmt.Errorf("%q is not a number", n.Value)
		}
		if number*float64(unit) >= float64(limit) {
			return config.FormatDuration(limit), nil
		}
		return config.FormatDuration(time.Duration(number * float64(unit))), nil
	}
}

func asFloat(n *yaml.Node) (number float64, ok bool) {
	err := n.Decode(&number)
	return number, err == nil && !math.IsNaN(number)
}

// asList is a list, or a single value.
func asList(n *yaml.Node) (string, error) {
	items := texts(n)
	for _, item := range items {
		if strings.Contains(item, ",") {
			return "", fmt.Errorf("%q has a comma", item)
		}
	}
	return strings.Join(items, ", "), nil
}

// texts returns the single values in a list, or the one that stands for it.
func texts(n *yaml.Node) (list []string) {
	switch {
	case isEmpty(n):
	case n.Kind == yaml.ScalarNode:
		list = append(list, n.Value)
	case n.Kind == yaml.SequenceNode:
		for _, item := range n.Content {
			if item = resolve(item); item.Kind == yaml.ScalarNode && !isEmpty(item) {
				list = append(list, item.Value)
			}
		}
	}
	return list
}
