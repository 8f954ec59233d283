package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/eventseer"
	"eventseer/eventseer/store"

	"github.com/google/go-cmp/cmp"
)

func TestReadRanks(t *testing.T) {
	core := func(value string) eventseer.Rank {
		return eventseer.Rank{System: "core", Value: value, Year: 2023, Source: "CORE2023"}
	}
	for name, test := range map[string]struct {
		text string
		d    rankDefaults
		want []rankRow
		bad  []string
	}{
		"the portal's export": {
			"1,Conference on Widgets,ICW,CORE2023,A*,yes,4602,,\r\n2,\"Pipes, Joints and Valves\",PJV,CORE2023,Unranked,no,,,\r\n3,Symposium on Joints,SOJ,CORE2023,C,no\r\n",
			rankDefaults{},
			[]rankRow{
				{line: 1, acronym: "ICW", title: "Conference on Widgets", rank: core("A*")},
				{line: 3, acronym: "SOJ", title: "Symposium on Joints", rank: core("C")},
			}, nil,
		},
		"GGS with semicolons": {
			"\uFEFFTitle;Acronym;GGS Class;GGS Rating\nConference on Widgets;ICW;1;A++\nSymposium on Joints;SOJ;W;Work in Progress\n",
			rankDefaults{year: 2021, source: "ggs.csv"},
			[]rankRow{{line: 2, acronym: "ICW", title: "Conference on Widgets", rank: eventseer.Rank{System: "ggs", Value: "A++", Year: 2021, Source: "ggs.csv"}}}, nil,
		},
		"any table": {
			"acronym,title,system,rank,year,source,dblp\nICW,,CCF,A,2026,list,https://dblp.org/db/conf/icw/index.html\n",
			rankDefaults{},
			[]rankRow{{line: 2, acronym: "ICW", dblp: "conf/icw", rank: eventseer.Rank{System: "ccf", Value: "A", Year: 2026, Source: "list"}}}, nil,
		},
		"rates": {
			"conference\tyear\taccepted\tsubmitted\tacceptance rate\nICW\t2025\t21\t100\t\nICW\t2024\t\t\t19,5 %\nICW\t2023\t\t\t0.2\n",
			rankDefaults{source: "rates.csv"},
			[]rankRow{
				{line: 2, acronym: "ICW", rate: eventseer.Rate{Year: 2025, Accepted: 21, Submitted: 100, Source: "rates.csv"}},
				{line: 3, acronym: "ICW", rate: eventseer.Rate{Year: 2024, Rate: 0.195, Source: "rates.csv"}},
				{line: 4, acronym: "ICW", rate: eventseer.Rate{Year: 2023, Rate: 0.2, Source: "rates.csv"}},
			}, nil,
		},
		"rows that are none": {
			"acronym,rank,year,title\nICW,A,2026,\"Widgets\nand more\"\n,A,2026,\nSOJ,B,soon,\nPJV,\"C,2026,\nABC,C,2026,x\nXYZ,B\n",
			rankDefaults{system: "core", year: 2020},
			[]rankRow{
				{line: 2, acronym: "ICW", title: "Widgets and more", rank: eventseer.Rank{System: "core", Value: "A", Year: 2026}},
				{line: 7, acronym: "ABC", title: "x", rank: eventseer.Rank{System: "core", Value: "C", Year: 2026}},
				{line: 8, acronym: "XYZ", rank: eventseer.Rank{System: "core", Value: "B", Year: 2020}},
			},
			[]string{"line 4: it names no series", `line 5: "soon" is no year`, "line 6: extraneous"},
		},
		"no system":   {"acronym,rank\nICW,A\n", rankDefaults{}, nil, []string{"line 2: it does not say of what system"}},
		"odd rates":   {"acronym,accepted,submitted,year\nICW,5,4,2020\nICW,x,4,2020\nICW,1,4,\n", rankDefaults{}, nil, []string{"line 2: 5 accepted of 4", "line 3", "line 4: a rate without a year"}},
		"a long cell": {"acronym,rank,system\nICW,A," + strings.Repeat("x", 500) + "\n", rankDefaults{}, nil, []string{"line 2: a cell is longer"}},
	} {
		got, bad, err := readRanks([]byte(test.text), test.d)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(rankRow{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if len(bad) != len(test.bad) {
			t.Errorf("%s: bad %v, want %v", name, bad, test.bad)
			continue
		}
		for i := range bad {
			if !strings.HasPrefix(bad[i].Error(), test.bad[i]) {
				t.Errorf("%s: %q, want %q", name, bad[i], test.bad[i])
			}
		}
	}
	for name, text := range map[string]string{"empty": "", "no table": "just a text\nin lines\n", "other columns": "a,b,c\n1,2,3\n"} {
		if _, _, err := readRanks([]byte(text), rankDefaults{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Every row read is one that a store takes, whatever the table says.
func FuzzReadRanks(f *testing.F) {
	f.Add("1,Conference on Widgets,ICW,CORE2023,A*,yes\n", "core", 2020)
	f.Add("Title;Acronym;GGS Rating\nx;y;A+\n", "", 0)
	f.Add("acronym,accepted,submitted,rate,year\nICW,1,2,50%,2020\n\"", "", 0)
	f.Fuzz(func(t *testing.T, text, system string, year int) {
		rows, bad, _ := readRanks([]byte(text), rankDefaults{system: strings.ToLower(system), year: year, source: "x"})
		if n := strings.Count(text, "\n") + 1; len(rows)+len(bad) > n {
			t.Errorf("%d rows and %d errors of %d lines", len(rows), len(bad), n)
		}
		for _, r := range rows {
			if r.rank.Value == "" && r.rate.Year == 0 || r.rate.Rate < 0 || r.rate.Rate > 1 || r.rate.Accepted < 0 {
				t.Errorf("%+v", r)
			}
		}
	})
}

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

func BenchmarkReadRanks(b *testing.B) {
	var text strings.Builder
	for n := range 1000 {
		fmt.Fprintf(&text, "%d,Conference on Number %d,N%dX,CORE2023,A,yes,,\n", n, n, n)
	}
	for b.Loop() {
		if rows, _, err := readRanks([]byte(text.String()), rankDefaults{}); err != nil || len(rows) != 1000 {
			b.Fatal(len(rows), err)
		}
	}
}
