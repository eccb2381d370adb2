package setup

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/zhbot/zhbot/config"
)

// text returns a single value of theirs, "" for none.
func (im *importer) text(key string) string {
	if n := im.theirs[key]; n != nil && n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
		return n.Value
	}
	return ""
}

// lineOf returns the line of a key, 0 without it.
func (im *importer) lineOf(key string) int {
	if n := im.theirs[key]; n != nil {
		return n.Line
	}
	return 0
}

// programPath returns the path of an engine program, "" without a name. A program in the
// current folder is not looked for elsewhere.
func programPath(dir, name string) string {
	if name == "" {
		return ""
	}
	path := filepath.ToSlash(filepath.Join(dir, name))
	if dir != "" && !strings.Contains(path, "/") {
		return "./" + path
	}
	return path
}

// setProgram sets the engine program of a section of theirs, with its options, threads and
// hash, which zhbot shares out among all games.
func (im *importer) setProgram(section string, words []string) {
	words = slices.DeleteFunc(words, func(word string) bool { return word == "" })
	if len(words) == 0 {
		return
	}
	for i, word := range words {
		switch quote := strings.ContainsAny(word, " \t\"'"); {
		case quote && !strings.Contains(word, `"`):
			words[i] = `"` + word + `"`
		case quote && !strings.Contains(word, "'"):
			words[i] = "'" + word + "'"
		case quote:
			im.note(im.lineOf(section), section, "not copied: its command has quotes of both kinds; see engine.command")
			return
		}
	}
	key := section + ".name"
	im.set(im.lineOf(key), key, "engine.command", strings.Join(words, " "))
	im.note(im.lineOf(key), key, "this program must know crazyhouse; without engine.command zhbot's own search plays")
	if len(im.options) > 0 {
		key := section + ".uci_options"
		im.set(im.lineOf(key), key, "engine.options", strings.Join(im.options, ", "))
	}
	for _, total := range []struct{ option, to string }{{"Threads", "engine.threads"}, {"Hash", "engine.hash_mb"}} {
		key, to := section+".uci_options."+total.option, total.to
		each, err := strconv.Atoi(im.text(key))
		games, _ := strconv.Atoi(im.ours["games.max"])
		if err == nil && each > 0 && each < 1<<30 {
			im.set(im.lineOf(key), key, to, strconv.Itoa(each*max(games, 1)))
			im.note(im.lineOf(key), key, "multiplied by games.max, since zhbot divides threads and hash among the games; the defaults fit the machine")
		}
	}
}

// addOption adds a UCI option of the engine program.
func addOption(im *importer, path []string, n *yaml.Node) {
	name, value := path[len(path)-1], n.Value
	if n.Tag == "!!bool" {
		value, _ = asBool(n)
	}
	key, text := strings.Join(path, "."), name+"="+value
	switch {
	case n.Kind != yaml.ScalarNode:
		im.note(n.Line, key, "not an option of UCI")
	case strings.Contains(text, ",") || strings.Contains(name, "="):
		im.note(n.Line, key, "not copied: it has a comma or an equals sign; add it to engine.options")
	default:
		im.options = append(im.options, text)
	}
}

// setOffers sets the offers to other bots, without those that Lichess does not allow.
func (im *importer) setOffers(line int, key string, offers []string) {
	var list []string
	for _, text := range offers {
		var offer config.Offer
		if err := offer.UnmarshalText([]byte(text)); err != nil {
			im.note(line, key, fmt.Sprintf("not copied: %v", err))
			continue
		}
		if text = offer.String(); !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	if len(list) > 0 {
		im.set(line, key, "matchmaking.offers", strings.Join(list, ", "))
	}
}

// checkVariants notes what happens to other variants, and if crazyhouse is not among them.
func checkVariants(im *importer, path []string, n *yaml.Node) {
	key := strings.Join(path, ".")
	variants := texts(n)
	switch {
	case !slices.Contains(variants, "crazyhouse") && !slices.Contains(variants, "random"):
		im.note(n.Line, key, "crazyhouse is not among them, but zhbot plays nothing else")
	case len(variants) > 1:
		im.note(n.Line, key, noteVariant)
	}
}

// readProtocol sets the protocol of the engine program, if it is one that is spoken.
func readProtocol(im *importer, path []string, n *yaml.Node) {
	switch key := strings.Join(path, "."); n.Value {
	case config.UCI, config.XBoard:
		im.set(n.Line, key, "engine.protocol", n.Value)
	default:
		im.note(n.Line, key, noteProtocol)
	}
}

// greetSpectators has the bot chat with spectators if there is a text for them.
func greetSpectators(im *importer, path []string, n *yaml.Node) {
	if !isEmpty(n) {
		im.set(n.Line, strings.Join(path, "."), "chat.spectators", "true")
	}
}
