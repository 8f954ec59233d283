package simweb

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// An impatient client asks a meter at times that it sets.
type impatient struct {
	t   *testing.T
	m   *Meter
	now time.Time
}

func newImpatient(t *testing.T, delay time.Duration) *impatient {
	c := &impatient{t: t, now: time.Date(2027, 1, 11, 0, 0, 0, 0, time.UTC)}
	w, err := NewLarge(LargeOptions{Seed: 7, Hosts: 50, Pages: 2000, Clock: func() time.Time { return c.now }})
	if err != nil {
		t.Fatal(err)
	}
	c.m = NewMeter(w, MeterOptions{Delay: delay, Now: func() time.Time { return c.now }})
	return c
}

// get asks for a URL and returns the status.
func (c *impatient) get(url string) int {
	c.t.Helper()
	rec := httptest.NewRecorder()
	c.m.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, url, nil))
	return rec.Code
}

func TestMeterFindsWhoIsImpolite(t *testing.T) {
	c := newImpatient(t, 50*time.Millisecond)
	seed := c.m.web.Seeds()[0]
	c.get(seed)
	c.now = c.now.Add(49 * time.Millisecond)
	c.get(seed)
	if n := c.m.Counts(); n.Violations != 0 || n.Fetched != 1 || n.Duplicates != 1 || n.Targets != 1 || n.Shortest != 49*time.Millisecond {
		t.Errorf("within the slack: %+v", n)
	}
	c.now = c.now.Add(48 * time.Millisecond)
	c.get(seed)
	r := c.m.Report()
	if r.Violations != 1 || len(r.Examples) != 1 || !strings.Contains(r.Examples[0].What, "too soon") {
		t.Errorf("too soon: %+v", r)
	}
	host, path := splitURL(seed)
	h, _, _, _ := c.m.web.parse(host, path)
	c.now = c.now.Add(time.Second)
	c.m.begin(h, host, path)
	c.now = c.now.Add(time.Second)
	c.get(seed)
	if r := c.m.Report(); r.Violations != 2 || !strings.Contains(r.Examples[1].What, "under way") {
		t.Errorf("two at once: %+v", r)
	}
}

func TestMeterKnowsRobots(t *testing.T) {
	c := newImpatient(t, 0)
	fenced, slow := false, false
	for n := range 2000 {
		p := c.m.web.placeOfPage(n)
		if c.m.web.dead(p.host) {
			continue
		}
		if url := c.m.web.url(p); p.host.disallowed(p.i) && !fenced {
			fenced = true
			c.get(url)
			if r := c.m.Report(); r.Violations != 1 {
				t.Errorf("%s: %+v", url, r)
			}
		}
	}
	before := c.m.Counts().Violations
	for host := range 50 {
		h := c.m.web.host(host)
		if h.crawlDelay() == 0 || c.m.web.dead(h) {
			continue
		}
		slow = true
		root := "http://" + c.m.web.name(host)
		c.get(root + "/robots.txt")
		c.now = c.now.Add(h.crawlDelay() / 2)
		c.get(root + "/")
		if n := c.m.Counts().Violations; n != before+1 {
			t.Errorf("%s: %d violations of its Crawl-delay", root, n-before)
		}
		before = c.m.Counts().Violations
	}
	if !fenced || !slow {
		t.Skip("this web has no such host")
	}
}

func TestMeterCompares(t *testing.T) {
	c := newImpatient(t, 0)
	w, seeds := c.m.web, c.m.web.Seeds()
	left := ""
	err := w.Reachable(t.Context(), seeds, func(url string) bool {
		if page, _ := w.Page(url); left == "" && page.IsCFP && url != seeds[0] {
			left = url
			return true
		}
		for c.get(url) == http.StatusServiceUnavailable {
			c.now = c.now.Add(time.Second)
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.m.Compare(t.Context(), seeds)
	if err != nil || !r.Complete || r.Missing != 1 || r.TargetsMissing != 1 || r.MissingSome[0] != left || r.Beyond != 0 || r.Fetched != r.Reachable-1 {
		t.Errorf("%+v, %v", r, err)
	}
	n := 0
	if err := c.m.Fetched(func(string) error { n++; return nil }); err != nil || n != r.Fetched {
		t.Errorf("%d pages listed of %d, %v", n, r.Fetched, err)
	}
	if c.get("http://elsewhere.org/") != http.StatusMisdirectedRequest {
		t.Error("it answers for hosts of other webs")
	}
}
