package analysis

import (
	"fmt"
	"regexp"
	"strings"
)

// The forms in which the pages' modules import and export.
var (
	importLine = regexp.MustCompile(`(?m)^import \{ ([\w, ]+) \} from "\./([\w.]+)";\n`)
	exportWord = regexp.MustCompile(`(?m)^export (const|let|function|class) (\w+)`)
	otherForm  = regexp.MustCompile(`(?m)^(import|export)\b.*`)
)

// bundle joins a module and those that it imports into one script, each in a scope of its
// own: a file that is opened without a server cannot import others.
func bundle(content map[string][]byte, name string) (string, error) {
	b := bundler{content: content, done: map[string]bool{}}
	b.script.WriteString("const modules = {};\n")
	if err := b.add(name); err != nil {
		return "", err
	}
	return b.script.String(), nil
}

type bundler struct {
	content map[string][]byte
	done    map[string]bool
	script  strings.Builder
}

// add adds a module after those that it imports.
func (b *bundler) add(name string) error {
	if b.done[name] {
		return nil
	}
	b.done[name] = true
	text := string(b.content[name])
	if text == "" {
		return fmt.Errorf("no module %s", name)
	}
	for _, m := range importLine.FindAllStringSubmatch(text, -1) {
		if err := b.add(m[2]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	var exports []string
	for _, m := range exportWord.FindAllStringSubmatch(text, -1) {
		exports = append(exports, m[2])
	}
	text = importLine.ReplaceAllString(text, "const { $1 } = modules[\"$2\"];\n")
	text = exportWord.ReplaceAllString(text, "$1 $2")
	if other := otherForm.FindString(text); other != "" {
		return fmt.Errorf("%s: %q cannot be bundled", name, other)
	}
	fmt.Fprintf(&b.script, "modules[%q] = (() => {\n%sreturn { %s };\n})();\n", name, text, strings.Join(exports, ", "))
	return nil
}
