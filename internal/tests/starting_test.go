package tests

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/crawler/seeds"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/field"
	"github.com/eventseer/eventseer/eventseer/series"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/webgraph"
)

// startingFile is the shipped list of starting points.
const startingFile = "../../crawler/seeds/starting.tsv"

// oldestHome is the year of the oldest edition whose page begins a crawl: older ones lead
// nowhere.
const oldestHome = 2025

// TestStartingPoints checks the form of the shipped list, and that its home pages are those of the
// table of known series. With -update it writes these.
func TestStartingPoints(t *testing.T) {
	text, err := os.ReadFile(startingFile)
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	others := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if cells := strings.Split(line, "\t"); len(cells) < 2 || cells[1] != seeds.KindSeries {
			others[cells[0]] = true
			want.WriteString(line)
		}
	}
	for _, s := range series.Shipped().All() {
		url, err := webgraph.Canonical(s.Homepage)
		if err != nil || s.HomepageYear != 0 && s.HomepageYear < oldestHome || others[url] || !seeds.IsPublicHost(webgraph.HostOf(url)) || len(s.Sources) == 0 {
			continue
		}
		others[url] = true
		want.WriteString(strings.Join([]string{
			url, seeds.KindSeries, strings.Join(field.OfSeries(s, eventseer.Event{}), ","), strings.Join(strings.Fields(s.Name), " "), strings.Join(s.Sources, ", "), "unknown",
		}, "\t") + "\n")
	}
	if golden.Updating() {
		if err := os.WriteFile(startingFile, want.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want.String() != string(text) {
		t.Errorf("%s is not what the table of known series gives; -update writes it", startingFile)
	}
	points, err := seeds.ParseStarting(want.String())
	if err != nil {
		t.Fatal(err)
	}
	fields, kinds := map[string]int{}, map[string]int{}
	for _, p := range points {
		kinds[p.Kind]++
		for _, id := range p.Fields {
			if f, ok := field.Named(id); !ok || f.ID != id {
				t.Errorf("%s: no field %q", p.URL, id)
			}
			fields[id]++
		}
		if p.Seen != "unknown" {
			t.Errorf("%s: seen %q, though no crawl wrote that", p.URL, p.Seen)
		}
	}
	if len(points) < 400 || len(fields) < 12 || kinds[seeds.KindList] < 5 || kinds[seeds.KindCalendar] < 10 || kinds[seeds.KindArchive] < 2 {
		t.Errorf("%d points of %d fields, kinds %v; want 400 of 12", len(points), len(fields), kinds)
	}
	t.Logf("%d points, kinds %v, fields %v", len(points), kinds, fields)
	if some := seeds.OfFields(points, []string{"astro"}); len(some) == 0 || len(some) > 50 || !slices.ContainsFunc(some, func(p seeds.StartingPoint) bool { return p.Kind == seeds.KindCalendar }) {
		t.Errorf("%d points of astronomy", len(some))
	}
}
