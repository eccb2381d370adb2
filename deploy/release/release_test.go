package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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

// An end-to-end run with a fake compiler that only records its arguments.
func TestRelease_Make(t *testing.T) {
	dir := t.TempDir()
	compiler := filepath.Join(dir, "go")
	script := "#!/bin/sh\nwhile [ \"$1\" != -o ]; do shift; done\nprintf '%s %s %s %s' \"$GOOS\" \"$GOARCH\" \"$GOAMD64\" \"$CGO_ENABLED\" > \"$2\"\n"
	if err := os.WriteFile(compiler, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Chdir(filepath.Join("..", ".."))
	var sums [2][]byte
	for i := range sums {
		out := filepath.Join(dir, []string{"first", "second"}[i])
		r := release{goCommand: compiler, version: "v1", time: then, dir: out, targets: targets}
		if err := r.make(t.Context(), io.Discard); err != nil {
			t.Fatal(err)
		}
		var err error
		if sums[i], err = os.ReadFile(filepath.Join(out, "SHA256SUMS")); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(sums[0], sums[1]) {
		t.Errorf("two releases differ:\n%s\n%s", sums[0], sums[1])
	}
	for _, name := range []string{
		"zhbot_v1_linux_amd64.tar.gz", "zhbot_v1_linux_arm64.tar.gz", "zhbot_v1_darwin_amd64.tar.gz",
		"zhbot_v1_darwin_arm64.tar.gz", "zhbot_v1_windows_amd64.zip", "zhbot_v1_windows_arm64.zip",
		"zhbot_v1_linux_amd64v3.tar.gz", "zhbot_v1_darwin_amd64v3.tar.gz", "zhbot_v1_windows_amd64v3.zip",
	} {
		sum, _, err := sumOf(filepath.Join(dir, "first", name))
		if err != nil || !strings.Contains(string(sums[0]), sum+"  "+name+"\n") {
			t.Errorf("%s: sum %s, error %v; the list says\n%s", name, sum, err, sums[0])
		}
	}
	in, err := zip.OpenReader(filepath.Join(dir, "first", "zhbot_v1_windows_arm64.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	newer, err := zip.OpenReader(filepath.Join(dir, "first", "zhbot_v1_windows_amd64v3.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer newer.Close()
	program, err := newer.Open("zhbot_v1_windows_amd64v3/zhbot.exe")
	if err != nil {
		t.Fatal(err)
	}
	if built, err := io.ReadAll(program); err != nil || string(built) != "windows amd64 v3 0" {
		t.Errorf("built for %q, error %v", built, err)
	}
	var names []string
	for _, f := range in.File {
		names = append(names, strings.TrimPrefix(f.Name, "zhbot_v1_windows_arm64/"))
	}
	if diff := cmp.Diff(append([]string{"zhbot.exe"}, companions...), names); diff != "" {
		t.Errorf("in the archive (-want +got):\n%s", diff)
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
