package fetch

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/webtest"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// never is a Turn of hosts that have no time.
func never(webgraph.Host) bool { return false }

// step fetches u as a lease would, with a Turn that grants the hosts named. It returns the result
// in short and the requests made.
func step(t *testing.T, f *Fetcher, w *webtest.Web, u string, grant ...webgraph.Host) (came string, requests []string) {
	t.Helper()
	before, own := len(w.Requests()), webgraph.HostOf(u)
	turn := func(h webgraph.Host) bool {
		if h == own { // it is in hand
			own = ""
			return false
		}
		i := slices.Index(grant, h)
		if i >= 0 {
			grant = slices.Delete(slices.Clone(grant), i, i+1)
		}
		return i >= 0
	}
	p, err := f.Fetch(t.Context(), crawler.Request{URL: u, Turn: turn})
	switch {
	case err != nil:
		came = string(fateOf(err))
	case p.RedirectTarget() != "":
		came = "leads to " + p.RedirectTarget()
	default:
		came = fmt.Sprint(p.Status)
	}
	return came, w.Requests()[before:]
}

// A host without requests is reported as never requested.
func TestFetchSaysUnasked(t *testing.T) {
	w := webtest.Serve(t, map[string]string{"http://a.example/robots.txt": "User-agent: *\nDisallow: /no"})
	f := newFetcher(t, w, nil)
	for i, want := range []bool{false, true} {
		_, err := f.Fetch(t.Context(), crawler.Request{URL: "http://a.example/no", Turn: never})
		var fe *crawler.FetchError
		if !errors.As(err, &fe) || fe.Fate != crawler.Refused || fe.Unasked != want || len(w.Requests()) != 1 {
			t.Errorf("fetch %d: %+v after %q, want unasked %v", i, err, w.Requests(), want)
		}
	}
}

// Every request but the first to the host of the URL needs a turn.
func TestFetchAsksForTurns(t *testing.T) {
	w := webtest.Serve(t, map[string]string{
		"http://a.example/": "home", "http://a.example/new": "new", "http://b.example/": "b", "http://www.c.example/": "c",
	})
	w.Handle("http://a.example/old", webtest.Redirect(301, "/new"))
	w.Handle("http://a.example/away", webtest.Redirect(302, "http://b.example/"))
	w.Handle("http://c.example/robots.txt", webtest.Redirect(301, "http://www.c.example/robots.txt"))
	w.Handle("http://c.example/", webtest.Redirect(301, "http://www.c.example/"))
	f := newFetcher(t, w, nil)
	for _, tt := range []struct {
		name, url string
		grant     []webgraph.Host
		came      string
		requests  []string
	}{
		{"robots.txt takes the turn", "http://a.example/", nil,
			"deferred", []string{"http://a.example/robots.txt"}},
		{"then the page", "http://a.example/", nil, "200", []string{"http://a.example/"}},
		{"a redirect within the host is another turn", "http://a.example/old", nil,
			"leads to http://a.example/new", []string{"http://a.example/old"}},
		{"that may be granted", "http://a.example/old", []webgraph.Host{"a.example"},
			"200", []string{"http://a.example/old", "http://a.example/new"}},
		{"another host has no time for its robots.txt", "http://a.example/away", nil,
			"leads to http://b.example/", []string{"http://a.example/away"}},
		{"another host has time for its robots.txt only", "http://a.example/away", []webgraph.Host{"b.example"},
			"leads to http://b.example/", []string{"http://a.example/away", "http://b.example/robots.txt"}},
		{"another host whose robots.txt is known", "http://a.example/away", []webgraph.Host{"b.example"},
			"200", []string{"http://a.example/away", "http://b.example/"}},
		{"robots.txt behind a redirect waits for that host", "http://c.example/", nil,
			"deferred", []string{"http://c.example/robots.txt"}},
		{"and is not asked from the start", "http://c.example/", nil, "deferred", nil},
		{"whose turn it is does the errand", "http://www.c.example/", nil,
			"deferred", []string{"http://www.c.example/robots.txt"}},
		{"the robots.txt of both is known", "http://c.example/", nil,
			"leads to http://www.c.example/", []string{"http://c.example/"}},
	} {
		came, requests := step(t, f, w, tt.url, tt.grant...)
		if came != tt.came {
			t.Errorf("%s: got %s, want %s", tt.name, came, tt.came)
		}
		if diff := cmp.Diff(tt.requests, requests, cmp.Transformer("empty", func(s []string) []string { return append([]string{}, s...) })); diff != "" {
			t.Errorf("%s: requests (-want +got):\n%s", tt.name, diff)
		}
	}
}

// However many robots.txt files wait for a host, every other turn is its own.
func TestErrandsLeaveTurns(t *testing.T) {
	w := webtest.Serve(t, map[string]string{"http://busy.example/": "page"})
	f := newFetcher(t, w, nil)
	if ok, _, err := f.Allowed(t.Context(), "http://busy.example/"); !ok || err != nil {
		t.Fatal(ok, err)
	}
	var got []string
	for i := range 4 {
		origin := fmt.Sprintf("http://h%d.example", i)
		w.Handle(origin+"/robots.txt", webtest.Redirect(301, "http://busy.example/rules"))
		step(t, f, w, origin+"/")
		came, _ := step(t, f, w, "http://busy.example/")
		got = append(got, came)
	}
	if want := []string{"deferred", "200", "deferred", "200"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A redirect that was not followed is the page.
func TestFetchStopsAtRedirect(t *testing.T) {
	w := webtest.Serve(t, nil)
	w.Handle("http://a.example/1", webtest.Redirect(302, "/2"))
	w.Handle("http://a.example/2", webtest.Status(307, "Location", "/3", "Etag", `"x"`))
	f := newFetcher(t, w, nil)
	if ok, _, err := f.Allowed(t.Context(), "http://a.example/1"); !ok || err != nil {
		t.Fatal(ok, err)
	}
	granted := 0
	p, err := f.Fetch(t.Context(), crawler.Request{URL: "http://a.example/1", Turn: func(webgraph.Host) bool {
		granted++
		return granted <= 2 // the second is the redirect's
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := []webgraph.Redirect{
		{From: "http://a.example/1", To: "http://a.example/2", Status: 302},
		{From: "http://a.example/2", To: "http://a.example/3", Status: 307},
	}
	if diff := cmp.Diff(want, p.Redirects); diff != "" {
		t.Errorf("redirects (-want +got):\n%s", diff)
	}
	if p.URL != "http://a.example/2" || p.Status != 307 || p.RedirectTarget() != "http://a.example/3" ||
		len(p.Body) != 0 || p.Header.Get("Etag") != `"x"` || !p.FetchedAt.Equal(testClock) || p.Addr != "9.9.9.9" {
		t.Errorf("got %+v", p)
	}
}

// The reason of a waiting page names what it waits for.
func TestFetchSaysWhyDeferred(t *testing.T) {
	w := webtest.Serve(t, nil)
	w.Handle("http://a.example/robots.txt", webtest.Redirect(301, "http://b.example/rules"))
	f := newFetcher(t, w, nil)
	for _, tt := range []struct{ url, want string }{
		{"http://c.example/", "robots.txt of http://c.example was read first; the page comes later"},
		{"http://a.example/", "robots.txt of http://a.example leads to http://b.example/rules, which must wait: the host may not be requested now"},
		{"http://b.example/", "robots.txt of http://a.example was read first; the page comes later"},
	} {
		_, err := f.Fetch(t.Context(), crawler.Request{URL: tt.url, Turn: never})
		var fe *crawler.FetchError
		if !errors.As(err, &fe) || fe.Fate != crawler.Deferred || fe.Err.Error() != tt.want || fe.HostFailed {
			t.Errorf("%s: %+v", tt.url, err)
		}
	}
}

// A server that names a time for its robots.txt is believed.
func TestRobotsRetryAfter(t *testing.T) {
	w := webtest.Serve(t, nil)
	w.Handle("http://a.example/robots.txt", webtest.Status(503, "Retry-After", "7200"))
	f := newFetcher(t, w, nil)
	if fe := fetchError(t, f, "http://a.example/"); fe.After.Sub(testClock) != 2*time.Hour {
		t.Errorf("again in %v", fe.After.Sub(testClock))
	}
}

// A robots.txt that waits too long for a host in its way could not be had.
func TestRobotsWaitsEnd(t *testing.T) {
	w := webtest.Serve(t, map[string]string{"http://a.example/": "x"})
	w.Handle("http://a.example/robots.txt", webtest.Redirect(302, "http://b.example/rules"))
	now := testClock
	f := newFetcher(t, w, func(o *Options) { o.Now = func() time.Time { return now } })
	for range maxRobotsStops - 1 {
		if came, _ := step(t, f, w, "http://a.example/"); came != string(crawler.Deferred) {
			t.Fatal(came)
		}
	}
	if came, _ := step(t, f, w, "http://a.example/"); came != string(crawler.TryLater) {
		t.Errorf("got %s after %d stops", came, maxRobotsStops)
	}
	now = now.Add(robotsRetry)
	if came, requests := step(t, f, w, "http://a.example/", "b.example", "a.example"); came != "200" {
		t.Errorf("got %s after %q", came, requests)
	}
}

// Between two tries for a robots.txt the time doubles, up to a day; meanwhile
// rules that were known serve for a week.
func TestRobotsBackOff(t *testing.T) {
	w := webtest.Serve(t, map[string]string{"http://a.example/": "x", "http://b.example/": "x", "http://b.example/no": "x"})
	w.Robots("http://b.example", "User-agent: *\nDisallow: /no")
	now := testClock
	f := newFetcher(t, w, func(o *Options) { o.Now = func() time.Time { return now } })
	step(t, f, w, "http://b.example/")
	for _, origin := range []string{"http://a.example", "http://b.example"} {
		w.Handle(origin+"/robots.txt", webtest.Status(503))
	}
	for i := range 12 {
		fe := fetchError(t, f, "http://a.example/")
		want := min(robotsRetry<<i, robotsTTL)
		if got := fe.After.Sub(now); got != want || !fe.HostFailed || fe.Fate != crawler.TryLater {
			t.Fatalf("failure %d: again in %v, want %v: %+v", i, got, want, fe)
		}
		now = fe.After
	}
	if n := w.Count("http://a.example/robots.txt"); n != 12 {
		t.Errorf("asked %d times", n)
	}
	now = testClock.Add(robotsStale - time.Second)
	if came, requests := step(t, f, w, "http://b.example/", "b.example"); came != "200" || len(requests) != 2 {
		t.Errorf("with rules of last week: %s, %q", came, requests)
	}
	if came, _ := step(t, f, w, "http://b.example/no"); came != string(crawler.Refused) {
		t.Errorf("rules of last week are not obeyed: %s", came)
	}
	now = testClock.Add(robotsStale + robotsTTL)
	if came, _ := step(t, f, w, "http://b.example/"); came != string(crawler.TryLater) {
		t.Errorf("with rules that are too old: %s", came)
	}
}

func TestErrandsAreBounded(t *testing.T) {
	var e pendingRobots
	for i := range maxErrands + 10 {
		for range 2 {
			e.addPending("b.example", fmt.Sprintf("http://h%d.example", i))
		}
	}
	for i := range maxErrands {
		if got := e.removeOldest("b.example"); got != fmt.Sprintf("http://h%d.example", i) {
			t.Fatalf("errand %d: %q", i, got)
		}
		if got := e.removeOldest("b.example"); got != "" {
			t.Fatalf("after errand %d no turn is left for a page: %q", i, got)
		}
	}
	if got := e.removeOldest("b.example"); got != "" || e.count != 0 || len(e.waiting) != 0 {
		t.Errorf("more errands than fit: %q, %d", got, e.count)
	}
	e.addPending("b.example", "http://a.example")
	if e.removeOldest("c.example") != "" || e.removeOldest("b.example") != "http://a.example" {
		t.Error("an errand for another host")
	}
}
