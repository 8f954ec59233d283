// Package chaos_test crawls with clusters whose processes are killed.
package chaos_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// built is where the eventseer that is tested is built, at its first use.
var built string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	var err error
	if built, err = os.MkdirTemp("", "chaos"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(built)
	return m.Run()
}

var build = sync.OnceValues(func() (path string, err error) {
	path = filepath.Join(built, "eventseer")
	out, err := exec.Command("go", "build", "-o", path, "github.com/eventseer/eventseer/cmd/eventseer").CombinedOutput()
	if err != nil {
		err = fmt.Errorf("build eventseer: %w\n%s", err, out)
	}
	return path, err
})

// program is the eventseer that is tested.
func program(t *testing.T) string {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// rest waits for a time or the end of ctx.
func rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
