package live

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/zhbot/zhbot/internal/file/filetest"
)

// exported returns the names of all metrics that are exported.
func exported(t *testing.T) map[string]bool {
	t.Helper()
	families, err := withEvents(t).registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{"up": true}
	for _, f := range families {
		names[f.GetName()] = true
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			names[f.GetName()+suffix] = true
		}
	}
	return names
}

var (
	quoted     = regexp.MustCompile(`"[^"]*"`)
	metricName = regexp.MustCompile(`\b(zhbot_|process_|go_)[a-z_]+`)
)

// checkMetrics checks that an expression uses existing metrics.
func checkMetrics(t *testing.T, where, expr string, names map[string]bool) {
	t.Helper()
	found := metricName.FindAllString(quoted.ReplaceAllString(expr, ""), -1)
	if len(found) == 0 && !strings.Contains(expr, "up{") {
		t.Errorf("%s: %q uses no metric", where, expr)
	}
	for _, name := range found {
		if !names[name] {
			t.Errorf("%s: no metric %s", where, name)
		}
	}
}

// The syntax and behaviour of the rules are checked by promtool in .ci/run.
func TestDeploy_Alerts(t *testing.T) {
	text := filetest.Read(t, filepath.Join("..", "..", "..", "deploy", "prometheus", "alerts.yaml"))
	var file struct {
		Groups []struct {
			Rules []struct {
				Alert       string
				Expr        string
				Labels      map[string]string
				Annotations map[string]string
			}
		}
	}
	if err := yaml.Unmarshal([]byte(text), &file); err != nil {
		t.Fatal(err)
	}
	names, alerts := exported(t), 0
	for _, group := range file.Groups {
		for _, rule := range group.Rules {
			alerts++
			checkMetrics(t, rule.Alert, rule.Expr, names)
			if rule.Labels["severity"] == "" || rule.Annotations["summary"] == "" || len(rule.Annotations["description"]) < 100 {
				t.Errorf("%s lacks a severity, summary or description: %v %v", rule.Alert, rule.Labels, rule.Annotations)
			}
		}
	}
	if alerts < 8 {
		t.Errorf("only %d alerts", alerts)
	}
}

// dashboard is the part of a Grafana dashboard that is checked.
type dashboard struct {
	Title         string
	UID           string
	SchemaVersion int
	Templating    struct {
		List []struct{ Name, Type string }
	}
	Panels []struct {
		ID         int
		Type       string
		Title      string
		Datasource struct{ Type, UID string }
		GridPos    struct{ X, Y, W, H int }
		Targets    []struct{ Expr, RefID string }
	}
}

func TestDeploy_Dashboard(t *testing.T) {
	text := filetest.Read(t, filepath.Join("..", "..", "..", "deploy", "grafana", "zhbot.json"))
	var d dashboard
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	if d.Title == "" || d.UID == "" || d.SchemaVersion < 36 || len(d.Templating.List) == 0 || d.Templating.List[0].Type != "datasource" {
		t.Errorf("dashboard %q %q, schema %d, variables %v", d.Title, d.UID, d.SchemaVersion, d.Templating.List)
	}
	names, ids, occupied := exported(t), map[int]bool{}, map[[2]int]string{}
	for _, p := range d.Panels {
		if ids[p.ID] || p.Title == "" || p.Datasource.UID != "${"+d.Templating.List[0].Name+"}" || len(p.Targets) == 0 {
			t.Errorf("panel %d %q", p.ID, p.Title)
		}
		ids[p.ID] = true
		for _, target := range p.Targets {
			checkMetrics(t, p.Title, target.Expr, names)
		}
		if p.GridPos.X+p.GridPos.W > 24 || p.GridPos.W == 0 || p.GridPos.H == 0 {
			t.Errorf("%s is at %+v", p.Title, p.GridPos)
		}
		for x := range p.GridPos.W {
			for y := range p.GridPos.H {
				at := [2]int{p.GridPos.X + x, p.GridPos.Y + y}
				if other := occupied[at]; other != "" {
					t.Fatalf("%s overlaps %s", p.Title, other)
				}
				occupied[at] = p.Title
			}
		}
	}
	if len(d.Panels) < 12 {
		t.Errorf("only %d panels", len(d.Panels))
	}
}
