package live

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/internal/fixture"
)

// Alerts and dashboard use metrics that exist, and each alert says what to do. What else is to
// be checked of the alerts, promtool does in .ci/run.
func TestDeploy(t *testing.T) {
	families, err := withEvents(t).registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	exported := map[string]bool{}
	for _, f := range families {
		for _, suffix := range []string{"", "_bucket", "_sum", "_count"} {
			exported[f.GetName()+suffix] = true
		}
	}
	quoted, name := regexp.MustCompile(`"[^"]*"`), regexp.MustCompile(`\b(zhbot_|process_|go_)[a-z_]+`)
	check := func(file, each, expression string) {
		content := fixture.Read(t, filepath.Join("..", "..", "..", "deploy", file))
		found := regexp.MustCompile(expression).FindAllStringSubmatch(content, -1)
		if n := strings.Count(content, each); n < 10 || len(found) != n {
			t.Errorf("%s: %d of %d are as they should be", file, len(found), n)
		}
		for _, m := range found {
			text := strings.ReplaceAll(m[1], `\"`, `"`)
			used := name.FindAllString(quoted.ReplaceAllString(text, ""), -1)
			if len(used) == 0 && !strings.Contains(text, "up{") {
				t.Errorf("%s: %s uses no metric", file, text)
			}
			for _, n := range used {
				if !exported[n] {
					t.Errorf("%s: no metric %s", file, n)
				}
			}
		}
	}
	check("prometheus/alerts.yaml", "- alert: ", `expr: (.*)\n(?: +for: .*\n)? +labels: {severity: \w+}\n`+
		` +annotations:\n +summary: .+\n +description: >-\n.{80}`)
	check("grafana/zhbot.json", `"expr": `, `"expr": "(.*[^\\])"`)
}
