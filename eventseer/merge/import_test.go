package merge

import (
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

// A file that people maintain by hand fills in values that no page states. It changes no value of a page,
// whichever is read first.
func TestImportIsWeakest(t *testing.T) {
	file := eventseer.Provenance{URL: "icx.yml", Rule: eventseer.ImportRule, Confidence: 0.1}
	imported := eventseer.Event{
		URL: "https://icx.example/2027/", Title: "Conference on Examples", Acronym: "ICX", Year: 2027, EventStart: "2027-06-02", EventEnd: "2027-06-05",
		Location: &eventseer.Venue{City: "Bergen", Country: "Norway"}, Confidence: 0.1,
		Deadlines: []eventseer.Deadline{{Kind: eventseer.Submission, Date: "2027-01-29", TZ: "AoE", Source: file}, {Kind: eventseer.Abstract, Date: "2027-01-08", Source: file}},
		Sources:   map[string]eventseer.Provenance{"title": file, "acronym": file, "year": file, "event_start": file, "event_end": file, "location": file},
		LastSeen:  time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC),
	}
	page := eventseer.Provenance{URL: "https://icx.example/2027/", Rule: "label"}
	crawled := eventseer.Event{
		URL: page.URL, Title: "International Conference on Examples", Acronym: "ICX", Year: 2027, EventStart: "2027-06-01", EventEnd: "2027-06-04",
		Location: &eventseer.Venue{City: "Trondheim", Country: "Norway"}, Confidence: 0.8,
		Deadlines: []eventseer.Deadline{{Kind: eventseer.Submission, Date: "2027-01-15", TZ: "AoE", Source: page}},
		LastSeen:  time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC),
	}
	later := crawled
	later.LastSeen = imported.LastSeen.AddDate(0, 0, 1)
	for name, e := range map[string]eventseer.Event{"page, then file": merged(crawled, imported), "file, then page": merged(imported, later)} {
		if e.EventStart != "2027-06-01" || e.EventEnd != "2027-06-04" || e.Title != crawled.Title || e.Location.City != "Trondheim" {
			t.Errorf("%s: got %s, %s to %s in %s, want what the page says", name, e.Title, e.EventStart, e.EventEnd, e.Location)
		}
		if len(e.Deadlines) != 2 || e.Deadlines[0].Date != "2027-01-08" || e.Deadlines[1].Date != "2027-01-15" {
			t.Errorf("%s: deadlines %v, want the page's submission and the file's abstract", name, e.Deadlines)
		}
	}
}

func merged(old, new eventseer.Event) eventseer.Event {
	e, _ := Merge(old, new)
	return e
}
