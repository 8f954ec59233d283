// Package chaos_test crawls with clusters whose processes are killed.
package chaos_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// program is the eventseer that is tested.
var program string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "chaos")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "eventseer")
	if out, err := exec.Command("go", "build", "-o", program, "eventseer/cmd/eventseer").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build eventseer: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// rest waits for a time or the end of ctx.
func rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
