package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/store"
)

// A department is a site on loopback with a list of calls in columns and pages of one
// template.
type department struct {
	*httptest.Server

	mu       sync.Mutex  // guards below
	calls    int         // on the list
	extended map[int]int // days that only the list has
	missing  map[int]bool
	layout   int
}

func newDepartment(t *testing.T) *department {
	d := &department{calls: 11, extended: map[int]int{}, missing: map[int]bool{}}
	d.Server = httptest.NewServer(d)
	t.Cleanup(d.Close)
	return d
}

func (d *department) set(change func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change()
}

// facts are those of the n-th call.
func (d *department) facts(n int) (title, days, deadline string) {
	month := time.Month(2 + n%4)
	return fmt.Sprintf("%dth Workshop on %s 2027", 4+n, inventedSubjects[n%len(inventedSubjects)]),
		fmt.Sprintf("%d-%d October 2027, Bergen, Norway", 3+n, 5+n), fmt.Sprintf("%d %s 2027", 10+n, month)
}

func (d *department) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var n int
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	switch _, err := fmt.Sscanf(r.URL.Path, "/call/%d", &n); {
	case r.URL.Path == "/calls":
		fmt.Fprint(w, "<html><head><title>Calls for papers of the department</title></head><body><h1>Calls for papers: list of workshops and conferences</h1><table><tr><th>Event</th><th>When and where</th><th>Deadline</th></tr>")
		for n := range d.calls {
			title, days, deadline := d.facts(n)
			if more := d.extended[n]; more > 0 {
				deadline = fmt.Sprintf("%d %s 2027", 10+n+more, time.Month(2+n%4))
			}
			fmt.Fprintf(w, "<tr><td><a href=\"/call/%d\">%s</a></td><td>%s</td><td>%s</td></tr>\n", n, title, days, deadline)
		}
		fmt.Fprint(w, "</table></body></html>")
	case err == nil && !d.missing[n]:
		d.call(w, n)
	default:
		http.NotFound(w, r)
	}
}

func (d *department) call(w http.ResponseWriter, n int) {
	title, days, deadline := d.facts(n)
	subject := inventedSubjects[n%len(inventedSubjects)]
	if d.layout == 1 {
		fmt.Fprintf(w, `<html><head><title>Call for papers</title></head><body><table class=page><tr><td class=side><ul><li><a href="/">Start</a></li></ul></td>
<td class=main><div><em>Call for papers</em></div><div class=name><strong>%s</strong></div><div class=dates><span>%s</span></div>
<dl><dt>Paper submission deadline</dt><dd>%s</dd><dt>Notification of acceptance</dt><dd>%d July 2027</dd></dl>
<p>We invite papers on all that has to do with them, of at most ten pages. Topics of interest:</p><ol><li>Theory of %[5]s</li><li>Practice of %[5]s</li></ol></td></tr></table></body></html>`,
			title, days, deadline, 10+n, subject)
		return
	}
	fmt.Fprintf(w, `<html><head><title>Calls</title></head><body><div class=nav><a href="/">Home</a> <a href="/calls">All calls</a></div>
<div class=call><h1>%s</h1><p class=when>%s</p>
<p class=text>We invite papers on all that has to do with them, of at most ten pages. This is a call for papers.</p>
<h2>Important dates</h2><ul class=dates><li>Paper submission: <b>%s</b></li><li>Notification: <b>%d July 2027</b></li></ul>
<h2>Topics</h2><ul class=topics><li>Theory of %[5]s</li><li>Practice of %[5]s</li></ul></div>
<div class=foot>Call number <i>%[6]d</i></div></body></html>`, title, days, deadline, 10+n, subject, 7919*(n+1))
}

// TestMonitorTeachesWrappers watches a list and its calls. Pages of the one template train a
// wrapper that becomes trusted by itself. The list shows a call whose page is missing and an
// extension. After a redesign the wrapper is disabled, the general extractor reads on, and a new
// wrapper is learned from the stored pages.
func TestMonitorTeachesWrappers(t *testing.T) {
	t.Parallel()
	site := newDepartment(t)
	m := &monitored{t: t, data: t.TempDir(), now: time.Date(2027, 1, 4, 9, 0, 0, 0, time.UTC)}
	if code, _, talk := m.run("monitor", "add", site.URL+"/calls"); code != 0 {
		t.Fatal(talk)
	}
	say := func(args ...string) string {
		t.Helper()
		code, out, talk := m.run(args...)
		if code != 0 {
			t.Errorf("%v exits with %d: %s", args, code, talk)
		}
		return out + talk
	}
	event := func(path string) eventseer.Event {
		t.Helper()
		st, err := store.Open(filepath.Join(m.data, app.StoreFile), store.Options{MustExist: true})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = st.Close() }() // read only
		e, err := st.EventOf(t.Context(), site.URL+path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		return e
	}
	wrappers := func(want ...string) {
		t.Helper()
		got := say("wrapper", "list", "--format", "jsonl")
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("wrappers, want %s:\n%s", w, got)
			}
		}
	}
	m.pass()
	wrappers(`"status":"active"`)
	if e := event("/call/10"); e.Sources["title"].Rule != eventseer.WrapperRule {
		t.Errorf("the last call is read by %q", e.Sources["title"].Rule)
	}
	site.set(func() { site.calls, site.missing[11], site.extended[3] = 12, true, 7 })
	for range 2 {
		m.now = m.now.AddDate(0, 0, 20)
		m.pass()
		e := event("/call/11")
		if e.Title != "15th Workshop on Thin Ice 2027" || e.EventStart != "2027-10-14" || len(e.Deadlines) != 1 || e.Deadlines[0].Date != "2027-05-21" || e.Sources["title"].Rule != eventseer.ListRule {
			t.Errorf("of the call whose page is missing the list says %+v", e)
		}
		if ds := event("/call/3").Deadlines; len(ds) != 2 || ds[0].Date != "2027-05-20" || ds[0].ExtendedFrom != "2027-05-13" {
			t.Errorf("extended on the list: %+v", ds)
		}
		if e := event("/call/4"); e.Sources["title"].Rule != eventseer.WrapperRule || e.Sources["title"].URL != site.URL+"/call/4" {
			t.Errorf("the list took over: %+v", e.Sources["title"])
		}
	}
	history := say("show", string(event("/call/11").ID), "--history")
	site.set(func() { site.layout, site.missing[11] = 1, false })
	for range 2 {
		m.now = m.now.AddDate(0, 0, 20)
		m.pass()
	}
	wrappers(`-2"`, `-3"`)
	if e := event("/call/4"); e.EventStart != "2027-10-07" || len(e.Deadlines) != 2 {
		t.Errorf("after the redesign: %+v", e)
	}
	if got := say("monitor", "status"); !strings.Contains(got, "1 index") {
		t.Error(got)
	}
	if strings.Count(history, "2027-05-21") != 1 {
		t.Errorf("the list is told more than once:\n%s", history)
	}
}
