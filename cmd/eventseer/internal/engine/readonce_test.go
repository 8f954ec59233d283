package engine

import (
	"fmt"
	"net/http"
	"testing"

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
