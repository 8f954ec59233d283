package main

import (
	"strings"
	"testing"
	"time"
)

// A source whose address redirects is visited where it leads. It is so at once if the redirect is
// permanent, also when the page there was fetched before or is of another host, and else after two
// redirects there.
func TestMovedSource(t *testing.T) {
	t.Parallel()
	site, other := newSociety(t), newSociety(t)
	site.moved = map[string]redirected{
		"/old":  {"/calls", 301},
		"/temp": {"/feed", 302},
		"/away": {other.URL + "/calls", 308},
	}
	m := &monitored{t: t, data: t.TempDir(), now: time.Date(2027, 1, 4, 9, 0, 0, 0, time.UTC)}
	add := func(urls ...string) {
		t.Helper()
		if code, _, talk := m.run(append([]string{"monitor", "add"}, urls...)...); code != 0 {
			t.Fatal(talk)
		}
	}
	watched := func() string {
		_, out, talk := m.run("monitor", "list", "--format", "csv")
		var urls []string
		for line := range strings.Lines(out) {
			url, _, _ := strings.Cut(line, ",")
			if url != "url" && !strings.Contains(url, "/cfp/") {
				urls = append(urls, strings.Replace(strings.Replace(url, site.URL, "", 1), other.URL, "other", 1))
			}
		}
		return strings.Join(urls, " ") + talk
	}
	add(site.URL+"/about", site.URL+"/feed", site.URL+"/calls")
	m.pass()
	add(site.URL+"/old", site.URL+"/temp", site.URL+"/away")
	for range 3 {
		m.pass()
		m.now = m.now.AddDate(0, 0, 60)
	}
	if got := watched(); strings.Contains(got, "/old") || strings.Contains(got, "/away") || strings.Contains(got, "/temp") || !strings.Contains(got, "other/calls") || strings.Count(got, "calls") != 2 {
		t.Errorf("watched: %s", got)
	}
	_, out, talk := m.run("monitor", "status")
	if !strings.Contains(out, "alarms    0") && !strings.Contains(out, "alarms   0") {
		t.Errorf("status: %s%s", out, talk)
	}
}
