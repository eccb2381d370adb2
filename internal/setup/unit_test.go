package setup

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/zhbot/zhbot/deploy"
	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/internal/file/filetest"
	"github.com/zhbot/zhbot/lichess/lichesstest"
)

// systemd reads both units, also with a path that needs escapes.
func TestUnits_Verify(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("no systemd-analyze")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), `100% $HOME "bot"`) // need not be there
	program := filepath.Join(t.TempDir(), "100% bot")
	if err := os.Symlink(self, program); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"system": systemUnit(program, filepath.Join(dir, "config.yaml"), filepath.Join(dir, "token")),
		"user":   userUnit(program, filepath.Join(dir, "config.yaml")),
	} {
		unit := filepath.Join(t.TempDir(), "zhbot.service")
		if err := os.WriteFile(unit, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		verify := exec.CommandContext(t.Context(), analyze, "verify", "--recursive-errors=no", "--"+name, unit)
		verify.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+t.TempDir())
		if out, err := verify.CombinedOutput(); err != nil || strings.Contains(string(out), "zhbot.service:") {
			t.Errorf("%s: %v\n%s\n%s", name, err, out, content)
		}
	}
}

// The unit of a service starts the program by the name in PATH, which an upgrade keeps.
func TestThisHost_Program(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	if h, err := ThisHost(); err != nil || h.Program != self {
		t.Errorf("without one in PATH %s, %v, want %s", h.Program, err, self)
	}
	name := "zhbot"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	named := filepath.Join(dir, name)
	if err := os.WriteFile(named, []byte("another program"), 0o755); err != nil {
		t.Fatal(err)
	}
	if h, err := ThisHost(); err != nil || h.Program != self {
		t.Errorf("with another in PATH %s, %v, want %s", h.Program, err, self)
	}
	if err := errors.Join(os.Remove(named), os.Symlink(self, named)); err != nil {
		t.Fatal(err)
	}
	if h, err := ThisHost(); err != nil || h.Program != named {
		t.Errorf("with a link in PATH %s, %v, want %s", h.Program, err, named)
	}
}

// What both units say of restarts and stops is the same.
func TestUnits_Agree(t *testing.T) {
	directive := regexp.MustCompile(`(?m)^(Type|WatchdogSec|ExecReload|Restart\w*|Kill\w*|TimeoutStopSec|LimitNOFILE|SystemCall\w*|Restrict\w*)=.*$`)
	system := directive.FindAllString(deploy.SystemUnit, -1)
	user := directive.FindAllString(deploy.UserUnit, -1)
	if strings.Join(system, "\n") != strings.Join(user, "\n") || len(system) < 10 {
		t.Errorf("the system's unit has\n%s\nthe user's\n%s", strings.Join(system, "\n"), strings.Join(user, "\n"))
	}
}

func TestWithDirectives(t *testing.T) {
	got := systemUnit("/opt/a b/zhbot", "/etc/zhbot/config.yaml", "/etc/zhbot/50%")
	for _, want := range []string{
		"\nExecStart=\"/opt/a b/zhbot\" run --config /etc/zhbot/config.yaml\n", "\nLoadCredential=token:/etc/zhbot/50%%\n", "\nDynamicUser=yes\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "install -m") {
		t.Error("the unit says how to install it")
	}
}

// service sets a bot up as a service, without a terminal.
func service(t *testing.T, host Host, answers Answers) (out string, err error) {
	t.Helper()
	var b strings.Builder
	o := options()
	o.In, o.Out, o.Host, o.Answers = strings.NewReader(""), &b, host, answers
	start, err := Run(t.Context(), o)
	if start {
		t.Error("a service is run at once")
	}
	return b.String(), err
}

func TestRun_UserService(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{})
	dir := chdir(t, s)
	filetest.Write(t, "token", s.AddBot("Tester"))
	host := Host{Program: "/opt/zhbot", Systemd: true, UnitDir: filepath.Join(dir, "units")}
	answers := Answers{TokenFile: "token", Defaults: true, Start: startService}
	out, err := service(t, host, answers)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"  systemctl --user enable --now zhbot\n  loginctl enable-linger", `"journalctl --user -u zhbot -f" shows its log`,
		"note    a service does not see this environment's lichess.url, web.listen; set them in " + filepath.Join(dir, "config.yaml") + "\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	path := filepath.Join(dir, "units", "zhbot.service")
	unit, err := os.ReadFile(path)
	if want := "\nWorkingDirectory=" + dir + "\n"; err != nil || !strings.Contains(string(unit), want) {
		t.Errorf("no %q in %s, error %v", want, unit, err)
	}
	if out, err = service(t, host, answers); err != nil || !strings.Contains(out, "service "+path+" already exists\n") {
		t.Errorf("again: error %v, printed\n%s", err, out)
	}

	// Another unit is replaced only if wanted.
	if err := os.WriteFile(path, []byte("[Unit]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err = service(t, host, answers); err == nil || !strings.Contains(err.Error(), "--replace") {
		t.Errorf("another unit: error %v", err)
	}
	answers.Replace = true
	if _, err = service(t, host, answers); err != nil {
		t.Error(err)
	}
	if old, err := os.ReadFile(path + ".bak"); err != nil || string(old) != "[Unit]\n" {
		t.Errorf("the backup is %q, %v", old, err)
	}

	// Neither without systemd nor by a program that is about to vanish; nothing is written then.
	if err := os.Remove("config.yaml"); err != nil {
		t.Fatal(err)
	}
	for want, host := range map[string]Host{
		"this machine does not run systemd": {Program: "/opt/zhbot"},
		"with quotes or $ in its path":      {Program: `/opt/"bot"`, Systemd: true},
		"is removed when it ends":           {Program: "/tmp/go-build123/b001/exe/zhbot", Systemd: true},
	} {
		if _, err = service(t, host, answers); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		if file.Exists("config.yaml") {
			t.Error("settings were written")
		}
	}
}

func TestRun_SystemService(t *testing.T) {
	s := lichesstest.NewServer(t, lichesstest.Options{})
	dir := chdir(t, s)
	t.Setenv(tokenVariable, s.AddBot("Tester"))
	host := Host{Program: "/usr/local/bin/zhbot", Root: true, Systemd: true, SystemDir: filepath.Join(dir, "etc"), SystemRecords: filepath.Join(dir, "state"), UnitDir: filepath.Join(dir, "units")}
	if err := os.Mkdir(host.SystemDir, 0o700); err != nil { // as with the umask 077
		t.Fatal(err)
	}
	answers := Answers{Defaults: true, Start: startService}
	out, err := service(t, host, answers)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"  systemctl enable --now zhbot\n\n", "config.yaml, secrets in /etc/zhbot/environment\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	settings, token := filepath.Join(dir, "etc", "config.yaml"), filepath.Join(dir, "etc", "token")
	unit := filetest.Read(t, filepath.Join(dir, "units", "zhbot.service"))
	for _, want := range []string{"\nExecStart=/usr/local/bin/zhbot run --config " + settings + "\n", "\nLoadCredential=token:" + token + "\n", "\nEnvironmentFile=-/etc/zhbot/environment\n"} {
		if !strings.Contains(unit, want) {
			t.Errorf("no %q in\n%s", want, unit)
		}
	}
	for path, want := range map[string]os.FileMode{host.SystemDir: 0o755, settings: 0o644, token: 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s is %v, %v, want %o", path, info, err, want)
		}
	}
	if file.Exists("records") || file.Exists("config.yaml") || file.Exists("state") {
		t.Error("the setup of a service has left files in this folder")
	}

	// A package's unit that says the same is used.
	host.PackagedUnits = []string{filepath.Join(dir, "packaged")}
	if err := os.Rename(filepath.Join(dir, "units", "zhbot.service"), host.PackagedUnits[0]); err != nil {
		t.Fatal(err)
	}
	if out, err = service(t, host, answers); err != nil || !strings.Contains(out, "service "+host.PackagedUnits[0]+" already exists\n") {
		t.Errorf("error %v, printed\n%s", err, out)
	}

	// What the service could not read is refused.
	host.Program = "/root/go/bin/zhbot"
	if _, err = service(t, host, answers); err == nil || !strings.Contains(err.Error(), "home folders are hidden") {
		t.Errorf("a program in a home folder: %v", err)
	}
	host.Program = "/usr/local/bin/zhbot"
	content := filetest.Read(t, settings)
	filetest.Write(t, settings, content+"web: {password: x}\n")
	if _, err = service(t, host, answers); err == nil || !strings.Contains(err.Error(), "any other secret to /etc/zhbot/environment") {
		t.Errorf("a password in the settings: %v", err)
	}
}
