package backlink

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/webgraph"
)

// crashed returns a copy of the database at path as a kill would leave it now,
// with the journal cut to so many bytes.
func crashed(t *testing.T, path string, journal int) *LinkDB {
	t.Helper()
	copied := filepath.Join(t.TempDir(), "links.db")
	for _, suffix := range []string{"", JournalSuffix} {
		data, err := os.ReadFile(path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if suffix != "" {
			data = data[:min(journal, len(data))]
		}
		if err := os.WriteFile(copied+suffix, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return openDB(t, copied)
}

func sources(t *testing.T, d *LinkDB) int {
	t.Helper()
	return len(answerOf(t, d, "https://conf.org/", Host, 100).Links)
}

// Every link whose Add has returned survives a crash, wherever it tears the
// frame of the next.
func TestJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "links.db")
	d := openDB(t, path)
	defer closeClean(t, d)
	var sizes []int64
	for i := range 3 {
		links := []webgraph.Link{
			{Source: fmt.Sprintf("https://a%d.net/", i), Target: "https://conf.org/cfp", Anchor: "CFP"},
			{Source: fmt.Sprintf("https://b%d.net/", i), Target: "http://conf.org/"},
		}
		if err := d.Add(t.Context(), links); err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, d.journal.size)
	}
	for cut := 0; cut <= int(sizes[2]); cut += 13 {
		want := 0
		for i, size := range sizes {
			if int64(cut) >= size {
				want = 2 * (i + 1)
			}
		}
		c := crashed(t, path, cut)
		if got := sources(t, c); got != want {
			t.Errorf("%d bytes of the journal left: %d links, want %d", cut, got, want)
		}
		closeClean(t, c)
	}
	if got := sources(t, d); got != 6 || d.journal.size != sizes[2] || d.pending.Len() != 6 {
		t.Errorf("%d links, a journal of %d bytes for %d; want 6, and a query that writes nothing", got, d.journal.size, d.pending.Len())
	}
	if err := d.writePending(); err != nil || d.journal.size != 0 || d.pending.Len() != 0 {
		t.Errorf("a journal of %d bytes for %d links, want none; %v", d.journal.size, d.pending.Len(), err)
	}
}

// A journal that is still there when its links are in the database changes
// nothing.
func TestJournalTwice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "links.db")
	d := openDB(t, path)
	defer closeClean(t, d)
	if err := d.Add(t.Context(), []webgraph.Link{{Source: "https://a.net/", Target: "https://conf.org/"}}); err != nil {
		t.Fatal(err)
	}
	journal, err := os.ReadFile(path + JournalSuffix)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.writePending(); err != nil {
		t.Fatal(err)
	}
	if got := sources(t, d); got != 1 {
		t.Fatalf("%d links", got)
	}
	if err := os.WriteFile(path+JournalSuffix, journal, 0o644); err != nil {
		t.Fatal(err)
	}
	c := crashed(t, path, len(journal))
	defer closeClean(t, c)
	if got := sources(t, c); got != 1 {
		t.Errorf("%d links, want the one", got)
	}
}

// However many links come at once, and however long, not many wait.
func TestJournalIsBounded(t *testing.T) {
	d := openDB(t, filepath.Join(t.TempDir(), "links.db"))
	defer closeClean(t, d)
	long := strings.Repeat("x", 1900)
	var links []webgraph.Link
	for i := range 20000 {
		links = append(links, webgraph.Link{Source: fmt.Sprintf("https://a%d.net/%s", i, long), Target: "https://conf.org/" + long})
	}
	if err := d.Add(t.Context(), links); err != nil {
		t.Fatal(err)
	}
	if got := d.pending.Size(); got >= maxPending || d.journal.size >= maxPending+maxFrame {
		t.Errorf("%d bytes of links wait, %d in the journal", got, d.journal.size)
	}
	if got := sources(t, d); got != 100 {
		t.Errorf("%d sources, want the first 100", got)
	}
}

// Links that the journal could not take are not acknowledged when they come again.
func TestJournalThatFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "links.db")
	d := openDB(t, path)
	links := []webgraph.Link{{Source: "https://list.net/", Target: "https://conf.org/cfp"}}
	if err := d.journal.f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := d.Add(t.Context(), links); err == nil {
		t.Error("no error of a journal that cannot be written")
	}
	var err error
	if d.journal.f, err = os.OpenFile(path+JournalSuffix, os.O_RDWR, 0); err != nil {
		t.Fatal(err)
	}
	if err := d.Add(t.Context(), links); err != nil || d.journal.size == 0 {
		t.Errorf("added again: %d bytes in the journal, %v", d.journal.size, err)
	}
	closeClean(t, d)
}
