package setup

import (
	"bytes"
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/zhbot/zhbot/config"
)

// person sits at a pseudo-terminal, where setups are run.
type person struct {
	t        *testing.T
	keyboard *os.File // and screen
	tty      *os.File // the program's side

	mu   sync.Mutex
	news *sync.Cond
	all  bytes.Buffer // everything shown
	read int          // of it, by expect
}

func sitDown(t *testing.T) *person {
	t.Helper()
	keyboard, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	p := &person{t: t, keyboard: keyboard, tty: tty}
	p.news = sync.NewCond(&p.mu)
	var watching sync.WaitGroup
	watching.Go(p.watch)
	t.Cleanup(func() {
		keyboard.WriteString("\n") // for a reader that an interrupted setup has left behind
		tty.Close()
		watching.Wait()
		keyboard.Close()
	})
	return p
}

// watch reads the screen until the terminal is closed.
func (p *person) watch() {
	part := make([]byte, 1024)
	for {
		n, err := p.keyboard.Read(part)
		p.mu.Lock()
		p.all.Write(part[:n])
		p.news.Broadcast()
		p.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// expect waits until a text is shown, after what earlier calls have seen.
func (p *person) expect(text string) {
	p.t.Helper()
	late := time.AfterFunc(time.Minute, p.news.Broadcast)
	defer late.Stop()
	deadline := time.Now().Add(time.Minute)
	p.mu.Lock()
	defer p.mu.Unlock()
	for {
		shown := strings.ReplaceAll(p.all.String(), "\r\n", "\n")
		if at := strings.Index(shown[min(p.read, len(shown)):], text); at >= 0 {
			p.read += at + len(text)
			return
		}
		if !time.Now().Before(deadline) {
			p.t.Fatalf("the terminal does not show %q, but\n%s", text, shown)
		}
		p.news.Wait()
	}
}

// enter types a line.
func (p *person) enter(line string) {
	p.t.Helper()
	if _, err := p.keyboard.WriteString(line + "\n"); err != nil {
		p.t.Fatal(err)
	}
}

// screen returns all that was shown.
func (p *person) screen() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.all.String()
}

// result is that of a setup.
type result struct {
	run *config.Source
	err error
}

// run runs a setup at the terminal.
func (p *person) run(ctx context.Context, o Options) <-chan result {
	o.In, o.Out = p.tty, p.tty
	done := make(chan result, 1)
	go func() {
		source, err := Run(ctx, o)
		done <- result{source, err}
	}()
	return done
}

// end waits for the end of a setup.
func (p *person) end(done <-chan result) result {
	p.t.Helper()
	select {
	case r := <-done:
		return r
	case <-time.After(time.Minute):
		p.t.Fatalf("the setup does not end:\n%s", p.screen())
		return result{}
	}
}

// options returns those of a setup in the current folder, with this environment.
func options() Options {
	return Options{Source: config.Source{File: "config.yaml", Optional: true, Env: true}}
}
