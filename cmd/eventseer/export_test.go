package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/exchange"
	"github.com/eventseer/eventseer/eventseer/exchange/dump"
	"github.com/eventseer/eventseer/internal/eventstest"
)

var exportNow = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// runs runs a command line and demands its exit code.
func runs(t *testing.T, want int, args ...string) {
	t.Helper()
	a := newTestApp(t)
	var talk bytes.Buffer
	a.Stderr, a.Now = &talk, func() time.Time { return exportNow }
	if code := run(context.Background(), args, a); code != want {
		t.Fatalf("%s exits with %d, want %d: %s", args, code, want, talk.String())
	}
}

// Records that are exported, imported and exported again are the same.
func TestRecordsRoundTrip(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	var b bytes.Buffer
	if err := app.WriteJSONLines(&b, eventstest.Events(1, 60, exportNow)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(at("seed.jsonl"), b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	runs(t, 0, "--data", at("one"), "import", "jsonl", at("seed.jsonl"))
	runs(t, 0, "--data", at("one"), "export", "-o", at("1.jsonl"))
	runs(t, 0, "--data", at("two"), "import", "jsonl", at("1.jsonl"))
	runs(t, 0, "--data", at("two"), "export", "-o", at("2.jsonl"))
	first, err := os.ReadFile(at("1.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	second, err := os.ReadFile(at("2.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	one, two := slices.Collect(bytes.Lines(first)), slices.Collect(bytes.Lines(second))
	if len(one) < 50 || len(one) != len(two) {
		t.Fatalf("%d and %d records", len(one), len(two))
	}
	for i := range one {
		if !bytes.Equal(one[i], two[i]) {
			t.Errorf("record %d:\n%s\nwas\n%s", i, two[i], one[i])
		}
	}
	runs(t, 0, "--data", at("two"), "import", "jsonl", at("1.jsonl"))
	runs(t, 0, "--data", at("two"), "export", "--history", "-o", at("3.jsonl"))
	third, err := os.ReadFile(at("3.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(third, []byte(`"seq":`)); n != len(one) {
		t.Errorf("%d changes of %d events after importing them twice", n, len(one))
	}
}

// events is a store that contains only events, some of which cannot be read.
type eventsStore struct {
	eventseer.Store
	n   int
	bad int // every so many
}

func (s eventsStore) Events(context.Context) iter.Seq2[eventseer.Event, error] {
	return func(yield func(eventseer.Event, error) bool) {
		for i := range s.n {
			e := eventseer.Event{
				ID: eventseer.EventID(fmt.Sprintf("icx%d-2027", i)), URL: "https://icx.example/" + fmt.Sprint(i), Title: "=Conference on Examples", Year: 2027,
				Committee: []eventseer.Person{{Name: "Ada Example"}},
			}
			var err error
			if s.bad > 0 && i%s.bad == 1 {
				e, err = eventseer.Event{ID: e.ID}, errors.New("rotten record")
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

func TestDumps(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "dumps")
	a := newTestApp(t)
	a.Config.Quiet = true
	st := eventsStore{n: 10}
	var first []byte
	for day := range 17 {
		a.Now = func() time.Time { return exportNow.AddDate(0, 0, day) }
		if err := writeDumps(t.Context(), a, st, dir); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "events-notes.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the same day again: the same bytes
		if err := writeDumps(t.Context(), a, st, dir); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(dir, "events-2026-12-08.csv.gz"))
		if err != nil || first != nil && !bytes.Equal(text, first) {
			t.Errorf("the second dump of a day differs, %v", err)
		}
		first = text
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if len(names) != 2*keepDumps+2 || names[1] != "events-2026-11-25.csv.gz" || !slices.Contains(names, "events-notes.txt") {
		t.Errorf("%d files: %s", len(names), names)
	}
	sums, err := os.ReadFile(filepath.Join(dir, dump.SumsFile))
	if err != nil || strings.Count(string(sums), "\n") != 2*keepDumps {
		t.Errorf("%v: %s", err, sums)
	}
	r, err := os.Open(filepath.Join(dir, "events-2026-12-08.csv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	z, err := exchange.Gunzipped(r)
	if err != nil {
		t.Fatal(err)
	}
	table, err := io.ReadAll(z)
	if err != nil || bytes.Contains(table, []byte("Ada")) || !bytes.Contains(table, []byte(",'=Conference on Examples,")) {
		t.Errorf("%v: %s", err, table)
	}

	st.bad = 4
	if err := writeDumps(t.Context(), a, st, dir); !errors.Is(err, app.ErrPartly) {
		t.Errorf("rotten records: %v, want an errPartly", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	before, _ := os.ReadFile(filepath.Join(dir, dump.SumsFile))
	if err := writeDumps(ctx, a, st, dir); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context: %v", err)
	}
	after, _ := os.ReadFile(filepath.Join(dir, dump.SumsFile))
	if left, _ := filepath.Glob(filepath.Join(dir, ".dump-*")); len(left) > 0 || !bytes.Equal(before, after) {
		t.Errorf("left behind: %v", left)
	}
}
