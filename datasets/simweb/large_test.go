package simweb

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/webgraph"

	"golang.org/x/net/html"
	"pgregory.net/rapid"
)

func large(t testing.TB, hosts, pages int, seed uint64) *Large {
	t.Helper()
	w, err := NewLarge(LargeOptions{Seed: seed, Hosts: hosts, Pages: pages})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestLargeBounds(t *testing.T) {
	for _, o := range []LargeOptions{
		{}, {Hosts: 2, Pages: 1}, {Hosts: MaxLargeHosts + 1, Pages: MaxLargePages}, {Hosts: 1, Pages: MaxLargePages + 1},
		{Hosts: -1, Pages: 1}, {Hosts: 1, Pages: 1, Latency: math.NaN()}, {Hosts: 1, Pages: 1, Draws: -1}, {Hosts: 1, Pages: 1, Draws: MaxDraws + 1},
		{Hosts: 1, Pages: 1, Targets: math.NaN()}, {Hosts: 1, Pages: 1, Targets: .5},
	} {
		if _, err := NewLarge(o); err == nil || !strings.Contains(err.Error(), "want") {
			t.Errorf("%+v: %v, want an error that names the bound", o, err)
		}
	}
	for _, size := range [][2]int{{1, 1}, {1, 2}, {2, 2}, {3, 100}, {57, 57}, {100, 1000}} {
		w := large(t, size[0], size[1], 3)
		for n := range size[1] {
			checkPlace(t, w, n)
		}
	}
}

// checkPlace sees that the page's URL is canonical and leads back to it.
func checkPlace(t interface{ Fatalf(string, ...any) }, w *Large, n int) {
	p := w.placeOfPage(n)
	url := w.url(p)
	if c, err := webgraph.Canonical(url); err != nil || c != url {
		t.Fatalf("%s is not canonical: %s %v", url, c, err)
	}
	page, ok := w.Page(url)
	if !ok || page.Kind != p.kind || page.IsCFP != (p.kind == CFP) || page.IsCFP != (page.Event != "") {
		t.Fatalf("Page(%s) = %+v %v", url, page, ok)
	}
	if got, ok := w.placeOf(url); ok && got != p {
		t.Fatalf("placeOf(%s) = %+v, want %+v", url, got, p)
	}
}

func TestParseLarge(t *testing.T) {
	o, err := ParseLarge("hosts=10000,pages=1e6,seed=7,targets=1e-4,draws=12")
	if err != nil || o.Hosts != 10000 || o.Pages != 1e6 || o.Seed != 7 || o.Targets != 1e-4 || o.Draws != 12 {
		t.Errorf("%+v %v", o, err)
	}
	for _, bad := range []string{"", "hosts=1", "hosts=1.5,pages=3", "hosts=1,hosts=1,pages=1", "hosts=1,pages=1e9", "x=1", "hosts=1,pages=1,seed=-1",
		"hosts=NaN,pages=1", strings.Repeat("a", 300), "hosts=1,pages=1,latency=Inf", "hosts=1,pages=1,draws=101", "hosts=1,pages=1,targets=1"} {
		if o, err := ParseLarge(bad); err == nil {
			t.Errorf("ParseLarge(%q) = %+v, want an error", bad, o)
		}
	}
}

func FuzzParseLarge(f *testing.F) {
	f.Add("hosts=10000,pages=1e6,seed=7")
	f.Add("hosts=1,pages=1,latency=.5")
	f.Fuzz(func(t *testing.T, spec string) {
		if o, err := ParseLarge(spec); err == nil && o.check() != nil {
			t.Errorf("%q gives %+v, which NewLarge refuses", spec, o)
		}
	})
}

func FuzzLargeURL(f *testing.F) {
	w := large(f, 300, 3000, 1)
	for n := range 20 {
		f.Add(w.url(w.placeOfPage(n * 100)))
	}
	f.Add("http://uni-1.example/old/0")
	f.Add("http://www.campus-2.example/out/17")
	f.Add("http://conf-99999999999999999999.test/gone/1")
	f.Fuzz(func(t *testing.T, url string) {
		page, ok := w.Page(url)
		if ok && page.Status == 200 && len(w.Links(url)) == 0 {
			t.Errorf("%s is a page without links", url)
		}
		w.Backlinks(url, 3)
		host, path := splitURL(url)
		w.Knows(webgraph.Host(host))
		req := httptest.NewRequest(http.MethodGet, "http://x.example/", nil)
		req.Host, req.URL.Path, req.RequestURI = host, path, path
		rec := httptest.NewRecorder()
		w.ServeHTTP(rec, req)
		if strings.HasPrefix(url, "http://") && page.Status != 0 && rec.Code != 503 && req.URL.RequestURI() == path && path != "/robots.txt" && rec.Code != page.Status && rec.Code != 421 {
			t.Errorf("%s: served %d, told %d", url, rec.Code, page.Status)
		}
	})
}

func TestLargeIsDeterministic(t *testing.T) {
	a, b, other := large(t, 500, 5000, 9), large(t, 500, 5000, 9), large(t, 500, 5000, 10)
	same := 0
	for n := 0; n < 5000; n += 7 {
		if !bytes.Equal(a.render(a.placeOfPage(n)), b.render(b.placeOfPage(n))) {
			t.Fatalf("page %d differs", n)
		}
		if bytes.Equal(a.render(a.placeOfPage(n)), other.render(other.placeOfPage(n))) {
			same++
		}
	}
	if same > 0 {
		t.Errorf("%d pages are the same with another seed", same)
	}
}

func TestLargeLinksAreOnThePages(t *testing.T) {
	w := large(t, 800, 20000, 4)
	texts := map[string]int{}
	sizes := []int{}
	for n := 0; n < 20000; n += 11 {
		p := w.placeOfPage(n)
		body := w.render(p)
		root, err := html.Parse(bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		var got, want []string
		var text strings.Builder
		for node := range root.Descendants() {
			if node.Type == html.ElementNode && node.Data == "a" {
				got = append(got, node.Attr[0].Val+" "+node.FirstChild.Data)
			}
			if node.Type == html.TextNode {
				text.WriteString(node.Data)
			}
		}
		for _, l := range w.links(p) {
			want = append(want, l.Target+" "+l.Anchor)
			if c, err := webgraph.Canonical(l.Target); err != nil || c != l.Target {
				t.Errorf("%s is not canonical", l.Target)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%s\nholds %q\ntold  %q", w.url(p), got, want)
		}
		if other, ok := texts[text.String()]; ok {
			t.Errorf("pages %d and %d say the same", n, other)
		}
		texts[text.String()] = n
		if strings.ContainsAny(text.String(), "{}\x01\x02\x03\x04\x05") {
			t.Errorf("%s: unexpanded text", w.url(p))
		}
		sizes = append(sizes, len(body))
	}
	slices.Sort(sizes)
	t.Logf("bytes: least %d, 1 %% %d, median %d, 99 %% %d, most %d", sizes[0], sizes[len(sizes)/100], sizes[len(sizes)/2], sizes[len(sizes)*99/100], sizes[len(sizes)-1])
	if sizes[len(sizes)/100] < 1500 || sizes[len(sizes)*98/100] > 10<<10 {
		t.Errorf("sizes of pages are out of 1.5 to 10 KB")
	}
}

func TestLargeBacklinks(t *testing.T) {
	w := large(t, 400, 4000, 5)
	links := map[int][]string{}
	for n := range 4000 {
		p := w.placeOfPage(n)
		for i, e := range w.edges(p, nil) {
			if e >= 0 && !w.dead(p.host) {
				links[e] = append(links[e], fmt.Sprint(w.links(p)[i]))
			}
		}
	}
	for n := range 4000 {
		p := w.placeOfPage(n)
		if w.dead(p.host) {
			continue
		}
		var got []string
		for _, l := range w.Backlinks(w.url(p), 1e6) {
			got = append(got, fmt.Sprint(l))
		}
		if a, b := sorted(got), sorted(links[n]); a != b {
			t.Fatalf("%s: backlinks\n%s\nlinks\n%s", w.url(p), a, b)
		}
	}
}

func TestLargeBacklinksProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hosts := rapid.IntRange(1, 300).Draw(t, "hosts")
		pages := rapid.IntRange(hosts, 5000).Draw(t, "pages")
		w, err := NewLarge(LargeOptions{Seed: rapid.Uint64().Draw(t, "seed"), Hosts: hosts, Pages: pages})
		if err != nil {
			t.Fatal(err)
		}
		n := rapid.IntRange(0, pages-1).Draw(t, "page")
		checkPlace(t, w, n)
		p := w.placeOfPage(n)
		if w.dead(p.host) {
			return
		}
		for i, e := range w.edges(p, nil) {
			if e < 0 || w.dead(w.placeOfPage(e).host) {
				continue
			}
			link := w.links(p)[i]
			url := link.Target
			if page, _ := w.Page(url); page.Location != "" {
				url = page.Location
			}
			if !slices.Contains(w.Backlinks(url, 1e6), link) {
				t.Fatalf("%+v is no backlink of %s", link, url)
			}
		}
	})
}

func TestPermutation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 3000).Draw(t, "n")
		p := newPermutation(n, rapid.Uint64().Draw(t, "key"))
		seen := make([]bool, n)
		for x := range n {
			y := p.forward(x)
			if seen[y] || p.inverse(y) != x {
				t.Fatalf("%d → %d is not one to one", x, y)
			}
			seen[y] = true
		}
	})
}

// TestLargeIsMadeLikeAWeb measures degrees, sizes, topics, targets and depth.
func TestLargeIsMadeLikeAWeb(t *testing.T) {
	const pages, hosts = 20000, 1000
	w := large(t, hosts, pages, 7)
	in, out := make([]int, pages), make([]int, pages)
	targets, live, across, local, down := 0, 0, 0, 0, 0
	kinds := map[PageType]int{}
	for n := range pages {
		p := w.placeOfPage(n)
		kinds[p.kind]++
		if p.kind == CFP {
			targets++
		}
		if w.dead(p.host) || p.host.disallowed(p.i) {
			continue
		}
		live++
		for _, e := range w.edges(p, nil) {
			out[n]++
			if e < 0 {
				down++
				continue
			}
			in[e]++
			if to := w.placeOfPage(e); to.host.n != p.host.n {
				across++
				if to.host.topic == p.host.topic {
					local++
				}
			}
		}
	}
	depths, depth := map[string]int{}, []int{}
	for _, s := range w.Seeds() {
		depths[s] = 0
	}
	err := w.Reachable(context.Background(), w.Seeds(), func(url string) bool {
		d := depths[url]
		depth = append(depth, d)
		p, _ := w.placeOf(url)
		for _, e := range w.edges(p, nil) {
			if e < 0 {
				continue
			}
			to := w.url(w.placeOfPage(e))
			if _, ok := depths[to]; !ok {
				depths[to] = d + 1
			}
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	largest := 0
	for h := range hosts {
		largest = max(largest, int(w.starts[h+1]-w.starts[h]))
	}
	slices.Sort(depth)
	reach, share, same := float64(len(depth))/float64(live), float64(targets)/pages, float64(local)/float64(across)
	t.Logf("reached %.4f of %d live, targets %.4f, links between hosts %.2f a page of which %.3f in the topic (chance %.3f), exponents in %.2f out %.2f, most in %d out %d, largest host %d, depth median %d most %d, broken %d, kinds %v",
		reach, live, share, float64(across)/float64(live), same, 1/float64(len(w.topics)), exponent(in, 10), exponent(out, 10), slices.Max(in), slices.Max(out), largest,
		depth[len(depth)/2], depth[len(depth)-1], down, kinds)
	if reach < .93 || reach > .98 || share < .006 || share > .012 || same < .5 || largest > pages/50 {
		t.Error("the web is not as it should be")
	}
	if most := slices.Max(out); most < 100 {
		t.Errorf("the longest list has %d links", most)
	}
	if a := exponent(in, 10); a < 1.7 || a > 3 {
		t.Errorf("exponent of the in-degrees is %.2f", a)
	}
	if a := exponent(out, 10); a < 2.2 || a > 3 {
		t.Errorf("exponent of the out-degrees is %.2f", a)
	}
	if m := depth[len(depth)/2]; m < 4 || m > 12 {
		t.Errorf("the median depth is %d", m)
	}
}

// TestLinksToCallsAreLikeTheFrozenWeb compares where links lead with three parts of the frozen web. These were
// measured by TestWebsOfLabs of cmd/eventseer (doc/figures.md). Most links to calls are within a site, and only
// pages of conferences and lists link to them often.
func TestLinksToCallsAreLikeTheFrozenWeb(t *testing.T) {
	for seed := range uint64(4) {
		w := large(t, 1000, 26000, seed)
		links, toCalls, within := map[PageType]int{}, map[PageType]int{}, 0
		for n := range w.o.Pages {
			p := w.placeOfPage(n)
			for _, e := range w.edges(p, nil) {
				links[p.kind]++
				if e < 0 || w.placeOfPage(e).kind != CFP {
					continue
				}
				toCalls[p.kind]++
				if w.hostOf(e) == p.host.n {
					within++
				}
			}
		}
		all := 0
		for _, n := range toCalls {
			all += n
		}
		if share := float64(within) / float64(all); share < .75 || share > .95 {
			t.Errorf("seed %d: %.3f of the links to calls are within a host", seed, share)
		}
		for kind, bounds := range map[PageType][2]float64{CFP: {.10, .25}, CFPList: {.02, .12}, Conference: {.05, .15}, Homepage: {0, .03}, InstitutionTopic: {0, .01}, Other: {0, .001}} {
			if share := float64(toCalls[kind]) / float64(links[kind]); share < bounds[0] || share > bounds[1] {
				t.Errorf("seed %d: %.4f of the links of pages of type %s lead to calls, want %.3f to %.3f", seed, share, kind, bounds[0], bounds[1])
			}
		}
	}
}

// TestLargeTargets checks the share of calls that the options ask for, and that Calls yields all of them.
func TestLargeTargets(t *testing.T) {
	for _, want := range []float64{0, 1e-3, 1e-4} {
		w, err := NewLarge(LargeOptions{Hosts: 20000, Pages: 500000, Seed: 4, Targets: want})
		if err != nil {
			t.Fatal(err)
		}
		calls := map[string]bool{}
		if err := w.Calls(t.Context(), func(p LargePage) { calls[p.URL] = p.IsCFP && p.Status == 200 }); err != nil {
			t.Fatal(err)
		}
		share := float64(len(calls)) / float64(w.o.Pages)
		if want == 0 {
			want = usualTargets
		}
		if share < want/1.5 || share > want*1.5 {
			t.Errorf("%d calls, a share of %.6f, want %.6f", len(calls), share, want)
		}
		for n := range w.o.Pages {
			if p := w.placeOfPage(n); p.kind == CFP && !w.dead(p.host) && !calls[w.url(p)] {
				t.Fatalf("Calls does not yield %s", w.url(p))
			}
		}
	}
}

func TestDrawsDiffer(t *testing.T) {
	w, err := NewLarge(LargeOptions{Hosts: 1000, Pages: 20000, Seed: 7, Draws: 12})
	if err != nil {
		t.Fatal(err)
	}
	draws := w.Draws()
	if len(draws) != 12 || !slices.Equal(draws[0], w.Seeds()) {
		t.Fatalf("%d draws, the first of them %v", len(draws), draws[0])
	}
	seen := map[string]int{}
	for _, seeds := range draws {
		if len(seeds) != maxSeeds {
			t.Errorf("%d seeds", len(seeds))
		}
		for _, url := range seeds {
			seen[url]++
			if p, _ := w.Page(url); !p.IsCFP || p.Status != 200 {
				t.Errorf("%s is not a call", url)
			}
		}
	}
	if len(seen) < 30 {
		t.Errorf("12 draws have %d different seeds", len(seen))
	}
}

// TestHiddenHosts checks that no link leads to a hidden host from elsewhere. Backlinks of pages of others lead to it,
// and some calls are only there.
func TestHiddenHosts(t *testing.T) {
	w := large(t, 1000, 20000, 7)
	reached, calls, hidden := map[string]bool{}, 0, 0
	if err := w.Reachable(t.Context(), w.Seeds(), func(url string) bool { reached[url] = true; return true }); err != nil {
		t.Fatal(err)
	}
	if err := w.Calls(t.Context(), func(p LargePage) {
		if calls++; !reached[p.URL] {
			hidden++
		}
	}); err != nil {
		t.Fatal(err)
	}
	if hidden == 0 || hidden > calls/8 {
		t.Errorf("%d of %d calls cannot be reached", hidden, calls)
	}
	found := 0
	for h := range w.o.Hosts {
		if !w.hidden(h) || w.dead(w.host(h)) {
			continue
		}
		home := w.placeOfPage(int(w.starts[h]))
		if reached[w.url(home)] {
			t.Errorf("%s is reached", w.url(home))
		}
		above := w.links(home)
		for _, l := range above {
			if slices.ContainsFunc(w.Backlinks(l.Target, 1000), func(b webgraph.Link) bool { return b.Source == w.url(home) }) {
				found++
				break
			}
		}
	}
	if found < 10 {
		t.Errorf("backlinks find %d of the hidden hosts", found)
	}
}

// exponent estimates that of a power law for the values from least up (Clauset,
// Shalizi and Newman 2009, equation 3.7).
func exponent(values []int, least int) float64 {
	n, sum := 0, 0.0
	for _, v := range values {
		if v >= least {
			n++
			sum += math.Log(float64(v) / (float64(least) - .5))
		}
	}
	return 1 + float64(n)/sum
}

func ask(w *Large, method, url string) *httptest.ResponseRecorder {
	rec := httptest.NewRecorder()
	w.ServeHTTP(rec, httptest.NewRequest(method, url, nil))
	return rec
}

func TestLargeServe(t *testing.T) {
	w := large(t, 3000, 9000, 2)
	at := time.Unix(1000, 0)
	w.o.Clock = func() time.Time { return at }
	codes := map[int]int{}
	for n := range 9000 {
		p := w.placeOfPage(n)
		url, host := w.url(p), webgraph.Host(w.name(p.host.n))
		rec := ask(w, http.MethodGet, url)
		codes[rec.Code]++
		want := http.StatusOK
		switch {
		case !w.Knows(host):
			want = http.StatusMisdirectedRequest
		case w.Down(host, at):
			want = http.StatusServiceUnavailable
		}
		if rec.Code != want {
			t.Fatalf("%s: %d, want %d", url, rec.Code, want)
		}
		if want == http.StatusServiceUnavailable {
			for wait := 2; w.Down(host, at.Add(time.Duration(wait)*time.Second)); wait += 2 {
				if wait > 60 {
					t.Errorf("%s stays down", host)
					break
				}
			}
		}
		if l := w.Latency(host); l <= 0 || l > 2*time.Second {
			t.Errorf("%s takes %s", host, l)
		}
	}
	if codes[421] == 0 || codes[503] == 0 {
		t.Errorf("answers are %v, want some 421 and 503", codes)
	}
	seed := w.Seeds()[0]
	if page, _ := w.Page(seed); !page.IsCFP || page.Status != 200 {
		t.Errorf("the seed %s is %+v", seed, page)
	}
	home := "http://" + strings.Split(seed, "/")[2]
	for path, want := range map[string]int{"/robots.txt": 200, "/gone/2": 404, "/gone/3": 410, "/old/0": 301, "/out/5": 301, "/out/x": 404, "/cfp/1": 404} {
		if rec := ask(w, http.MethodGet, home+path); rec.Code != want {
			t.Errorf("%s: %d, want %d", path, rec.Code, want)
		}
	}
	if rec := ask(w, http.MethodPost, seed); rec.Code != 405 {
		t.Errorf("POST: %d", rec.Code)
	}
	if rec := ask(w, http.MethodGet, "http://other.example/"); rec.Code != 421 {
		t.Errorf("a foreign host: %d", rec.Code)
	}
}

func TestLargeDomains(t *testing.T) {
	w := large(t, 2000, 2000, 1)
	domains := map[string]int{}
	for h := range 2000 {
		domains[webgraph.RegisteredDomain(webgraph.Host(w.name(h)))]++
	}
	shared := 0
	for _, n := range domains {
		if n > 1 {
			shared++
		}
	}
	if len(domains) < 1000 || shared < 100 {
		t.Errorf("%d domains, %d of them of several hosts", len(domains), shared)
	}
}

func TestReachableStops(t *testing.T) {
	w := large(t, 100, 1000, 1)
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	err := w.Reachable(ctx, w.Seeds(), func(string) bool { n++; cancel(); return true })
	if err != context.Canceled || n != 1 {
		t.Errorf("%v after %d pages", err, n)
	}
	if err := w.Reachable(context.Background(), w.Seeds(), func(string) bool { n++; return false }); err != nil || n != 2 {
		t.Errorf("%v after %d pages", err, n)
	}
}

func BenchmarkLargeRender(b *testing.B) {
	w := large(b, 10000, 1e6, 7)
	bytes := 0
	b.ResetTimer()
	for i := range b.N {
		bytes += len(w.render(w.placeOfPage(i * 7919 % 1e6)))
	}
	b.SetBytes(int64(bytes / b.N))
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pages/s")
}

func BenchmarkLargeEdges(b *testing.B) {
	w := large(b, 10000, 1e6, 7)
	var buf []int
	for i := range b.N {
		buf = w.edges(w.placeOfPage(i*7919%1e6), buf[:0])
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pages/s")
}

func BenchmarkLargeLinks(b *testing.B) {
	w := large(b, 10000, 1e6, 7)
	for i := range b.N {
		w.links(w.placeOfPage(i * 7919 % 1e6))
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pages/s")
}
