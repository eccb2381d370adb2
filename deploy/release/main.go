// Command release builds a release: an archive for each platform, with man pages and
// shell completions; Debian packages; the recipes of Homebrew and the Arch User
// Repository; and their SHA-256 checksums.
//
//	go run ./deploy/release -version v1.2.3
//
// Builds are reproducible: the same sources, version and Go release produce the same bytes
// on any machine and in any folder. The timestamps in the archives are the time of the
// commit, or SOURCE_DATE_EPOCH.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
)

// targets are the released platforms, with separate builds for amd64 processors of
// level v3, which are common since 2013.
var targets = []target{
	{"linux", "amd64", ""}, {"linux", "amd64", "v3"}, {"linux", "arm64", ""},
	{"darwin", "amd64", ""}, {"darwin", "amd64", "v3"}, {"darwin", "arm64", ""},
	{"windows", "amd64", ""}, {"windows", "amd64", "v3"}, {"windows", "arm64", ""},
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out io.Writer) error {
	r := release{goCommand: "go", targets: targets}
	flags := flag.NewFlagSet("release", flag.ContinueOnError)
	flags.StringVar(&r.version, "version", "", "version (default what git describes)")
	flags.StringVar(&r.dir, "out", "dist", "folder for the archives")
	flags.Func("only", "a single target, such as linux/arm64", func(text string) error {
		i := slices.IndexFunc(targets, func(t target) bool { return t.String() == text })
		if i < 0 {
			return fmt.Errorf("want one of %v", targets)
		}
		r.targets = targets[i : i+1]
		return nil
	})
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unknown argument %q", flags.Arg(0))
	}
	if err := r.fromGit(ctx); err != nil {
		return err
	}
	fmt.Fprintf(out, "zhbot %s of %s, by %s\n", r.version, r.time.Format(time.RFC3339), runtime.Version())
	return r.make(ctx, out)
}

// fromGit sets version and time from git unless they are given.
func (r *release) fromGit(ctx context.Context) (err error) {
	if r.version == "" {
		if r.version, err = git(ctx, "describe", "--tags", "--always", "--dirty"); err != nil {
			return fmt.Errorf("find the version: %w; give it with -version", err)
		}
	}
	seconds, given := os.LookupEnv("SOURCE_DATE_EPOCH")
	if !given {
		if seconds, err = git(ctx, "log", "-1", "--format=%ct"); err != nil {
			return fmt.Errorf("find the commit's time: %w; set SOURCE_DATE_EPOCH", err)
		}
	}
	unix, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return fmt.Errorf("time of the release: %w", err)
	}
	r.time = time.Unix(unix, 0).UTC()
	if strings.ContainsAny(r.version, "/\\ '\"") {
		return fmt.Errorf("version %q: no name for a file", r.version)
	}
	return nil
}

func git(ctx context.Context, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, "git", args...).Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return "", fmt.Errorf("git %s: %s", args[0], strings.TrimSpace(string(failed.Stderr)))
	}
	return strings.TrimSpace(string(out)), err
}

// target is a platform: GOOS, GOARCH, and for amd64 optionally GOAMD64.
type target struct{ os, arch, level string }

// String returns GOOS/GOARCH, with the level if any.
func (t target) String() string { return t.os + "/" + t.arch + t.level }

// program returns the file name of the executable.
func (t target) program() string {
	if t.os == "windows" {
		return "zhbot.exe"
	}
	return "zhbot"
}

// release configures the builds.
type release struct {
	goCommand string // the go command
	version   string
	time      time.Time
	dir       string
	targets   []target
}

// make builds everything and writes the checksums.
func (r *release) make(ctx context.Context, out io.Writer) error {
	if err := os.MkdirAll(r.dir, 0o755); err != nil {
		return err
	}
	documents, err := r.documents(ctx)
	if err != nil {
		return fmt.Errorf("man pages and completions: %w", err)
	}
	packed := make([][]string, len(r.targets)) // names of files
	building, inParallel := errgroup.WithContext(ctx)
	building.SetLimit(2) // the linker leaves cores idle
	for i, t := range r.targets {
		building.Go(func() (err error) {
			if packed[i], err = r.pack(inParallel, t, documents); err != nil {
				return fmt.Errorf("%s: %w", t, err)
			}
			return nil
		})
	}
	if err := building.Wait(); err != nil {
		return err
	}
	names := slices.Concat(packed...)
	if len(r.targets) == len(targets) {
		recipes, err := r.recipes(packed)
		if err != nil {
			return fmt.Errorf("recipes: %w", err)
		}
		names = append(names, recipes...)
	}
	return r.writeSums(names, out)
}

// writeSums writes the checksums of files.
func (r *release) writeSums(names []string, out io.Writer) error {
	var sums strings.Builder
	for _, name := range names {
		sum, size, err := sumOf(filepath.Join(r.dir, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%s  %s\n", sum, name)
		fmt.Fprintf(out, "%s  %s  %.1f MB\n", sum[:16], name, float64(size)/1e6)
	}
	return os.WriteFile(filepath.Join(r.dir, "SHA256SUMS"), []byte(sums.String()), 0o644)
}

// recipes writes the recipes that install the archives, the first files of the targets.
func (r *release) recipes(packed [][]string) ([]string, error) {
	all := recipe{Tag: r.version, archives: map[string]archiveSum{}}
	for i, t := range r.targets {
		sum, _, err := sumOf(filepath.Join(r.dir, packed[i][0]))
		if err != nil {
			return nil, err
		}
		all.archives[t.String()] = archiveSum{packed[i][0], sum}
	}
	return all.write(r.dir)
}

// pack builds the program for a target, and packs it as an archive and, for Debian's
// architectures, as a package.
func (r *release) pack(ctx context.Context, t target, documents []file) (names []string, err error) {
	work, err := os.MkdirTemp("", "zhbot-release-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	program := filepath.Join(work, t.program())
	if err := r.build(ctx, t, program); err != nil {
		return nil, err
	}
	base := fmt.Sprintf("zhbot_%s_%s_%s%s", r.version, t.os, t.arch, t.level)
	files, err := collect(base, program, documents)
	if err != nil {
		return nil, err
	}
	archive, name := tarGzip, base+".tar.gz"
	if t.os == "windows" {
		archive, name = zipped, base+".zip"
	}
	names = []string{name}
	if err := r.write(name, func(w io.Writer) error { return archive(w, files, r.time) }); err != nil {
		return nil, err
	}
	if t.os != "linux" || t.level != "" {
		return names, nil
	}
	name = base + ".deb"
	return append(names, name), r.write(name, func(w io.Writer) error { return debian(w, r.version, t.arch, files, r.time) })
}

// write creates a file of the release.
func (r *release) write(name string, content func(io.Writer) error) error {
	f, err := os.Create(filepath.Join(r.dir, name))
	if err != nil {
		return err
	}
	return errors.Join(content(f), f.Close())
}

// build runs the compiler, with no variable of the environment that could affect the
// result.
func (r *release) build(ctx context.Context, t target, program string) error {
	cmd := exec.CommandContext(ctx, r.goCommand, "build", "-trimpath", "-buildvcs=false",
		"-ldflags", "-s -w -buildid= -X github.com/zhbot/zhbot/internal/version.release="+r.version, "-o", program, "./cmd/zhbot")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+t.os, "GOARCH="+t.arch,
		"GOFLAGS=", "GOEXPERIMENT=", "GOAMD64="+cmp.Or(t.level, "v1"), "GOARM64=v8.0", "GOFIPS140=off")
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build: %w\n%s", err, text)
	}
	return nil
}
