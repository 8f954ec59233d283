package strategy

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/models"
	"github.com/eventseer/eventseer/webgraph"
)

func shipped(tb testing.TB, name string) *classify.Model {
	tb.Helper()
	data, err := fs.ReadFile(models.Files(), name+".model")
	if err != nil {
		tb.Fatal(err)
	}
	m, err := classify.ReadModel(bytes.NewReader(data))
	if err != nil {
		tb.Fatal(err)
	}
	return m
}

// linkPage is a page of three links and n more.
func linkPage(tb testing.TB, n int) *tagtree.Tree {
	tb.Helper()
	body := `<title>Gardens 2027</title><h1>Gardens 2027</h1><ul><li><a href="hotels.html">Hotels and travel</a><li><a href="cfp.html">Call for papers</a>
		<li><a href="photos.html">Photos of the dinner</a></ul><p>Write to us.</p>`
	for i := range n {
		body += fmt.Sprintf(`<p>In %d we met in the gardens of another town: see <a href="/%d/">Gardens %d</a> and its proceedings.`, 2000+i, 2000+i, 2000+i)
	}
	t, err := tagtree.Parse(&webgraph.Page{URL: "http://gardens.example/index.html", Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(body)})
	if err != nil {
		tb.Fatal(err)
	}
	return t
}

func TestLinkModelRanksTheCallFirst(t *testing.T) {
	m, err := NewLinkModel(classify.NewFolded(shipped(t, "link")))
	if err != nil {
		t.Fatal(err)
	}
	page := linkPage(t, 0)
	scores := m.LinkProbabilities(page)
	if len(scores) != len(page.Links()) {
		t.Fatalf("%d scores for %d links", len(scores), len(page.Links()))
	}
	for i, s := range scores {
		if !(s >= 0 && s <= 1) || i != 1 && s >= scores[1] {
			t.Errorf("link %d to %s has %.3f, the call %.3f", i, page.Links()[i].Target, s, scores[1])
		}
	}
}

func TestNewLinkModelRefusesOtherTasks(t *testing.T) {
	if _, err := NewLinkModel(classify.NewFolded(shipped(t, "topic"))); err == nil {
		t.Error("a topic model scores links: no error")
	}
}

// BenchmarkLinkModel scores the links of a page by the shipped model. In the same run it scores
// them as best-first does, by the cosine of the page and of each anchor.
func BenchmarkLinkModel(b *testing.B) {
	m, err := NewLinkModel(classify.NewFolded(shipped(b, "link")))
	if err != nil {
		b.Fatal(err)
	}
	page, topic := linkPage(b, 40), NewTopic(shipped(b, "topic"))
	cosine := func() {
		topic.PageCosine(page)
		for _, l := range page.Links() {
			topic.TextCosine(l.Anchor)
		}
	}
	for _, peer := range []struct {
		name  string
		score func()
	}{{"trees", func() { m.LinkProbabilities(page) }}, {"cosine", cosine}} {
		b.Run(peer.name, func(b *testing.B) {
			for b.Loop() {
				peer.score()
			}
			b.ReportMetric(float64(len(page.Links())*b.N)/b.Elapsed().Seconds(), "links/s")
		})
	}
}
