package setup

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/zhbot/zhbot/lichess"
)

// fromBotLi converts config.yml of BotLi.
var fromBotLi = importProgram{finish: finishBotLi, rules: slices.Concat([]importRule{
	{key: "token", note: noteToken},
	{key: "url", to: "lichess.url"},

	{key: "engines.*", do: readEngine},
	{key: "engines.*.dir"}, {key: "engines.*.name"},
	{key: "engines.*.ponder", to: "engine.ponder", as: asBool},
	{key: "engines.*.silence_stderr", note: noteStderr},
	{key: "engines.*.move_overhead_multiplier", note: noteOverhead},
	{key: "engines.*.uci_options.Threads"}, {key: "engines.*.uci_options.Hash"}, {key: "engines.*.uci_options.UCI_Variant"},
	{key: "engines.*.uci_options.SyzygyPath", note: noteTablebases},
	{key: "engines.*.uci_options.*", do: addOption},
	{key: "engines.*.limits.time", to: "engine.max_time", as: asTime(time.Second, anyTime)},
	{key: "engines.*.limits.nodes", to: "engine.max_nodes", as: asNumber},
	{key: "engines.*.limits.depth", note: "no counterpart; engine.max_nodes and engine.max_time limit a search"},

	{key: "syzygy.*", note: noteTablebases},
	{key: "gaviota", note: noteTablebases},
	{key: "opening_books.enabled"},
	{key: "opening_books.books.crazyhouse.names"},
	{key: "opening_books.books.*.*", note: noteBooks},
	{key: "opening_books.priority", note: "engine.book lists the books in the order in which they are asked, before the explorer"},
	{key: "opening_books.read_learn", note: noteBooks},
	{key: "books.*"},
	{key: "online_moves.opening_explorer", note: noteExplorer},
	{key: "online_moves.*", note: noteOnline},

	{key: "offer_draw.enabled", to: "play.draw", as: asBool},
	{key: "offer_draw.*", note: noteScores},
	{key: "resign.enabled", to: "play.resign", as: asBool},
	{key: "resign.*", note: noteScores},

	{key: "challenge.concurrency", to: "games.max", as: asNumber},
	{key: "challenge.max_takebacks", to: "play.takebacks", as: asNumber, note: noteTakebacks},

	{key: "matchmaking.delay", to: "matchmaking.idle", as: asTime(time.Second, anyTime)},
	{key: "matchmaking.timeout", to: "matchmaking.wait", as: asTime(time.Second, anyTime)},
	{key: "matchmaking.selection", note: "no counterpart: matchmaking.offers are drawn by weight"},
	{key: "matchmaking.types", do: readTypes},

	{key: "messages.greeting", to: "chat.greeting"},
	{key: "messages.goodbye", to: "chat.goodbye"},
	{key: "messages.greeting_spectators", do: greetSpectators, note: noteSpectators},
	{key: "messages.goodbye_spectators", do: greetSpectators, note: noteSpectators},

	{key: "whitelist", to: "challenges.allow", as: asList},
	{key: "blacklist", to: "challenges.block", as: asList},
	{key: "online_blacklists", to: "challenges.block_url", as: asList},
}, botLiTerms("human", "humans"), botLiTerms("bot", "bots"))}

// botLiTerms are the rules for one kind of challenger.
func botLiTerms(theirs, ours string) []importRule {
	theirs, ours = "challenge."+theirs+".", "challenges."+ours+"."
	return []importRule{
		{key: theirs + "bullet_with_increment_only", note: noteIncrement},
		{key: theirs + "min_increment", to: ours + "increment.min", as: asTime(time.Second, anyTime)},
		{key: theirs + "max_increment", to: ours + "increment.max", as: asTime(time.Second, lichess.MaxIncrement)},
		{key: theirs + "min_initial", to: ours + "initial.min", as: asTime(time.Second, anyTime)},
		{key: theirs + "max_initial", to: ours + "initial.max", as: asTime(time.Second, lichess.MaxInitial)},
		{key: theirs + "max_estimated_game_duration", note: "no counterpart; challenges.*.initial.max and challenges.*.increment.max limit the clock"},
		{key: theirs + "variants", do: checkVariants},
		{key: theirs + "time_controls", do: readControls(ours)},
		{key: theirs + "modes", to: ours + "modes", as: asList},
	}
}

func finishBotLi(im *importer) {
	section := "engines." + im.engine
	im.setProgram(section, []string{programPath(im.text(section+".dir"), im.text(section+".name"))})
	const names = "opening_books.books.crazyhouse.names" // seen only if they are enabled
	books := &yaml.Node{Kind: yaml.SequenceNode, Line: im.lineOf(names)}
	for _, name := range texts(im.theirs[names]) {
		if key := "books." + name; im.text(key) != "" {
			books.Content = append(books.Content, im.theirs[key])
		} else {
			im.note(im.lineOf(names), names, fmt.Sprintf("books has no %s", name))
		}
	}
	im.apply(&importRule{to: "engine.book", as: asList}, strings.Split(names, "."), books)
}

// readEngine converts the engine that plays crazyhouse, the first of these three.
func readEngine(im *importer, path []string, n *yaml.Node) {
	for _, name := range []string{"crazyhouse", "variants", "standard"} {
		if im.engine == "" && slices.ContainsFunc(im.theirs["engines"].Content, func(n *yaml.Node) bool { return n.Value == name }) {
			im.engine = name
		}
	}
	if name := path[1]; name != im.engine {
		im.note(n.Line, strings.Join(path, "."), "not copied: one of the engines plays all games, that for crazyhouse if there is one, else that for variants or standard; contenders shares games out among several")
		return
	}
	walkSection(im, path, n)
}

// readControls returns the conversion of speeds and clocks, of which BotLi accepts all: with
// both, only the speeds can be kept.
func readControls(ours string) func(im *importer, path []string, n *yaml.Node) {
	return func(im *importer, path []string, n *yaml.Node) {
		var speeds, clocks, ofClocks []string
		for _, text := range texts(n) {
			clock, err := lichess.ParseClock(text)
			if err != nil {
				speeds = append(speeds, text)
				continue
			}
			clocks = append(clocks, text)
			if speed := string(clock.Speed()); !slices.Contains(ofClocks, speed) {
				ofClocks = append(ofClocks, speed)
			}
		}
		key := strings.Join(path, ".")
		if len(speeds) == 0 && len(clocks) > 0 {
			im.set(n.Line, key, ours+"clocks", strings.Join(clocks, ", "))
			speeds = ofClocks
		} else if len(clocks) > 0 {
			im.note(n.Line, key, "the clocks are not copied: with "+ours+"clocks, no others of these speeds would be accepted")
		}
		im.set(n.Line, key, ours+"speeds", strings.Join(speeds, ", "))
	}
}

// readTypes converts the kinds of games to propose; bounds of ratings are those of the first.
func readTypes(im *importer, path []string, types *yaml.Node) {
	key := strings.Join(path, ".")
	var offers []string
	for i := 0; types.Kind == yaml.MappingNode && i+1 < len(types.Content); i += 2 {
		var fields map[string]string
		_ = types.Content[i+1].Decode(&fields) // what is no single value is left out
		name := key + "." + types.Content[i].Value
		if fields["variant"] != lichess.Crazyhouse {
			im.note(types.Content[i].Line, name, noteVariant)
			continue
		}
		mode := "rated"
		if rated, err := asBool(&yaml.Node{Value: fields["rated"]}); err == nil && rated == "false" {
			mode = "casual"
		}
		if len(offers) == 0 {
			for _, bound := range []struct{ theirs, ours string }{{"max_rating_diff", "max_difference"}, {"target_rating_diff", "target"}} {
				if value := fields[bound.theirs]; value != "" {
					im.set(types.Content[i].Line, name, "matchmaking.rating."+bound.ours, value)
				}
			}
		}
		offers = append(offers, fmt.Sprintf("%s %s %s", fields["tc"], mode, cmp.Or(fields["weight"], "1")))
	}
	im.setOffers(types.Line, key, offers)
	im.note(types.Line, key, "matchmaking.enabled: true starts challenging, \"zhbot ctl matchmaking on\" does while it runs; matchmaking.rating is for all offers")
}
