package webtest

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A World is the same every time, its pages lead to more of it, and Denied agrees with its robots.txt files.
func TestWorld(t *testing.T) {
	w := NewWorld(40)
	web := w.Serve(t)
	client := &http.Client{Transport: &http.Transport{DialContext: web.Dial}}
	get := func(url string) string {
		resp, err := client.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != 200 {
			t.Fatalf("%s: status %d, %v", url, resp.StatusCode, err)
		}
		return string(body)
	}
	page := get(pageURL(3, 7))
	links := regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(page, -1)
	if len(links) != 13 || page != get(pageURL(3, 7)) || page == get(pageURL(3, 8)) {
		t.Errorf("%d links, want 13 and the same page twice:\n%s", len(links), page)
	}
	if robots := get("http://www.site1.example/robots.txt"); !strings.Contains(robots, "/private/") {
		t.Errorf("robots.txt of site 1: %q", robots)
	}
	for url, want := range map[string]bool{
		"http://www.site0.example/private/1.html":      false,
		"http://www.site1.example/private/1.html":      true,
		"http://www.site1.example/p/1.html":            false,
		"http://www.site2.example/members/1.html":      true,
		"http://www.site3.example/private/open/1.html": false,
		"http://www.site3.example/private/1.html":      true,
		"http://www.site11.example/p/1.html":           true,
		"http://www.site11.example/robots.txt":         false,
		"http://drip.example/x/1":                      false,
	} {
		if got := w.Denied(url); got != want {
			t.Errorf("Denied(%s) = %v", url, got)
		}
	}
	if w.Pause("www.site6.example") != time.Second || w.Pause("www.site1.example") != 0 {
		t.Error("Pause does not know which site has a Crawl-delay")
	}
	if len(w.Seeds()) < 100 {
		t.Errorf("%d seeds, want all the trouble among them", len(w.Seeds()))
	}
}

// A name has a public address at first and a private one from then on.
func TestRebinding(t *testing.T) {
	w := NewWorld(1)
	for _, want := range []bool{false, true, true} {
		addrs, err := w.Addrs("rebinding.example")
		if err != nil || addrs[0].IsLoopback() != want {
			t.Errorf("%v, %v; want loopback %v", addrs, err, want)
		}
	}
}

// The log contains the times of requests and the pause that each response demanded.
func TestLog(t *testing.T) {
	web := Serve(t, nil)
	web.Handle("http://busy.example/*", Status(503, "Retry-After", "7"))
	client := &http.Client{Transport: &http.Transport{DialContext: web.Dial}}
	for range 2 {
		resp, err := client.Get("http://busy.example/x")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	web.plain.Close() // when all handlers are through
	log := web.Log()
	if len(log) != 2 || log[0].Host != "busy.example" || log[0].Rest != 7*time.Second || log[1].At < log[0].At {
		t.Errorf("log %+v", log)
	}
}
