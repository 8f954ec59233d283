package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/store"
)

// rankedData makes a data directory with two series of three editions and one that has
// a DBLP key only.
func rankedData(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	st, err := store.Open(filepath.Join(dir, app.StoreFile), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []eventseer.Event{
		{URL: "https://icw.example.org/27", Title: "Conference on Web Widgets 2027", Acronym: "ICW", Year: 2027},
		{URL: "https://icw.example.org/26", Title: "Conference on Web Widgets 2026", Acronym: "ICW", Year: 2026},
		{URL: "https://soj.example.org/27", Title: "SOJ 2027", Acronym: "SOJ", Year: 2027},
	} {
		if _, err := st.Put(t.Context(), e, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := st.PutSeries(t.Context(), eventseer.Series{ID: "soj", DBLP: "conf/joints"}); err != nil {
		t.Fatal(err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestImportRanks(t *testing.T) {
	dir := rankedData(t)
	table, left := filepath.Join(dir, "t.csv"), filepath.Join(dir, "left.csv")
	text := "id,title,acronym,source,rank,dblp\n" +
		"1,International Conference on Web Widgets,ICW,CORE2023,A,\n" +
		"2,Integrated Circuits for Watches,ICW,CORE2023,C,\n" + // another series of that acronym
		"3,Symposium on Joints,JOINTS,CORE2023,B,conf/joints\n" +
		"4,=Nobody Knows,NK,CORE2023,A*,\n" +
		"5,,,CORE2023,A,\n"
	if err := os.WriteFile(table, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 { // again changes nothing
		said := output(t, exitPartly, "import", "ranks", table, "--data", dir, "--unmatched", left)
		if !strings.Contains(said, "5 rows: 2 of series with events, 1 of others, 1 of another series of the same acronym, 1 not understood") {
			t.Errorf("said %q", said)
		}
	}
	rest, err := os.ReadFile(left)
	if err != nil || strings.Count(string(rest), "\n") != 3 || strings.Contains(string(rest), ",=Nobody") {
		t.Errorf("left: %s, %v", rest, err)
	}
	st, err := store.Open(filepath.Join(dir, app.StoreFile), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = st.Close() }()
	for id, want := range map[string]string{"icw": "A", "soj": "B", "nk": "A*"} {
		s, err := st.Series(t.Context(), id)
		if err != nil || len(s.Ranks) != 1 || s.Ranks[0] != (eventseer.Rank{System: "core", Value: want, Year: 2023, Source: "CORE2023"}) {
			t.Errorf("%s: %+v, %v", id, s, err)
		}
	}
	told := 0
	for range st.Outbox(t.Context(), 3) {
		told++
	}
	if told != 4 { // SOJ's key, then ICW's two editions and SOJ's
		t.Errorf("%d changes in the outbox, want 4", told)
	}
	for _, err := range st.Check() {
		t.Error(err)
	}
}

func TestImportRanksLeavesOut(t *testing.T) {
	dir := rankedData(t)
	table := filepath.Join(dir, "t.csv")
	if err := os.WriteFile(table, []byte("acronym,rank\nICW,A\nNK,B\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	import1 := []string{"import", "ranks", table, "--data", dir, "--system", "core"}
	count := func() (n int) {
		st, err := store.Open(filepath.Join(dir, app.StoreFile), store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = st.Close() }()
		for s := range st.AllSeries(t.Context()) {
			n += len(s.Ranks)
		}
		return n
	}
	for _, step := range []struct {
		flag string
		want int
	}{{"--dry-run", 0}, {"--known", 1}, {"--quiet", 2}} {
		output(t, 0, append(import1, step.flag)...)
		if n := count(); n != step.want {
			t.Errorf("%s: %d ranks, want %d", step.flag, n, step.want)
		}
	}
	output(t, exitUsage, append(import1, "--year", "12")...)
	output(t, exitFailed, "import", "ranks", filepath.Join(dir, "none.csv"), "--data", dir)
}
