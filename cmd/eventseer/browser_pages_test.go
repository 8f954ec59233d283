package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/internal/browsertest"
	"github.com/eventseer/eventseer/internal/nightly"
)

// Every page that a service serves is accessible, as wide as its screen, and refused
// nothing by its own policy.
func TestBrowserPages(t *testing.T) {
	t.Parallel()
	data, record := builtIn(t)
	f := newFair(t, data)
	f.start("--parts", "web,mail", "--label-input", record, "--labels", filepath.Join(t.TempDir(), "labels.tsv"))
	b := browsertest.Open(t, f.url)
	f.signIn(b)
	heard := b.Listen()
	b.Go("/search?q=acronym:GARD")
	b.Press(".call h2 a")
	event := b.Address()
	looks := []browsertest.Look{browsertest.PhoneLight, browsertest.DesktopDark} // the pages that the tests of ui check, in all four
	checkEach(b, looks,
		"/", "/search?q=web", "/search?q=web+country:norway&all=1", event, event+"/history", "/s/gard",
		"/new", "/changes", "/calendar", "/timeline", "/map", "/data", "/api", "/about", "/bot", "/privacy", "/zone", "/nowhere",
		"/subscribe", "/subscribe?q=hedges", "/signin", "/signin/gone", "/sent", "/clips", "/account", event+"/star", "/unsubscribe/gone",
		"/submit", event+"/report", event+"/appeal", "/removal",
	)
	checkEach(b, browsertest.Looks(),
		"/search?q=nothingatall", "/search?q=%22", "/slice", "/d/gone", "/v/gone",
		"/label", "/label?page=nothing", "/wrappers", "/wrappers/garden.example-1", "/wrappers/nothing",
	)
	b.Go("/admin")
	panels := browsertest.Evaluate[[]string](b, `[...document.querySelectorAll(".panels a")].map(a => a.getAttribute("href"))`)
	if len(panels) < 8 {
		t.Errorf("the operator has %q", panels)
	}
	checkEach(b, browsertest.Looks(), append(panels, "/admin", "/admin/nothing")...)
	for _, said := range heard() {
		if !refusals.MatchString(said) {
			t.Error(said)
		}
	}
	for i, l := range looks { // with all that folds unfolded
		b.See(l)
		for n, path := range []string{"/", "/search?q=web&all=1", event, "/subscribe?q=hedges", "/label"} {
			if !nightly.Enabled() && n%len(looks) != i {
				continue
			}
			b.Go(path)
			b.Unfold()
			b.CheckAs(path+" unfolded", l)
		}
	}
	if bad := deadLinks(b, "/", event, "/about", "/admin", "/wrappers", "/label", "/api", "/data", "/subscribe", "/submit"); len(bad) > 0 {
		t.Errorf("links that lead nowhere: %q", bad)
	}
}

// refusals are what chromium logs of pages that we answer with an error, as we should.
var refusals = regexp.MustCompile(`the server responded with a status of 4\d\d`)

// deadLinks lists the links of pages to pages of ours that are not there.
func deadLinks(b *browsertest.Tab, pages ...string) (bad []string) {
	var links []string
	for _, path := range pages {
		b.Go(path)
		links = append(links, browsertest.Evaluate[[]string](b, `[...document.querySelectorAll("a[href], link[href]")].filter(a => a.host === location.host || a.tagName === "LINK").map(a => a.href.split("#")[0])`)...)
	}
	slices.Sort(links)
	for _, link := range slices.Compact(links) {
		if status := browsertest.Evaluate[int](b, `fetch(`+"`"+strings.ReplaceAll(link, "`", "")+"`"+`).then(r => r.status, () => 0)`); status >= 400 {
			bad = append(bad, link)
		}
	}
	return bad
}
