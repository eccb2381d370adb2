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
	"github.com/zhbot/zhbot/internal/file/filetest"
)

// repoFile returns the text of a file of the repository.
func repoFile(t *testing.T, name string) string {
	t.Helper()
	return filetest.Read(t, filepath.Join("..", "..", name))
}

// checkSettingNames fails the test for a variable that is no setting.
func checkSettingNames(t *testing.T, where string, environment []string) {
	t.Helper()
	c, err := config.Load(config.Source{})
	if err != nil {
		t.Fatal(err)
	}
	source := config.Source{}
	for _, warning := range source.Warnings(c, environment) {
		t.Errorf("%s: %s", where, warning)
	}
}

type compose struct {
	Services map[string]struct {
		Init        bool              `yaml:"init"`
		Environment map[string]string `yaml:"environment"`
		Ports       []string          `yaml:"ports"`
		Volumes     []string          `yaml:"volumes"`
		Grace       string            `yaml:"stop_grace_period"`
		Secrets     []string          `yaml:"secrets"`
		Logging     struct {
			Driver  string            `yaml:"driver"`
			Options map[string]string `yaml:"options"`
		} `yaml:"logging"`
	} `yaml:"services"`
	Secrets map[string]struct {
		File string `yaml:"file"`
	} `yaml:"secrets"`
}

// The container is stopped no earlier than the bot has drained, its page is for
// this host and has a password, and its records outlive it.
func TestDeploy_Compose(t *testing.T) {
	var file compose
	if err := yaml.Unmarshal([]byte(repoFile(t, "deploy/compose.yaml")), &file); err != nil {
		t.Fatal(err)
	}
	s, ok := file.Services["zhbot"]
	if !ok {
		t.Fatal("no service zhbot")
	}
	if grace, err := time.ParseDuration(s.Grace); err != nil || grace <= config.Default().Games.DrainTimeout {
		t.Errorf("stop_grace_period %q is not longer than the drain, %s", s.Grace, config.Default().Games.DrainTimeout)
	}
	if !s.Init {
		t.Error("nothing reaps what engine programs leave")
	}
	for _, port := range s.Ports {
		if !strings.HasPrefix(port, "127.0.0.1:") {
			t.Errorf("port %q is published beyond this host", port)
		}
	}
	if len(s.Ports) > 0 && !strings.HasPrefix(s.Environment["ZHBOT_WEB_PASSWORD"], "${ZHBOT_WEB_PASSWORD:?") {
		t.Errorf("the page is published without a password: %q", s.Environment["ZHBOT_WEB_PASSWORD"])
	}
	if want := "records:/data/" + config.Default().Records.Dir; !slices.Contains(s.Volumes, want) {
		t.Errorf("no volume %s for the records: %v", want, s.Volumes)
	}
	if l := s.Logging; l.Driver != "json-file" || l.Options["max-size"] == "" || l.Options["max-file"] == "" {
		t.Errorf("the log may fill the disk: %+v", l)
	}
	name, found := strings.CutPrefix(s.Environment["ZHBOT_LICHESS_TOKEN_FILE"], "/run/secrets/")
	if !found || !slices.Contains(s.Secrets, name) || s.Environment["ZHBOT_LICHESS_TOKEN"] != "" {
		t.Errorf("the token is no secret of the container: %v of %v", s.Environment, s.Secrets)
	}
	if file := file.Secrets[name].File; !strings.HasSuffix(file, ":-/etc/zhbot/token}") {
		t.Errorf("the token lies in %q, which may be part of the image", file)
	}
	if _, ok := s.Environment["ZHBOT_LICHESS_RETRY_REFUSED"]; !ok {
		t.Error("a refused token would be asked for with each restart")
	}
	var environment []string
	for name, value := range s.Environment {
		environment = append(environment, name+"="+value)
	}
	checkSettingNames(t, "compose.yaml", environment)
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
	if !strings.HasPrefix(last.Run, "gh release create ") || !strings.Contains(last.Run, "--prerelease=${{ "+isPrerelease+" }}") {
		t.Errorf("the last step is %q", last.Run)
	}
	if got, want := image.With["platforms"], "linux/amd64,linux/arm64"; !strings.HasPrefix(image.Uses, "docker/build-push-action@") || got != want {
		t.Errorf("%s builds an image for %q, want %q", image.Uses, got, want)
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

// unitLine finds a line of the systemd unit.
func unitLine(t *testing.T, name string) string {
	t.Helper()
	found := regexp.MustCompile(`(?m)^` + name + `=(.*)$`).FindStringSubmatch(repoFile(t, "deploy/zhbot.service"))
	if found == nil {
		t.Fatalf("zhbot.service has no %s", name)
	}
	return found[1]
}

func TestDeploy_Systemd(t *testing.T) {
	minutes := strings.TrimSuffix(unitLine(t, "TimeoutStopSec"), "in")
	if stop, err := time.ParseDuration(minutes); err != nil || stop <= config.Default().Games.DrainTimeout {
		t.Errorf("TimeoutStopSec %q is not longer than the drain, %s", minutes, config.Default().Games.DrainTimeout)
	}
	if sec, err := time.ParseDuration(strings.TrimSuffix(unitLine(t, "WatchdogSec"), "in")); err != nil || sec <= 2*app.WatchInterval+app.WatchTimeout {
		t.Errorf("WatchdogSec is not longer than the bot's own watchdog takes")
	}
	if unitLine(t, "Type") != "notify" || unitLine(t, "Restart") != "on-failure" {
		t.Error("systemd is not told that the bot goes on, or does not start it again")
	}
	if got := unitLine(t, "RestartPreventExitStatus"); got != strconv.Itoa(exitRefused) {
		t.Errorf("RestartPreventExitStatus %q, want %d", got, exitRefused)
	}
	if got := unitLine(t, "ExecStart"); !strings.Contains(got, "zhbot run ") {
		t.Errorf("ExecStart %q", got)
	}
	// The process's start time is counted from the machine's, in /proc/stat.
	if strings.Contains(repoFile(t, "deploy/prometheus/alerts.yaml"), "process_start_time_seconds") && strings.Contains(repoFile(t, "deploy/zhbot.service"), "\nProcSubset=pid\n") {
		t.Error("ProcSubset=pid hides /proc/stat, and so the metric of an alert")
	}
	var environment []string
	for _, found := range regexp.MustCompile(`(?m)^Environment=(.*)$`).FindAllStringSubmatch(repoFile(t, "deploy/zhbot.service"), -1) {
		environment = append(environment, found[1])
	}
	if len(environment) == 0 {
		t.Error("no token and no folder for the records")
	}
	checkSettingNames(t, "zhbot.service", environment)
}

// What both units say of restarts and stops is the same, and systemd reads them.
func TestDeploy_Units(t *testing.T) {
	directive := regexp.MustCompile(`(?m)^(Type|WatchdogSec|ExecReload|Restart\w*|Kill\w*|TimeoutStopSec|LimitNOFILE|SystemCall\w*|Restrict\w*)=.*$`)
	system, user := repoFile(t, "deploy/zhbot.service"), repoFile(t, "deploy/zhbot-user.service")
	same := directive.FindAllString(system, -1)
	if diff := cmp.Diff(same, directive.FindAllString(user, -1)); diff != "" || len(same) < 10 {
		t.Errorf("(-system +user):\n%s", diff)
	}
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		return
	}
	for kind, unit := range map[string]string{"system": system, "user": user} {
		path := filepath.Join(t.TempDir(), "zhbot.service")
		unit = regexp.MustCompile(`(?m)^ExecStart=\S+`).ReplaceAllString(unit, "ExecStart="+zhbotPath(t))
		filetest.Write(t, path, unit)
		verify := exec.CommandContext(t.Context(), analyze, "verify", "--recursive-errors=no", "--"+kind, path)
		verify.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir())
		if out, err := verify.CombinedOutput(); err != nil || strings.Contains(string(out), "zhbot.service:") {
			t.Errorf("%s: %v\n%s", kind, err, out)
		}
	}
}

func TestDeploy_Dockerfile(t *testing.T) {
	text := repoFile(t, "Dockerfile")
	for _, want := range []string{
		`CMD ["zhbot", "health"]`, "FROM scratch", "ca-certificates.crt", "USER 65532:65532", "CGO_ENABLED=0", "TARGETARCH",
		`ENTRYPOINT ["zhbot"]`, `CMD ["run"]`, "/data/" + config.Default().Records.Dir,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the Dockerfile", want)
		}
	}
}

// The program brings the time zones along: its container has none.
func TestDeploy_TimeZones(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(strings.Fields(string(out)), "time/tzdata") {
		t.Error("time/tzdata is not in the program")
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
