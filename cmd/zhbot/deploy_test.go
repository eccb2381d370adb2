package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/app"
	"github.com/zhbot/zhbot/internal/fixture"
	"github.com/zhbot/zhbot/internal/setup"
)

// repoFile returns the text of a file of the repository.
func repoFile(t *testing.T, name string) string {
	t.Helper()
	return fixture.Read(t, filepath.Join("..", "..", name))
}

// What is deployed sets settings that exist.
func TestDeploy_Settings(t *testing.T) {
	c, err := config.Load(config.Source{})
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"deploy/compose.yaml", "deploy/zhbot.service"} {
		names := regexp.MustCompile(`\bZHBOT_\w+`).FindAllString(repoFile(t, file), -1)
		for _, warning := range (config.Source{}).Warnings(c, names) {
			t.Errorf("%s: %s", file, warning)
		}
		if len(names) < 2 {
			t.Errorf("%s sets %v", file, names)
		}
	}
}

// The image is for all Linux systems that have a package, a pre-release does not become
// the latest one, and the release comes last: it can be created only once.
func TestDeploy_Workflow(t *testing.T) {
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct {
				Run, Uses string
				With      map[string]string
			}
		}
	}
	if err := yaml.Unmarshal([]byte(repoFile(t, ".github/workflows/release.yml")), &workflow); err != nil {
		t.Fatal(err)
	}
	steps := workflow.Jobs["release"].Steps
	if len(steps) < 2 {
		t.Fatalf("%d steps", len(steps))
	}
	const isPrerelease = "contains(github.ref_name, '-')"
	last, image := steps[len(steps)-1], steps[len(steps)-2]
	prerelease := "--prerelease=${{ " + isPrerelease + " }}"
	if !strings.HasPrefix(last.Run, "gh release create ") || !strings.Contains(last.Run, prerelease) {
		t.Errorf("the last step is %q", last.Run)
	}
	platforms := image.With["platforms"]
	if !strings.HasPrefix(image.Uses, "docker/build-push-action@") || platforms != "linux/amd64,linux/arm64" {
		t.Errorf("%s builds an image for %q", image.Uses, platforms)
	}
	for tag := range strings.Lines(image.With["tags"]) {
		if strings.Contains(tag, ":latest") && !strings.HasPrefix(tag, "${{ !"+isPrerelease+" && ") {
			t.Errorf("a pre-release becomes %s", tag)
		}
	}
	if services := repoFile(t, "deploy/compose.yaml"); !strings.Contains(services, "image: ghcr.io/zhbot/zhbot:") {
		t.Error("compose.yaml does not name the published image")
	}
}

// systemd waits longer than the bot's own watchdog takes.
func TestDeploy_Watchdog(t *testing.T) {
	found := regexp.MustCompile(`(?m)^WatchdogSec=(\d+)min$`).FindStringSubmatch(repoFile(t, "deploy/zhbot.service"))
	if minutes, err := strconv.Atoi(found[1]); err != nil ||
		time.Duration(minutes)*time.Minute <= 2*app.WatchInterval+app.WatchTimeout {
		t.Errorf("WatchdogSec %s", found)
	}
}

// What both units say of restarts and stops is the same, and systemd reads them. They have
// settings and records where setup puts them.
func TestDeploy_Units(t *testing.T) {
	directive := regexp.MustCompile(`(?m)^(Type|WatchdogSec|ExecReload|Restart\w*|Kill\w*|` +
		`TimeoutStopSec|LimitNOFILE|SystemCall\w*|Restrict\w*)=.*$`)
	system, user := repoFile(t, "deploy/zhbot.service"), repoFile(t, "deploy/zhbot-user.service")
	same := directive.FindAllString(system, -1)
	if diff := cmp.Diff(same, directive.FindAllString(user, -1)); diff != "" || len(same) < 10 {
		t.Errorf("(-system +user):\n%s", diff)
	}
	for _, part := range []string{" --config " + setup.SystemFile + "\n",
		"ZHBOT_RECORDS_DIR=" + setup.RecordsDir(setup.SystemFile) + "\n"} {
		if !strings.Contains(strings.ReplaceAll(system, "%S", "/var/lib"), part) {
			t.Errorf("the system unit has no %q", part)
		}
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		return
	}
	for kind, unit := range map[string]string{"system": system, "user": user} {
		path := filepath.Join(t.TempDir(), "zhbot.service")
		unit = regexp.MustCompile(`(?m)^ExecStart=\S+`).ReplaceAllString(unit, "ExecStart="+zhbotPath(t))
		fixture.Write(t, path, unit)
		verify := exec.CommandContext(t.Context(), analyze, "verify", "--recursive-errors=no", "--"+kind, path)
		verify.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir())
		if out, err := verify.CombinedOutput(); err != nil || strings.Contains(string(out), "zhbot.service:") {
			t.Errorf("%s: %v\n%s", kind, err, out)
		}
	}
}

// docs/alerts.md says of every alert what it means, and of no other.
func TestDeploy_AlertsExplained(t *testing.T) {
	names := func(pattern, file string) (found []string) {
		for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(repoFile(t, file), -1) {
			found = append(found, m[1])
		}
		slices.Sort(found)
		return found
	}
	rules := names(`(?m)^ *- alert: (\w+)$`, "deploy/prometheus/alerts.yaml")
	told := names("(?m)^\\| `(Zhbot\\w+)` \\|", "docs/alerts.md")
	if diff := cmp.Diff(rules, told); diff != "" || len(rules) == 0 {
		t.Errorf("alerts (-rules +docs/alerts.md):\n%s", diff)
	}
}
