package crawler_test

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/rundir"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// filler is text of n words that no other name gives.
func filler(name string, n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Map(func(r rune) rune { return 'a' + r - '0' }, strconv.Itoa(int(hash(name, i)))) + " ")
	}
	return b.String()
}

func links(urls ...string) string {
	var b strings.Builder
	for _, url := range urls {
		fmt.Fprintf(&b, "<a href=%q>x</a> ", url)
	}
	return b.String()
}

// crawlFrom follows every link of w from a seed and returns what happened.
func crawlFrom(t *testing.T, w *world, seed string, change func(*crawler.Options)) ([]rundir.Page, crawler.Stats) {
	t.Helper()
	dir := t.TempDir()
	c := openCrawl(t, w, dir)
	o := c.options()
	o.Strategy, o.Backlinker = follower{}, nil
	if change != nil {
		change(&o)
	}
	cr, err := crawler.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if rejected, err := cr.PushSeeds(t.Context(), []string{seed}); err != nil || len(rejected) > 0 {
		t.Fatal(rejected, err)
	}
	stats, err := cr.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c.end()
	return pagesOf(t, dir), stats
}

// pageLines returns a line a page: its path, its cost and the first words of the
// reason.
func pageLines(pages []rundir.Page) (lines []string) {
	for _, p := range pages {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %v %s", strings.TrimPrefix(p.URL, "https://"), p.Cost, p.Reason)))
	}
	return lines
}

func count(pages []rundir.Page, holds func(rundir.Page) bool) (n int) {
	for _, p := range pages {
		if holds(p) {
			n++
		}
	}
	return n
}

// calendar is a world with a calendar that never ends.
func calendar() *world {
	const home = "https://cal.org/month?y=2026&m=1"
	return &world{
		pages: map[string]string{pageURL(0): links(home)},
		endless: func(url string) string {
			var y, m int
			if n, _ := fmt.Sscanf(url, "https://cal.org/month?y=%d&m=%d", &y, &m); n < 2 {
				return ""
			}
			month := func(y, m int) string { return fmt.Sprintf("https://cal.org/month?y=%d&m=%d", y, m) }
			return fmt.Sprintf("<h1>%s %d</h1>No events. %s", time.Month(m), y, links(month(y+m/12, m%12+1), month(y+1, m), month(y-1, m)))
		},
	}
}

// An endless calendar is left after some pages, and its remaining links are reported.
func TestCalendar(t *testing.T) {
	pages, stats := crawlFrom(t, calendar(), pageURL(0), nil)
	if stats.Reason != crawler.Drained || stats.Pages > 25 {
		t.Errorf("%+v", stats)
	}
	why := "trap: 20 pages in a row had the same text at cal.org/month&y&m"
	refused := count(pages, func(p rundir.Page) bool { return p.Reason == why && p.Cost == 0 })
	skipped := count(pages, func(p rundir.Page) bool { return len(p.Skipped) == 1 && strings.HasPrefix(p.Skipped[0], why+": ") })
	if refused < 10 {
		t.Errorf("%d refused, %d with links skipped", refused, skipped)
	}
	if _, stats := crawlFrom(t, calendar(), pageURL(0), func(o *crawler.Options) { o.NoTraps, o.Budget = true, 200 }); stats.Pages != 200 {
		t.Errorf("without the rules: %+v", stats)
	}
}

// A list of calls is not a trap, however long it is and however alike the calls are. Neither are
// pages that are not calls but differ from each other.
func TestListsAreNoTraps(t *testing.T) {
	for name, text := range map[string]string{"calls": "call for papers " + filler("", 80), "others": ""} {
		w := &world{pages: map[string]string{}}
		var events []string
		for i := range 120 {
			url := fmt.Sprintf("https://list.org/event.showcfp?eventid=%d", i)
			events = append(events, url)
			w.pages[url] = fmt.Sprintf("%s number %d", text, i)
			if text == "" {
				w.pages[url] += filler(url, 60)
			}
		}
		w.pages["https://list.org/"] = links(events...)
		if _, stats := crawlFrom(t, w, "https://list.org/", nil); stats.Pages != 121 {
			t.Errorf("%s: %+v", name, stats)
		}
	}
}

// From the third page on that says "not found", the message is believed.
func TestSoft404(t *testing.T) {
	w := &world{
		pages: map[string]string{"https://soft.org/": filler("home", 50) + links("https://soft.org/a", "https://soft.org/b", "https://soft.org/c", "https://soft.org/d")},
		endless: func(url string) string {
			return "<title>Page not found</title><p>Try one of these: " + links(fmt.Sprintf("https://soft.org/%c", 'a'+hash(url)%26), fmt.Sprintf("https://soft.org/x/%c", 'a'+hash("x", url)%26))
		},
	}
	pages, stats := crawlFrom(t, w, "https://soft.org/", nil)
	if soft := count(pages, func(p rundir.Page) bool { return p.Reason == "soft 404" && p.Cost == 1 }); stats.Reason != crawler.Drained || stats.Pages > 10 || soft != stats.Pages-3 {
		t.Errorf("%d soft, %+v", soft, stats)
	}
}

// One text under several URLs of a host is one page.
func TestDuplicates(t *testing.T) {
	text := "<title>Home</title>" + filler("text", 40)
	w := &world{pages: map[string]string{
		"https://a.org/":           text + links("https://a.org/index.html", "https://a.org/print?x=1", "https://b.org/", "https://a.org/short1"),
		"https://a.org/index.html": text + links("https://a.org/never"),
		"https://a.org/print?x=1":  "<h1>" + strings.ToUpper(text) + "</h1> x x x x",
		"https://b.org/":           text + links("https://a.org/short2"),
		"https://a.org/short1":     "few words",
		"https://a.org/short2":     "few words",
		"https://a.org/never":      "never",
	}}
	// The text of links counts: all pages show four.
	for url, body := range w.pages {
		for n := strings.Count(body, "<a "); n < 4 && len(body) > 100 && !strings.Contains(url, "print"); n++ {
			w.pages[url] += "x "
		}
	}
	pages, stats := crawlFrom(t, w, "https://a.org/", nil)
	want := []string{
		"a.org/ 1", "a.org/index.html 1 duplicate of https://a.org/", "a.org/print?x=1 1 duplicate of https://a.org/",
		"b.org/ 1", "a.org/short1 1", "a.org/short2 1",
	}
	if diff := cmp.Diff(want, pageLines(pages)); diff != "" || stats.Spent != 6 {
		t.Errorf("%+v (-want +got):\n%s", stats, diff)
	}
}

func TestDirectives(t *testing.T) {
	const a, b = "https://a.org/", "https://b.org/"
	call := "call for papers " + links(b)
	for name, test := range map[string]struct {
		page   string
		tag    string
		change func(*crawler.Options)
		want   []string
		clips  int
	}{
		"nothing":         {call, "", nil, []string{"a.org/ 1", "b.org/ 1"}, 1},
		"noindex":         {"<meta name=robots content=noindex>" + call, "", nil, []string{"a.org/ 1 noindex: the page asks not to be shown in search engines", "b.org/ 1"}, 0},
		"header":          {call, "noindex, nofollow", nil, []string{"a.org/ 1 noindex: the page asks not to be shown in search engines"}, 0},
		"past":            {call, "unavailable_after: 1 Jan 2026 00:00:00 GMT", nil, []string{"a.org/ 1 noindex: the page asks not to be shown in search engines", "b.org/ 1"}, 0},
		"future":          {call, "unavailable_after: 1 Jan 2027 00:00:00 GMT", nil, []string{"a.org/ 1", "b.org/ 1"}, 1},
		"nofollow":        {"<meta name=robots content=nofollow>" + call, "", nil, []string{"a.org/ 1"}, 1},
		"another's":       {"<meta name=otherbot content=none>" + call, "otherbot: none", nil, []string{"a.org/ 1", "b.org/ 1"}, 1},
		"ours":            {"<meta name=eventseer content=none>" + call, "", nil, []string{"a.org/ 1 noindex: the page asks not to be shown in search engines"}, 0},
		"not obeyed":      {"<meta name=robots content=none>" + call, "none", func(o *crawler.Options) { o.IgnoreDirectives = true }, []string{"a.org/ 1", "b.org/ 1"}, 1},
		"another agent's": {"<meta name=eventseer content=none>" + call, "", func(o *crawler.Options) { o.Agent = "Other" }, []string{"a.org/ 1", "b.org/ 1"}, 1},
	} {
		w := &world{pages: map[string]string{a: "<html><head>" + test.page, b: "b"}, header: map[string]http.Header{a: {"X-Robots-Tag": {test.tag}}}}
		pages, stats := crawlFrom(t, w, a, test.change)
		if diff := cmp.Diff(test.want, pageLines(pages)); diff != "" || stats.Clips != test.clips || stats.Targets != 1 {
			t.Errorf("%s: %+v (-want +got):\n%s", name, stats, diff)
		}
		if skipped := len(pages) == 1; skipped && !slices.Equal(pages[0].Skipped, []string{"nofollow: the page asks crawlers not to follow its links: 1, such as " + b}) {
			t.Errorf("%s: skipped %q", name, pages[0].Skipped)
		}
	}
}

func TestRel(t *testing.T) {
	w := &world{pages: map[string]string{
		"https://a.org/": `<a rel=nofollow href="https://b.org/">1</a> <a rel="ugc" href="https://c.org/">2</a> <a href="https://c.org/">3</a> <a rel=sponsored href="https://d.org/">4</a> <a href="https://e.org/">5</a>`,
		"https://b.org/": "b", "https://c.org/": "c", "https://d.org/": "d", "https://e.org/": "e",
	}}
	for rel, want := range map[crawler.Rel][]string{
		"":                {"a.org/ 1", "b.org/ 1", "c.org/ 1", "d.org/ 1", "e.org/ 1"},
		crawler.RelFollow: {"a.org/ 1", "b.org/ 1", "c.org/ 1", "d.org/ 1", "e.org/ 1"},
		crawler.RelLast:   {"a.org/ 1", "c.org/ 1", "e.org/ 1", "b.org/ 1", "d.org/ 1"},
		crawler.RelSkip:   {"a.org/ 1", "c.org/ 1", "e.org/ 1"},
	} {
		pages, _ := crawlFrom(t, w, "https://a.org/", func(o *crawler.Options) { o.Rel = rel })
		if diff := cmp.Diff(want, pageLines(pages)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", rel, diff)
		}
	}
	if _, err := crawler.New(crawler.Options{Frontier: &fused{}, Fetcher: w, Strategy: follower{}, Rel: "none"}); err == nil {
		t.Error("no error for an unknown policy")
	}
}

// The address a page calls its own is one of its links, within its host.
func TestCanonical(t *testing.T) {
	head := func(url string) string { return `<html><head><link rel=canonical href="` + url + `">` }
	w := &world{pages: map[string]string{
		"https://a.org/?x": head("https://a.org/") + "first " + links("https://a.org/b", "https://a.org/c"),
		"https://a.org/b":  head("https://b.org/") + "b",
		"https://a.org/c":  head("https://a.org/c") + "c",
		"https://a.org/":   head("https://a.org/") + "own",
	}}
	pages, _ := crawlFrom(t, w, "https://a.org/?x", nil)
	if diff := cmp.Diff([]string{"a.org/?x 1", "a.org/b 1", "a.org/c 1", "a.org/ 1"}, pageLines(pages)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Blocked pages, pages that become blocked during the crawl, and blocked targets of redirects are not
// requested.
func TestBlocked(t *testing.T) {
	w := &world{
		pages: map[string]string{
			"https://a.org/":  links("https://a.org/b", "https://a.org/c", "https://a.org/d", "https://a.org/pic.png", "https://a.org/e", "https://a.org/f"),
			"https://a.org/b": "b", "https://a.org/c": "c", "https://a.org/d": "d", "https://closed.org/": "closed",
		},
		redirects: map[string]string{"https://a.org/e": "https://closed.org/", "https://a.org/f": "https://a.org/c"},
	}
	late := false
	w.onFetch = func(url string) { late = late || url == "https://a.org/b" }
	pages, _ := crawlFrom(t, w, "https://a.org/", func(o *crawler.Options) {
		o.Blocked = func(url string) string {
			if url == "https://a.org/c" || url == "https://closed.org/" || late && url == "https://a.org/d" {
				return "blocked: by request"
			}
			return ""
		}
	})
	want := []string{
		"a.org/ 1", "a.org/b 1", "a.org/d 0 blocked: by request",
		"a.org/e 0 redirects to https://closed.org/: blocked: by request", "a.org/c 1 redirected to https://a.org/c: blocked: by request",
	}
	if diff := cmp.Diff(want, pageLines(pages)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want = []string{"blocked: by request: 1, such as https://a.org/c", "a file of a type that is not read: 1, such as https://a.org/pic.png"}
	if diff := cmp.Diff(want, pages[0].Skipped); diff != "" || w.fetches != 4 {
		t.Errorf("%d fetches (-want +got):\n%s", w.fetches, diff)
	}
}

// Sitemaps and feeds of a site with a call are read, once and in measure.
func TestLists(t *testing.T) {
	const a = "https://a.org/"
	entries := func(format string, n int, title string) (es []webgraph.Entry) {
		for i := range n {
			es = append(es, webgraph.Entry{URL: fmt.Sprintf(format, i), Title: title, Changed: recorded.AddDate(0, 0, i%7)})
		}
		return es
	}
	index := entries("https://a.org/map%d.xml", 30, "")
	for i := range index {
		index[i].Sitemap = true
	}
	w := &world{
		pages: map[string]string{a: `<head><link rel=alternate type="application/rss+xml" href="/feed"></head>call for papers ` + links("https://a.org/own")},
		endless: func(url string) string {
			if strings.Contains(url, ".xml") {
				return ""
			}
			return filler(url, 12)
		},
		sitemaps: map[string][]string{a: {"https://a.org/index.xml"}, "https://friend.org/": {"https://a.org/map0.xml"}},
		entries: map[string][]webgraph.Entry{
			"https://a.org/feed":      entries("https://other%d.org/", 3, "call for papers"),
			"https://a.org/index.xml": index,
			"https://a.org/map0.xml":  append(entries("https://a.org/page%d", 300, ""), webgraph.Entry{URL: "https://elsewhere.org/"}, webgraph.Entry{URL: "https://friend.org/", Changed: recorded.AddDate(0, 0, 7)}),
			"https://a.org/map1.xml":  {},
		},
	}
	pages, stats := crawlFrom(t, w, a, func(o *crawler.Options) { o.Lists = true })
	fetched := func(prefix string) int {
		return count(pages, func(p rundir.Page) bool { return strings.HasPrefix(p.URL, prefix) && p.Cost > 0 })
	}
	got := []int{fetched("https://a.org/feed"), fetched("https://other"), fetched("https://a.org/map"), fetched("https://a.org/page"), fetched("https://elsewhere"), fetched("https://friend"), stats.Targets}
	if diff := cmp.Diff([]int{1, 3, 19, 199, 0, 1, 1}, got); diff != "" {
		t.Errorf("feeds, their entries, sitemaps, their entries, foreign ones, those of a friend, targets (-want +got):\n%s", diff)
	}
	if pages[1].URL != "https://a.org/own" {
		t.Errorf("second came %s, not the page's own link", pages[1].URL)
	}
	first := slices.IndexFunc(pages, func(p rundir.Page) bool { return strings.HasPrefix(p.URL, "https://a.org/page") })
	if pages[first].URL != "https://a.org/page6" {
		t.Errorf("first of the sitemap came %s, not what changed last", pages[first].URL)
	}
	if _, stats := crawlFrom(t, w, a, nil); stats.Pages != 2 {
		t.Errorf("without Lists: %+v", stats)
	}
}

// Anyone may ask why a link would not be followed.
func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	c := openCrawl(t, calendar(), dir)
	o := c.options()
	o.Strategy, o.Backlinker = follower{}, nil
	if _, err := c.start(o); err != nil {
		t.Fatal(err)
	}
	o.Blocked = func(url string) string {
		return map[string]string{"https://b.org/": "blocked: by request"}[url]
	}
	why, err := crawler.RefusalChecker(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for url, want := range map[string]string{
		"https://cal.org/month?y=1&m=2": "trap: 20 pages in a row had the same text at cal.org/month&y&m",
		"https://cal.org/x/y/x/y/x/y":   "",
		"https://b.org/":                "blocked: by request",
		"https://b.org/a.zip":           "a file of a type that is not read",
		"ftp://b.org/":                  "out of scope: not an http or https URL",
		"https://b.org/tag/tag/tag/":    `trap: the segment "tag" repeats in the path`,
	} {
		if got := why(url); got != want {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
	c.end()
}

// Pages of usual names are requested if a script makes the menu of a page of an event, or of a seed. For
// other pages they are not.
func TestUsualPages(t *testing.T) {
	const script = `<script src="js/menu.js"></script>`
	own := links("/x/one") + links("/x/two")
	for name, test := range map[string]struct {
		page   string
		linked bool // from a seed; else it is the seed
		want   int
	}{
		"menu by script":    {script + "call for papers", true, 4},
		"no script":         {"call for papers", true, 2},
		"script of others":  {`<script src="https://cdn.example/m.js"></script>call for papers`, true, 2},
		"menu in the page":  {script + "call for papers" + own, true, 2},
		"no page of events": {script + "a garden", true, 2},
		"a seed":            {script + "a garden", false, 3},
		"a seed, no script": {"a garden", false, 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := &world{pages: map[string]string{"https://a.org/x/": test.page, "https://a.org/x/important_dates.html": "dates of the call", "https://a.org/x/committees.html": "people of the call", "https://a.org/cfp.html": "of another site", "https://b.org/": "a garden" + links("https://a.org/x/")}}
			seed := "https://a.org/x/"
			if test.linked {
				seed = "https://b.org/"
			}
			pages, _ := crawlFrom(t, w, seed, func(o *crawler.Options) { o.UsualPages = true })
			got := count(pages, func(p rundir.Page) bool { return p.Status == http.StatusOK })
			if got != test.want {
				t.Errorf("%d pages were read, want %d: %v", got, test.want, pages)
			}
		})
	}
}
