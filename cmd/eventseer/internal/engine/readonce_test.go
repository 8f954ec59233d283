package engine

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// counted is an extractor that counts its readings.
type counted int

func (c *counted) Extract(t *tagtree.Tree) (eventseer.Event, bool) {
	*c++
	return eventseer.Event{Title: t.Title()}, true
}

// pageOf parses a page of one line.
func pageOf(t *testing.T, n int) *tagtree.Tree {
	t.Helper()
	tree, err := tagtree.Parse(&webgraph.Page{
		URL: fmt.Sprintf("https://conf%d.example/", n), Header: http.Header{"Content-Type": {"text/html"}},
		Body: fmt.Appendf(nil, "<title>Conference %d</title><p>It is held in spring.</p>", n),
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func TestReadOnce(t *testing.T) {
	var n counted
	r := NewReadOnce(&n)
	first := pageOf(t, 1)
	if e, ok := r.ReadAhead(first); !ok || e.Title == "" {
		t.Fatalf("%+v, %v", e, ok)
	}
	if e, ok := r.Extract(first); !ok || e.Title != first.Title() || n != 1 {
		t.Errorf("%+v, %v after %d readings", e, ok, n)
	}
	if r.Extract(first); n != 2 {
		t.Errorf("%d readings; a reading is given away once", n)
	}
	for i := range maxReadings + 1 {
		r.ReadAhead(pageOf(t, i))
	}
	if len(r.pending) != maxReadings || len(r.order) != maxReadings {
		t.Errorf("%d readings in an order of %d are kept", len(r.pending), len(r.order))
	}
}

// TestReadOnceOfMessage reads a page of an archive ahead: the message is taken from it and read once.
func TestReadOnceOfMessage(t *testing.T) {
	page, err := tagtree.Parse(&webgraph.Page{
		URL: "https://lists.example.org/pipermail/pumps/2027-January/000012.html", Header: http.Header{"Content-Type": {"text/html"}},
		Body: []byte(`<html><head><title>[Pumps] Workshop on Pumps</title></head><body><h1>[Pumps] Workshop on Pumps</h1><b>A. Sender</b> <i>Mon Jan 4 10:00:00 UTC 2027</i><hr>
<!--beginarticle--><pre>The Workshop on Pumps calls for papers until March 1, 2027.</pre><!--endarticle--></body></html>`),
	})
	if err != nil {
		t.Fatal(err)
	}
	if trees := messagesOf(page); len(trees) != 1 || trees[0] == page {
		t.Fatalf("the page shows %d messages, want one", len(trees))
	}
	var n counted
	r := NewReadOnce(&n)
	r.ReadAhead(page)
	trees := messageSink{reader: r}.messagesAhead(page)
	if len(trees) != 1 || trees[0] == page {
		t.Fatalf("%d messages of the page read ahead, want one", len(trees))
	}
	if _, ok := r.Extract(trees[0]); !ok || n != 1 || len(r.pending)+len(r.shown) != 0 {
		t.Errorf("%d readings, want 1; %d and %d are kept", n, len(r.pending), len(r.shown))
	}
}

// record is an extractor that reads the same event from every page.
type record eventseer.Event

func (r record) Extract(*tagtree.Tree) (eventseer.Event, bool) { return eventseer.Event(r), true }

// A page that the gate refuses belongs to an event if it has the name of one and its days, people or topics.
func TestEventPageFilter(t *testing.T) {
	people := make([]eventseer.Person, leastListed)
	conference := classify.Judgement{PageType: "conference", PageTypeScores: map[string]float64{"conference": 0.9}}
	other := conference
	other.PageType = "other"
	for what, c := range map[string]struct {
		read eventseer.Event
		said classify.Judgement
		want bool
	}{
		"a name":                           {eventseer.Event{Title: "Symposium on Quiet Engines"}, conference, false},
		"its days":                         {eventseer.Event{Title: "Symposium on Quiet Engines", EventStart: "2027-05-03"}, conference, true},
		"its people":                       {eventseer.Event{Title: "Symposium on Quiet Engines", Committee: people}, conference, true},
		"its topics":                       {eventseer.Event{Title: "Symposium on Quiet Engines", Topics: make([]string, leastListed)}, conference, true},
		"few people":                       {eventseer.Event{Title: "Symposium on Quiet Engines", Committee: people[1:]}, conference, false},
		"people without a name":            {eventseer.Event{Committee: people}, conference, false},
		"people on a page of another type": {eventseer.Event{Title: "Laboratory of Engines", Committee: people}, other, false},
	} {
		if got := eventPageFilter(NewReadOnce(record(c.read)))(pageOf(t, 1), c.said); got != c.want {
			t.Errorf("%s: %v, want %v", what, got, c.want)
		}
	}
}
