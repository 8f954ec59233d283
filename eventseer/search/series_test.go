package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/eventseer/series"
)

// The acronym of a known series finds its editions first, by relevance and by deadline. The test
// draws 50 series by seed, each with an edition that does not print the acronym, a workshop that
// does, and another event of the acronym.
func TestAcronymFindsEditionsFirst(t *testing.T) {
	var all []eventseer.Series
	for _, s := range series.Shipped().All() {
		if s.Acronym != "" && len(series.Shipped().Named(s.Acronym)) == 1 && !query.IsStopWord(strings.ToLower(s.Acronym)) {
			all = append(all, s)
		}
	}
	chance := rand.New(rand.NewPCG(25, 50))
	chance.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	drawn := all[:48]
	for _, id := range []string{"caise", "sigmod"} {
		s, ok := series.Shipped().Get(id)
		if !ok {
			t.Fatalf("%s is not known", id)
		}
		drawn = append(slices.DeleteFunc(drawn, func(d eventseer.Series) bool { return d.ID == id }), s)
	}
	x, err := Open("", Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	due := func(days int) []eventseer.Deadline {
		day := now.AddDate(0, 0, days)
		return []eventseer.Deadline{{Kind: eventseer.Submission, Date: eventseer.Date(day.Format(time.DateOnly)), Instant: day}}
	}
	var documents []eventseer.Document
	for _, s := range drawn {
		documents = append(documents,
			eventseer.Document{Event: eventseer.Event{ID: eventseer.EventID(s.ID + "-edition"), Title: s.Name, Acronym: "DBWorld", Series: s.ID, Deadlines: due(90)}, Ranks: s.Ranks, Acronyms: series.AcronymsOf(s)},
			eventseer.Document{Event: eventseer.Event{ID: eventseer.EventID(s.ID + "-workshop"), Title: fmt.Sprintf("%s Workshop at %s 2027 (%s)", s.Acronym, s.Acronym, s.Acronym), Acronym: s.Acronym + "-W", Series: "workshop-" + s.ID, Deadlines: due(10)}},
			eventseer.Document{Event: eventseer.Event{ID: eventseer.EventID(s.ID + "-other"), Title: "Society of Others", Acronym: s.Acronym, Series: "others-" + s.ID, Deadlines: due(20)}},
		)
	}
	if err := x.Update(t.Context(), documents); err != nil {
		t.Fatal(err)
	}
	first := 0
	for _, s := range drawn {
		asked := strings.ToLower(s.Acronym)
		for _, q := range []eventseer.Query{{Text: asked, Now: now}, {Text: asked, Now: now, OpenAt: now, ByDeadline: true}, {Text: asked, Now: now, OpenAt: now, ByDeadline: true, Limit: 1}} {
			found, err := x.Find(t.Context(), q)
			if err != nil || len(found.Hits) == 0 || found.Hits[0].ID != eventseer.EventID(s.ID+"-edition") {
				t.Errorf("%q (by deadline: %v): %+v, %v", asked, q.ByDeadline, found.Hits, err)
				continue
			}
			if q.Limit == 0 && found.Total < 3 {
				t.Errorf("%q finds %d", asked, found.Total)
			}
			first++
		}
	}
	t.Logf("of %d searches %d have an edition of the series first", 3*len(drawn), first)
	second, err := x.Find(t.Context(), eventseer.Query{Text: "caise", Now: now, OpenAt: now, ByDeadline: true, From: 1, Limit: 1})
	if err != nil || len(second.Hits) != 1 || second.Hits[0].ID != "caise-workshop" {
		t.Errorf("the second page: %+v, %v", second.Hits, err)
	}
}

// Words of a name find the event of that name before those with the words among their topics, also
// where these close earlier.
func TestNamesAreFoundFirst(t *testing.T) {
	x, err := Open("", Options{})
	must(t, err)
	t.Cleanup(func() { _ = x.Close() })
	called := func(id eventseer.EventID, title string, due string, topics ...string) eventseer.Document {
		return eventseer.Document{Event: eventseer.Event{ID: id, Title: title, Topics: topics, Deadlines: []eventseer.Deadline{{Kind: eventseer.Submission, Date: eventseer.Date(due)}}}}
	}
	must(t, x.Update(t.Context(), []eventseer.Document{
		called("broad", "Conference on Everything", "2027-01-10", "Harbour logistics", "Tides"), called("named", "Workshop on Harbour Logistics", "2027-03-10", "Cranes"),
		called("other", "Conference on Harbour Tides", "2027-02-10", "Logistics"),
	}))
	for text, want := range map[string]string{"harbour logistics": "named broad other", "logistics": "named broad other", "tides": "other broad", "topic:logistics": "broad other"} {
		found, err := x.Find(t.Context(), eventseer.Query{Text: text, OpenAt: now, Now: now, ByDeadline: true})
		must(t, err)
		var got []string
		for _, h := range found.Hits {
			got = append(got, string(h.ID))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q finds %q, want %q", text, got, want)
		}
	}
}
