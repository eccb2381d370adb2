package setup

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/zhbot/zhbot/config"
)

// Import converts the config file of lichess-bot or BotLi. Only crazyhouse matters, and no
// token is copied. The notes say what was not converted, or not exactly, with its line, and
// what to do instead.
func Import(file string, data []byte) (converted []byte, notes []string, err error) {
	root, line, err := config.ParseYAML(data)
	if err != nil {
		return nil, nil, fmt.Errorf("%s:%d: %w", file, line, err)
	}
	program := config.ProgramOf(root)
	p := map[string]*importProgram{config.LichessBot: &fromLichessBot, config.BotLi: &fromBotLi}[program]
	if p == nil {
		return nil, nil, fmt.Errorf("%s: neither a config file of lichess-bot, which has token, engine and challenge, nor one of BotLi, which has engines and challenge", file)
	}
	im := &importer{file: file, rules: p.rules, theirs: map[string]*yaml.Node{}, ours: map[string]string{}}
	if err := cmp.Or(im.walk(nil, root), im.err); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, r := range p.rules {
		if r.absent != "" && im.theirs[r.key] == nil {
			im.set(0, r.key, r.to, r.absent)
		}
	}
	p.finish(im)
	return im.result(program)
}

// importProgram is how a program's settings are converted.
type importProgram struct {
	rules  []importRule
	finish func(im *importer) // converts what depends on several keys
}

// importRule says what becomes of a key or of a whole section.
type importRule struct {
	key    string // theirs; * is any name
	to     string // ours, separated by spaces
	as     func(n *yaml.Node) (string, error)
	absent string // what their program assumes without the key, as ours has it
	note   string // what to know or, if there is no counterpart, to do instead; not if it is off
	do     func(im *importer, path []string, n *yaml.Node)
}

func (r *importRule) matches(path []string) bool {
	key := strings.Split(r.key, ".")
	return slices.EqualFunc(key, path, func(k, name string) bool { return k == "*" || k == name })
}

// importer converts a file.
type importer struct {
	file   string
	rules  []importRule
	theirs map[string]*yaml.Node // by key
	seen   int                   // keys, those that aliases repeat included
	ours   map[string]string     // values by key, as for flags
	notes  []importNote

	engine  string   // the name of the one that is converted, if there are several
	options []string // of the engine program
	err     error    // of a section that a rule walked
}

// importNote is a text about keys, the first of them on a line.
type importNote struct {
	line int
	keys []string
	text string
}

// Limits on a file, in which aliases can repeat parts.
const (
	maxImportKeys  = 5000
	maxImportDepth = 10
)

// walk converts a section.
func (im *importer) walk(path []string, section *yaml.Node) error {
	if len(path) > maxImportDepth {
		return errors.New("the sections are nested too deeply")
	}
	for i := 0; i+1 < len(section.Content); i += 2 {
		path, n := append(slices.Clone(path), section.Content[i].Value), resolve(section.Content[i+1])
		key := strings.Join(path, ".")
		im.theirs[key] = n
		if im.seen++; im.seen > maxImportKeys {
			return errors.New("too many keys")
		}
		r := slices.IndexFunc(im.rules, func(r importRule) bool { return r.matches(path) })
		switch {
		case r >= 0:
			im.apply(&im.rules[r], path, n)
		case n.Kind == yaml.MappingNode:
			if err := im.walk(path, enabledPart(n)); err != nil {
				return err
			}
		case !isEmpty(n):
			im.note(section.Content[i].Line, key, "unknown, and left out")
		}
	}
	return nil
}

// walkSection converts a section whose keys have rules, where another rule is for all of its
// kind.
func walkSection(im *importer, path []string, n *yaml.Node) {
	if n.Kind == yaml.MappingNode {
		im.err = cmp.Or(im.err, im.walk(path, n))
	}
}

func (im *importer) apply(r *importRule, path []string, n *yaml.Node) {
	key := strings.Join(path, ".")
	if r.to != "" && !isEmpty(n) {
		as := r.as
		if as == nil {
			as = asText
		}
		value, err := as(n)
		if err != nil {
			im.note(n.Line, key, fmt.Sprintf("%v; not copied to %s", err, strings.ReplaceAll(r.to, " ", ", ")))
			return
		}
		im.set(n.Line, key, r.to, value)
	}
	if r.do != nil {
		r.do(im, path, n)
	}
	if r.note != "" && !isOff(n) {
		im.note(n.Line, key, r.note)
	}
}

// set gives settings a value, or notes why it cannot be theirs.
func (im *importer) set(line int, key, to, value string) {
	for setting := range strings.FieldsSeq(to) {
		before, known := im.ours[setting]
		im.ours[setting] = value
		_, err := config.Parse(config.Source{Flags: im.ours}, nil)
		if err == nil {
			continue
		}
		if delete(im.ours, setting); known {
			im.ours[setting] = before
		}
		if wrong, ok := errors.AsType[*config.Error](err); ok {
			err = cmp.Or(errors.Unwrap(wrong.Problems[0]), wrong.Problems[0]) // without its location, --set
		}
		im.note(line, key, fmt.Sprintf("not copied: %v", err))
	}
}

// note adds a note; keys with the same text share one.
func (im *importer) note(line int, key, text string) {
	same := slices.IndexFunc(im.notes, func(n importNote) bool { return n.text == text })
	if same < 0 {
		im.notes = append(im.notes, importNote{line, []string{key}, text})
		return
	}
	im.notes[same].keys = append(im.notes[same].keys, key)
}

// result returns the settings in the order of the example, and the notes in that of the file.
func (im *importer) result(program string) (converted []byte, notes []string, err error) {
	var changes []config.Change
	for _, key := range config.Keys() {
		if value, ok := im.ours[key]; ok {
			changes = append(changes, config.Change{Key: key, Value: value})
		}
	}
	header := fmt.Sprintf("# zhbot's settings, converted from those of %s by \"zhbot config import\". All others have\n"+
		"# their defaults, which \"zhbot config example\" lists. \"zhbot check\" validates this file.\n", program)
	converted, _, err = config.Edit(im.file, []byte(header), changes)
	slices.SortStableFunc(im.notes, func(a, b importNote) int { return a.line - b.line })
	for _, n := range im.notes {
		at := im.file
		if n.line > 0 {
			at = fmt.Sprintf("%s:%d", at, n.line)
		}
		notes = append(notes, at+": "+strings.Join(n.keys, ", ")+": "+n.text)
	}
	return converted, notes, err
}
