package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer/ui/tools"

	"github.com/PuerkitoBio/goquery"
)

// fakeSlicer shows canned pages.
type fakeSlicer struct {
	pages []tools.SlicedPage
	end   tools.SliceEnd
	err   error
	mu    sync.Mutex // guards asked
	asked tools.SliceQuery
	wait  chan struct{} // held until closed, if not nil
	in    chan struct{} // called for each search
}

func (f *fakeSlicer) Slice(ctx context.Context, q tools.SliceQuery, show func(tools.SlicedPage) error) (tools.SliceEnd, error) {
	f.mu.Lock()
	f.asked = q
	f.mu.Unlock()
	if f.wait != nil {
		f.in <- struct{}{}
		select {
		case <-f.wait:
		case <-ctx.Done():
		}
	}
	for _, p := range f.pages {
		if err := show(p); err != nil {
			return tools.SliceEnd{}, err
		}
	}
	return f.end, f.err
}

// said writes a fragment with numbered links, each followed by its result.
func said(text string, links ...int) func(io.Writer, func(io.Writer, int) error) error {
	return func(w io.Writer, after func(io.Writer, int) error) error {
		if _, err := fmt.Fprintf(w, "<div><p>%s</p>", text); err != nil {
			return err
		}
		for _, n := range links {
			fmt.Fprintf(w, `<p><a href="https://x.example/%d" rel="nofollow noopener">link %d</a></p>`, n, n)
			if after != nil {
				if err := after(w, n); err != nil {
					return err
				}
			}
		}
		_, err := io.WriteString(w, "</div>")
		return err
	}
}

// threePages are P1 with links 3 and 7, P2 of link 7, P3 of a link of P2, and a
// page that links to P1.
func threePages() []tools.SlicedPage {
	return []tools.SlicedPage{
		{URL: "https://x.example/", Title: "First", Parent: -1, Link: -1, How: "start", Matches: 2, TimeLeft: 9 * time.Second, Write: said("one", 3, 7),
			LeftOut: []tools.SliceLink{{URL: "https://x.example/out", Anchor: "Out"}, {URL: "javascript:alert(1)", Anchor: script}}},
		{URL: "https://x.example/2", Title: "Second", Parent: 0, Link: 7, Anchor: "link 7", How: "link", Pages: 1, Matches: 1, TimeLeft: 8 * time.Second, Write: said("two", 0)},
		{URL: "https://y.example/3", Title: script, Parent: 1, Link: 0, Anchor: script, How: "link", Pages: 2, Domains: 1, Matches: 1, TimeLeft: 7 * time.Second, Write: said("three")},
		{URL: "https://z.example/", Parent: 0, Link: -1, How: "backlink", Pages: 1, Domains: 1, Matches: 1, TimeLeft: 6 * time.Second, Write: said("four")},
	}
}

func sliceUI(f *fakeSlicer) http.Handler {
	w := &world{}
	return newUI(Options{Store: w, Index: w, Contact: "ops@example.org", Slicer: f, SliceSynonyms: true})
}

const askSlice = "/slice?url=https%3A%2F%2Fx.example%2F&q=wanted"

func getSlice(t *testing.T, h http.Handler, path string, status int) (*goquery.Document, *httptest.ResponseRecorder) {
	t.Helper()
	w := get(t, h, path, status)
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(w.Body.String()))
	if err != nil {
		t.Fatal(err)
	}
	for _, banned := range []string{"script", "[onerror]", "[onclick]", "[style]", "a[href^=javascript]", "img[src^=http]"} {
		if n := doc.Find(banned).Length(); n > 0 {
			t.Errorf("GET %s: %d × %s", path, n, banned)
		}
	}
	if got := w.Header().Get("Cache-Control"); got != "no-store" {
		t.Errorf("GET %s: Cache-Control = %q", path, got)
	}
	return doc, w
}

func TestSliceForm(t *testing.T) {
	f := &fakeSlicer{}
	doc := page(t, sliceUI(f), "/slice", 200)
	if n := doc.Find("form input[name=synonyms]").Length(); n != 1 {
		t.Errorf("%d choices of synonyms", n)
	}
	page(t, sliceUI(f), askSlice+"&precision=3&pages=7&layout=menu&show=page&synonyms=1", 500) // shows nothing
	want := tools.SliceQuery{URL: "https://x.example/", Text: "wanted", Precision: 3, Pages: 7, Menu: true, Highlight: true, Synonyms: true}
	if f.asked != want {
		t.Errorf("asked %+v, want %+v", f.asked, want)
	}
	for path, problem := range map[string]string{
		"/slice?url=https%3A%2F%2Fx.example%2F":      "Write what to search for.",
		"/slice?q=wanted":                            "address",
		"/slice?q=wanted&url=file%3A%2F%2F%2Fetc":    "address",
		askSlice + "&pages=0":                        "The pages must be a number from 1 to 50.",
		askSlice + "&precision=99":                   "precision must be",
		"/slice?url=x&q=" + strings.Repeat("a", 1e4): "too long",
	} {
		wantText(t, page(t, sliceUI(f), path, 400), ".problem", problem)
	}
	f.err = &tools.SliceError{Status: http.StatusForbidden, Text: "Its robots.txt asks not to be read."}
	wantText(t, page(t, sliceUI(f), askSlice, 403), ".problem", "robots.txt")
	f.err = errors.New("secret cause")
	if got := page(t, sliceUI(f), askSlice, 500).Text(); strings.Contains(got, "secret") {
		t.Errorf("shown: %s", got)
	}
	w := &world{}
	off := newUI(Options{Store: w, Index: w})
	wantText(t, page(t, off, askSlice, 200), "main", "no contact is set")
}

// TestSliceStream has each page with the reader before the next is read, in the
// slot of the link that led to it.
func TestSliceStream(t *testing.T) {
	f := &fakeSlicer{pages: threePages(), end: tools.SliceEnd{Reason: "That is all.", Pages: 5, Failed: 1, Waiting: []tools.SliceLink{{URL: "https://x.example/later", Anchor: "Later"}}}}
	doc, w := getSlice(t, sliceUI(f), askSlice, 200)
	if !w.Flushed {
		t.Error("nothing was flushed")
	}
	if n := doc.Find(".found#p1 > template[shadowrootmode=open] section.page slot").Length(); n != 2 {
		t.Errorf("%d slots in the first page", n)
	}
	for id, slot := range map[string]string{"p2": "l7", "p3": "l7", "p4": ""} {
		if got := doc.Find(".found > #"+id).AttrOr("slot", ""); got != slot {
			t.Errorf("%s is in slot %q, want %q", id, got, slot)
		}
	}
	wantText(t, doc, "#p2 .where", "linked as link 7 from First · 1 match · https://x.example/2")
	wantText(t, doc, "#p4 .where", "links to the first page")
	wantText(t, doc, "#p3 h2", "alert(1)")
	wantText(t, doc, "#p1 template details", "2 links of this page left out")
	wantText(t, doc, ".waiting", "Later")
	status := doc.Find(".found > [slot=status]")
	if status.Length() != 5 || !strings.Contains(status.Last().Text(), "That is all. 5 pages read, 1 not to be had") {
		t.Errorf("status = %q", status.Text())
	}

	doc, _ = getSlice(t, sliceUI(f), askSlice+"&layout=menu", 200)
	if n := doc.Find(".found.menued > a[slot=menu]").Length(); n != 4 {
		t.Errorf("%d entries in the menu", n)
	}
	if n := doc.Find(".found.menued > section.page").Length(); n != 4 {
		t.Errorf("%d pages beside the menu", n)
	}
}

// TestSliceBreaksOff ends the page where the search fails in the middle.
func TestSliceBreaksOff(t *testing.T) {
	f := &fakeSlicer{pages: threePages()[:2], err: errors.New("secret cause")}
	doc, _ := getSlice(t, sliceUI(f), askSlice, 200)
	wantText(t, doc, "[slot=status]", "It broke off here.")
	if doc.Find("footer").Length() != 1 || strings.Contains(doc.Text(), "secret") {
		t.Error("the page does not end well")
	}
}

// TestSliceLimit allows at most two slices at a time, and none that another site requested.
func TestSliceLimit(t *testing.T) {
	f := &fakeSlicer{pages: threePages(), wait: make(chan struct{}), in: make(chan struct{}, maxSlices)}
	h := sliceUI(f)
	done := make(chan int, maxSlices)
	for range maxSlices {
		go func() {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, askSlice, nil))
			done <- w.Code
		}()
	}
	for range maxSlices {
		<-f.in
	}
	wantText(t, page(t, h, askSlice, 503), ".problem", "try again")
	close(f.wait)
	for range maxSlices {
		if code := <-done; code != 200 {
			t.Errorf("status %d", code)
		}
	}
	f.wait = nil
	getSlice(t, h, askSlice, 200)
	f.asked = tools.SliceQuery{}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, askSlice, nil)
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != 200 || f.asked.URL != "" || !strings.Contains(w.Body.String(), "x.example") {
		t.Errorf("asked by another site: %d, sliced %q", w.Code, f.asked.URL)
	}
}

// TestSliceWriter has in a file each page inside the one that led to it.
func TestSliceWriter(t *testing.T) {
	for _, tt := range []struct {
		layout tools.SliceLayout
		in     map[string]string // page → its parent
	}{
		{tools.SliceLayout{Query: script, URL: script}, map[string]string{"p2": "#p1 .said", "p3": "#p2 .said", "p4": "main.sheet"}},
		{tools.SliceLayout{Menu: true}, map[string]string{"p2": ".pages", "p3": ".pages", "p4": ".pages", "p1": ".pages"}},
		{tools.SliceLayout{Stream: true}, map[string]string{"p2": ".found", "p3": ".found", "p4": ".found", "p1": "main.sheet"}},
	} {
		var b strings.Builder
		out, err := tools.NewSliceWriter(&b, tt.layout)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range threePages() {
			if err := out.Add(p); err != nil {
				t.Fatal(err)
			}
			if streamed := strings.Contains(b.String(), "<p>"+[]string{"one", "two", "three", "four"}[i]); streamed != tt.layout.Stream {
				t.Errorf("%+v: page %d written: %v", tt.layout, i, streamed)
			}
		}
		if err := out.Close(tools.SliceEnd{Reason: "That is all."}); err != nil {
			t.Fatal(err)
		}
		doc, err := goquery.NewDocumentFromReader(strings.NewReader(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		for id, in := range tt.in {
			if doc.Find(in+" #"+id).Length() != 1 {
				t.Errorf("%+v: %s is not in %s", tt.layout, id, in)
			}
		}
		if doc.Find("script, [onerror]").Length() > 0 || doc.Find("head style").Length() != 2 || doc.Find("link").Length() > 0 {
			t.Errorf("%+v: markup of a page became ours, or something is loaded", tt.layout)
		}
		if got := doc.Find("main").Text(); !strings.Contains(got, "That is all.") || strings.Count(got, "two") != 1 {
			t.Errorf("%+v: %s", tt.layout, got)
		}
	}
}

// TestSliceBehindCutPage shows what a link led to that was cut off where its page
// is too long.
func TestSliceBehindCutPage(t *testing.T) {
	pages := threePages()
	pages[0].Write = said("one", 3) // without link 7
	doc, _ := getSlice(t, sliceUI(&fakeSlicer{pages: pages}), askSlice, 200)
	for _, id := range []string{"p2", "p3"} {
		if slot, in := doc.Find(".found > #" + id).Attr("slot"); in {
			t.Errorf("%s is in slot %q, which is not there", id, slot)
		}
	}
	var b strings.Builder
	sw, err := tools.NewSliceWriter(&b, tools.SliceLayout{Query: "wanted", URL: "https://x.example/"})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pages {
		if err := sw.Add(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := sw.Close(tools.SliceEnd{}); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"two", "three", "four"} {
		if n := strings.Count(b.String(), "<p>"+text+"</p>"); n != 1 {
			t.Errorf("%q is shown %d times", text, n)
		}
	}
}

func TestSliceWriterBounds(t *testing.T) {
	p := threePages()[0]
	for i := range tools.MaxLeftOut + 50 {
		p.LeftOut = append(p.LeftOut, tools.SliceLink{URL: fmt.Sprintf("https://x.example/%d", i)})
	}
	end := tools.SliceEnd{Waiting: p.LeftOut}
	out, err := tools.NewSliceWriter(io.Discard, tools.SliceLayout{Stream: true})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	out.W.Reset(&b)
	if err := errors.Join(out.Add(p), out.Close(end)); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "<li>"); n != tools.MaxLeftOut+1+tools.MaxLeft || !strings.Contains(b.String(), "and 52 more") {
		t.Errorf("%d links listed", n)
	}
	if err := out.Add(tools.SlicedPage{Parent: 7}); err == nil {
		t.Error("a page before its parent was taken")
	}
}

func TestReadSliceQuery(t *testing.T) {
	q, problem := readSliceQuery(url.Values{})
	if problem != "" || q.Precision != startPrecision || q.Pages != startSlicePages {
		t.Errorf("empty form: %+v, %s", q, problem)
	}
}
