package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/fetch"
	"github.com/eventseer/eventseer/eventseer/ui/tools"
	"github.com/eventseer/eventseer/webgraph"
)

// sliceWeb is a web of one page that links to another.
type sliceWeb struct{ err error }

func (w sliceWeb) Fetch(_ context.Context, r crawler.Request) (*webgraph.Page, error) {
	url := r.URL
	p := &webgraph.Page{URL: url, Requested: url, Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}}}
	switch {
	case w.err != nil:
		return nil, &crawler.FetchError{URL: url, Fate: crawler.Refused, Err: w.err}
	case strings.HasSuffix(url, "/2"):
		p.Body = []byte("<title>Two</title><p>The closing date is near<script>alert(1)</script></p>")
	case strings.HasSuffix(url, "/picture"):
		p.Body, p.Header = []byte("\x89PNG\r\n\x1a\n"), http.Header{"Content-Type": {"image/png"}}
	case strings.HasSuffix(url, "/absent"):
		p.Status = http.StatusNotFound
	default:
		p.Body = []byte(`<title>One</title><ul><li><a href="/2" onclick="alert(1)">Deadlines</a></li></ul><div><p><a href="/3">Else</a></p></div>`)
	}
	return p, nil
}

func newTestSlicer(t *testing.T, w sliceWeb) webSlicer {
	t.Helper()
	synonyms, err := openSynonyms(newTestApp(t), []string{app.OwnSynonyms})
	if err != nil {
		t.Fatal(err)
	}
	return webSlicer{w, synonyms, time.Now}
}

// TestWebSlicer shows pages with stems and synonyms, as safe HTML.
func TestWebSlicer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		synonyms, highlight bool
		want                []string // of each page
	}{
		{false, false, []string{"<mark>Deadlines</mark>"}},
		{true, false, []string{"<mark>Deadlines</mark>", "The <mark>closing date</mark> is near"}},
		{true, true, []string{"Else", "The <mark>closing date</mark> is near"}},
	} {
		var shown []tools.SlicedPage
		q := tools.SliceQuery{URL: "http://conf.example/", Text: "deadline", Precision: 1, Pages: 9, Synonyms: tt.synonyms, Highlight: tt.highlight}
		end, err := newTestSlicer(t, sliceWeb{}).Slice(t.Context(), q, func(p tools.SlicedPage) error {
			shown = append(shown, p)
			return nil
		})
		if err != nil || len(shown) != len(tt.want) || end.Pages != 2 {
			t.Fatalf("%+v: %d pages, %+v, %v", q, len(shown), end, err)
		}
		for i, p := range shown {
			var b strings.Builder
			if err := p.Write(&b, func(w io.Writer, _ int) error { _, err := io.WriteString(w, "<hr>"); return err }); err != nil {
				t.Fatal(err)
			}
			if html := b.String(); !strings.Contains(html, tt.want[i]) || strings.Contains(html, "alert") {
				t.Errorf("%+v: page %d is %s", q, i, html)
			}
			if (len(p.LeftOut) > 0) != (i == 0 && !tt.highlight) {
				t.Errorf("%+v: page %d leaves out %v", q, i, p.LeftOut)
			}
		}
		if last := shown[len(shown)-1]; len(shown) == 2 && (last.Parent != 0 || last.Link != 0 || last.Anchor != "Deadlines" || last.How != "link" || last.Pages != 1) {
			t.Errorf("second page = %+v", last)
		}
	}
}

// TestWebSlicerProblems checks that messages to visitors are understandable, and reveal nothing about our
// network.
func TestWebSlicerProblems(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err       error
		url, text string
		status    int
		say       string
	}{
		{nil, "http://conf.example/", "-", 400, "query"},
		{fetch.ErrPrivateAddress, "http://10.1.2.3/", "a", 403, "public"},
		{errors.New("robots.txt of 10.1.2.3"), "http://conf.example/", "a", 403, "robots.txt"},
		{nil, "http://conf.example/absent", "a", 502, "no such page"},
		{nil, "http://conf.example/picture", "a", 422, "no text"},
	} {
		_, err := newTestSlicer(t, sliceWeb{tt.err}).Slice(t.Context(), tools.SliceQuery{URL: tt.url, Text: tt.text, Pages: 1}, nil)
		var problem *tools.SliceError
		if !errors.As(err, &problem) || problem.Status != tt.status || !strings.Contains(problem.Text, tt.say) || strings.Contains(problem.Text, "10.") {
			t.Errorf("%s: %v, want status %d and %q", tt.url, err, tt.status, tt.say)
		}
	}
}

// heavyWeb is a web of large pages without end.
type heavyWeb struct{ asked *int }

func (w heavyWeb) Fetch(_ context.Context, r crawler.Request) (*webgraph.Page, error) {
	url := r.URL
	*w.asked++
	body := fmt.Sprintf(`<p><a href="/%d">deadline</a></p><!-- %s -->`, *w.asked, strings.Repeat("x", maxVisitorBody))
	return &webgraph.Page{URL: url, Requested: url, Status: http.StatusOK, Body: []byte(body), Header: http.Header{"Content-Type": {"text/html"}}}, nil
}

// TestWebSlicerBytes bounds what a visitor makes us read.
func TestWebSlicerBytes(t *testing.T) {
	t.Parallel()
	var asked int
	s := webSlicer{fetcher: heavyWeb{&asked}, now: time.Now}
	end, err := s.Slice(t.Context(), tools.SliceQuery{URL: "http://conf.example/", Text: "deadline", Pages: 50}, func(tools.SlicedPage) error { return nil })
	if err != nil || asked != maxVisitorBytes/maxVisitorBody || !strings.Contains(end.Reason, "too large") {
		t.Errorf("%d pages asked for, %+v, %v", asked, end, err)
	}
}

// TestNoWebSlicer checks that nothing is offered without a contact, and that no private address is requested
// even if the configuration allows it.
func TestNoWebSlicer(t *testing.T) {
	a := newTestApp(t)
	if s, err := newWebSlicer(a, engine.NewHostTable(a, engine.SliceDelay)); s != nil || err != nil {
		t.Errorf("without a contact: %v, %v", s, err)
	}
	a.Config.Contact, a.Config.AllowPrivate = "ops@example.org", true
	s, err := newWebSlicer(a, engine.NewHostTable(a, engine.SliceDelay))
	if err != nil {
		t.Fatal(err)
	}
	for address, want := range map[string]string{"http://127.0.0.1:8009/": "public", "http://127.0.0.1:22/": "port"} {
		_, err = s.Slice(t.Context(), tools.SliceQuery{URL: address, Text: "a", Pages: 1}, nil)
		var problem *tools.SliceError
		if !errors.As(err, &problem) || !strings.Contains(problem.Text, want) {
			t.Errorf("%s: %v, want %q", address, err, want)
		}
	}
}

// knocking is a web that redirects to a mail server.
type knocking struct{ asked []string }

func (k *knocking) RoundTrip(r *http.Request) (*http.Response, error) {
	k.asked = append(k.asked, r.URL.String())
	resp := &http.Response{StatusCode: http.StatusNotFound, Header: http.Header{}, Body: http.NoBody, Request: r}
	if r.URL.Path != "/robots.txt" {
		resp.StatusCode = http.StatusFound
		resp.Header.Set("Location", "http://mail.example:25/")
	}
	return resp, nil
}

// TestWebPorts leads no visitor to other ports, by a redirect neither.
func TestWebPorts(t *testing.T) {
	var web knocking
	f, err := fetch.New(fetch.Options{Transport: onlyWebPorts(&web)})
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{"http://mail.example:25/", "http://conf.example:8080/"} {
		if p, err := f.Fetch(t.Context(), crawler.Request{URL: address}); !errors.Is(err, errPort) {
			t.Errorf("%s: %v, %v", address, p, err)
		}
	}
	if want := []string{"http://conf.example:8080/robots.txt", "http://conf.example:8080/"}; !slices.Equal(web.asked, want) {
		t.Errorf("asked for %v, want %v", web.asked, want)
	}
}

// TestSliceInterrupted ends the page it was writing and exits with 130.
func TestSliceInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	writeFile(t, dir+"/page.html", `<p>A deadline</p>`)
	out := dir + "/out.html"
	if code := run(ctx, []string{"slice", dir + "/page.html", "--query", "deadline", "-o", out, "--contact", "x@example.org"}, newTestApp(t)); code != exitInterrupted {
		t.Errorf("exit %d, want %d", code, exitInterrupted)
	}
	if html := readFile(t, out); !strings.Contains(html, "<mark>deadline</mark>") || !strings.Contains(html, "</html>") {
		t.Errorf("page = %s", html)
	}
}
