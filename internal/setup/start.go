package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/zhbot/zhbot/config"
	"github.com/zhbot/zhbot/internal/file"
	"github.com/zhbot/zhbot/internal/web"
)

// The ways to end a setup.
const (
	startRun     = "run"     // the bot, by this process
	startService = "service" // a systemd unit is written
	startNothing = "nothing"
)

// Starts are the ways to end a setup.
var Starts = []string{startRun, startService, startNothing}

// SystemDir is the folder for the settings of a system service.
const SystemDir = "/etc/zhbot"

// secretsFile is where the unit of a system service reads secrets other than the token.
const secretsFile = SystemDir + "/environment"

// Host is the machine that the bot is to run on.
type Host struct {
	Program string // path of this program
	Root    bool   // whether it runs as root
	Systemd bool   // whether systemd runs the machine

	SystemDir     string   // for the settings of a system service
	SystemRecords string   // where its unit keeps the records
	UnitDir       string   // for the unit of a service
	PackagedUnits []string // where a package may have put one
}

// ThisHost returns the machine that the program runs on.
func ThisHost() (Host, error) {
	program, err := os.Executable()
	if err != nil {
		return Host{}, fmt.Errorf("find this program: %w", err)
	}
	if named, err := exec.LookPath("zhbot"); err == nil && file.Same(named, program) {
		program = named // which outlives an upgrade, where the file has its version in its path
	}
	h := Host{Program: program, Root: os.Geteuid() == 0, SystemDir: SystemDir, SystemRecords: "/var/lib/zhbot/records", UnitDir: "/etc/systemd/system"}
	_, err = os.Stat("/run/systemd/system")
	h.Systemd = err == nil && runtime.GOOS == "linux"
	if h.Root {
		h.PackagedUnits = []string{"/usr/lib/systemd/system/zhbot.service", "/lib/systemd/system/zhbot.service"}
		return h, nil
	}
	settings, err := os.UserConfigDir()
	if err != nil && h.Systemd {
		return Host{}, fmt.Errorf("find the folder for units: %w", err)
	}
	h.UnitDir = filepath.Join(settings, "systemd", "user")
	return h, nil
}

// isTemporary reports whether the program was built by "go run", which removes it.
func (h *Host) isTemporary() bool { return strings.Contains(filepath.ToSlash(h.Program), "/go-build") }

// isSystemService reports whether the bot is to be a system service.
func (s *setup) isSystemService() bool { return s.Host.Root && s.Answers.Start == startService }

// place decides where the settings are: those of a system service have their own folder,
// unless a file was named or exists here. It refuses a service that cannot run here.
func (s *setup) place(ctx context.Context) error {
	path, err := filepath.Abs(s.Source.File)
	if err != nil {
		return fmt.Errorf("find the settings: %w", err)
	}
	system := filepath.Join(s.Host.SystemDir, "config.yaml")
	possible := s.Host.Root && s.Host.Systemd && s.Source.Optional && !file.Exists(path)
	switch {
	case possible && s.Answers.Start == startService:
		path = system
	case possible && s.Answers.Start == "" && s.prompt != nil:
		yes, err := s.confirm(ctx, fmt.Sprintf("Set up a system service, in %s? Otherwise the bot is set up in this folder.", s.Host.SystemDir), true)
		if err != nil {
			return err
		}
		if yes {
			path, s.Answers.Start = system, startService
		}
	}
	s.Source.File = path
	if s.Answers.Start == startService {
		return s.Host.checkService()
	}
	return nil
}

// start starts the bot as wanted, or reports that the caller is to run it.
func (s *setup) start(ctx context.Context) (run bool, err error) {
	c, err := config.Load(s.written())
	if err != nil {
		return false, err
	}
	fmt.Fprintln(s.Out)
	if _, running := isRunning(ctx, c); running && s.Answers.Start != startService {
		s.say("running", "the bot is already running, with these settings from now on%s", pageNote(c))
		return false, nil
	}
	way := s.Answers.Start
	if way == "" && s.prompt != nil {
		if way, err = s.askStart(ctx); err != nil {
			return false, err
		}
	}
	switch way {
	case startRun:
		return true, nil
	case startService:
		return false, s.service(ctx, c)
	}
	s.say("ready", "start it with \"%s\"", s.command())
	return false, nil
}

// command is the command line that runs the bot.
func (s *setup) command() string {
	if here, err := filepath.Abs("config.yaml"); err == nil && here == s.Source.File {
		return "zhbot run"
	}
	return "zhbot run " + ConfigFlag(s.Source.File)
}

// ConfigFlag returns the flag that names a settings file, as it is typed into a shell.
func ConfigFlag(file string) string {
	if strings.ContainsAny(file, " \t'\"$&;()*?#!|<>`[]{}") {
		file = "'" + strings.ReplaceAll(file, "'", `'\''`) + "'"
	}
	return "--config " + file
}

// pageNote returns the address of the live page as a clause, "" if there is none.
func pageNote(c *config.Config) string {
	if c.Web.Listen == "" {
		return ""
	}
	return "; its page is " + web.LocalURL(c.Web.Listen)
}

// askStart asks how to start the bot.
func (s *setup) askStart(ctx context.Context) (string, error) {
	choices := []string{startRun, startNothing}
	fmt.Fprintln(s.Out, "How should the bot start?\n  run      now, in this terminal")
	if s.Host.Systemd && !s.Host.isTemporary() {
		choices = []string{startRun, startService, startNothing}
		fmt.Fprintln(s.Out, "  service  by systemd, also after a crash and at boot")
	}
	fmt.Fprintln(s.Out, "  nothing  later, with a command")
	q := Question{text: "Start", Choices: choices, single: true}
	chosen, err := s.ask(ctx, &q, startRun)
	if err != nil || chosen == nil {
		return startRun, err
	}
	return chosen[0], nil
}

// checkService returns an error if the machine cannot run this program as a service.
func (h *Host) checkService() error {
	switch {
	case !h.Systemd:
		return errors.New("this machine does not run systemd, so no service can be set up; use --start run or nothing")
	case h.isTemporary():
		return fmt.Errorf("%s is removed when it ends: install zhbot, and set up the service with the installed program", h.Program)
	case strings.ContainsAny(h.Program, "\"'\\$"):
		return fmt.Errorf("%s: systemd cannot start a program with quotes or $ in its path: move it", h.Program)
	}
	return nil
}

// service writes the unit of a service and prints how to start it.
func (s *setup) service(ctx context.Context, c *config.Config) error {
	if err := s.Host.checkService(); err != nil {
		return err
	}
	if err := s.visibleToService(c); err != nil {
		return err
	}
	content := userUnit(s.Host.Program, s.Source.File)
	if s.Host.Root {
		content = systemUnit(s.Host.Program, s.Source.File, s.tokenPath())
	}
	if err := s.writeUnit(ctx, content); err != nil {
		return err
	}
	user, log := "", ""
	if !s.Host.Root {
		user, log = " --user", "\n  loginctl enable-linger           # keeps it running after you log out"
	}
	fmt.Fprintf(s.Out, "\nTo start it now and at boot, run\n\n  systemctl%[1]s daemon-reload\n  systemctl%[1]s enable --now zhbot%[2]s\n\n\"journalctl%[1]s -u zhbot -f\" shows its log%[3]s\n", user, log, pageNote(c))
	return nil
}

// visibleToService returns an error if a service could not run with the settings. A system
// service has its own user, who cannot see home folders and gets only the token; so its
// settings, which hold no secret, are made readable.
func (s *setup) visibleToService(c *config.Config) error {
	file := config.Source{File: s.Source.File}
	own, err := config.Load(file)
	if err != nil {
		return fmt.Errorf("without this environment: %w", err)
	}
	if token, err := own.StoredToken(); err != nil || token != s.token {
		return fmt.Errorf("a service does not see %s: lichess.token_file must name a file with the token", tokenVariable)
	}
	unseen := slices.DeleteFunc(config.Diff(own, c), func(key string) bool { return key == "lichess.token" })
	if len(unseen) > 0 {
		place := s.Source.File
		if s.Host.Root {
			place += ", secrets in " + secretsFile
		}
		s.say("note", "a service does not see this environment's %s; set them in %s", strings.Join(unseen, ", "), place)
	}
	if !s.Host.Root {
		return nil
	}
	for _, path := range []string{s.Host.Program, s.Source.File, s.tokenPath()} {
		for _, hidden := range []string{"/home/", "/root/", "/run/user/"} {
			if strings.HasPrefix(path, hidden) {
				return fmt.Errorf("%s: home folders are hidden from system services; the program belongs in /usr/local/bin, the rest in %s", path, s.Host.SystemDir)
			}
		}
	}
	if own.Lichess.Token != "" || own.Explorer.Token != "" || own.Web.Password != "" || own.Matchmaking.Arenas.Password != "" {
		return fmt.Errorf("%s has a secret, but everyone can read the settings of a system service: move the token to a file (lichess.token_file), and any other secret to %s, in a line such as ZHBOT_WEB_PASSWORD=…", s.Source.File, secretsFile)
	}
	if folder := filepath.Dir(s.Source.File); folder == s.Host.SystemDir { // made under this shell's umask
		if err := os.Chmod(folder, 0o755); err != nil {
			return err
		}
	}
	return os.Chmod(s.Source.File, 0o644)
}

// writeUnit writes a unit unless it exists.
func (s *setup) writeUnit(ctx context.Context, content string) error {
	for _, path := range s.Host.PackagedUnits {
		if packaged, err := os.ReadFile(path); err == nil && directives(string(packaged)) == directives(content) {
			s.say("service", "%s already exists", path)
			return nil
		}
	}
	path := filepath.Join(s.Host.UnitDir, "zhbot.service")
	present, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return fmt.Errorf("read the existing unit: %w", err)
	case string(present) == content:
		s.say("service", "%s already exists", path)
		return nil
	case s.prompt != nil:
		if yes, err := s.confirm(ctx, path+" exists with different content. Replace it and keep a backup?", false); err != nil || !yes {
			return err
		}
	case !s.Answers.Replace:
		return fmt.Errorf("%s exists with different content; --replace replaces it and keeps a backup", path)
	}
	if present != nil {
		if err := writeFile(path+".bak", present, 0o644); err != nil {
			return fmt.Errorf("keep a backup of the unit: %w", err)
		}
	}
	if err := writeFile(path, []byte(content), 0o644); err != nil {
		return fmt.Errorf("write the unit: %w", err)
	}
	s.say("wrote", "%s", path)
	return nil
}
