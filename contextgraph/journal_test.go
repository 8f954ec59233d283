package contextgraph

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJournalIsTorn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	build := func() *Graph {
		j, err := OpenJournal(path, "toy")
		if err != nil {
			t.Fatal(err)
		}
		w := toy("a > t", "b > a", "c > b")
		g, err := Build(t.Context(), urls("t"), Options{Asker: w, Fetcher: w, Journal: j})
		if err := errors.Join(err, j.Close()); err != nil {
			t.Fatal(err)
		}
		return g
	}
	want := build()
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head := bytes.IndexByte(whole, '\n') + 1
	for end := head; end < len(whole); end += 7 {
		torn := append(bytes.Clone(whole[:end]), "deadbeef {\"key\""...)
		if err := os.WriteFile(path, torn, 0o600); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, build()); diff != "" {
			t.Fatalf("cut at byte %d (-want +got):\n%s", end, diff)
		}
		// Concurrent fetches may come in another order, so the sizes are compared.
		if again, err := os.ReadFile(path); err != nil || len(again) != len(whole) {
			t.Fatalf("cut at byte %d: the file has %d bytes, want %d: %v", end, len(again), len(whole), err)
		}
	}
}

// Damage within the file costs the line it is in, not the answers after it.
func TestJournalIsDamagedWithin(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	w := toy("a > t", "b > a", "c > b")
	build := func() (*Graph, JournalStats) {
		j, err := OpenJournal(path, "toy")
		if err != nil {
			t.Fatal(err)
		}
		w.calls = 0
		g, err := Build(t.Context(), urls("t"), Options{Asker: w, Journal: j})
		if err := errors.Join(err, j.Close()); err != nil {
			t.Fatal(err)
		}
		return g, j.Stats()
	}
	want, _ := build()
	asked := w.calls
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.IndexByte(file, '\n') + 20
	for _, damage := range []byte{file[at] ^ 1, '\n'} { // a different letter, and a line that is really two
		file[at] = damage
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		got, stats := build()
		if diff := cmp.Diff(want.Edges, got.Edges); diff != "" || w.calls != 1 || stats.Kept != asked-1 || stats.TornBytes == 0 {
			t.Errorf("%d calls, %+v (-want +got):\n%s", w.calls, stats, diff)
		}
	}
}

func TestJournalOfOthers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	j, err := OpenJournal(path, "links.tsv")
	if err := errors.Join(err, j.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenJournal(path, "providers"); !errors.Is(err, ErrOtherJournal) {
		t.Errorf("got %v", err)
	}
	text := []byte("a file of the user's own\n")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	var broken *JournalError
	if _, err := OpenJournal(path, "links.tsv"); !errors.As(err, &broken) {
		t.Errorf("a text is opened: %v", err)
	}
	if left, err := os.ReadFile(path); err != nil || !bytes.Equal(left, text) {
		t.Errorf("the text is now %q, %v", left, err)
	}
}

func TestJournalThatCannotBeWritten(t *testing.T) {
	j, err := OpenJournal(filepath.Join(t.TempDir(), "state"), "toy")
	if err != nil {
		t.Fatal(err)
	}
	if err := j.file.Close(); err != nil {
		t.Fatal(err)
	}
	var broken *JournalError
	web := toy("a > t")
	if _, err := Build(t.Context(), urls("t"), Options{Asker: web, Journal: j}); !errors.As(err, &broken) || web.calls != 1 {
		t.Errorf("got %v after %d calls", err, web.calls)
	}
}

func FuzzJournal(f *testing.F) {
	path := filepath.Join(f.TempDir(), "state")
	j, err := OpenJournal(path, "toy")
	if err != nil {
		f.Fatal(err)
	}
	_, err = Build(f.Context(), urls("t"), Options{Asker: toy("a > t", "b > a"), Journal: j})
	if err := errors.Join(err, j.Close()); err != nil {
		f.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add([]byte("00000000 {}\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		path := filepath.Join(t.TempDir(), "state")
		if err := os.WriteFile(path, file, 0o600); err != nil {
			t.Fatal(err)
		}
		j, err := OpenJournal(path, "toy")
		if err != nil {
			return
		}
		w := toy("a > t", "b > a")
		g, err := Build(t.Context(), urls("t"), Options{Asker: w, Fetcher: w, Journal: j})
		if err := errors.Join(err, j.Close()); err != nil {
			return
		}
		if err := g.check(); err != nil {
			t.Error(err)
		}
	})
}
