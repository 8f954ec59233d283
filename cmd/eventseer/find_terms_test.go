package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
)

func TestFindTerms(t *testing.T) {
	dir := seedData(t)
	for _, tt := range []struct {
		line string // words separated by "|"
		want string // ids, by deadline or relevance
	}{
		{"--where|europe|--due|2027-02-01", "soon-2027"},
		{"--where|asia|--where|norway", "soon-2027 late-2027"},
		{"web|--due|>100d", "late-2027"},
		{"web|--due|100d", "soon-2027"},
		{"--all|--due|<2026-12-01", "past-2027"},
		{"--topic|hyperlink|--where|online", ""},
		{"--all|web|--topic|Hyperlinks|--|-workshop", "late-2027 past-2027"},
		{"--rank|core>=B", ""}, {"--rank|core:A*,A", ""}, {"--kind|special issue", ""},
		{"crawling|OR|workshop|has:extension", "soon-2027 late-2027"},
	} {
		line := append([]string{"find", "--data", dir, "--format", "jsonl"}, strings.Split(tt.line, "|")...)
		var ids []string
		for one := range strings.Lines(output(t, 0, line...)) {
			var e eventseer.Event
			if err := json.Unmarshal([]byte(one), &e); err != nil {
				t.Fatal(err)
			}
			ids = append(ids, string(e.ID))
		}
		if got := strings.Join(ids, " "); got != tt.want {
			t.Errorf("find %s finds %q, want %q", tt.line, got, tt.want)
		}
	}
	for _, bad := range []string{"--due|soon", "--rank|core>=Q", "--kind|big party", `--where|a"b`, "--topic|"} {
		output(t, exitUsage, append([]string{"find", "--data", dir}, strings.Split(bad, "|")...)...)
	}
}

func TestFindFacets(t *testing.T) {
	dir := seedData(t)
	var found struct {
		Total   int
		Facets  []eventseer.Facet
		Instead string
	}
	if err := json.Unmarshal([]byte(output(t, 0, "find", "--data", dir, "--format", "json", "--facets")), &found); err != nil || found.Total != 2 {
		t.Fatalf("%+v, %v", found, err)
	}
	if f := found.Facets[1]; found.Facets[0].Name != "field" || f.Name != "topic" || f.Values[0] != (eventseer.FacetValue{Value: "Hyperlinks", Term: "topic:Hyperlinks", Count: 2}) {
		t.Errorf("facets %+v", found.Facets)
	}
	if got := talkOf(t, "find", "--data", dir, "--facets"); !strings.Contains(got, "topic:Hyperlinks\n") || !strings.Contains(got, "country:NO\n") {
		t.Errorf("find --facets says\n%s", got)
	}
	if got := talkOf(t, "find", "--data", dir, "crwaling"); !strings.Contains(got, "did you mean: crawling") {
		t.Errorf("find crwaling says\n%s", got)
	}
	if got := output(t, 0, "find", "--data", dir, "--format", "json", "crwaling"); !strings.Contains(got, `"instead": "crawling"`) {
		t.Errorf("find crwaling prints\n%s", got)
	}
}

// talkOf runs a command line and returns what it wrote to stderr.
func talkOf(t *testing.T, line ...string) string {
	t.Helper()
	a := newTestApp(t)
	var out bytes.Buffer
	var talk talkLog
	a.Stdout, a.Stderr = &out, &talk
	if code := run(t.Context(), line, a); code != 0 {
		t.Fatalf("%v exits with %d\n%s", line, code, talk.String())
	}
	return talk.String()
}
