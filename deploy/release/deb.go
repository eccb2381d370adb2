package main

import (
	"bytes"
	"compress/gzip"
	"crypto/md5"
	"embed"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"text/template"
	"time"
)

// debianFiles are the control files of the Debian package, and its copyright.
//
//go:embed debian
var debianFiles embed.FS

// debian packs the files of an archive as a Debian package: an ar archive of two tar
// archives, of which one describes the other.
func debian(w io.Writer, version, arch string, archive []file, at time.Time) error {
	installed, err := installedFiles(archive)
	if err != nil {
		return err
	}
	control, err := controlFiles(version, arch, installed)
	if err != nil {
		return err
	}
	var controlTar, dataTar bytes.Buffer
	if err := tarGzip(&controlTar, control, at); err != nil {
		return err
	}
	if err := tarGzip(&dataTar, withFolders(installed), at); err != nil {
		return err
	}
	return ar(w, []file{
		{"debian-binary", 0o644, []byte("2.0\n")}, {"control.tar.gz", 0o644, controlTar.Bytes()}, {"data.tar.gz", 0o644, dataTar.Bytes()},
	}, at)
}

// debianPlaces maps the files of an archive, by their path below its top folder, to where
// the package installs them.
var debianPlaces = map[string]string{
	"zhbot":                  "usr/bin/zhbot",
	"README.md":              "usr/share/doc/zhbot/README.md",
	"config.example.yaml":    "usr/share/doc/zhbot/examples/config.example.yaml",
	"deploy/zhbot.service":   "usr/lib/systemd/system/zhbot.service",
	"completions/zhbot.bash": "usr/share/bash-completion/completions/zhbot",
	"completions/_zhbot":     "usr/share/zsh/vendor-completions/_zhbot",
	"completions/zhbot.fish": "usr/share/fish/vendor_completions.d/zhbot.fish",
}

// installedFiles returns the files that the package installs, sorted by name.
func installedFiles(archive []file) ([]file, error) {
	copyright, err := debianFiles.ReadFile("debian/copyright")
	if err != nil {
		return nil, err
	}
	installed := []file{{"usr/share/doc/zhbot/copyright", 0o644, copyright}}
	for _, f := range archive {
		_, name, _ := strings.Cut(f.name, "/")
		if page, ok := strings.CutPrefix(name, "man/"); ok {
			var compressed bytes.Buffer
			if err := gzipTo(&compressed, f.data); err != nil {
				return nil, err
			}
			installed = append(installed, file{"usr/share/man/man1/" + page + ".gz", f.mode, compressed.Bytes()})
			continue
		}
		place, ok := debianPlaces[name]
		if !ok {
			continue
		}
		if name == "deploy/zhbot.service" {
			f.data = bytes.ReplaceAll(f.data, []byte("=/usr/local/bin/"), []byte("=/usr/bin/"))
		}
		installed = append(installed, file{place, f.mode, f.data})
	}
	if want := len(debianPlaces) + 2; len(installed) < want { // with the copyright and a page
		return nil, fmt.Errorf("only %d files to install, want at least %d", len(installed), want)
	}
	slices.SortFunc(installed, func(a, b file) int { return strings.Compare(a.name, b.name) })
	return installed, nil
}

func gzipTo(w io.Writer, data []byte) error {
	out, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := out.Write(data); err != nil {
		return err
	}
	return out.Close()
}

// controlFiles returns what describes the package, with the scripts that dpkg runs.
func controlFiles(version, arch string, installed []file) ([]file, error) {
	text, err := template.ParseFS(debianFiles, "debian/control")
	if err != nil {
		return nil, err
	}
	size, sums := 0, new(strings.Builder)
	for _, f := range installed {
		size += len(f.data)
		fmt.Fprintf(sums, "%x  %s\n", md5.Sum(f.data), f.name)
	}
	var control bytes.Buffer
	data := struct {
		Version, Architecture string
		KiB                   int
	}{debianVersion(version), arch, (size + 1023) / 1024}
	if err := text.Execute(&control, data); err != nil {
		return nil, err
	}
	files := []file{{"./control", 0o644, control.Bytes()}, {"./md5sums", 0o644, []byte(sums.String())}}
	for _, name := range []string{"postinst", "postrm", "prerm"} {
		script, err := debianFiles.ReadFile("debian/" + name)
		if err != nil {
			return nil, err
		}
		files = append(files, file{"./" + name, 0o755, script})
	}
	return files, nil
}

// withFolders returns the files with all folders above them, and the one for settings.
func withFolders(files []file) (all []file) {
	folders := map[string]bool{}
	var add func(name string)
	add = func(name string) {
		if folders[name] {
			return
		}
		folders[name] = true
		if parent := path.Dir(name); name != "." {
			add(parent)
			name = "./" + name
		}
		all = append(all, file{name + "/", 0o755, nil})
	}
	add("etc/zhbot")
	for _, f := range files {
		add(path.Dir(f.name))
		all = append(all, file{"./" + f.name, f.mode, f.data})
	}
	return all
}

// debianVersion returns a version as dpkg sorts it: v1.2.3-rc1 before v1.2.3, and that
// before git's v1.2.3-4-gabc.
func debianVersion(version string) string {
	number, rest, _ := strings.Cut(strings.TrimPrefix(version, "v"), "-")
	if number == "" || number[0] < '0' || number[0] > '9' || strings.Count(number, ".") != 2 {
		return "0~" + debianText(version)
	}
	switch {
	case rest == "":
		return debianText(number)
	case rest[0] >= '0' && rest[0] <= '9': // commits since the tag
		return debianText(number) + "+" + debianText(rest)
	}
	return debianText(number) + "~" + debianText(rest)
}

// debianText replaces what a version number cannot have.
func debianText(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '+' || r == '~' {
			return r
		}
		return '.'
	}, s)
}

// ar packs files as an archive of the common format.
func ar(w io.Writer, files []file, at time.Time) error {
	if _, err := io.WriteString(w, "!<arch>\n"); err != nil {
		return err
	}
	for _, f := range files {
		if _, err := fmt.Fprintf(w, "%-16s%-12d%-6d%-6d%-8o%-10d`\n", f.name, at.Unix(), 0, 0, 0o100000|f.mode, len(f.data)); err != nil {
			return err
		}
		data := f.data
		if len(data)%2 == 1 {
			data = append(slices.Clone(data), '\n')
		}
		if _, err := w.Write(data); err != nil {
			return err
		}
	}
	return nil
}
