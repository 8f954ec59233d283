package contextgraph

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// A toyWeb knows the links between pages; each page has its own site unless its name has a slash.
type toyWeb struct {
	in     map[string][]string
	pages  map[string]Page
	calls  int
	failAt map[int]error // by call
	stopAt int           // call at which stop is called
	stop   context.CancelFunc
}

func at(name string) string {
	host, path, _ := strings.Cut(name, "/")
	return "http://" + host + ".example/" + path
}

// toy makes a web of lines "source > target target…".
func toy(lines ...string) *toyWeb {
	w := &toyWeb{in: map[string][]string{}, pages: map[string]Page{}}
	for _, line := range lines {
		source, targets, _ := strings.Cut(line, " > ")
		var links []string
		for _, t := range strings.Fields(targets) {
			w.in[at(t)] = append(w.in[at(t)], at(source))
			links = append(links, at(t))
		}
		w.pages[at(source)] = Page{URL: at(source), Status: http.StatusOK, Links: LinkKeys(links), Bytes: 10, Digest: webgraph.DigestOf([]byte(source)), PageType: "list"}
	}
	return w
}

func (w *toyWeb) Backlinks(ctx context.Context, url string, limit int) (Backlinks, error) {
	w.calls++
	if w.calls == w.stopAt {
		w.stop()
	}
	a := Backlinks{Calls: 1, Cost: 0.5}
	if err := w.failAt[w.calls]; err != nil {
		return a, err
	}
	for _, s := range w.in[url] {
		a.Links = append(a.Links, webgraph.Link{Source: s, Target: url, Anchor: "to " + url})
	}
	return a, nil
}

func (w *toyWeb) Fetch(_ context.Context, url string) (Page, error) {
	p, ok := w.pages[url]
	if !ok {
		return Page{URL: url, Status: http.StatusNotFound}, nil
	}
	return p, nil
}

// layersOf lists the pages of each layer, in order.
func layersOf(g *Graph) []string {
	var layers []string
	for _, n := range g.Nodes {
		for len(layers) <= n.Layer {
			layers = append(layers, "")
		}
		name := strings.Replace(strings.TrimPrefix(n.URL, "http://"), ".example", "", 1)
		layers[n.Layer] = strings.TrimSpace(layers[n.Layer] + " " + strings.TrimSuffix(name, "/"))
	}
	return layers
}

func TestBuild(t *testing.T) {
	tests := map[string]struct {
		web     *toyWeb
		targets string
		o       Options
		want    []string
		edges   int
		of      Layer // of layer 0
	}{
		"chain": {
			web: toy("a > t", "b > a", "c > b"), targets: "t", want: []string{"t", "a", "b", "c"}, edges: 3,
			of: Layer{Asked: 1, Calls: 1, Cost: .5, Told: 1},
		},
		"two layers": {web: toy("a > t", "b > a"), targets: "t", o: Options{Layers: 2}, want: []string{"t", "a"}, edges: 1, of: Layer{Asked: 1, Calls: 1, Cost: .5, Told: 1}},
		"cycle": {
			web: toy("a > t", "t > a", "b > a t"), targets: "t", want: []string{"t", "a b"}, edges: 4,
			of: Layer{Asked: 1, Calls: 1, Cost: .5, Told: 2},
		},
		"self-link": {
			web: toy("t > t", "a > t a"), targets: "t", want: []string{"t", "a"}, edges: 1,
			of: Layer{Asked: 1, Calls: 1, Cost: .5, Told: 2, SelfLinks: 1},
		},
		"target links target": {
			web: toy("t > u", "a > t u"), targets: "t u t", want: []string{"t u", "a"}, edges: 3,
			of: Layer{Asked: 2, Alone: 0, Calls: 2, Cost: 1, Told: 3, Known: 2},
		},
		"dead targets": {web: toy("a > x"), targets: "t u", want: []string{"t u"}, of: Layer{Asked: 2, Alone: 2, Calls: 2, Cost: 1}},
		"in-site links left out": {
			web: toy("t/b > t/a", "a > t/a"), targets: "t/a", want: []string{"t/a", "a"}, edges: 1,
			of: Layer{Asked: 1, Calls: 1, Cost: .5, Told: 2, InSite: 1},
		},
		"in-site links kept": {
			web: toy("t/b > t/a", "a > t/a"), targets: "t/a", o: Options{InSite: true}, want: []string{"t/a", "t/b a"}, edges: 2,
			of: Layer{Asked: 1, Calls: 1, Cost: .5, Told: 2},
		},
		"other spellings are pages": {
			web: toy("s/x > t", "s/x/index.html > t", "u > s/x/index.html"), targets: "t",
			want: []string{"t", "s/x s/x/index.html", "u"}, edges: 3, of: Layer{Asked: 1, Calls: 1, Cost: .5, Told: 2},
		},
		"other spellings are copies": {
			web: toy("s/x > t", "s/x/index.html > t", "u > s/x/index.html"), targets: "t", o: Options{Dedup: Exact},
			want: []string{"t", "s/x"}, edges: 1, of: Layer{Asked: 1, Calls: 1, Cost: .5, Told: 2, Known: 1},
		},
		"a page a site": {
			web: toy("s/x > t", "s/y > t", "u > s/y", "s/y > u"), targets: "t", o: Options{Dedup: Site},
			want: []string{"t", "s/x"}, edges: 1, of: Layer{Asked: 1, Calls: 1, Cost: .5, Told: 2, Duplicates: 1},
		},
		"calls are bounded": {
			web: toy("a > t", "b > u"), targets: "t u", o: Options{MaxCalls: 1}, want: []string{"t u", "a"}, edges: 1,
			of: Layer{Asked: 1, Calls: 1, Cost: .5, Told: 1},
		},
		"cost is bounded": {
			web: toy("a > t", "b > u"), targets: "t u", o: Options{MaxCost: .4}, want: []string{"t u", "a"}, edges: 1,
			of: Layer{Asked: 1, Calls: 1, Cost: .5, Told: 1},
		},
		"nodes are bounded": {
			web: toy("a > t", "b > t"), targets: "t", o: Options{MaxNodes: 2}, want: []string{"t", "a"}, edges: 1,
			of: Layer{Asked: 1, Calls: 1, Cost: .5, Told: 2},
		},
		"edges are bounded": {
			web: toy("a > t", "b > t"), targets: "t", o: Options{MaxEdges: 1}, want: []string{"t", "a b"}, edges: 1,
			of: Layer{Asked: 1, Calls: 1, Cost: .5, Told: 2},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.o.Asker = test.web
			g, err := Build(t.Context(), urls(test.targets), test.o)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, layersOf(g)); diff != "" {
				t.Errorf("layers (-want +got):\n%s", diff)
			}
			if len(g.Edges) != test.edges {
				t.Errorf("got %d edges, want %d: %v", len(g.Edges), test.edges, g.Edges)
			}
			if diff := cmp.Diff(test.of, g.Layers[0]); diff != "" {
				t.Errorf("layer 0 (-want +got):\n%s", diff)
			}
			if bounded := test.o.MaxCalls+test.o.MaxNodes+test.o.MaxEdges > 0 || test.o.MaxCost > 0; bounded != (g.Ended != "") {
				t.Errorf("ended %q", g.Ended)
			}
		})
	}
}

func urls(names string) []string {
	var all []string
	for _, n := range strings.Fields(names) {
		all = append(all, at(n))
	}
	return all
}

func TestBuildRefuses(t *testing.T) {
	web := toy("a > t")
	tests := map[string]struct {
		targets []string
		o       Options
	}{
		"no asker":              {urls("t"), Options{}},
		"no targets":            {nil, Options{Asker: web}},
		"a target is no URL":    {[]string{"mailto:a@b.example"}, Options{Asker: web}},
		"one layer":             {urls("t"), Options{Asker: web, Layers: 1}},
		"too many layers":       {urls("t"), Options{Asker: web, Layers: MaxLayers + 1}},
		"too many links a page": {urls("t"), Options{Asker: web, PerPage: MaxPerPage + 1}},
		"negative":              {urls("t"), Options{Asker: web, Sample: -1}},
		"cost is NaN":           {urls("t"), Options{Asker: web, MaxCost: math.NaN()}},
		"near without pages":    {urls("t"), Options{Asker: web, Dedup: Near}},
	}
	for name, test := range tests {
		if _, err := Build(t.Context(), test.targets, test.o); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestLayersAreDistances compares the layers of random webs with the distances of a separate search.
func TestLayersAreDistances(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 1))
		web := toy()
		const pages = 60
		out := make([][]int, pages)
		for range 100 + r.IntN(100) {
			from, to := r.IntN(pages), r.IntN(pages)
			out[from] = append(out[from], to)
			web.in[at(fmt.Sprint("p", to))] = append(web.in[at(fmt.Sprint("p", to))], at(fmt.Sprint("p", from)))
		}
		g, err := Build(t.Context(), urls("p0 p1"), Options{Asker: web, Layers: 6})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for _, n := range g.Nodes {
			got[n.URL] = n.Layer
		}
		want := map[string]int{}
		for p := range pages {
			if d := distance(out, p); d < 6 {
				want[at(fmt.Sprint("p", p))] = d
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("seed %d: layers are not distances (-want +got):\n%s", seed, diff)
		}
		// The graphs of the targets, merged, are the graph of both.
		one, err1 := Build(t.Context(), urls("p0"), Options{Asker: web, Layers: 6})
		two, err2 := Build(t.Context(), urls("p1"), Options{Asker: web, Layers: 6})
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		merged := map[string]int{}
		for _, n := range Merge("", one, two).Nodes {
			merged[n.URL] = n.Layer
		}
		if diff := cmp.Diff(want, merged); diff != "" {
			t.Errorf("seed %d: merged layers (-want +got):\n%s", seed, diff)
		}
	}
}

// distance returns the number of links from p to page 0 or 1.
func distance(out [][]int, p int) int {
	far := map[int]int{p: 0}
	for queue := []int{p}; len(queue) > 0; queue = queue[1:] {
		if queue[0] < 2 {
			return far[queue[0]]
		}
		for _, to := range out[queue[0]] {
			if _, seen := far[to]; !seen {
				far[to] = far[queue[0]] + 1
				queue = append(queue, to)
			}
		}
	}
	return math.MaxInt
}

func TestSampleOfAHugeLayer(t *testing.T) {
	web := toy()
	for i := range 3000 {
		web.in[at("t")] = append(web.in[at("t")], at(fmt.Sprint("p", i)))
		web.in[at(fmt.Sprint("p", i))] = []string{at(fmt.Sprint("q", i))}
	}
	o := Options{Asker: web, Layers: 3, Sample: 50, PerPage: 1000, Seed: 7}
	build := func(seed uint64) *Graph {
		o.Seed = seed
		g, err := Build(t.Context(), urls("t"), o)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	g := build(7)
	if s := g.Stats(); s.Layers[1].Nodes != 1000 || s.Layers[1].Asked != 50 || s.Layers[2].Nodes != 50 || g.Layers[0].Dropped != 2000 {
		t.Errorf("got %+v", s)
	}
	if diff := cmp.Diff(g, build(7)); diff != "" {
		t.Errorf("the same seed gave another graph:\n%s", diff)
	}
	if cmp.Equal(g.Nodes, build(8).Nodes) {
		t.Error("another seed gave the same sample")
	}
}

func TestAMillionRows(t *testing.T) {
	rows := make([]webgraph.Link, 1_000_000)
	for i := range rows {
		rows[i] = webgraph.Link{Source: "http://s" + fmt.Sprint(i) + ".example/", Target: "http://t.example/"}
	}
	rows[0].Target = "http://other.example/"
	rows[1].Source = "javascript:void(0)"
	rows[2].Source = rows[3].Source
	rows[4].Source = "http://long.example/" + strings.Repeat("x", 1<<20)
	rows[5].Anchor = strings.Repeat("x", 1<<20)
	asker := askerFunc(func(context.Context, string, int) (Backlinks, error) {
		return Backlinks{Links: rows, Calls: -1, Cost: math.Inf(1)}, nil
	})
	g, err := Build(t.Context(), urls("t"), Options{Asker: asker, Layers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Layer{Asked: 1, Told: 99, Dropped: 999_900 + 4}, g.Layers[0]); diff != "" || len(g.Nodes) != 97 {
		t.Errorf("%d nodes; layer 0 (-want +got):\n%s", len(g.Nodes), diff)
	}
}

type askerFunc func(context.Context, string, int) (Backlinks, error)

func (f askerFunc) Backlinks(ctx context.Context, url string, limit int) (Backlinks, error) {
	return f(ctx, url, limit)
}

func TestFailingBacklinkSource(t *testing.T) {
	busy := errors.New("busy")
	web := toy("a > t", "b > u")
	web.failAt = map[int]error{1: busy}
	g, err := Build(t.Context(), urls("t u"), Options{Asker: web, Layers: 2})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"t u", "b"}, layersOf(g)); diff != "" || g.Layers[0].Failed != 1 || g.Layers[0].Calls != 2 {
		t.Errorf("%+v (-want +got):\n%s", g.Layers[0], diff)
	}
	var targets []string
	for i := range 50 {
		targets = append(targets, at(fmt.Sprint("t", i)))
	}
	calls := 0
	dead := askerFunc(func(context.Context, string, int) (Backlinks, error) { calls++; return Backlinks{Calls: 1}, busy })
	g, err = Build(t.Context(), targets, Options{Asker: dead})
	if !errors.Is(err, busy) || calls != maxFailures || len(g.Nodes) != 50 {
		t.Errorf("got %v after %d calls, %d nodes", err, calls, len(g.Nodes))
	}
}

func TestPagesAreFetched(t *testing.T) {
	web := toy("a > t", "b > t", "c > t", "d > t", "e > t")
	delete(web.pages, at("b"))                 // gone
	long := web.pages[at("c")]                 // has nearly the text of a
	long.Words, long.Fingerprint = 100, 0b1011 //
	web.pages[at("c")] = long
	first := web.pages[at("a")]
	first.Words, first.Fingerprint = 100, 0b1010
	web.pages[at("a")] = first
	stale := web.pages[at("d")]
	stale.Links = nil
	web.pages[at("d")] = stale
	same := web.pages[at("a")]
	same.URL = at("a") // e answers with a
	same.Words = 0
	web.pages[at("e")] = same
	tests := []struct {
		dedup    Dedup
		verified bool
		want     []string
		of       Layer
	}{
		{None, false, []string{"t", "a c d e"}, Layer{Asked: 1, Calls: 1, Cost: .5, Told: 5, Gone: 1}},
		{None, true, []string{"t", "a c e"}, Layer{Asked: 1, Calls: 1, Cost: .5, Told: 5, Gone: 1, Stale: 1}},
		{Exact, false, []string{"t", "a c d"}, Layer{Asked: 1, Calls: 1, Cost: .5, Told: 5, Gone: 1, Duplicates: 1}},
		{Near, false, []string{"t", "a d"}, Layer{Asked: 1, Calls: 1, Cost: .5, Told: 5, Gone: 1, Duplicates: 2}},
	}
	for _, test := range tests {
		g, err := Build(t.Context(), urls("t"), Options{Asker: web, Fetcher: web, Dedup: test.dedup, Verified: test.verified, Layers: 2})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(test.want, layersOf(g)); diff != "" {
			t.Errorf("%s: layers (-want +got):\n%s", dedupNames[test.dedup], diff)
		}
		if diff := cmp.Diff(test.of, g.Layers[0]); diff != "" {
			t.Errorf("%s: layer 0 (-want +got):\n%s", dedupNames[test.dedup], diff)
		}
		for _, e := range g.Edges {
			if want := g.Nodes[e.From].URL != at("d"); e.Verified != want {
				t.Errorf("%s: link from %s verified: %v", dedupNames[test.dedup], g.Nodes[e.From].URL, e.Verified)
			}
		}
	}
}

// TestResume stops a build after every query and resumes it. The graph equals that of an
// uninterrupted build, and nothing is queried or fetched twice.
func TestResume(t *testing.T) {
	lines := []string{"a > t u", "b > t a", "c > a b t/x", "d > c u", "e > d a", "t/x > a"}
	options := func(w *toyWeb, j *Journal) Options {
		return Options{Asker: w, Fetcher: w, Journal: j, Dedup: Near, Sample: 3, Seed: 3}
	}
	whole := toy(lines...)
	want, err := Build(t.Context(), urls("t u"), options(whole, nil))
	if err != nil {
		t.Fatal(err)
	}
	for stop := 1; stop <= whole.calls; stop++ {
		path := filepath.Join(t.TempDir(), "state")
		ctx, cancel := context.WithCancel(t.Context())
		first := toy(lines...)
		first.stopAt, first.stop = stop, cancel
		j, err := OpenJournal(path, "toy")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Build(ctx, urls("t u"), options(first, j)); !errors.Is(err, context.Canceled) {
			t.Fatalf("stopped at call %d: got %v", stop, err)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
		if j, err = OpenJournal(path, "toy"); err != nil {
			t.Fatal(err)
		}
		second := toy(lines...)
		got, err := Build(t.Context(), urls("t u"), options(second, j))
		if err := errors.Join(err, j.Close()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("stopped at call %d (-want +got):\n%s", stop, diff)
		}
		if asked := first.calls + second.calls; asked != whole.calls || j.Stats().Calls != second.calls {
			t.Errorf("stopped at call %d: %d calls in all, want %d", stop, asked, whole.calls)
		}
	}
}

func TestProgress(t *testing.T) {
	var seen []Progress
	_, err := Build(t.Context(), urls("t"), Options{Asker: toy("a > t", "b > a"), Layers: 3, Progress: func(p Progress) { seen = append(seen, p) }})
	want := []Progress{
		{Layer: 0, Asked: 1, ToAsk: 1, Nodes: 2, Edges: 1, Calls: 1, Cost: .5},
		{Layer: 1, Asked: 1, ToAsk: 1, Nodes: 3, Edges: 2, Calls: 2, Cost: 1},
	}
	if diff := cmp.Diff(want, seen); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

func TestEdgesAreInOrder(t *testing.T) {
	g, err := Build(t.Context(), urls("t u"), Options{Asker: toy("a > u t", "b > a t u", "u > t")})
	sorted := slices.IsSortedFunc(g.Edges, func(a, b Edge) int { return (a.From-b.From)*1000 + a.To - b.To })
	if err != nil || !sorted {
		t.Errorf("%v, edges %v", err, g.Edges)
	}
}

// A crowdedWeb is of pages with as many links as are kept of one.
type crowdedWeb struct{ links []uint64 }

func (crowdedWeb) Backlinks(context.Context, string, int) (Backlinks, error) { return Backlinks{}, nil }

func (w crowdedWeb) Fetch(_ context.Context, url string) (Page, error) {
	return Page{URL: url, Status: http.StatusOK, Links: w.links}, nil
}

func TestLinksOfPagesAreBounded(t *testing.T) {
	var targets []string
	for i := range maxLinkKeys/maxPageLinks + 10 {
		targets = append(targets, fmt.Sprintf("http://t%d.example/", i))
	}
	w := crowdedWeb{make([]uint64, maxPageLinks)}
	g, err := Build(t.Context(), targets, Options{Asker: w, Fetcher: w})
	if err != nil || g.Ended != "memory" || len(g.Nodes) != maxLinkKeys/maxPageLinks {
		t.Errorf("%d nodes, ended by %q, %v", len(g.Nodes), g.Ended, err)
	}
}
