package kubernetes

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// bin is the folder of the programs that the images have.
var bin string

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "zhbot")
		if err == nil {
			defer os.RemoveAll(dir)
			bin = dir
			err = buildPrograms()
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		return m.Run()
	}())
}

// buildPrograms builds zhbot, and gives it the name of the build before, too.
func buildPrograms() error {
	build := exec.Command("go", "build", "-C", "../..", "-buildvcs=false", "-pgo=off", "-o", bin, "./cmd/zhbot")
	out, err := build.CombinedOutput()
	if err != nil {
		return fmt.Errorf("build zhbot: %w\n%s", err, out)
	}
	return os.Symlink("zhbot", filepath.Join(bin, "zhbot-before"))
}

// command is zhbot with arguments and no setting in its environment.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "zhbot"), args...)
	cmd.Dir = t.TempDir()
	for _, entry := range os.Environ() {
		if !strings.HasPrefix(entry, "ZHBOT_") && !strings.HasPrefix(entry, "PATH=") {
			cmd.Env = append(cmd.Env, entry)
		}
	}
	cmd.Env = append(cmd.Env, "PATH="+bin)
	return cmd
}

// run runs zhbot to its end and returns what it printed.
func run(t *testing.T, args ...string) string {
	t.Helper()
	out, err := command(t, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("zhbot %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// small makes the jobs end soon, on a machine of any size.
var small = map[string][]string{
	"match":   {"--games=16", "--nodes=20", "--max-plies=40"},
	"datagen": {"--games=16", "--nodes=20"},
	"tune":    {"--iterations=2", "--nodes=20", "--concurrency=1"},
}

// runJob runs the commands of all pods of a job, with a folder for their volume.
func runJob(t *testing.T, job *batchv1.Job, volume string) {
	t.Helper()
	c := job.Spec.Template.Spec.Containers[0]
	if c.Command != nil || len(c.VolumeMounts) != 1 {
		t.Fatalf("%+v", c)
	}
	pods := 1
	if job.Spec.Completions != nil {
		pods = int(*job.Spec.Completions)
	}
	for i := range pods {
		var args []string
		for _, arg := range c.Args {
			arg = strings.ReplaceAll(arg, c.VolumeMounts[0].MountPath+"/", volume+"/")
			if job.Spec.CompletionMode != nil {
				arg = strings.ReplaceAll(arg, "$(JOB_COMPLETION_INDEX)", strconv.Itoa(i))
			}
			args = append(args, arg)
		}
		run(t, append(args, small[job.Name]...)...)
	}
}

// The pods of every job accept their arguments and play their part of it.
func TestJobs_Run(t *testing.T) {
	volume := t.TempDir()
	for name, job := range jobs(t) {
		if small[name] == nil {
			t.Errorf("no job is named %s", name)
			continue
		}
		runJob(t, job, volume)
	}
	if out := run(t, "match", "merge", volume+"/match-*.state"); !strings.Contains(out, "Games    16: ") {
		t.Errorf("merged match: %s", out)
	}
	out := run(t, "datagen", "merge", volume+"/games.zhg", volume+"/games-*.zhg")
	if !strings.Contains(out, "has 16 games") {
		t.Errorf("merged games: %s", out)
	}
	if _, err := os.Stat(volume + "/tune.state"); err != nil {
		t.Error(err)
	}
}

var shardOf = regexp.MustCompile(`--shard=\$\(JOB_COMPLETION_INDEX\)/(\d+)`)

// Each index plays its shard into files of its own, is never run twice at once, resumes,
// and does not try a wrong command again.
func TestJobs_Indexes(t *testing.T) {
	claim := only[*corev1.PersistentVolumeClaim](t, build(t, "lab"))
	for name, job := range jobs(t) {
		s, args := job.Spec, strings.Join(job.Spec.Template.Spec.Containers[0].Args, "\n")
		m := shardOf.FindStringSubmatch(args)
		switch indexed := s.CompletionMode != nil && *s.CompletionMode == batchv1.IndexedCompletion; {
		case indexed != (m != nil), m == nil && strings.Contains(args, "JOB_COMPLETION_INDEX"):
			t.Errorf("%s: completion mode %v of\n%s", name, s.CompletionMode, args)
		case indexed && (strconv.Itoa(int(*s.Completions)) != m[1] || *s.Parallelism > *s.Completions):
			t.Errorf("%s: %d completions, %d at a time, of %s shards", name, *s.Completions, *s.Parallelism, m[1])
		case indexed:
			check(t, name, s, `"backoffLimitPerIndex":`)
		}
		for arg := range strings.SplitSeq(args, "\n") {
			if m != nil && strings.Contains(arg, "/lab/") && !strings.Contains(arg, "$(JOB_COMPLETION_INDEX)") {
				t.Errorf("%s: all shards write %s", name, arg)
			}
		}
		check(t, name, job, `--resume`, `"podReplacementPolicy":"Failed",`, `"restartPolicy":"Never",`,
			`"podFailurePolicy":{"rules":[{"action":"FailJob",`+
				`"onExitCodes":{"containerName":"zhbot","operator":"In","values":[2]}`,
			`"volumes":[{"name":"lab","persistentVolumeClaim":{"claimName":"lab"}}]`, `"namespace":"zhbot-lab"`)
	}
	if claim.Name != "lab" || claim.Namespace != "zhbot-lab" {
		t.Errorf("claim %s in %s", claim.Name, claim.Namespace)
	}
	if err := command(t, "match", "--nonsense").Run(); err == nil || err.Error() != "exit status 2" {
		t.Errorf("a usage error is %v", err)
	}
}

// process is a running zhbot.
type process struct {
	cmd   *exec.Cmd
	ended chan error // what Wait returns

	mu  sync.Mutex
	out bytes.Buffer
}

// Write collects what the process prints.
func (p *process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.Write(b)
}

func (p *process) output() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.String()
}

// start starts a command, which ends with the test.
func start(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{cmd: cmd, ended: make(chan error, 1)}
	cmd.Stdout, cmd.Stderr = p, p
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.ended <- cmd.Wait() }()
	return p
}

// waitFor waits until something holds, or the process has ended.
func (p *process) waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !holds(); time.Sleep(20 * time.Millisecond) {
		select {
		case err := <-p.ended:
			t.Fatalf("%s: zhbot has ended: %v\n%s", what, err, p.output())
		default:
		}
		if time.Now().After(deadline) {
			t.Fatalf("not within two minutes: %s\n%s", what, p.output())
		}
	}
}

// freePort returns a port at which nobody listens.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// getStatus returns the HTTP status at an address, 0 for no answer.
func getStatus(t *testing.T, url, password string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if password != "" {
		request.SetBasicAuth("prometheus", password)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	return response.StatusCode
}

var invitation = regexp.MustCompile(`ZHBOT_LICHESS_URL=(\S+) ZHBOT_LICHESS_TOKEN=(\S+) zhbot run`)

// The bot runs with its arguments and settings against an embedded Lichess, answers its
// probes, shows its metrics to who has the password, and ends with exit code 0 when the pod
// is deleted.
func TestBot_Runs(t *testing.T) {
	b := loadBot(t)
	server := start(t, command(t, "demo", "--serve", "127.0.0.1:0"))
	server.waitFor(t, "the embedded Lichess is ready", func() bool { return invitation.MatchString(server.output()) })
	found := invitation.FindStringSubmatch(server.output())
	url, token := found[1], found[2]

	dir, port := t.TempDir(), freePort(t)
	file, tokenFile := filepath.Join(dir, "config.yaml"), filepath.Join(dir, "token")
	for path, text := range map[string]string{file: b.text, tokenFile: token + "\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var args []string
	for _, arg := range b.container.Args {
		args = append(args, strings.ReplaceAll(arg, b.arg(t, "--config"), file))
	}
	for key, value := range map[string]string{
		"lichess.url": url, "lichess.token_file": tokenFile, "web.listen": ":" + port,
		"engine.hash_mb": "16", "engine.threads": "1",
		"challenges.bots.enabled": "false", // or it would play, and drain for long
	} {
		args = append(args, "--set", key+"="+value)
	}
	cmd := command(t, args...)
	for _, e := range b.container.Env {
		cmd.Env = append(cmd.Env, e.Name+"=open sesame")
	}
	bot := start(t, cmd)
	page := "http://127.0.0.1:" + port
	for _, p := range []*corev1.Probe{b.container.StartupProbe, b.container.ReadinessProbe, b.container.LivenessProbe} {
		bot.waitFor(t, p.HTTPGet.Path, func() bool { return getStatus(t, page+p.HTTPGet.Path, "") == http.StatusOK })
	}
	without, with := getStatus(t, page+"/metrics", ""), getStatus(t, page+"/metrics", "open sesame")
	if without != http.StatusUnauthorized || with != http.StatusOK {
		t.Errorf("/metrics: status %d without the password, %d with it", without, with)
	}
	ctl := command(t, "ctl", "status", "--config", file) // as docs/kubernetes.md has it
	ctl.Dir = cmd.Dir
	if out, err := ctl.CombinedOutput(); err != nil || !strings.Contains(string(out), ", connected, ") {
		t.Errorf("zhbot ctl status: %v\n%s", err, out)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := <-bot.ended; err != nil {
		t.Errorf("the bot ended: %v\n%s", err, bot.output())
	}
	log := bot.output()
	warned, logged := strings.Contains(log, `"level":"warn"`), strings.Contains(log, `"level":"info"`)
	if warned || !logged || strings.Contains(log, token) {
		t.Errorf("log:\n%s", log)
	}
}
