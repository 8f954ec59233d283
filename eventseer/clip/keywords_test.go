package clip

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadLists(t *testing.T) {
	var bad []string
	got, err := ReadLists(strings.NewReader(`# mine
call for papers
C++
-past events
[databases] exact no-synonyms
  query optimisation
-
[ ]
lost
[x] loud
lost too
[last]
`+strings.Repeat("w ", 11)+`
engine`), "k.txt", func(err error) { bad = append(bad, err.Error()) })
	if err != nil {
		t.Fatal(err)
	}
	want := []List{
		{Terms: []string{"call for papers"}, Not: []string{"past events"}},
		{Name: "databases", Terms: []string{"query optimisation"}, Exact: true, NoSynonyms: true},
		{Name: "last", Terms: []string{"engine"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lists (-want +got):\n%s", diff)
	}
	wantBad := []string{
		"k.txt:3: a single letter or digit cannot be a keyword", `k.txt:7: term "" has no word`, `k.txt:8: "[ ]" does not name a list; write [name]; the list is left out`,
		`k.txt:10: unknown option "loud" of list "x"; the options are exact and no-synonyms; the list is left out`,
		`k.txt:13: term "w w w w w w w w w w w" has 11 words, more than the maximum of 10`,
	}
	if diff := cmp.Diff(wantBad, bad); diff != "" {
		t.Errorf("reports (-want +got):\n%s", diff)
	}
}

func TestReadListsNothing(t *testing.T) {
	for _, s := range []string{"", "# only\n", "[name]\n", "-not\n", "C\n"} {
		if _, err := ReadLists(strings.NewReader(s), "k.txt", nil); err == nil {
			t.Errorf("%q was read as a list", s)
		}
	}
	if _, err := ReadFile(filepath.Join(t.TempDir(), "none"), nil); err == nil {
		t.Error("a file that is not there was read")
	}
}

func TestReadListsBounds(t *testing.T) {
	reports := 0
	lists, err := ReadLists(strings.NewReader(strings.Repeat("[l]\nword\n", MaxLists+3)+strings.Repeat("word\n", MaxTerms)), "k.txt", func(error) { reports++ })
	if err != nil || len(lists) != MaxLists || reports != 3 {
		t.Errorf("%d lists, %d reports, %v", len(lists), reports, err)
	}
	lists, err = ReadLists(strings.NewReader(strings.Repeat("word\n", MaxTerms+3)), "k.txt", func(error) { reports++ })
	if err != nil || len(lists[0].Terms) != MaxTerms || reports != 6 {
		t.Errorf("%d terms, %d reports, %v", len(lists[0].Terms), reports, err)
	}
}

func TestNewRefuses(t *testing.T) {
	for _, l := range []List{{Terms: []string{""}}, {Terms: []string{"a"}, Not: []string{"?"}}, {Terms: make([]string, MaxTerms+1)}} {
		if _, err := New(Options{Lists: []List{l}}); err == nil {
			t.Errorf("New took %d terms, %d exclusions", len(l.Terms), len(l.Not))
		}
	}
	if _, err := New(Options{Lists: make([]List, MaxLists+1)}); err == nil {
		t.Error("New took too many lists")
	}
}

func FuzzReadLists(f *testing.F) {
	f.Add("# c\n[a b] exact\nquery optimisation\n-not\n[c] no-synonyms\nword")
	f.Add("[\n]\n-\n\xff\n[x]]\n会议")
	f.Fuzz(func(t *testing.T, s string) {
		lists, err := ReadLists(strings.NewReader(s), "k.txt", nil)
		if err != nil {
			return
		}
		if err := checkLists(lists); err != nil {
			t.Errorf("what was read is refused: %v", err)
		}
	})
}
