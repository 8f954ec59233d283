package search

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features/tagtree/tagtreetest"

	"github.com/google/go-cmp/cmp"
)

// withPage returns an event whose page has a text.
func withPage(id, title, text string) eventseer.Document {
	return eventseer.Document{
		Event: eventseer.Event{ID: eventseer.EventID(id), Title: title, Acronym: strings.ToUpper(id), Year: 2027},
		Texts: []eventseer.PageText{{URL: "https://" + id + ".example/cfp", Text: text}},
	}
}

func TestFullText(t *testing.T) {
	t.Parallel()
	x, err := Open("", Options{})
	must(t, err)
	defer func() { must(t, x.Close()) }()
	must(t, x.Update(t.Context(), []eventseer.Document{
		withPage("dams", "Conference on Dams", "# Topics\nSpillways and sluices of any height. The CANALS 2026 workshop was a success; canals, canals, canals."),
		withPage("canals", "Conference on Canals", "We ask for papers on locks.\fSponsors of the meeting"),
		withPage("weirs", "Conference on Weirs", "Nothing of height.\nSpillways"),
		withPage("long", "Conference on Words", strings.Repeat("pebble ", eventseer.MaxDocumentText/7)+"boulder"),
	}))
	for text, want := range map[string][]string{
		"spillway": {"dams", "weirs"}, `"sluices of any height"`: {"dams"}, `"spillways height"~6`: {"dams", "weirs"}, `"spillways height"~3`: {"weirs"},
		"text:locks": {"canals"}, "title:locks": nil, "sponsors": {"canals"}, "conference -spillways": {"canals", "long"}, "clip:locks": nil,
		`"pebble pebble pebble"`: {"long"}, `"pebble boulder"~2`: {"long"}, `"boulder pebble boulder"`: nil,
	} {
		var got []string
		took := tagtreetest.CPU(t, func() { got = find(t, x, eventseer.Query{Text: text, Passages: true}) })
		if slices.Sort(got); cmp.Diff(want, got) != "" && len(want)+len(got) > 0 {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
		if took > 5*time.Second {
			t.Errorf("%s took %v", text, took)
		}
	}
	// Words of fields come before those of texts, however often the texts contain them.
	for _, text := range []string{"canals", "canals 2027", "conference canals"} {
		if got := find(t, x, eventseer.Query{Text: text}); !slices.Equal(got, []string{"canals", "dams"}) {
			t.Errorf("%s: %v", text, got)
		}
	}
	found, err := x.Find(t.Context(), eventseer.Query{Text: "spillway dams", Passages: true})
	must(t, err)
	want := []eventseer.WordPosition{{Field: "title", Offset: [2]int{14, 18}}, {Field: "acronym"}, {Field: "text", Offset: [2]int{9, 18}}}
	want[0], want[1] = eventseer.WordPosition{Field: "acronym", Offset: [2]int{0, 4}}, want[0]
	if diff := cmp.Diff(want, found.Hits[0].Places); diff != "" {
		t.Errorf("places (-want +got):\n%s", diff)
	}
}

// A page of one word, repeated until the text is full, is found by it, with a bounded number of places.
func TestOneWordText(t *testing.T) {
	x, err := Open("", Options{Now: func() time.Time { return now }})
	must(t, err)
	defer func() { must(t, x.Close()) }()
	must(t, x.Update(t.Context(), []eventseer.Document{withPage("flood", "Meeting on Floods", strings.Repeat("sluice ", eventseer.MaxPageText/7)), withPage("dry", "Meeting on Deserts", "No sluice is needed.")}))
	for _, q := range []string{"sluice", `"sluice sluice"`, `"sluice gate"~3 OR sluice`} {
		for _, order := range []eventseer.Order{eventseer.OrderDeadline, eventseer.OrderRelevance} {
			found, err := x.Find(t.Context(), eventseer.Query{Text: q, Order: order, Passages: true})
			must(t, err)
			i := slices.IndexFunc(found.Hits, func(h eventseer.Hit) bool { return h.ID == "flood" })
			if i < 0 || len(found.Hits[i].Places) == 0 || len(found.Hits[i].Places) > eventseer.MaxPlaces {
				t.Errorf("%s, by %s: %d hits, the page at %d", q, order, len(found.Hits), i)
			}
		}
	}
}

// TestShortRows searches for rows with and without passages of calls whose title has a word. Other names are
// marked in texts that lack the words as written.
func TestShortRows(t *testing.T) {
	names := []string{"canals", "waterways"}
	x, err := Open("", Options{Same: func(term string) []string {
		if slices.Contains(names, term) {
			return names
		}
		return nil
	}})
	must(t, err)
	defer func() { must(t, x.Close()) }()
	must(t, x.Update(t.Context(), []eventseer.Document{
		withPage("titled", "Conference on Canals", "All canals and waterways"),
		withPage("both", "Conference on Locks", "All canals and waterways"),
		withPage("other", "Conference on Boats", "All waterways"),
	}))
	places := func(short bool) map[string][]eventseer.WordPosition {
		found, err := x.Find(t.Context(), eventseer.Query{Text: "canals", Passages: true, ShortRows: short})
		must(t, err)
		of := map[string][]eventseer.WordPosition{}
		for _, h := range found.Hits {
			of[string(h.ID)] = h.Places
		}
		return of
	}
	title, own, other := eventseer.WordPosition{Field: "title", Offset: [2]int{14, 20}},
		eventseer.WordPosition{Field: "text", Offset: [2]int{4, 10}}, eventseer.WordPosition{Field: "text", Offset: [2]int{4, 13}}
	want := map[string][]eventseer.WordPosition{"titled": {title, own}, "both": {own}, "other": {other}}
	if diff := cmp.Diff(want, places(false)); diff != "" {
		t.Errorf("rows with passages (-want +got):\n%s", diff)
	}
	want["titled"] = []eventseer.WordPosition{title}
	if diff := cmp.Diff(want, places(true)); diff != "" {
		t.Errorf("short rows (-want +got):\n%s", diff)
	}
}
