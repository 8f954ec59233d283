package monitor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const calls = "https://society.example/calls"

// day is so many days into the test, to the hour.
func day(n float64) time.Time { return time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC).Add(fromDays(n)) }

func open(t *testing.T, dir string) *DB {
	t.Helper()
	d, err := Open(dir, Options{Now: func() time.Time { return day(0) }})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// closed closes a DB after a check that finds nothing.
func closed(t *testing.T, d *DB) {
	t.Helper()
	if broken := d.Check(); len(broken) > 0 {
		t.Errorf("check: %v", broken)
	}
	must(t, d.Close())
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func htmlPage(url, body string, at time.Time) *webgraph.Page {
	return &webgraph.Page{
		URL: url, Requested: url, Status: 200, FetchedAt: at, Body: []byte(body),
		Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}, "Etag": {`"1"`}},
	}
}

// listOf is a list of calls with links of these names.
func listOf(names ...string) string {
	var b strings.Builder
	b.WriteString("<title>Calls</title><h1>Calls for papers</h1><ul>")
	for _, n := range names {
		fmt.Fprintf(&b, `<li><a href="/%s">Call of %s</a>`, n, n)
	}
	return b.String() + "</ul>"
}

// toldPage is the input of an observer for a page that was fetched; a nil page is one of that status without
// a body.
func toldPage(t *testing.T, url string, page *webgraph.Page, status int, at time.Time) crawler.StepRecord {
	t.Helper()
	o := crawler.Outcome{Fate: crawler.Fetched, Status: status, At: at}
	var tree *tagtree.Tree
	switch {
	case page != nil:
		var err error
		tree, err = tagtree.Parse(page)
		must(t, err)
		o.Digest, o.ETag, o.LastModified = page.Digest(), page.Header.Get("Etag"), page.Header.Get("Last-Modified")
	case status == http.StatusNotModified:
		o.Fate = crawler.Unchanged
	case status == 0:
		o.Fate = crawler.TryLater
	}
	return crawler.StepRecord{Arrival: crawler.Arrival{Lease: crawler.Lease{Candidate: crawler.Candidate{URL: url, How: crawler.Monitor}}, Outcome: o, Tree: tree}}
}

// TestVersions: pages come back as they were, each with its time, and PDFs and feeds with the text
// read from them. The same bytes again are not a version.
func TestVersions(t *testing.T) {
	dir, ctx := t.TempDir(), t.Context()
	d := open(t, dir)
	first, second := htmlPage(calls, listOf("a"), day(1)), htmlPage(calls, listOf("a", "b"), day(2))
	pdf := &webgraph.Page{
		URL: "https://society.example/call.pdf", Status: 200, FetchedAt: day(1), Body: []byte("%PDF-1.4 ..."), Text: "Call for papers\n",
		Header: http.Header{"Content-Type": {"application/pdf"}},
	}
	feed := &webgraph.Page{
		URL: "https://society.example/feed", Status: 200, FetchedAt: day(1), Body: []byte("<rss/>"), Truncated: true,
		Header:  http.Header{"Content-Type": {"application/rss+xml"}},
		Entries: []webgraph.Entry{{URL: "https://conf.example/", Title: "Conf", Changed: day(0)}},
	}
	empty := &webgraph.Page{URL: "https://society.example/none", Status: 200, FetchedAt: day(1), Body: []byte("<rss />"), Header: http.Header{}, Entries: []webgraph.Entry{}}
	must(t, d.Import(ctx, second, pdf, feed, first, empty))
	must(t, d.Import(ctx, first, htmlPage(calls, listOf("a", "b"), day(3))))
	closed(t, d)

	d = open(t, dir)
	versions, err := d.Versions(calls)
	must(t, err)
	var at []time.Time
	for _, v := range versions {
		at = append(at, v.At)
	}
	if diff := cmp.Diff([]time.Time{day(1), day(2)}, at); diff != "" {
		t.Fatalf("versions (-want +got):\n%s", diff)
	}
	for _, want := range []*webgraph.Page{first, second, pdf, feed, empty} {
		got, err := d.Page(want.URL, want.FetchedAt)
		must(t, err)
		asKept := *want
		asKept.Requested = want.URL
		if diff := cmp.Diff(&asKept, got, cmpopts.IgnoreMapEntries(func(k string, _ []string) bool { return k == "Content-Length" })); diff != "" {
			t.Errorf("%s (-want +got):\n%s", want.URL, diff)
		}
	}
	last, err := d.LastVersion(calls)
	if err != nil || last.Digest() != second.Digest() {
		t.Errorf("last: %v, %v", last, err)
	}
	for _, url := range []string{"https://society.example/", "https://society.example/call", "https://zzz.example/"} {
		if _, err := d.LastVersion(url); !errors.Is(err, ErrNoVersion) {
			t.Errorf("%s: %v, want no version", url, err)
		}
	}
	if _, err := d.Page(calls, day(1.5)); !errors.Is(err, ErrNoVersion) {
		t.Errorf("a version between two: %v", err)
	}
	closed(t, d)
}

// TestRecorder walks a source through its life.
func TestRecorder(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir)
	if _, err := d.Add(calls, Index, ByOperator); err != nil {
		t.Fatal(err)
	}
	var raised []string
	r := &Recorder{DB: d, ListType: "cfp_list", Visited: func(s Source, _ string, alarm bool) {
		if alarm {
			raised = append(raised, string(s.Alarm.Kind))
		}
	}}
	noisy := strings.Replace(listOf("a", "b"), "<ul>", `<script>var nonce = 7</script><ul>`, 1)
	visits := []crawler.StepRecord{
		toldPage(t, calls, htmlPage(calls, listOf("a"), day(1)), 200, day(1)),
		toldPage(t, calls, nil, 304, day(2)),
		toldPage(t, calls, htmlPage(calls, listOf("a", "b"), day(3)), 200, day(3)),
		toldPage(t, calls, htmlPage(calls, noisy, day(4)), 200, day(4)),
		toldPage(t, calls, nil, 0, day(5)),
		toldPage(t, calls, nil, 404, day(6)),
		toldPage(t, calls, nil, 410, day(7)),
		toldPage(t, calls, nil, 404, day(8)),
		toldPage(t, calls, htmlPage(calls, listOf("c"), day(9)), 200, day(9)),
	}
	for _, v := range visits {
		must(t, r.ObservePages([]crawler.StepRecord{v}))
		must(t, r.ObservePages([]crawler.StepRecord{v})) // after a crash
	}
	must(t, r.ObservePages(visits[3:6]))
	s, ok, err := d.Source(calls)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	var fates []string
	for _, v := range s.Visits {
		fates = append(fates, v.Fate.String())
	}
	want := "changed unchanged changed unchanged failed gone gone gone changed"
	if got := strings.Join(fates, " "); got != want {
		t.Errorf("fates:\ngot  %s\nwant %s", got, want)
	}
	if s.Visited != 9 || s.Changed != 3 || s.Failed != 4 || s.Row != 0 || s.Alarm != nil || s.ETag != `"1"` {
		t.Errorf("source: %+v", s)
	}
	if diff := cmp.Diff([]string{"gone"}, raised); diff != "" {
		t.Errorf("alarms (-want +got):\n%s", diff)
	}
	versions, err := d.Versions(calls)
	if err != nil || len(versions) != 3 {
		t.Errorf("%d versions, %v, want 3", len(versions), err)
	}
	closed(t, d)
}

// TestRecognise: calls, lists of calls and pages that yield become sources in a crawl;
// others do not.
func TestRecognise(t *testing.T) {
	d := open(t, t.TempDir())
	r := &Recorder{DB: d, ListType: "cfp_list"}
	page := func(url, parent, pageType string, target bool) crawler.StepRecord {
		v := toldPage(t, url, htmlPage(url, "<p>Page "+url, day(1)), 200, day(1))
		v.Arrival.Lease.How, v.Arrival.Lease.Parent = crawler.Forward, parent
		v.Verdict = crawler.Verdict{PageType: pageType, Target: target}
		return v
	}
	hub := "https://hub.example/"
	must(t, r.ObservePages([]crawler.StepRecord{
		page("https://society.example/", "", "other", false),
		page(calls, "https://society.example/", "cfp_list", false),
		page("https://a.example/cfp", hub, "cfp", true),
		page("https://b.example/cfp", hub, "cfp", true),
		page("https://b.example/cfp", hub, "cfp", true), // told again
		page("https://x.example/cfp", calls, "cfp", true),
	}))
	kinds := func() map[string]string {
		all, err := d.Sources()
		must(t, err)
		got := map[string]string{}
		for _, s := range all {
			got[s.URL] = string(s.Kind) + " by " + string(s.By)
		}
		return got
	}
	want := map[string]string{
		calls: "index by page type", "https://a.example/cfp": "event by page type",
		"https://b.example/cfp": "event by page type", "https://x.example/cfp": "event by page type",
	}
	if diff := cmp.Diff(want, kinds()); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	must(t, r.ObservePages([]crawler.StepRecord{page("https://c.example/cfp", hub, "cfp", true)}))
	want[hub], want["https://c.example/cfp"] = "index by yield", "event by page type"
	if diff := cmp.Diff(want, kinds()); diff != "" {
		t.Errorf("after the third call of a hub (-want +got):\n%s", diff)
	}
	y, err := d.LinkResults(hub)
	if err != nil || y.Records != 3 || len(y.Links) != 3 {
		t.Errorf("yield: %+v, %v", y, err)
	}
	closed(t, d)
}

// TestUnlikelySilence: a source that changed daily raises one alarm when it falls silent for long, keeps
// it, and clears it when it changes again. A source that hardly ever changes raises none.
func TestUnlikelySilence(t *testing.T) {
	type step struct {
		at   float64
		fate Fate
		want AlarmKind
	}
	for name, steps := range map[string][]step{
		"daily": {
			{0, Changed, ""}, {1, Changed, ""}, {2, Changed, ""}, {3, Changed, ""}, {4, Changed, ""},
			{5, Unchanged, ""}, {8, Unchanged, ""}, {13, Unchanged, SilentAlarm}, {20, Unchanged, SilentAlarm}, {21, Failed, SilentAlarm}, {22, Changed, ""},
		},
		"rare":    {{0, Changed, ""}, {60, Changed, ""}, {120, Unchanged, ""}, {180, Changed, ""}, {240, Changed, ""}, {300, Unchanged, ""}},
		"never":   {{0, Changed, ""}, {100, Unchanged, ""}, {1000, Unchanged, ""}},
		"failing": {{0, Changed, ""}, {1, Failed, ""}, {2, Failed, ""}, {3, Failed, FailingAlarm}, {4, Gone, FailingAlarm}, {5, Gone, GoneAlarm}, {6, Unchanged, ""}},
	} {
		s, raised := Source{URL: calls}, 0
		var since time.Time
		for _, step := range steps {
			s.addVisit(Visit{At: day(step.at), Fate: step.fate})
			if s.updateAlarm() {
				raised++
				since = day(step.at)
			}
			got := AlarmKind("")
			if s.Alarm != nil {
				got = s.Alarm.Kind
				if !s.Alarm.Since.Equal(since) {
					t.Errorf("%s: day %v: since %v, want %v", name, step.at, s.Alarm.Since, since)
				}
			}
			if got != step.want {
				t.Errorf("%s: day %v: alarm %q, want %q", name, step.at, got, step.want)
			}
		}
		if want := map[string]int{"daily": 1, "failing": 2}[name]; raised != want {
			t.Errorf("%s: %d alarms raised, want %d", name, raised, want)
		}
	}
}

// TestTornVersion leaves a version without a name, or an incomplete file, as a crash does. The named versions are
// there, and the monitor continues.
func TestTornVersion(t *testing.T) {
	dir, ctx := t.TempDir(), t.Context()
	d := open(t, dir)
	must(t, d.Import(ctx, htmlPage(calls, listOf("a"), day(1))))
	if _, err := d.writeVersions([]*webgraph.Page{htmlPage(calls, listOf("b"), day(2))}); err != nil { // and then the process is killed
		t.Fatal(err)
	}
	must(t, d.Close())
	files, err := filepath.Glob(filepath.Join(dir, VersionsDir, "*.warc.gz"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	info, err := os.Stat(files[0])
	must(t, err)
	must(t, os.Truncate(files[0], info.Size()-10)) // or in the middle of writing
	d = open(t, dir)
	must(t, d.Import(ctx, htmlPage(calls, listOf("c"), day(3))))
	versions, err := d.Versions(calls)
	if err != nil || len(versions) != 2 {
		t.Errorf("%d versions, %v, want 2", len(versions), err)
	}
	closed(t, d)
	must(t, os.Remove(files[0]))
	d = open(t, dir)
	if broken := d.Check(); len(broken) != 2 {
		t.Errorf("without the file: %v, want 2 versions missing", broken)
	}
	must(t, d.Close())
}

// judge knows calls by their URL.
type judge struct{}

func (judge) Visit(_ context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	return crawler.Verdict{Target: strings.Contains(a.URL(), "cfp"), Forward: []crawler.Candidate{{URL: "https://else.example/"}}}, nil
}

// TestStrategy: the new links of a list are proposed, above the floor. An event's page proposes
// none and goes to the sink; other pages propose none.
func TestStrategy(t *testing.T) {
	d := open(t, t.TempDir())
	s, r := &Strategy{DB: d, Judge: judge{}}, &Recorder{DB: d}
	const event = "https://conf.example/2027"
	for url, kind := range map[string]Kind{calls: Index, event: Event} {
		if _, err := d.Add(url, kind, ByOperator); err != nil {
			t.Fatal(err)
		}
	}
	heard := map[string]webgraph.Digest{} // what the frontier knows
	visit := func(url, body string, at float64) (crawler.Verdict, []string) {
		v := toldPage(t, url, htmlPage(url, body, day(at)), 200, day(at))
		v.Arrival.Lease.Digest = heard[url]
		verdict, err := s.Visit(t.Context(), v.Arrival)
		must(t, err)
		v.Verdict = verdict
		must(t, r.ObservePages([]crawler.StepRecord{v}))
		var urls []string
		for _, c := range verdict.Forward {
			if c.Score <= Floor || c.Why == "" || c.Parent != url {
				t.Errorf("proposed: %+v", c)
			}
			urls = append(urls, strings.TrimPrefix(c.URL, "https://society.example/"))
		}
		heard[url] = v.Arrival.Outcome.Digest
		return verdict, urls
	}
	for i, want := range []string{"a b", "c"} {
		if _, got := visit(calls, listOf(strings.Fields("a b c")[:2+i]...), float64(1+i)); strings.Join(got, " ") != want {
			t.Errorf("visit %d: %v, want %s", i, got, want)
		}
	}
	before := heard[calls]
	for i := range 2 { // killed after the version was stored, before the frontier was changed
		heard[calls] = before
		if _, got := visit(calls, listOf("a", "b", "c", "d"), float64(3+i)); strings.Join(got, " ") != "d" {
			t.Errorf("visit %d of what the frontier has not heard of: %v, want d", i, got)
		}
	}
	if v, got := visit(event, listOf("a"), 1); len(got) > 0 || !v.Related || v.Target {
		t.Errorf("an event's page: %+v", v)
	}
	if v, got := visit("https://society.example/cfp", listOf("z"), 1); len(got) > 0 || !v.Target {
		t.Errorf("a new page: %+v", v)
	}
	closed(t, d)
}

// TestBrokenVersion loses the last version of a source. The source is visited like one without a version, and
// has one again; Check continues to name the lost one.
func TestBrokenVersion(t *testing.T) {
	dir, warned := t.TempDir(), 0
	d, err := Open(dir, Options{Warn: func(error) { warned++ }})
	must(t, err)
	if _, err := d.Add(calls, Index, ByOperator); err != nil {
		t.Fatal(err)
	}
	visit := func(at float64) (links int) {
		v := toldPage(t, calls, htmlPage(calls, listOf("a", "b", fmt.Sprint(at)), day(at)), 200, day(at))
		v.Verdict, err = (&Strategy{DB: d, Judge: judge{}}).Visit(t.Context(), v.Arrival)
		must(t, err)
		must(t, (&Recorder{DB: d}).ObservePages([]crawler.StepRecord{v}))
		return len(v.Verdict.Forward)
	}
	visit(1)
	must(t, d.Close())
	must(t, os.RemoveAll(filepath.Join(dir, VersionsDir)))
	d, err = Open(dir, Options{Warn: func(error) { warned++ }})
	must(t, err)
	if links := visit(2); links != 3 || warned == 0 {
		t.Errorf("%d links, %d warnings", links, warned)
	}
	if page, err := d.LastVersion(calls); err != nil || !page.FetchedAt.Equal(day(2)) {
		t.Errorf("the new version: %v", err)
	}
	if broken := d.Check(); len(broken) != 1 {
		t.Errorf("check: %v", broken)
	}
	must(t, d.Close())
}

// TestPlan checks the order in which sources are due, with the data of the store and the results of the
// links.
func TestPlan(t *testing.T) {
	d := open(t, t.TempDir())
	r := &Recorder{DB: d}
	for i, url := range []string{"https://a.example/", "https://b.example/", "https://c.example/"} {
		if _, err := d.Add(url, Event, ByOperator); err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			must(t, r.ObservePages([]crawler.StepRecord{toldPage(t, url, htmlPage(url, "<p>"+url, day(0)), 200, day(0))}))
		}
	}
	planned, err := d.Plan(Plan{Yield: yield{"https://c.example/": {day(4)}}, PerDay: 0.1})
	must(t, err)
	var got []string
	for _, p := range planned {
		got = append(got, p.URL)
	}
	if diff := cmp.Diff([]string{"https://a.example/", "https://c.example/", "https://b.example/"}, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	if !planned[1].At.Equal(day(5)) {
		t.Errorf("the page with a deadline on day 4 is due %v", planned[1].At)
	}
	closed(t, d)
}

// yield knows the moments of pages.
type yield map[string][]time.Time

func (y yield) Yield(url string) (float64, []time.Time, bool) {
	moments, ok := y[url]
	return 1, moments, ok
}

func TestAdd(t *testing.T) {
	d := open(t, t.TempDir())
	for _, test := range []struct {
		url   string
		kind  Kind
		fresh bool
		err   string
	}{
		{"HTTPS://Society.Example:443/calls#top", Index, true, ""},
		{calls, Feed, false, ""},
		{"ftp://society.example/", Index, false, "not an http or https URL"},
		{calls, "blog", false, `unknown kind "blog"`},
	} {
		fresh, err := d.Add(test.url, test.kind, ByOperator)
		if fresh != test.fresh || (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("Add(%s, %s) = %v, %v", test.url, test.kind, fresh, err)
		}
	}
	if was, err := d.Remove(calls); !was || err != nil {
		t.Errorf("remove: %v, %v", was, err)
	}
	if was, err := d.Remove(calls); was || err != nil {
		t.Errorf("remove again: %v, %v", was, err)
	}
	closed(t, d)
}
