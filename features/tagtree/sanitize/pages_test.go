package sanitize_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/sanitize"
	"github.com/eventseer/eventseer/features/tagtree/slice"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/warc"
	"github.com/eventseer/eventseer/webgraph"
)

// realSlices are slices of real pages that were read and judged in November 2026. They are tables,
// lists, lines of old pages, a mail in pre, a blog, a list of conferences, and pages in Chinese and
// Russian.
var realSlices = []struct {
	url, query string
	precision  int
}{
	{"https://leaverou.github.io/uist2017/cfp/index.html", `deadline OR due`, 1},
	{"https://omnetpp.github.io/summit.omnetpp.org/2008/cfp.html", "deadline", 2},
	{"https://ismir.github.io/ismir2008/docs/cfp.html", `"late breaking" demo`, 0},
	{"https://gsmcwhirter.github.io/old-philsciassoc-website/archives/psa2002/Call_for_Papers2.htm", "committee", 1},
	{"http://www-cse.ucsd.edu/users/eyhung/", "research", 1},
	{"http://www.cs.wisc.edu/dbworld/messages/2018-11/1543387891.html", `"industry practice" -theory`, 0},
	{"http://www.cs.cornell.edu/Info/People/gries/vita.html", "editor AND teaching", 0},
	{"https://bjbraams.github.io/calendars/comp-ml/", "workshop NOT machine", 0},
	{"https://freetsubasa.github.io/iscll-15/call_for_papers.html", "論文 OR 摘要", 0},
	{"https://bulattalipov.github.io/tisbi-nauka/conferences.html", "конференция", 1},
}

// The golden file contains no text of the pages. For each slice it has the tag paths of its key nodes. For
// each block, as Parse reads it again, it has path, offset and the first 8 bytes of a SHA-256.
func TestSlicesOfRealPages(t *testing.T) {
	pages := make(map[string]*webgraph.Page)
	for _, name := range []string{"corpora/gold/pages.warc.gz", "corpora/pages/pages.warc.gz"} {
		readPages(t, golden.SharedPath(t, name), pages)
	}
	var b strings.Builder
	for _, r := range realSlices {
		p := pages[r.url]
		if p == nil {
			t.Fatalf("%s is not in the corpora", r.url)
		}
		tree, err := tagtree.Parse(p)
		if err != nil {
			t.Fatal(err)
		}
		q, err := slice.ParseQuery(r.query)
		if err != nil {
			t.Fatal(err)
		}
		s := slice.NewSlice(tree, q, slice.Options{Precision: r.precision})
		fmt.Fprintf(&b, "page %s\nquery %s\nprecision %d\nlinks %v\n", r.url, q, r.precision, s.Links())
		for _, path := range s.KeyPaths() {
			fmt.Fprintln(&b, "key", path)
		}
		writeBlocks(t, &b, s)
	}
	golden.Check(t, "slices.golden", []byte(b.String()))
}

// readPages adds the pages of interest of an archive.
func readPages(t *testing.T, path string, pages map[string]*webgraph.Page) {
	t.Helper()
	r, err := warc.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for len(pages) < len(realSlices) && r.Scan() {
		rec, err := r.Record()
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range realSlices {
			if rec.Type() != "response" || rec.TargetURI() != want.url {
				continue
			}
			if pages[want.url], err = rec.Page(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
}

func writeBlocks(t *testing.T, b *strings.Builder, s *slice.Slice) {
	t.Helper()
	var out strings.Builder
	if err := sanitize.Write(&out, s, sanitize.Options{}); err != nil {
		t.Fatal(err)
	}
	tree, err := tagtree.Parse(&webgraph.Page{URL: "http://slice.example.org/", Body: []byte(out.String())})
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range tree.Blocks() {
		sum := sha256.Sum256([]byte(block.Text))
		fmt.Fprintf(b, "block %s %d %x\n", block.Path, block.Start, sum[:8])
	}
}

func ExampleWrite() {
	const body = `<h1>Owls 2026</h1><ul id=menu><li><a href="/fees">Fees</a></ul>
<table><tr><td>Paper submission<td>1 May 2026<tr><td>Conference<td>9 September 2026</table>`
	tree, err := tagtree.Parse(&webgraph.Page{URL: "https://owls.example.org/", Body: []byte(body)})
	if err != nil {
		panic(err)
	}
	q, err := slice.ParseQuery("submission OR deadline")
	if err != nil {
		panic(err)
	}
	part := slice.NewSlice(tree, q, slice.Options{Precision: 1})
	if err := sanitize.Write(os.Stdout, part, sanitize.Options{Fragment: true, Mark: true}); err != nil {
		panic(err)
	}
	// Output: <table><tbody><tr><td>Paper <mark>submission</mark></td><td>1 May 2026</td></tr></tbody></table>
}
