package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/eventseer/eventseer/crawler/fetch"
)

// A PDF that was refused because pdftotext was missing is fetched again by the first crawl that finds the tool.
// It need not be named again, and no later crawl fetches it.
func TestUnreadPDF(t *testing.T) {
	var asked atomic.Int32
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			_, _ = io.WriteString(w, `<p>Papers on gardens: <a href="/call.pdf">the call</a>`)
		case "/call.pdf":
			asked.Add(1)
			w.Header().Set("Content-Type", "application/pdf")
			_, _ = io.WriteString(w, "%PDF-1.4 a call")
		default:
			http.NotFound(w, r)
		}
	}))
	defer site.Close()
	data, tools := t.TempDir(), t.TempDir()
	crawl := func() string {
		t.Helper()
		code, _, talk := runCaptured(t, "crawl", "--data", data, "--allow-private", "--contact", "me@site.example", "--host-delay", "0s", "--budget", "20", "--strategy", "breadth-first", site.URL+"/")
		if code != 0 {
			t.Fatalf("exit %d: %s", code, talk)
		}
		return talk
	}
	t.Setenv("PATH", tools)
	if talk := crawl(); asked.Load() != 1 || !strings.Contains(talk, "PDFs are not read") {
		t.Fatalf("without the tool it was asked for %d times: %s", asked.Load(), talk)
	}
	if crawl(); asked.Load() != 1 {
		t.Errorf("still without the tool it was asked for again")
	}
	if err := os.WriteFile(filepath.Join(tools, "pdftotext"), []byte("#!/bin/sh\necho Call for papers on gardens\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if crawl(); asked.Load() != 2 {
		t.Errorf("with the tool it was asked for %d times in all, want 2", asked.Load())
	}
	if crawl(); asked.Load() != 2 {
		t.Errorf("it was asked for once more, though it is read")
	}
	if _, err := os.Stat(filepath.Join(data, fetch.UnreadFile)); err == nil {
		t.Errorf("%s is left", fetch.UnreadFile)
	}
}
