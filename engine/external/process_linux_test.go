package external

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"
)

func init() { linuxFakes["parent"], linuxFakes["spins"] = startSpinning, spin }

// startSpinning starts an engine that reads no input, from a thread that then ends, and
// waits to be killed.
func startSpinning(address string) {
	ended := make(chan int)
	var start func()
	start = func() {
		runtime.LockOSThread()
		if syscall.Gettid() == os.Getpid() { // Go never ends the first thread
			go start()
			select {}
		}
		defer func() { ended <- syscall.Gettid() }()
		line := fmt.Sprintf("'%s' fake-engine 'spins:%s'", os.Args[0], address)
		if _, err := (Command{Line: line}).Start(); err != nil {
			panic(err)
		}
	}
	go start()
	thread := fmt.Sprintf("/proc/self/task/%d", <-ended)
	for _, err := os.Stat(thread); err == nil; _, err = os.Stat(thread) {
		time.Sleep(time.Millisecond)
	}
	fmt.Println("started")
	select {}
}

// spin keeps a core busy and echoes what it gets at an address.
func spin(address string) {
	connection, err := net.Dial("tcp", address)
	if err != nil {
		panic(err)
	}
	go func() {
		_, _ = io.Copy(connection, connection)
		syscall.Exit(1) // the test is over
	}()
	for { //nolint:staticcheck // it is meant to spin
	}
}

// A program outlives the thread that has called Start, but not its process: when that is
// killed, it ends, although it spins and reads nothing.
func TestProcess_parentKilled(t *testing.T) {
	t.Parallel()
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	deadline := time.Now().Add(time.Minute)
	_ = l.SetDeadline(deadline)
	parent := exec.CommandContext(t.Context(), os.Args[0], "fake-engine", "parent:"+l.Addr().String())
	out, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	child, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer child.Close()
	_ = child.SetDeadline(deadline)
	if _, err := out.Read(make([]byte, 8)); err != nil { // the thread has ended
		t.Fatal(err)
	}
	if _, err := child.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := child.Read(make([]byte, 1)); err != nil {
		t.Fatalf("the program does not outlive the thread: %v", err)
	}
	_ = parent.Process.Kill()
	_ = parent.Wait()
	if _, err := child.Read(make([]byte, 1)); os.IsTimeout(err) {
		t.Error("the program outlives its parent")
	}
}
