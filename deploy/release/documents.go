package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

// documents returns the man pages and shell completions, which the program itself writes
// on this machine.
func (r *release) documents(ctx context.Context) (files []file, err error) {
	work, err := os.MkdirTemp("", "zhbot-release-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	here := target{runtime.GOOS, runtime.GOARCH, ""}
	program := filepath.Join(work, here.program())
	if err := r.build(ctx, here, program); err != nil {
		return nil, err
	}
	run := func(args ...string) ([]byte, error) {
		cmd := exec.CommandContext(ctx, program, args...)
		cmd.Dir, cmd.Stderr = work, os.Stderr
		cmd.Env = append(os.Environ(), fmt.Sprintf("SOURCE_DATE_EPOCH=%d", r.time.Unix()))
		return cmd.Output()
	}
	if _, err := run("man", work); err != nil {
		return nil, err
	}
	pages, err := filepath.Glob(filepath.Join(work, "*.1"))
	if err != nil || len(pages) == 0 {
		return nil, errors.Join(errors.New("no man page was written"), err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			return nil, err
		}
		files = append(files, file{"man/" + filepath.Base(page), 0o644, text})
	}
	for _, shell := range []struct{ name, file string }{{"bash", "zhbot.bash"}, {"zsh", "_zhbot"}, {"fish", "zhbot.fish"}} {
		script, err := run("completion", shell.name)
		if err != nil {
			return nil, err
		}
		files = append(files, file{"completions/" + shell.file, 0o644, script})
	}
	return files, nil
}
