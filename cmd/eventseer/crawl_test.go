package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/begin"
)

// TestLiveCrawlsShareAFrontier crawls a local site twice with a budget of one page. The second crawl fetches
// another page and continues where the first ended.
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

// TestCrawlWithoutPDFTool checks that a crawl without pdftotext warns before any PDF is refused. Crawls that
// begin in one second have a folder each.
func TestCrawlWithoutPDFTool(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	data := t.TempDir()
	for range 2 {
		code, _, stderr := runCaptured(t, "crawl", "--data", data, "--contact", "me@site.example", "http://10.0.0.1/")
		if code != exitRefused || !strings.Contains(stderr, "install poppler-utils") {
			t.Fatalf("exit %d, %q; want %d and what to install", code, stderr, exitRefused)
		}
	}
	runs, err := os.ReadDir(filepath.Join(data, "runs"))
	if err != nil || len(runs) != 2 {
		t.Errorf("runs %v, %v; want two", runs, err)
	}
}

// TestReadSeeds reads a file as an editor under Windows writes it.
func TestReadSeeds(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "seeds.txt")
	write(t, path, "\ufeffhttps://conf.example/a\r\n\r\n# not this\r\n  https://conf.example/b \r\n")
	got, err := begin.ReadSeeds(&app.App{Stderr: io.Discard}, path, []string{"https://conf.example/c"})
	want := []string{"https://conf.example/a", "https://conf.example/b", "https://conf.example/c"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("read %q, %v; want %q", got, err, want)
	}
	write(t, path, "https://conf.example/a\n"+strings.Repeat("x", 1<<20))
	if _, err := begin.ReadSeeds(&app.App{Stderr: io.Discard}, path, nil); err == nil || !strings.Contains(err.Error(), "seeds.txt: line 2: ") {
		t.Errorf("a line without end: %v; want the line named", err)
	}
}

// If all seeds are dead, a crawl of any strategy ends at once with 3; each seed is named with its error.
func TestCrawlOfDeadSeeds(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"eventseer", "back-and-forward", "hub", "online", "bandit", "best-first-16", "oracle"} {
		dir := t.TempDir()
		code, stdout, stderr := runCaptured(t, "crawl", "http://nobody.example/", "https://nobody.example/2", "--sim", "seed=1", "--strategy", name, "--budget", "50", "--run", filepath.Join(dir, "run"))
		if said := stdout + stderr; code != exitPartly || !strings.Contains(said, "no seed could be fetched; the same command tries them again") || !strings.Contains(said, "nothing left to fetch: 0 pages") ||
			!strings.Contains(said, "seed http://nobody.example/: gone: ") || !strings.Contains(said, "seed https://nobody.example/2: gone: ") {
			t.Errorf("%s: exit %d\n%s", name, code, said)
		}
	}
}

// Of very many dead seeds the first are named and the rest counted.
func TestCrawlOfManyDeadSeeds(t *testing.T) {
	dir := t.TempDir()
	var list strings.Builder
	for i := range maxDeadSeeds + 30 {
		fmt.Fprintf(&list, "http://nobody.example/%d\n", i)
	}
	seeds := filepath.Join(dir, "dead.txt")
	if err := os.WriteFile(seeds, []byte(list.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := runCaptured(t, "crawl", "--seeds", seeds, "--sim", "seed=1", "--budget", "50", "--run", filepath.Join(dir, "run"))
	if n := strings.Count(stderr, "\nseed http://nobody.example/"); code != exitPartly || n != maxDeadSeeds || !strings.Contains(stderr, "30 more seeds found nothing") {
		t.Errorf("exit %d, %d seeds named\n%s", code, n, stderr)
	}
}
