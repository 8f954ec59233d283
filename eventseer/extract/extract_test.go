package extract

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

func newTestExtractor() *Extractor {
	return New(Options{Now: func() time.Time { return time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC) }})
}

func parse(t testing.TB, name, body string) *tagtree.Tree {
	t.Helper()
	mediaType := "text/html; charset=utf-8"
	if strings.HasSuffix(name, ".txt") {
		mediaType = "text/plain; charset=utf-8"
	}
	tree, err := tagtree.Parse(&webgraph.Page{
		URL: "https://conf.example/" + name, Status: http.StatusOK,
		Header: http.Header{"Content-Type": {mediaType}}, Body: []byte(body),
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// TestOffsets checks that the source of each deadline is its date in the text of the page.
func TestOffsets(t *testing.T) {
	tree := parse(t, "p.html", "<h1>Wörkshop 2027</h1><p>é Submission: <b>1 March 2027</b> (AoE)</p><p>Workshop: 1 May 2027</p>")
	e, _ := newTestExtractor().Extract(tree)
	if len(e.Deadlines) != 1 {
		t.Fatalf("deadlines %+v", e.Deadlines)
	}
	d := e.Deadlines[0]
	if got := tree.Text()[d.Source.Offset[0]:d.Source.Offset[1]]; got != "1 March 2027" {
		t.Errorf("the source points at %q", got)
	}
	if want := time.Date(2027, 3, 2, 11, 59, 59, 0, time.UTC); !d.Instant.Equal(want) || d.TZ != "AoE" || d.TZSource != eventseer.TZPrinted {
		t.Errorf("instant %v %s %s", d.Instant, d.TZ, d.TZSource)
	}
	if e.EventStart != "2027-05-01" || e.EventEnd != "2027-05-01" {
		t.Errorf("event on %s to %s", e.EventStart, e.EventEnd)
	}
}

func TestNothing(t *testing.T) {
	for _, body := range []string{"", "<p>Hello", "<title>Menu</title><p>Soup of the day."} {
		if e, ok := newTestExtractor().Extract(parse(t, "p.html", body)); ok {
			t.Errorf("%q gives %+v", body, e)
		}
	}
}

// TestExtractIsBounded reads pages with too many elements of each kind.
func TestExtractIsBounded(t *testing.T) {
	var b strings.Builder
	fmt.Fprintf(&b, "<title>%s Conference 2027</title><h1>%s</h1><h2>Conference on River Dams 2027</h2>", strings.Repeat("Long ", 2500), strings.Repeat("A", 10_000))
	for i := range 1000 {
		fmt.Fprintf(&b, "<li>Track %d paper submission: March %d, 2027", i, 1+i%28)
	}
	b.WriteString("<h2>Topics</h2><ul>")
	for i := range 1000 {
		fmt.Fprintf(&b, "<li>subject number %d", i)
	}
	b.WriteString("</ul><h2>Program Committee</h2><ul>")
	for i := range 2000 {
		fmt.Fprintf(&b, "<li>Ann%c%c Bee%c, Some University", 'a'+i%26, 'a'+i/26%26, 'a'+i/676)
	}
	e, ok := newTestExtractor().Extract(parse(t, "p.html", b.String()))
	if !ok || len(e.Deadlines) == 0 || len(e.Topics) == 0 || len(e.Committee) == 0 {
		t.Fatalf("read %d deadlines, %d topics, %d people", len(e.Deadlines), len(e.Topics), len(e.Committee))
	}
	if len(e.Deadlines) > maxDeadlines || len(e.Topics) > maxTopics || len(e.Committee) > maxPeople || len(e.Title) > maxTitleBlock {
		t.Errorf("%d deadlines, %d topics, %d people, title of %d bytes", len(e.Deadlines), len(e.Topics), len(e.Committee), len(e.Title))
	}
}

// TestSameTwice checks that extraction depends only on the page, also if called by many goroutines.
func TestSameTwice(t *testing.T) {
	data, err := os.ReadFile("testdata/list.txtar")
	if err != nil {
		t.Fatal(err)
	}
	tree, x := parse(t, "p.html", string(txtar.Parse(data).Files[0].Data)), newTestExtractor()
	want, _ := x.Extract(tree)
	results := make(chan eventseer.Event)
	for range 8 {
		go func() {
			e, _ := x.Extract(tree)
			results <- e
		}()
	}
	for range 8 {
		if diff := cmp.Diff(want, <-results); diff != "" {
			t.Error(diff)
		}
	}
}

// TestPlainCalls compares the first day of plain-text calls with the one that the posters typed. Most but
// not all of the texts contain it.
func TestPlainCalls(t *testing.T) {
	data, err := os.ReadFile(golden.SharedPath(t, "corpora/wikicfp/events.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	right, all := 0, 0
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		if i%40 != 0 {
			continue
		}
		var call struct {
			Text  string `json:"text"`
			Start string `json:"start_date"`
		}
		if err := json.Unmarshal([]byte(line), &call); err != nil {
			t.Fatal(err)
		}
		start, err := time.Parse("02/01/2006", call.Start)
		if err != nil {
			continue
		}
		all++
		if e, _ := newTestExtractor().Extract(parse(t, "call.txt", call.Text)); e.EventStart == eventseer.Date(start.Format(time.DateOnly)) {
			right++
		}
	}
	if all == 0 || 10*right < 7*all {
		t.Errorf("the first day of %d of %d events read right, want seven in ten", right, all)
	}
}

func FuzzDeadline(f *testing.F) {
	for _, s := range []string{
		"Submission: May 3, 2027", "May 3, 2027: papers due", "was May 1, now May 9, 2027 (23:59 AoE)", "Deadline\x00 31.31.2027",
		"<s>May 1</s> May 9, 2027</li><li>Posters:", "<table><tr><td>Papers<td>1/2/2027<td>3/4/2027",
	} {
		f.Add(s)
	}
	x := newTestExtractor()
	f.Fuzz(func(t *testing.T, s string) {
		tree := parse(t, "p.html", "<title>X 2027</title><ul><li>"+s+"</ul>")
		e, _ := x.Extract(tree)
		for _, d := range e.Deadlines {
			if _, ok := d.Date.Time(); !ok || d.Source.Offset[0] < 0 || d.Source.Offset[1] > len(tree.Text()) || d.Source.Offset[0] >= d.Source.Offset[1] {
				t.Fatalf("%q gives %+v", s, d)
			}
			if !d.Instant.IsZero() && d.TZ == "" {
				t.Fatalf("%q: an instant without a zone: %+v", s, d)
			}
		}
	})
}

// TestUnreadable checks that only responses with readable content give a record.
func TestUnreadable(t *testing.T) {
	page := func(status int, mediaType, body string) *webgraph.Page {
		p := &webgraph.Page{URL: "https://a.example/", Status: status, Header: http.Header{}, Body: []byte(body)}
		if mediaType != "" {
			p.Header.Set("Content-Type", mediaType)
		}
		return p
	}
	for name, c := range map[string]struct {
		page *webgraph.Page
		want string
	}{
		"file":       {page(0, "", "x"), ""},
		"HTML":       {page(200, "text/html; charset=utf-8", "x"), ""},
		"bad header": {page(200, "Text/HTML;;charset", "x"), ""},
		"PDF":        {page(200, "application/pdf", "x"), ""},
		"XHTML":      {page(200, "application/xml", "<?xml version='1.0'?><HTML xmlns='x'>"), ""},
		"redirect":   {page(301, "text/html", "<p>Moved"), "the response has status 301"},
		"error":      {page(503, "text/html", "x"), "the response has status 503"},
		"XML":        {page(200, "text/xml", "<urlset></urlset>"), "the page is of type text/xml"},
		"script":     {page(200, "text/javascript", "x"), "the page is of type text/javascript"},
		"hostile":    {page(200, "a/\x1b[31m"+strings.Repeat("b", 500), "x"), "the page is of type a/" + "…"},
		"sitemap":    {&webgraph.Page{Status: 200, Entries: []webgraph.Entry{{URL: "https://a.example/b"}}}, "the page is a sitemap or a feed"},
	} {
		got := Unreadable(c.page)
		if prefix, cut := strings.CutSuffix(c.want, "…"); got != c.want && !(cut && strings.HasPrefix(got, prefix) && len(got) < 400 && !strings.ContainsRune(got, 0x1b)) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	tree := parse(t, "", `<h1>Workshop on Lakes 2027</h1><p>Submission deadline: 3 May 2027</p>`)
	tree.Page.Status = http.StatusMovedPermanently
	if e, ok := newTestExtractor().Extract(tree); ok || e.Title != "" {
		t.Errorf("the body of a redirect became %q", e.Title)
	}
}
