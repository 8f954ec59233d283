package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestRecordingFails takes the folder of a recording away while a crawl runs: the
// crawl ends, and no page is given up for it.
func TestRecordingFails(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "rec")
	var once sync.Once
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		once.Do(func() {
			if err := os.RemoveAll(folder); err != nil {
				t.Error(err)
			}
		})
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<html><body><p>Page %s</p><a href="/b">next</a></body></html>`, r.URL.Path)
	}))
	defer site.Close()
	run := filepath.Join(t.TempDir(), "run")
	args := []string{"crawl", "--allow-private", "--contact", "me@site.example", "--host-delay", "0s", "--data", t.TempDir(), "--run", run,
		"--record", folder + "/", "--record-size", "1", site.URL}
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := runCaptured(t, args...)
	if code == 0 || !strings.Contains(stderr, "recording") {
		t.Errorf("exit %d\n%s", code, stderr)
	}
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	code, _, stderr = runCaptured(t, append(args, "--resume")...)
	if code != 0 || !strings.Contains(stderr, "nothing left to fetch: 2 pages") {
		t.Errorf("resumed: exit %d\n%s", code, stderr)
	}
}
