package series

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"

	"github.com/google/go-cmp/cmp"
)

func TestMatchShipped(t *testing.T) {
	for name, test := range map[string]struct {
		page Page
		want string
		by   []EvidenceKind
	}{
		"acronym and name":                {Page{Acronym: "CAiSE'27", Title: "39th International Conference on Advanced Information Systems Engineering"}, "caise", []EvidenceKind{ByAcronym, ByName}},
		"the name alone":                  {Page{Title: "39th International Conference on Advanced Information Systems Engineering, Porto, 2027", Place: "Porto Portugal"}, "caise", []EvidenceKind{ByName}},
		"an archive as acronym":           {Page{Acronym: "DBWorld", Title: "45th International Conference on Very Large Data Bases"}, "vldb", []EvidenceKind{ByName}},
		"an acronym in the title":         {Page{Title: "[list] CfP: SIGMOD 2027"}, "sigmod", []EvidenceKind{ByAcronym}},
		"a sponsor before the acronym":    {Page{Acronym: "ACM SIGMOD 2027", Title: "ACM SIGMOD 2027"}, "sigmod", []EvidenceKind{ByAcronym}},
		"a track":                         {Page{Acronym: "CAiSE", Title: "CAiSE 2027 Doctoral Consortium"}, "caise", []EvidenceKind{ByAcronym}},
		"a call for workshops":            {Page{Acronym: "ASSETS", Title: "ASSETS 2027 | Call for Workshop Proposals"}, "assets", []EvidenceKind{ByAcronym}},
		"a shared acronym":                {Page{Acronym: "FSE", Title: "FSE 2027"}, "", nil},
		"a shared acronym and a name":     {Page{Acronym: "FSE", Title: "Fast Software Encryption 2027"}, "fse-fast-software-encryption", []EvidenceKind{ByAcronym, ByName}},
		"a shared acronym and an address": {Page{Acronym: "FSE", Title: "FSE 2027", Addresses: []string{"https://conf.researchr.org/home/fse-2027"}}, "fse-foundations-software-engineering", []EvidenceKind{ByAcronym, ByAddress}},
		"a short acronym":                 {Page{Acronym: "CHI", Title: "CHI 2027"}, "", nil},
		"a short acronym and an address":  {Page{Acronym: "CHI", Title: "CHI 2027", Addresses: []string{"https://chi2027.acm.org/papers"}}, "chi", []EvidenceKind{ByAcronym, ByAddress}},
		"a short acronym and topics":      {Page{Acronym: "KR", Title: "KR 2027", Topics: []string{"Principles of knowledge representation", "Reasoning about actions"}}, "kr", []EvidenceKind{ByAcronym, ByField}},
		"another event of an acronym":     {Page{Acronym: "CPSS", Title: "5th Workshop on Computational Linguistics for the Political and Social Sciences"}, "", nil},
		"a workshop at a conference":      {Page{Acronym: "NeurIPS", Title: "NeurIPS 2027 Workshop on Neural Gardening"}, "", nil},
		"a workshop of the same subject":  {Page{Acronym: "WSDM", Title: "International Workshop on Web Search and Data Mining"}, "", nil},
		"held with":                       {Page{Title: "Workshop on Models, co-located with CAiSE 2027", Parent: "CAiSE 2027"}, "", nil},
		"a group that sponsors":           {Page{Acronym: "I3D", Title: "ACM SIGGRAPH 2003 Symposium on Interactive 3D Graphics"}, "", nil},
		"another noun":                    {Page{Title: "7th International Conference on Natural Language Processing"}, "", nil},
		"another organiser":               {Page{Title: "The IASTED International Conference on Circuits and Systems"}, "", nil},
		"a special issue":                 {Page{Acronym: "CAiSE", Title: "Special Issue on Advanced Information Systems Engineering", Kind: eventseer.SpecialIssue}, "", nil},
		"common words":                    {Page{Title: "The 2nd International Conference on Cloud Computing"}, "", nil},
		"a name within a longer one":      {Page{Acronym: "ASPLOS", Title: "16th ACM Symposium on Operating Systems Principles"}, "", nil},
		"nothing":                         {Page{}, "", nil},
		"an archive":                      {Page{Acronym: "DBWorld", Title: "DBWorld"}, "", nil},
		"long":                            {Page{Acronym: strings.Repeat("x", 10_000), Title: strings.Repeat("Information Systems ", 10_000)}, "", nil},
	} {
		m, ok := Shipped().Match(test.page)
		if m.Series.ID != test.want || ok != (test.want != "") {
			t.Errorf("%s: %q, want %q (%v)", name, m.Series.ID, test.want, m.Evidence)
			continue
		}
		if by := slices.Collect(maps.Keys(m.Evidence)); ok && (len(by) < len(test.by) || slices.ContainsFunc(test.by, func(w EvidenceKind) bool { return m.Evidence[w] == "" })) {
			t.Errorf("%s: witnesses %v, want %v", name, m.Evidence, test.by)
		}
	}
}

// No name of an archive is a series, whatever the title.
func TestArchivesAreNoSeries(t *testing.T) {
	for _, name := range []string{"DBWorld", "DBWorld 2027", "WikiCFP", "SEWORLD", "AISWorld", "CFP List"} {
		for _, title := range []string{"", name, "Workshop on Quiet Engines"} {
			if id := Of(eventseer.Event{Acronym: name, Title: title}); strings.Contains(id, "world") || strings.Contains(id, "cfp") {
				t.Errorf("Of(%q, %q) = %q", name, title, id)
			}
		}
	}
}

// An event of the acronym of a known series, which it is not of, goes by its title.
func TestOfAnotherSeries(t *testing.T) {
	for acronym, want := range map[string]string{"CAISE": "caise", "CHI": "", "ICX": "icx"} {
		if got := Of(eventseer.Event{Acronym: acronym}); got != want {
			t.Errorf("Of(%s) = %q, want %q", acronym, got, want)
		}
	}
	e := eventseer.Event{Acronym: "CHI", Title: "Symposium on Cheese in History"}
	if got := Of(e); got != "symposium-on-cheese-in-history" {
		t.Errorf("%q", got)
	}
}

func TestShippedTable(t *testing.T) {
	rows, _, errs := Read(shipped, "shipped.jsonl")
	if len(errs) > 0 || len(rows) < 350 {
		t.Fatalf("%d series, %v", len(rows), errs)
	}
	again, err := Write(rows)
	if err != nil || !bytes.Equal(again, shipped) {
		t.Errorf("the table is not as Write writes it: %v", err)
	}
	for _, s := range rows {
		if len(s.Sources) == 0 {
			t.Errorf("%s: no source", s.ID)
		}
		for _, r := range s.Ranks {
			if r.Source == "" {
				t.Errorf("%s: a rank without a source", s.ID)
			}
		}
		if s.Name != "" && Shipped().Has(s.ID) == false {
			t.Errorf("%s is not in the table", s.ID)
		}
	}
}

// Each series of the table is found by its own acronym, name and address.
func TestShippedFindsItself(t *testing.T) {
	missing, n := 0, 0
	for _, s := range Shipped().All() {
		if s.Acronym == "" || s.Name == "" {
			continue
		}
		n++
		m, ok := Shipped().Match(Page{Acronym: s.Acronym + " 2027", Title: "12th " + s.Name, Addresses: []string{s.Homepage}})
		switch {
		case ok && m.Series.ID != s.ID:
			t.Errorf("%s is found as %s %v", s.ID, m.Series.ID, m.Evidence)
		case !ok:
			missing++
			t.Logf("%s %q is not found", s.ID, s.Name)
		}
	}
	if missing*100 > n {
		t.Errorf("%d of %d are not found", missing, n)
	}
}

func TestNamed(t *testing.T) {
	for words, want := range map[string][]string{
		"caise": {"caise"}, "SIGMOD 2027": {"sigmod"}, "acm sigmod": {"sigmod"}, "usenix security": {"usenix-security"},
		"fse": {"fse-fast-software-encryption", "fse-foundations-software-engineering"},
		"international conference on machine learning": {"icml"}, "machine learning": nil, "": nil, "dbworld": nil,
	} {
		if diff := cmp.Diff(want, Shipped().Named(words)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", words, diff)
		}
	}
}

func TestReadTable(t *testing.T) {
	text := strings.Join([]string{
		"# comment", `{"id":"icx","acronym":"ICX"}`, `{"id":"icx"}`, `{"id":"a","parent":"b"}`, `{"id":"b","parent":"a"}`,
		`{"id":"c","into":"c"}`, `{"id":"d","title":"x"}`, `{broken`, `{"id":"e","name":"` + strings.Repeat("x", 10_240) + `"}`,
		`{"id":"Bad Id"}`, `{"id":"f","acronym":"WikiCFP"}`, `{"id":"g","months":[13]}`, `{"id":"h"} {"id":"i"}`, `{"id":"j","name":"Kept"}`,
	}, "\n")
	rows, lines, errs := Read([]byte(text), "own.jsonl")
	if len(rows) != 2 || rows[0].ID != "icx" || rows[1].ID != "j" || lines["j"] != 14 {
		t.Errorf("read %+v, %v", rows, lines)
	}
	var at []string
	for _, err := range errs {
		file, _, _ := strings.Cut(err.Error(), ": ")
		at = append(at, file)
	}
	slices.Sort(at)
	want := []string{"own.jsonl:10", "own.jsonl:11", "own.jsonl:12", "own.jsonl:13", "own.jsonl:3", "own.jsonl:4", "own.jsonl:5", "own.jsonl:6", "own.jsonl:7", "own.jsonl:8", "own.jsonl:9"}
	if diff := cmp.Diff(want, at); diff != "" {
		t.Errorf("(-want +got):\n%s\n%v", diff, errs)
	}
}

func TestSelectAddable(t *testing.T) {
	table := NewTable([]eventseer.Series{{ID: "icx", Acronym: "ICX"}, {ID: "icy", Parent: "icx"}})
	rows := []eventseer.Series{{ID: "icx", Parent: "icy"}, {ID: "icz", Acronym: "icx"}, {ID: "lost", Parent: "nowhere"}, {ID: "gone", Into: "icy"}}
	fit, notes, errs := table.SelectAddable(rows, "f", map[string]int{"icx": 1, "icz": 2, "lost": 3, "gone": 4})
	if len(fit) != 2 || fit[0].ID != "icz" || fit[1].ID != "gone" || len(notes) != 1 || !strings.HasPrefix(notes[0], "f:2: ") {
		t.Errorf("fit %+v, notes %q", fit, notes)
	}
	if len(errs) != 2 || !strings.HasPrefix(errs[0].Error(), "f:1: ") || !strings.HasPrefix(errs[1].Error(), "f:3: ") {
		t.Errorf("errors %v", errs)
	}
}

func TestMergedSeries(t *testing.T) {
	old := eventseer.Series{ID: "old", Name: "Old Conference on Crossings", Acronym: "OCX", Ranks: []eventseer.Rank{{System: "core", Value: "B"}}}
	icx := eventseer.Series{ID: "icx", Name: "Conference on Crossings of Roads", Acronym: "ICX"}
	both := Merged(icx, old)
	table := NewTable([]eventseer.Series{both, Combine(old, eventseer.Series{ID: "old", Into: "icx"})})
	if s, ok := table.Get("old"); !ok || s.ID != "icx" || s.Ranks == nil || !slices.Equal(s.Acronyms, []string{"OCX"}) {
		t.Errorf("%+v", s)
	}
	if m, ok := table.Match(Page{Acronym: "OCX 2020", Title: "Old Conference on Crossings"}); !ok || m.Series.ID != "icx" {
		t.Errorf("%+v", m)
	}
}

func TestSiteKeys(t *testing.T) {
	for address, want := range map[string][]string{
		"https://2025.emnlp.org/calls":                 {"emnlp.org", "emnlp.org/calls"},
		"https://conf.researchr.org/home/icse-2027":    {"conf.researchr.org", "researchr.org", "conf.researchr.org/home", "conf.researchr.org/icse"},
		"http://www.chi2027.acm.org/":                  {"chi.acm.org", "acm.org"},
		"https://www.usenix.org/usenixsecurity27.html": {"usenix.org", "usenix.org/usenixsecurity"},
		"no address": nil, "": nil, "http://[::1": nil,
	} {
		if diff := cmp.Diff(want, SiteKeys(address)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", address, diff)
		}
	}
	if got := OwnSites("https://conf.researchr.org/home/icse-2027", "ICSE"); !slices.Equal(got, []string{"conf.researchr.org/icse"}) {
		t.Errorf("%v", got)
	}
}

func BenchmarkMatch(b *testing.B) {
	p := Page{Acronym: "CAiSE'27", Title: "39th International Conference on Advanced Information Systems Engineering", Addresses: []string{"https://caise27.example.org/cfp"}, Topics: []string{"information systems", "model-driven engineering"}}
	for b.Loop() {
		if _, ok := Shipped().Match(p); !ok {
			b.Fatal("not found")
		}
	}
}
