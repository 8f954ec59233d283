package main

import (
	"context"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"testing"
)

// TestInterruptedSays stops a command before it begins: its one line names no other error.
func TestInterruptedSays(t *testing.T) {
	a := newTestApp(t)
	var talk strings.Builder
	a.Stderr = &talk
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	code := run(ctx, []string{"control", "status", "--nats", "nats://127.0.0.1:1"}, a)
	if lines := strings.Split(strings.TrimSpace(talk.String()), "\n"); code != exitInterrupted || lines[len(lines)-1] != "eventseer: interrupted" {
		t.Errorf("exit code %d, %q", code, talk.String())
	}
}

// TestIsInterruption tells the end of a context, and of a program that a signal ended, from
// other errors.
func TestIsInterruption(t *testing.T) {
	killed := exec.Command("sh", "-c", "kill -9 $$").Run()
	failed := exec.Command("sh", "-c", "exit 3").Run()
	for err, want := range map[error]bool{
		fmt.Errorf("read: %w", context.Canceled): true, fmt.Errorf("pdftotext: %w", killed): true,
		fmt.Errorf("pdftotext: %w", failed): false, net.ErrClosed: false,
	} {
		if got := isInterruption(err); got != want {
			t.Errorf("%v: %v, want %v", err, got, want)
		}
	}
}

// TestDemoPort has the demo say that its port is taken before it crawls.
func TestDemoPort(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	code, stdout, stderr := runCaptured(t, "demo", "--listen", taken.Addr().String())
	if code != exitFailed || stdout != "" || !strings.Contains(stderr, "address already in use; --listen names another address") || strings.Contains(stderr, "Crawling") {
		t.Errorf("exit code %d, %q, %q", code, stdout, stderr)
	}
}
