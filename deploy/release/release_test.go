package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

var then = time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)

func samples() []file {
	return []file{{"zhbot_v1/zhbot", 0o755, []byte("program")}, {"zhbot_v1/LICENSE", 0o644, bytes.Repeat([]byte("free "), 1000)}}
}

func TestTarGzip(t *testing.T) {
	var out bytes.Buffer
	if err := tarGzip(&out, samples(), then); err != nil {
		t.Fatal(err)
	}
	unzipped, err := gzip.NewReader(&out)
	if err != nil {
		t.Fatal(err)
	}
	var got []file
	for in := tar.NewReader(unzipped); ; {
		header, err := in.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if !header.ModTime.Equal(then) || header.Uid != 0 || header.Uname != "" {
			t.Errorf("%s is of %s, user %d %q", header.Name, header.ModTime, header.Uid, header.Uname)
		}
		data, err := io.ReadAll(in)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, file{header.Name, header.Mode, data})
	}
	if diff := cmp.Diff(samples(), got, cmp.AllowUnexported(file{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestZipped(t *testing.T) {
	var out bytes.Buffer
	if err := zipped(&out, samples(), then); err != nil {
		t.Fatal(err)
	}
	in, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	var got []file
	for _, entry := range in.File {
		if !entry.Modified.Equal(then) {
			t.Errorf("%s is of %s", entry.Name, entry.Modified)
		}
		r, err := entry.Open()
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, file{entry.Name, int64(entry.Mode()), data})
	}
	if diff := cmp.Diff(samples(), got, cmp.AllowUnexported(file{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// fakeCompiler writes, in place of the program, a script that says for what it was built
// and, as the program does, writes man pages and completions.
const fakeCompiler = `#!/bin/sh
while [ "$1" != -o ]; do shift; done
cat >"$2" <<SCRIPT
#!/bin/sh
# $GOOS $GOARCH $GOAMD64 $CGO_ENABLED
case "\$1" in
man) echo "page of \$SOURCE_DATE_EPOCH" >"\$2/zhbot.1" ;;
completion) echo "for \$2" ;;
esac
SCRIPT
chmod +x "$2"
`

// makeRelease makes a release with a fake compiler and returns its folder.
func makeRelease(t *testing.T, targets []target) string {
	t.Helper()
	dir := t.TempDir()
	compiler := filepath.Join(dir, "go")
	if err := os.WriteFile(compiler, []byte(fakeCompiler), 0o755); err != nil {
		t.Fatal(err)
	}
	r := release{goCommand: compiler, version: "v1.2.3", time: then, dir: filepath.Join(dir, "dist"), targets: targets}
	if err := r.make(t.Context(), io.Discard); err != nil {
		t.Fatal(err)
	}
	return r.dir
}

func TestRelease_Make(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	dir := makeRelease(t, targets)
	sums, err := os.ReadFile(filepath.Join(dir, "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(filepath.Join(makeRelease(t, targets), "SHA256SUMS")); err != nil || !bytes.Equal(sums, again) {
		t.Errorf("two releases differ, error %v:\n%s\n%s", err, sums, again)
	}
	names := []string{
		"zhbot_v1.2.3_linux_amd64.tar.gz", "zhbot_v1.2.3_linux_arm64.tar.gz", "zhbot_v1.2.3_darwin_amd64.tar.gz",
		"zhbot_v1.2.3_darwin_arm64.tar.gz", "zhbot_v1.2.3_windows_amd64.zip", "zhbot_v1.2.3_windows_arm64.zip",
		"zhbot_v1.2.3_linux_amd64v3.tar.gz", "zhbot_v1.2.3_darwin_amd64v3.tar.gz", "zhbot_v1.2.3_windows_amd64v3.zip",
		"zhbot_v1.2.3_linux_amd64.deb", "zhbot_v1.2.3_linux_arm64.deb", "zhbot.rb", "PKGBUILD", "zhbot-bin.SRCINFO",
	}
	for _, name := range names {
		sum, _, err := sumOf(filepath.Join(dir, name))
		if err != nil || !strings.Contains(string(sums), sum+"  "+name+"\n") {
			t.Errorf("%s: sum %s, error %v; the list says\n%s", name, sum, err, sums)
		}
	}
	if lines := bytes.Count(sums, []byte("\n")); lines != len(names) {
		t.Errorf("%d files, want %d:\n%s", lines, len(names), sums)
	}
	in, err := zip.OpenReader(filepath.Join(dir, "zhbot_v1.2.3_windows_amd64v3.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	program, err := in.Open("zhbot_v1.2.3_windows_amd64v3/zhbot.exe")
	if err != nil {
		t.Fatal(err)
	}
	if built, err := io.ReadAll(program); err != nil || !strings.Contains(string(built), "# windows amd64 v3 0\n") {
		t.Errorf("built for %q, error %v", built, err)
	}
	var inside []string
	for _, f := range in.File {
		inside = append(inside, strings.TrimPrefix(f.Name, "zhbot_v1.2.3_windows_amd64v3/"))
	}
	want := slices.Concat([]string{"zhbot.exe"}, companions, []string{"man/zhbot.1", "completions/zhbot.bash", "completions/_zhbot", "completions/zhbot.fish"})
	if diff := cmp.Diff(want, inside); diff != "" {
		t.Errorf("in the archive (-want +got):\n%s", diff)
	}
}

// The recipes name the archives with their sums, and bash and ruby can read them. The
// service of Homebrew restarts a bot that failed.
func TestRelease_Recipes(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	dir := makeRelease(t, targets)
	for name, platforms := range map[string][]string{
		"zhbot.rb": {"darwin_arm64", "darwin_amd64", "linux_arm64", "linux_amd64"}, "PKGBUILD": {"linux_amd64", "linux_arm64"},
		"zhbot-bin.SRCINFO": {"linux_amd64", "linux_arm64"},
	} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, platform := range platforms {
			archive := "zhbot_v1.2.3_" + platform + ".tar.gz"
			sum, _, err := sumOf(filepath.Join(dir, archive))
			url := strings.Index(string(text), "https://github.com/zhbot/zhbot/releases/download/v1.2.3/"+archive)
			if at := strings.Index(string(text), sum); err != nil || url < 0 || at < url {
				t.Errorf("%s has the URL of %s at %d and its sum at %d:\n%s", name, archive, url, at, text)
			}
		}
		if !bytes.Contains(text, []byte("1.2.3")) || bytes.Contains(text, []byte("{{")) {
			t.Errorf("%s has no version, or is not filled:\n%s", name, text)
		}
	}
	formula, err := os.ReadFile(filepath.Join(dir, "zhbot.rb"))
	for _, want := range []string{"keep_alive successful_exit: false, crashed: true\n", "environment_variables ZHBOT_LICHESS_RETRY_REFUSED: \"1h\"\n"} {
		if err != nil || !bytes.Contains(formula, []byte(want)) {
			t.Errorf("no %q in zhbot.rb, error %v:\n%s", want, err, formula)
		}
	}
	if ruby, err := exec.LookPath("ruby"); err == nil {
		if out, err := exec.CommandContext(t.Context(), ruby, "-wc", filepath.Join(dir, "zhbot.rb")).CombinedOutput(); err != nil {
			t.Errorf("zhbot.rb: %v\n%s", err, out)
		}
	}
}

// The package of the Arch User Repository installs what its archive has.
func TestRelease_Arch(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash")
	}
	t.Chdir(filepath.Join("..", ".."))
	dir := makeRelease(t, targets)
	const script = `set -euo pipefail
source PKGBUILD
sums=sha256sums_$CARCH
sha256sum -c --quiet <<<"${!sums}  zhbot_v1.2.3_linux_$1.tar.gz"
export srcdir=$PWD/src pkgdir=$PWD/pkg
rm -rf src pkg && mkdir src
tar -xzf "zhbot_v1.2.3_linux_$1.tar.gz" -C src
package
cd "$pkgdir" && find . -type f | sort`
	for machine, arch := range map[string]string{"x86_64": "amd64", "aarch64": "arm64"} {
		cmd := exec.CommandContext(t.Context(), bash, "-c", script, "bash", arch)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "CARCH="+machine, "LC_ALL=C")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", machine, err, out)
		}
		want := "./usr/bin/zhbot\n./usr/lib/systemd/system/zhbot.service\n./usr/share/bash-completion/completions/zhbot\n" +
			"./usr/share/doc/zhbot/README.md\n./usr/share/doc/zhbot/config.example.yaml\n./usr/share/fish/vendor_completions.d/zhbot.fish\n" +
			"./usr/share/man/man1/zhbot.1\n./usr/share/zsh/site-functions/_zhbot\n"
		if diff := cmp.Diff(want, string(out)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", machine, diff)
		}
		unit, err := os.ReadFile(filepath.Join(dir, "pkg", "usr", "lib", "systemd", "system", "zhbot.service"))
		if err != nil || !bytes.Contains(unit, []byte("\nExecStart=/usr/bin/zhbot run ")) {
			t.Errorf("the unit starts another program, error %v:\n%s", err, unit)
		}
	}
}

// dpkg reads the package, and what it unpacks has the sums that the package states.
func TestRelease_Debian(t *testing.T) {
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Skip("no dpkg-deb")
	}
	t.Chdir(filepath.Join("..", ".."))
	i := slices.Index(targets, target{"linux", "arm64", ""})
	pkg := filepath.Join(makeRelease(t, targets[i:i+1]), "zhbot_v1.2.3_linux_arm64.deb")
	dpkg := func(args ...string) string {
		out, err := exec.CommandContext(t.Context(), "dpkg-deb", args...).CombinedOutput()
		if err != nil {
			t.Fatalf("dpkg-deb %v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	if got := dpkg("--field", pkg, "Package", "Version", "Architecture"); got != "Package: zhbot\nVersion: 1.2.3\nArchitecture: arm64\n" {
		t.Errorf("fields\n%s", got)
	}
	contents := dpkg("--contents", pkg)
	for _, want := range []string{
		"-rwxr-xr-x 0/0", "2026-08-01 12:00 ./usr/bin/zhbot\n", "./usr/share/man/man1/zhbot.1.gz\n", "./usr/lib/systemd/system/zhbot.service\n",
		"./etc/zhbot/\n", "./usr/share/bash-completion/completions/zhbot\n", "./usr/share/doc/zhbot/copyright\n",
	} {
		if !strings.Contains(contents, want) {
			t.Errorf("no %q in\n%s", want, contents)
		}
	}
	dir := t.TempDir()
	dpkg("--raw-extract", pkg, dir)
	check := exec.CommandContext(t.Context(), "md5sum", "--check", "--quiet", "DEBIAN/md5sums")
	check.Dir = dir
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("sums: %v\n%s", err, out)
	}
	unit, err := os.ReadFile(filepath.Join(dir, "usr", "lib", "systemd", "system", "zhbot.service"))
	if err != nil || !bytes.Contains(unit, []byte("\nExecStart=/usr/bin/zhbot run ")) {
		t.Errorf("the unit starts another program, error %v:\n%s", err, unit)
	}
	for _, script := range []string{"postinst", "prerm", "postrm"} {
		if out, err := exec.CommandContext(t.Context(), "sh", "-n", filepath.Join(dir, "DEBIAN", script)).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", script, err, out)
		}
	}
}

// Debian sorts the versions as they follow each other.
func TestDebianVersion(t *testing.T) {
	previous := ""
	for _, tt := range []struct{ version, want string }{
		{"ci", "0~ci"}, {"abc123-dirty", "0~abc123.dirty"}, {"v1.2.3-rc.1", "1.2.3~rc.1"}, {"v1.2.3", "1.2.3"},
		{"v1.2.3-4-gabc", "1.2.3+4.gabc"}, {"v1.10.0", "1.10.0"},
	} {
		got := debianVersion(tt.version)
		if got != tt.want {
			t.Errorf("%s is %s, want %s", tt.version, got, tt.want)
		}
		if _, err := exec.LookPath("dpkg"); err != nil || previous == "" || strings.HasPrefix(previous, "0~") && strings.HasPrefix(got, "0~") {
			previous = got
			continue
		}
		if err := exec.CommandContext(t.Context(), "dpkg", "--compare-versions", previous, "lt", got).Run(); err != nil {
			t.Errorf("%s does not come before %s", previous, got)
		}
		previous = got
	}
}

func TestRun_Refuses(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1000000000")
	for want, args := range map[string][]string{
		"unknown argument": {"-version", "v1", "extra"},
		"want one of":      {"-version", "v1", "-only", "plan9/amd64"},
		"no name":          {"-version", "v1/../../x"},
	} {
		err := run(t.Context(), append([]string{"-out", t.TempDir()}, args...), io.Discard)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: error %v, want %q", args, err, want)
		}
	}
	t.Setenv("SOURCE_DATE_EPOCH", "yesterday")
	if err := run(t.Context(), []string{"-version", "v1"}, io.Discard); err == nil || !strings.Contains(err.Error(), "time of the release") {
		t.Errorf("a bad time: %v", err)
	}
}

// The image is for all Linux systems that have an archive, a pre-release does not become
// the latest one, and the release comes last: only once can it be created.
func TestWorkflow(t *testing.T) {
	text, err := os.ReadFile("../../.github/workflows/release.yml")
	if err != nil {
		t.Fatal(err)
	}
	var workflow struct {
		Jobs map[string]struct {
			Steps []struct {
				Run, Uses string
				With      map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(text, &workflow); err != nil {
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
	var platforms []string
	for _, target := range targets {
		if platform := target.os + "/" + target.arch; target.os == "linux" && !slices.Contains(platforms, platform) {
			platforms = append(platforms, platform)
		}
	}
	if got, want := image.With["platforms"], strings.Join(platforms, ","); !strings.HasPrefix(image.Uses, "docker/build-push-action@") || got != want {
		t.Errorf("%s builds an image for %q, want %q", image.Uses, got, want)
	}
	for tag := range strings.Lines(image.With["tags"]) {
		if strings.Contains(tag, ":latest") && !strings.HasPrefix(tag, "${{ !"+isPrerelease+" && ") {
			t.Errorf("a pre-release becomes %s", tag)
		}
	}
}
