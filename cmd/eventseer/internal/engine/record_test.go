package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler"
)

func TestLastCrawl(t *testing.T) {
	const line = `{"n":1,"t":"2026-11-20T10:00:00Z","url":"http://a.example/","status":200}` + "\n"
	dir := t.TempDir()
	write := func(run, text string) {
		t.Helper()
		folder := filepath.Join(dir, "runs", run)
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, "pages.jsonl"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := func(what string, at time.Time) {
		t.Helper()
		if got := LastCrawl(dir); !got.Equal(at) {
			t.Errorf("%s: %v, want %v", what, got, at)
		}
	}
	want("no runs", time.Time{})
	write("2026-11-19T090000Z", line)
	first := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	want("one run", first)
	write("2026-11-20T090000Z", "")
	write("2026-11-20T100000Z", "no record\n\n"+`{"t":"2026-11-21T10:00:00Z","status":503}`+"\n"+`{"t":"2026-`)
	want("newer runs without an answer", first)
	write("2026-11-21T090000Z", strings.Repeat(line, 5000)+strings.ReplaceAll(line, `20T10:00:00Z","url":"http://a.example/","status":200`, `21T11:00:00Z","status":304`)+`{"t":"2026-11-21T12:00:00Z","status":0}`+"\n")
	want("a long run that ends with a page unchanged", time.Date(2026, 11, 21, 11, 0, 0, 0, time.UTC))
}

func TestRead(t *testing.T) {
	for o, want := range map[*crawler.Outcome]bool{
		{Fate: crawler.Fetched}:                     true,
		{Fate: crawler.Unchanged}:                   true,
		{Fate: crawler.Unchanged, Unasked: true}:    false,
		{Fate: crawler.Fate("something else went")}: false,
	} {
		if HasResponse(*o) != want {
			t.Errorf("%+v: %t", *o, !want)
		}
	}
}
