package ui

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/tools"

	"github.com/PuerkitoBio/goquery"
)

// shelf is a Wrappers of a few that records its calls.
type shelf struct {
	list    []tools.Wrapper
	notices []tools.WrapperNotice
	did     []string
	err     error
}

var _ tools.Wrappers = (*shelf)(nil)

func (s *shelf) List(context.Context) ([]tools.Wrapper, error)          { return s.list, s.err }
func (s *shelf) Notices(context.Context) ([]tools.WrapperNotice, error) { return s.notices, s.err }
func (s *shelf) Undo(_ context.Context, name string) (string, error) {
	return "f1", s.do("undo " + name)
}

func (s *shelf) Wrapper(_ context.Context, name string) (tools.Wrapper, error) {
	for _, w := range s.list {
		if w.Name == name {
			return w, nil
		}
	}
	return tools.Wrapper{}, eventseer.ErrNotFound
}

func (s *shelf) SetMeaning(_ context.Context, name, field, meaning string) error {
	return s.do(name + " " + field + " = " + meaning)
}

func (s *shelf) IgnoreField(_ context.Context, name, field string) error {
	return s.do(name + " " + field + " ignored")
}

func (s *shelf) do(what string) error {
	s.did = append(s.did, what)
	return s.err
}

func (s *shelf) handler(t *testing.T) http.Handler {
	t.Helper()
	h, err := tools.NewWrappers(tools.WrapperOptions{Wrappers: s, Meanings: []string{"title", "location"}, Now: func() time.Time { return now }, Version: "1.2"})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func fullShelf() *shelf {
	return &shelf{
		list: []tools.Wrapper{{
			Name: "conf.example-1", Host: "conf.example", Pattern: "conf.example/talks/#", Kind: "record", Status: "active", Pages: 14, Named: 1, Open: 2, CanUndo: true,
			Fields: []tools.WrapperField{
				{ID: "f1", Path: "html/body/h1", Meaning: "title", Evidence: true, Strength: .97, Seen: 14, Examples: []string{"Crawling by Night", "Pages at Sea"}, Proposals: []tools.WrapperProposal{{Meaning: "title", Strength: .97, Pages: 14}}},
				{ID: "f2", Path: "html/body/p[2]", Note: "after “due:”", Repeats: true, Seen: 12, Examples: []string{"12 May 2027", "1 June 2027", "write to chair@conf.example"}, Proposals: []tools.WrapperProposal{{Meaning: "deadlines.submission", Strength: .92, Pages: 11}, {Meaning: "event_dates", Strength: .1, Pages: 2}}},
				{ID: "f3", Path: "html/body/p[3]", Ignored: true, Seen: 14, Examples: []string{"visitor 1204"}},
				{ID: "f4", Path: "html/body/p[4]", Seen: 3},
			},
		}, {Name: "old.example-2", Host: "old.example", Pattern: "old.example/*", Kind: "category", Status: "broken", Pages: 1}},
		notices: []tools.WrapperNotice{
			{At: now.AddDate(0, 0, -9), Host: "conf.example", Pattern: "conf.example/talks/#", Text: "2 fields that nobody has named"},
			{At: now.Add(-time.Hour), Host: "old.example", Pattern: "old.example/*", Text: "set aside"},
		},
	}
}

func wrapperDoc(t *testing.T, h http.Handler, path string, status int) *goquery.Document {
	t.Helper()
	w := answer(t, h, http.MethodGet, path, nil, nil)
	for header, want := range map[string]string{"Content-Security-Policy": web.Policy, "Cache-Control": "no-store", "Referrer-Policy": "same-origin"} {
		if got := w.Header().Get(header); got != want && status == 200 {
			t.Errorf("GET %s: %s = %q, want %q", path, header, got, want)
		}
	}
	local := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Host, r.RemoteAddr = "localhost:8080", "127.0.0.1:4711"
		h.ServeHTTP(w, r)
	})
	return page(t, local, path, status)
}

func TestWrappersPage(t *testing.T) {
	s := fullShelf()
	doc := wrapperDoc(t, s.handler(t), "/wrappers", 200)
	for selector, want := range map[string]string{
		".warnings li:first-child": "10 Jan 2027 08:00 UTC old.example/*: set aside", ".wrappers tbody tr:first-child": "reads pages 14 pages 1 named, 2 to name",
		".wrappers tbody tr:last-child": "disabled: its pages have a different layout now 1 page 0 named",
	} {
		wantText(t, doc, selector, want)
	}
	if href := doc.Find(".wrappers a").First().AttrOr("href", ""); href != "/wrappers/conf.example-1" {
		t.Errorf("a wrapper leads to %q", href)
	}
	wantText(t, wrapperDoc(t, (&shelf{}).handler(t), "/wrappers", 200), ".empty", "There are none yet")
	s.err = errors.New("disk on fire at /secret")
	doc = wrapperDoc(t, s.handler(t), "/wrappers", 200)
	wantText(t, doc, ".problem", "Some wrappers cannot be read")
	if doc.Find(".wrappers tbody tr").Length() != 2 || strings.Contains(doc.Text(), "/secret") {
		t.Error("a bad wrapper hides the others, or its cause is shown")
	}
}

func TestWrapperPage(t *testing.T) {
	h := fullShelf().handler(t)
	doc := wrapperDoc(t, h, "/wrappers/conf.example-1", 200)
	for selector, want := range map[string]string{
		"h1": "conf.example", "#f1 h2": "f1 title, by evidence (97 %)", "#f1 [aria-label=Proposals]": "title alike 97 %", "#f2 h2": "not named yet", "#f2 .meta": "On 12 of 14 pages, several times; after “due:”. html/body/p[2]",
		"#f2 .examples": "12 May 2027 1 June 2027 write to …", "#f2 [aria-label=Proposals]": "deadlines.submission alike 92 % on 11 pages", "#f3 h2": "no data", "#f4 .examples": "No example is kept.",
	} {
		wantText(t, doc, selector, strings.ReplaceAll(want, "12 May 2027 1 June 2027 write to …", "12 May 20271 June 2027write to …"))
	}
	if n := doc.Find("#f3 button[value=ignore]").Length(); n != 0 {
		t.Errorf("%d buttons change nothing", n)
	}
	if got := doc.Find("#f2 form").Last().AttrOr("action", ""); got != "/wrappers/conf.example-1?field=f2" {
		t.Errorf("the form of f2 goes to %q", got)
	}
	wrapperDoc(t, h, "/wrappers/none", 404)
	wrapperDoc(t, h, "/nowhere", 404)
}

func TestWrapperPress(t *testing.T) {
	for name, test := range map[string]struct {
		form   url.Values
		status int
		target string
		did    string
	}{
		"accept":        {url.Values{"press": {"name=deadlines.submission"}}, 303, "/wrappers/conf.example-1#f2", "conf.example-1 f2 = deadlines.submission"},
		"name":          {url.Values{"press": {"name"}, "meaning": {" venue "}}, 303, "/wrappers/conf.example-1#f2", "conf.example-1 f2 = venue"},
		"ignore":        {url.Values{"press": {"ignore"}}, 303, "/wrappers/conf.example-1#f2", "conf.example-1 f2 ignored"},
		"undo":          {url.Values{"press": {"undo"}}, 303, "/wrappers/conf.example-1#f1", "undo conf.example-1"},
		"no name":       {url.Values{"press": {"name"}}, 400, "", ""},
		"no such name":  {url.Values{"press": {"name"}, "meaning": {"<b>"}}, 400, "", ""},
		"no button":     {url.Values{}, 400, "", ""},
		"far too long":  {url.Values{"press": {"name"}, "meaning": {strings.Repeat("a", 2*tools.MaxWrapperForm)}}, 400, "", ""},
		"a long name":   {url.Values{"press": {"name"}, "meaning": {strings.Repeat("a", 65)}}, 400, "", ""},
		"a name within": {url.Values{"press": {"name"}, "meaning": {"a_b.c+d-1"}}, 303, "/wrappers/conf.example-1#f2", "conf.example-1 f2 = a_b.c+d-1"},
	} {
		s := fullShelf()
		w := answer(t, s.handler(t), http.MethodPost, "/wrappers/conf.example-1?field=f2", test.form, nil)
		if got := w.Header().Get("Location"); w.Code != test.status || got != test.target {
			t.Errorf("%s: %d to %q, want %d to %q", name, w.Code, got, test.status, test.target)
		}
		if got := strings.Join(s.did, "; "); got != test.did {
			t.Errorf("%s: did %q, want %q", name, got, test.did)
		}
	}
	s := fullShelf()
	s.err = errors.New("disk full at /secret")
	if w := answer(t, s.handler(t), http.MethodPost, "/wrappers/conf.example-1?field=f2", url.Values{"press": {"ignore"}}, nil); w.Code != 500 || strings.Contains(w.Body.String(), "/secret") {
		t.Errorf("an answer that could not be kept: %d, %s", w.Code, w.Body)
	}
}

// Who is the operator is asked before these pages: TestToolsAreTheOperators.
func TestWrappersRefuseForeignForms(t *testing.T) {
	form := url.Values{"press": {"ignore"}}
	for name, test := range map[string]struct {
		change func(*http.Request)
		want   int
	}{
		"own":            {nil, 303},
		"another site":   {func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, 403},
		"another origin": {func(r *http.Request) { r.Header.Del("Sec-Fetch-Site"); r.Header.Set("Origin", "http://evil.example") }, 403},
	} {
		s := fullShelf()
		w := answer(t, s.handler(t), http.MethodPost, "/wrappers/conf.example-1?field=f2", form, test.change)
		if w.Code != test.want || len(s.did) > 0 != (test.want == 303) {
			t.Errorf("%s: %d and %v, want %d", name, w.Code, s.did, test.want)
		}
	}
}

func TestHostileWrappers(t *testing.T) {
	bad := tools.Wrapper{Name: script, Host: script, Pattern: strings.Repeat(script, 100), Kind: script, Status: script}
	for n := range 1000 {
		bad.Fields = append(bad.Fields, tools.WrapperField{
			ID: fmt.Sprintf("f%d", n), Path: strings.Repeat(script, 50), Note: script, Meaning: script, Seen: 1,
			Examples:  []string{script + "\u202Eمؤتمر", strings.Repeat("x", 10<<10), script, script, script, script},
			Proposals: []tools.WrapperProposal{{Meaning: script, Strength: 1, Pages: 1}, {Meaning: "title", Strength: .5, Pages: 1}},
		})
	}
	s := &shelf{}
	for range 600 {
		s.list = append(s.list, bad)
		s.notices = append(s.notices, tools.WrapperNotice{Host: script, Pattern: script, Text: strings.Repeat(script, 50)})
	}
	h := s.handler(t)
	for _, path := range []string{"/wrappers", tools.WrapperHref(script)} {
		doc := wrapperDoc(t, h, path, 200)
		if doc.Find("main img, main b").Length() != 0 {
			t.Errorf("GET %s: markup of a page became ours", path)
		}
		if n := answer(t, h, http.MethodGet, path, nil, nil).Body.Len(); n > 2<<20 {
			t.Errorf("GET %s: %d bytes", path, n)
		}
	}
}
