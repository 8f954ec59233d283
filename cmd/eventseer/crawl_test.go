package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLiveCrawlsShareAFrontier crawls a local site twice with a budget of one
// page: the second crawl spends a page of its own and goes on where the first
// ended.
func TestLiveCrawlsShareAFrontier(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<html><body><p>Page %s</p><a href="%sx/">next</a></body></html>`, r.URL.Path, r.URL.Path)
	}))
	defer site.Close()
	data := t.TempDir()
	for i, want := range []string{site.URL + "/", site.URL + "/x/"} {
		code, stdout, stderr := runCaptured(t, "crawl", "--allow-private", "--contact", "me@site.example", "--host-delay", "0s",
			"--data", data, "--run", filepath.Join(t.TempDir(), "run"), "--budget", "1", "--targets", writeTargets(t, want), site.URL)
		fields := strings.Fields(stdout) // the last row of the table: pages spent, targets found
		if code != 0 || len(fields) < 2 || strings.Join(fields[len(fields)-2:], " ") != "1 1" {
			t.Fatalf("crawl %d did not spend its page on %s: exit %d\n%s%s", i+1, want, code, stdout, stderr)
		}
	}
}

func writeTargets(t *testing.T, url string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "targets.tsv")
	if err := os.WriteFile(path, []byte("url\tkind\n"+url+"\tpage\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
