package ranks

import (
	"fmt"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"

	"github.com/google/go-cmp/cmp"
)

func TestReadRanks(t *testing.T) {
	core := func(value string) eventseer.Rank {
		return eventseer.Rank{System: "core", Value: value, Year: 2023, Source: "CORE2023"}
	}
	for name, test := range map[string]struct {
		text string
		d    Defaults
		want []Row
		bad  []string
	}{
		"the portal's export": {
			"1,Conference on Widgets,ICW,CORE2023,A*,yes,4602,,\r\n2,\"Pipes, Joints and Valves\",PJV,CORE2023,Unranked,no,,,\r\n3,Symposium on Joints,SOJ,CORE2023,C,no\r\n",
			Defaults{},
			[]Row{
				{line: 1, acronym: "ICW", title: "Conference on Widgets", rank: core("A*")},
				{line: 3, acronym: "SOJ", title: "Symposium on Joints", rank: core("C")},
			}, nil,
		},
		"GGS with semicolons": {
			"\uFEFFTitle;Acronym;GGS Class;GGS Rating\nConference on Widgets;ICW;1;A++\nSymposium on Joints;SOJ;W;Work in Progress\n",
			Defaults{Year: 2021, Source: "ggs.csv"},
			[]Row{{line: 2, acronym: "ICW", title: "Conference on Widgets", rank: eventseer.Rank{System: "ggs", Value: "A++", Year: 2021, Source: "ggs.csv"}}}, nil,
		},
		"any table": {
			"acronym,title,system,rank,year,source,dblp\nICW,,CCF,A,2026,list,https://dblp.org/db/conf/icw/index.html\n",
			Defaults{},
			[]Row{{line: 2, acronym: "ICW", dblp: "conf/icw", rank: eventseer.Rank{System: "ccf", Value: "A", Year: 2026, Source: "list"}}}, nil,
		},
		"rates": {
			"conference\tyear\taccepted\tsubmitted\tacceptance rate\nICW\t2025\t21\t100\t\nICW\t2024\t\t\t19,5 %\nICW\t2023\t\t\t0.2\n",
			Defaults{Source: "rates.csv"},
			[]Row{
				{line: 2, acronym: "ICW", rate: eventseer.Rate{Year: 2025, Accepted: 21, Submitted: 100, Source: "rates.csv"}},
				{line: 3, acronym: "ICW", rate: eventseer.Rate{Year: 2024, Rate: 0.195, Source: "rates.csv"}},
				{line: 4, acronym: "ICW", rate: eventseer.Rate{Year: 2023, Rate: 0.2, Source: "rates.csv"}},
			}, nil,
		},
		"rows that are none": {
			"acronym,rank,year,title\nICW,A,2026,\"Widgets\nand more\"\n,A,2026,\nSOJ,B,soon,\nPJV,\"C,2026,\nABC,C,2026,x\nXYZ,B\n",
			Defaults{System: "core", Year: 2020},
			[]Row{
				{line: 2, acronym: "ICW", title: "Widgets and more", rank: eventseer.Rank{System: "core", Value: "A", Year: 2026}},
				{line: 7, acronym: "ABC", title: "x", rank: eventseer.Rank{System: "core", Value: "C", Year: 2026}},
				{line: 8, acronym: "XYZ", rank: eventseer.Rank{System: "core", Value: "B", Year: 2020}},
			},
			[]string{"line 4: it names no series", `line 5: "soon" is no year`, "line 6: extraneous"},
		},
		"no system":   {"acronym,rank\nICW,A\n", Defaults{}, nil, []string{"line 2: the row does not name the system"}},
		"odd rates":   {"acronym,accepted,submitted,year\nICW,5,4,2020\nICW,x,4,2020\nICW,1,4,\n", Defaults{}, nil, []string{"line 2: 5 accepted of 4", "line 3", "line 4: the row has a rate without a year"}},
		"a long cell": {"acronym,rank,system\nICW,A," + strings.Repeat("x", 500) + "\n", Defaults{}, nil, []string{"line 2: a cell is longer"}},
	} {
		got, bad, err := Read([]byte(test.text), test.d)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(Row{})); diff != "" {
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
		if _, _, err := Read([]byte(text), Defaults{}); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// A store accepts every row that is read, whatever the table contains.
func FuzzReadRanks(f *testing.F) {
	f.Add("1,Conference on Widgets,ICW,CORE2023,A*,yes\n", "core", 2020)
	f.Add("Title;Acronym;GGS Rating\nx;y;A+\n", "", 0)
	f.Add("acronym,accepted,submitted,rate,year\nICW,1,2,50%,2020\n\"", "", 0)
	f.Fuzz(func(t *testing.T, text, system string, year int) {
		rows, bad, _ := Read([]byte(text), Defaults{System: strings.ToLower(system), Year: year, Source: "x"})
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

func BenchmarkReadRanks(b *testing.B) {
	var text strings.Builder
	for n := range 1000 {
		fmt.Fprintf(&text, "%d,Conference on Number %d,N%dX,CORE2023,A,yes,,\n", n, n, n)
	}
	for b.Loop() {
		if rows, _, err := Read([]byte(text.String()), Defaults{}); err != nil || len(rows) != 1000 {
			b.Fatal(len(rows), err)
		}
	}
}
