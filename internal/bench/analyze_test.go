package bench

import (
	"bytes"
	"math"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/features/htmltree"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/warc"
	"github.com/eventseer/eventseer/webgraph"

	"golang.org/x/net/html"
)

// corpora is where the pages lie; without it nothing is measured.
const corpora = "../../../shared/corpora"

// A stage is one way to read a page.
type stage struct {
	name string
	read func(*webgraph.Page) error
}

func stages() []stage {
	list := []stage{
		{"html.Parse", func(p *webgraph.Page) error {
			_, err := html.Parse(bytes.NewReader(p.Body))
			return err
		}},
		{"tagtree.Parse", func(p *webgraph.Page) error {
			_, err := tagtree.Parse(p)
			return err
		}},
		{"analysis", func(p *webgraph.Page) error {
			tree, err := tagtree.Parse(p)
			if err == nil {
				tree.Analysis().Text()
			}
			return err
		}},
	}
	for _, peer := range Peers() {
		list = append(list,
			stage{peer.Name, func(p *webgraph.Page) error {
				_, _ = peer.Text(p) // that it finds no text is an answer
				return nil
			}},
			stage{peer.Name + "-utf8", func(p *webgraph.Page) error {
				_, _ = peer.TextUTF8(p)
				return nil
			}})
	}
	return list
}

// BenchmarkAnalyze reads the same pages, which are in UTF-8, by every stage in turn. Parsing is
// included, and it reports the milliseconds per page of each in its fastest round. "added" is what
// our tree, its links and its analysis cost on top of html.Parse, as a share of that; "NAME-x" is
// how often our time fits into a peer's, "NAME-utf8-x" where the peer is told the charset.
func BenchmarkAnalyze(b *testing.B) {
	pages := samples(b)
	stages := stages()
	fastest := make([]float64, len(stages))
	for i := range fastest {
		fastest[i] = math.Inf(1)
	}
	for b.Loop() {
		for i, s := range stages {
			fastest[i] = min(fastest[i], measure(b, s, pages))
		}
	}
	parse, ours := fastest[0], fastest[2]
	for i, s := range stages {
		b.ReportMetric(fastest[i], s.name+"-ms/page")
		if i > 2 {
			b.ReportMetric(fastest[i]/ours, s.name+"-x")
		}
	}
	b.ReportMetric(ours/parse-1, "added")
	b.ReportMetric(float64(len(pages)), "pages")
	b.ReportMetric(0, "ns/op") // a round is not of interest
}

// measure returns the milliseconds a page that s takes, its own garbage
// included and no other's.
func measure(b *testing.B, s stage, pages []*webgraph.Page) float64 {
	runtime.GC()
	start := time.Now()
	for _, p := range pages {
		if err := s.read(p); err != nil {
			b.Fatalf("%s: %s: %v", s.name, p.URL, err)
		}
	}
	return float64(time.Since(start).Microseconds()) / 1000 / float64(len(pages))
}

// BenchmarkOurs is our part only, for profiles.
func BenchmarkOurs(b *testing.B) {
	pages := samples(b)
	ours := stages()[2]
	for b.Loop() {
		measure(b, ours, pages)
	}
}

// samples returns HTML pages of several kinds, so that none dominates: all articles, every third page with a
// call, every sixtieth labelled page.
func samples(b *testing.B) []*webgraph.Page {
	b.Helper()
	files, err := filepath.Glob(filepath.Join(corpora, "articles/html/*.html.gz"))
	if err != nil {
		b.Fatal(err)
	}
	if len(files) == 0 {
		b.Skipf("no pages in %s", corpora)
	}
	var pages []*webgraph.Page
	for _, file := range files {
		p, err := ReadPage(file)
		if err != nil {
			b.Fatal(err)
		}
		pages = append(pages, inUTF8(p))
	}
	pages = append(pages, everyNth(b, 3, "gold/pages.warc.gz")...)
	return append(pages, everyNth(b, 60, "pages/pages.warc.gz")...)
}

// everyNth returns the first of each n HTML pages of a WARC.
func everyNth(b *testing.B, n int, path string) []*webgraph.Page {
	b.Helper()
	var pages []*webgraph.Page
	i := 0
	for p, err := range warc.Pages(filepath.Join(corpora, path)) {
		if err != nil {
			b.Fatal(err)
		}
		if !strings.Contains(p.Header.Get("Content-Type"), "html") {
			continue
		}
		if i%n == 0 {
			pages = append(pages, inUTF8(p))
		}
		i++
	}
	return pages
}

// inUTF8 returns p decoded, so that all read the same.
func inUTF8(p *webgraph.Page) *webgraph.Page {
	return &webgraph.Page{
		URL: p.URL, Body: []byte(htmltree.SourceText(p)),
		Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}},
	}
}
