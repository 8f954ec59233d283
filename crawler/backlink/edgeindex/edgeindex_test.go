package edgeindex

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/webgraph"

	gocmp "github.com/google/go-cmp/cmp"
)

// edgeText is a list of links to two sites.
const edgeText = "source\ttarget\tanchor\tnofollow\n" +
	"https://list.net/\thttps://conf.org/2027/cfp.html\tcall\t\n" +
	"https://list.net/\thttp://conf.org/2027/cfp.html\tcall again\t\n" +
	"http://prof.edu/~x\thttp://conf.org/2027/cfp.html\t\t1\n" +
	"http://prof.edu/~x\thttps://conf.org/2027/\tICX\t\n" +
	"http://prof.edu/~x\thttps://www.conf.org/\t\t\n" +
	"http://prof.edu/~x\thttps://conf.org:8080/old\t\t\n" +
	"http://b.edu/\thttps://conf.org/2026/\t\t\n" +
	"http://www.conf.org/\thttps://conf.org/2026/\tour own\t\n" +
	"http://b.edu/\thttps://conference.org/\t\t\n" +
	"http://b.edu/\thttps://io.github.io/\t\t\n" +
	"http://b.edu/\thttps://github.io/\t\t\n" +
	"http://b.edu/\thttp://192.0.2.7/a\t\t\n" +
	"http://b.edu/\thttp://[2001:db8::1]/a\t\t\n"

// buildEdges indexes texts, each as a separate file, and opens the index.
func buildEdges(t testing.TB, change func(*edgeBuilder), texts ...string) (*Index, Stats) {
	t.Helper()
	dir := t.TempDir()
	o := Options{Path: filepath.Join(dir, "web.edges")}
	for i, text := range texts {
		o.Inputs = append(o.Inputs, writeFile(t, filepath.Join(dir, fmt.Sprintf("%d.tsv", i)), text))
	}
	b := newEdgeBuilder(o)
	if change != nil {
		change(b)
	}
	if err := b.buildIndex(context.Background()); err != nil {
		t.Fatal(err)
	}
	x, err := Open(o.Path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() }) // read only
	if err := x.Check(context.Background()); err != nil {
		t.Error(err)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	return x, b.stats
}

func writeFile(t testing.TB, path, text string) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// edgeSourcesOf requests all pages of an answer.
func edgeSourcesOf(t testing.TB, p backlink.Provider, q backlink.Query) []string {
	t.Helper()
	var got []string
	for n := 0; ; n++ {
		a, err := p.Backlinks(context.Background(), q)
		if err != nil || len(a.Links) > q.Limit || n > 10_000 {
			t.Fatalf("page %d of %+v: %d links, %v", n, q, len(a.Links), err)
		}
		for _, l := range a.Links {
			got = append(got, l.Source)
		}
		if q.Cursor = a.Next; a.Next == "" {
			return got
		}
	}
}

func TestEdgeIndexScopes(t *testing.T) {
	x, stats := buildEdges(t, nil, edgeText)
	if stats.Edges != 12 || stats.Targets != 11 || stats.SameSite != 1 || stats.Bad != 0 || int64(x.Len()) != stats.Edges {
		t.Errorf("%+v", stats)
	}
	prof, list, b := "http://prof.edu/~x", "https://list.net/", "http://b.edu/"
	for _, c := range []struct {
		target string
		scope  backlink.Scope
		want   []string
	}{
		{"https://conf.org/2027/cfp.html", backlink.Page, []string{prof, list}},
		{"http://conf.org/2027/cfp.html", backlink.Page, []string{prof, list}},
		{"https://conf.org/2027/cfp.htm", backlink.Page, nil},
		{"https://conf.org/2027/other?x=/1/", backlink.Directory, []string{prof, list}},
		{"https://conf.org/2027/", backlink.Directory, []string{prof, list}},
		{"https://conf.org:8080/x", backlink.Directory, []string{prof}},
		{"https://conf.org/", backlink.Host, []string{prof, b, list}},
		{"https://conf.org:8080/", backlink.Host, []string{prof}},
		{"https://conf.org:80/", backlink.Host, nil},
		{"https://www.conf.org/a", backlink.Host, []string{prof}},
		{"https://conf.org/a", backlink.Domain, []string{prof, b, list}},
		{"https://www.conf.org/a", backlink.Domain, []string{prof, b, list}},
		{"https://conference.org/", backlink.Domain, []string{b}},
		{"https://nobody.org/", backlink.Domain, nil},
		{"https://io.github.io/x", backlink.Domain, []string{b}},
		{"https://github.io/x", backlink.Domain, []string{b}},
		{"http://192.0.2.7/", backlink.Domain, []string{b}},
		{"http://[2001:db8::1]/", backlink.Domain, []string{b}},
		{"http://[2001:db8::1]/a", backlink.Page, []string{b}},
	} {
		for _, limit := range []int{1, 10} {
			got := edgeSourcesOf(t, x, backlink.Query{Target: c.target, Scope: c.scope, Limit: limit})
			if diff := gocmp.Diff(c.want, got); diff != "" {
				t.Errorf("%v of %s, %d at once: %s", c.scope, c.target, limit, diff)
			}
		}
	}
}

// Links with the same ends become one, and every field is returned.
func TestEdgeIndexLink(t *testing.T) {
	x, stats := buildEdges(t, nil,
		"Source,Target,Anchor,NoFollow,via\r\nHTTP://A.net,https://b.org/x#y,,true,z\r\nhttp://a.net/,https://b.org/x,\"a, \"\"b\"\"  c\",true,\r\n",
		"http://a.net/ https://b.org/x\n")
	if stats.Repeated != 2 || stats.Edges != 1 {
		t.Errorf("%+v", stats)
	}
	a, err := x.Backlinks(context.Background(), backlink.Query{Target: "http://b.org/x", Scope: backlink.Page, Limit: 5})
	want := backlink.Answer{Links: []backlink.Backlink{{Source: "http://a.net/", Target: "https://b.org/x", Anchor: `a, "b" c`, Provider: "edges"}}}
	if diff := gocmp.Diff(want, a); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

// Random links give what a plain search gives, and the same bytes whether they
// fit into memory or need many runs on two levels.
func TestEdgeIndexRandom(t *testing.T) {
	rnd := rand.New(rand.NewPCG(6, 6))
	var text strings.Builder
	links := map[string]map[string]bool{} // target → sources
	for range 6000 {
		source := fmt.Sprintf("http://s%d.net/%d", rnd.IntN(50), rnd.IntN(20))
		target := fmt.Sprintf("https://h%d.t%d.org/%d/%d", rnd.IntN(3), rnd.IntN(9), rnd.IntN(3), rnd.IntN(4))
		fmt.Fprintf(&text, "%s\t%s\n", source, target)
		if links[target] == nil {
			links[target] = map[string]bool{}
		}
		links[target][source] = true
	}
	var first []byte
	for _, memory := range []int{1 << 20, 8 << 10, 1 << 10} {
		x, stats := buildEdges(t, func(b *edgeBuilder) { b.o.Memory = memory }, text.String())
		data, err := os.ReadFile(x.file.Name())
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = data
		}
		if !bytes.Equal(first, data) || len(x.blocks) < 8 {
			t.Errorf("with %d bytes of memory: other bytes, or %d blocks; %+v", memory, len(x.blocks), stats)
		}
		for target, sources := range links {
			want := slices.Sorted(maps.Keys(sources))
			if diff := gocmp.Diff(want, edgeSourcesOf(t, x, backlink.Query{Target: target, Scope: backlink.Page, Limit: 7})); diff != "" {
				t.Fatalf("%s: %s", target, diff)
			}
		}
		for _, domain := range []string{"t0.org", "t8.org"} {
			counts := map[string]int{}
			for target, sources := range links {
				for s := range sources {
					if strings.Contains(target, "."+domain+"/") {
						counts[s]++
					}
				}
			}
			want := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
				return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
			})
			got := edgeSourcesOf(t, x, backlink.Query{Target: "http://www." + domain + "/", Scope: backlink.Domain, Limit: 100})
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Errorf("%s: %s", domain, diff)
			}
		}
	}
}

// A scope of more links than are ranked together is answered in windows, and all
// of it once.
func TestEdgeIndexWindows(t *testing.T) {
	var text strings.Builder
	for i := range edgeWindow + 500 {
		fmt.Fprintf(&text, "http://s%d.net/ http://a.org/%d\n", i, i)
	}
	x, _ := buildEdges(t, nil, text.String())
	got := edgeSourcesOf(t, x, backlink.Query{Target: "http://a.org/", Scope: backlink.Host, Limit: backlink.MaxLimit})
	slices.Sort(got)
	if n := len(slices.Compact(got)); n != edgeWindow+500 {
		t.Errorf("%d sources", n)
	}
}

func TestEdgeIndexBounds(t *testing.T) {
	var crowd strings.Builder
	for i := range 30 {
		fmt.Fprintf(&crowd, "http://s%02d.net/ http://a.org/\n", i)
	}
	x, stats := buildEdges(t, func(b *edgeBuilder) { b.o.Sources = 10 }, crowd.String())
	if got := edgeSourcesOf(t, x, backlink.Query{Target: "http://a.org/", Scope: backlink.Page, Limit: 100}); len(got) != 10 || got[9] != "http://s09.net/" || stats.Crowded != 20 {
		t.Errorf("%d sources, %+v", len(got), stats)
	}

	_, stats = buildEdges(t, func(b *edgeBuilder) { b.maxLines = 7 }, crowd.String(), crowd.String())
	if stats.Lines != 7 || stats.Broken != 2 || stats.Bad != 0 || !strings.Contains(stats.Problems[0].Error(), "0.tsv: more than 7 links") {
		t.Errorf("%+v", stats)
	}

	long := "http://a.net/" + strings.Repeat("a", 3000)
	x, stats = buildEdges(t, nil, "source,target,anchor\nhttp://a.net/,http://b.org/,"+strings.Repeat("é ", 5000)+
		"\nhttp://a.net/,"+long+",\n"+strings.Repeat("x", longestEdge+9)+"\nhttp://a.net/\nhttp://a.net/,mailto:x@b.org,\nhttp://a.net/,http://b.org/\x00\xff,\"\nhttp://c.net/,http://b.org/,\xff\n")
	a, err := x.Backlinks(context.Background(), backlink.Query{Target: "http://b.org/", Limit: 9})
	if err != nil || len(a.Links) != 2 || len([]rune(a.Links[0].Anchor)) != webgraph.MaxAnchor || a.Links[1].Anchor != "" {
		t.Errorf("%+v, %v", a, err)
	}
	var told []string
	for _, p := range stats.Problems {
		_, text, _ := strings.Cut(p.Error(), ".tsv:")
		told = append(told, text[:min(len(text), 30)])
	}
	want := []string{`3: target "http://a.net/aaaaaa`, "4: the line is longer than 655", "5: the line has 1 columns; sou", `6: target "mailto:x@b.org": sc`, `7: extraneous or missing " in `}
	if diff := gocmp.Diff(want, told); diff != "" || stats.Bad != 5 || stats.Lines != 7 {
		t.Errorf("%+v: %s", stats, diff)
	}
}

func TestEdgeIndexHosts(t *testing.T) {
	_, stats := buildEdges(t, func(b *edgeBuilder) {
		b.hosts = newEdgeBuilder(Options{Hosts: []string{"conference.org", ".Conf.org"}}).hosts
	}, edgeText)
	if stats.Edges != 8 || stats.Unwanted != 4 {
		t.Errorf("%+v", stats)
	}
	_, stats = buildEdges(t, func(b *edgeBuilder) { b.hosts = map[string]bool{"conf.org": true} }, edgeText)
	if stats.Edges != 6 {
		t.Errorf("%+v", stats)
	}
}

// Inputs that are missing, truncated or of another kind do not stop the build, but without any link there is
// no index.
func TestEdgeIndexBadInputs(t *testing.T) {
	dir := t.TempDir()
	run := filepath.Join(dir, "runs", "a")
	if err := os.MkdirAll(run, 0o755); err != nil {
		t.Fatal(err)
	}
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	rows := csv.NewWriter(z)
	if err := rows.WriteAll([][]string{{"source", "target", "anchor", "nofollow"}, {"http://a.net/", "http://b.org/", "x", "0"}}); err != nil {
		t.Fatal(err)
	}
	if err := z.Flush(); err != nil { // and never close it
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(run, "links.csv.gz"), zipped.String())
	writeFile(t, filepath.Join(run, "pages.jsonl"), "{}")
	o := Options{Path: filepath.Join(dir, "x.edges"), Inputs: []string{
		filepath.Join(dir, "none.tsv"), filepath.Join(dir, "runs"), writeFile(t, filepath.Join(dir, "bad.wat.gz"), "no gzip"),
		writeFile(t, filepath.Join(dir, "torn.tsv"), "\x1f\x8b"), writeFile(t, filepath.Join(dir, "empty.tsv"), ""), t.TempDir(),
	}}
	stats, err := Build(context.Background(), o)
	if err != nil || stats.Edges != 1 || stats.Broken != 5 || stats.Bad != 1 {
		t.Errorf("%+v, %v", stats, err)
	}
	before, err := os.ReadFile(o.Path)
	if err != nil {
		t.Fatal(err)
	}
	o.Inputs = o.Inputs[2:]
	if _, err := Build(context.Background(), o); err == nil || !strings.Contains(err.Error(), "no links") {
		t.Errorf("an index of nothing: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	o.Inputs = []string{writeFile(t, filepath.Join(dir, "long.tsv"), strings.Repeat("http://a.net/ http://b.org/\n", 3*ctxPause))}
	if _, err := Build(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("a build that was ended: %v", err)
	}
	lost := o
	lost.Path = filepath.Join(dir, "none", "x.edges")
	if _, err := Build(context.Background(), lost); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an index in a folder that is not there: %v", err)
	}
	after, err := os.ReadFile(o.Path)
	if left, _ := filepath.Glob(filepath.Join(dir, ".*")); err != nil || !bytes.Equal(before, after) || len(left) > 0 {
		t.Errorf("the old index changed (%v), or there is %v", err, left)
	}
}

// The index answers as the list in memory does, about pages of the frozen web.
func TestEdgeIndexFrozenWeb(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 444,000 links twice")
	}
	path := golden.SharedPath(t, "corpora/web/links.tsv.gz")
	list, err := backlink.OpenEdgeList(backlink.Spec{Path: path, Coverage: 1})
	if err != nil {
		t.Fatal(err)
	}
	x, stats := buildEdges(t, func(b *edgeBuilder) { b.o.Inputs, b.o.Memory = []string{path}, 4<<20 })
	if stats.Edges < 10_000 || stats.Crowded > 0 {
		t.Fatalf("%+v", stats)
	}
	for _, key := range benchQuestions(x)[:40] {
		url, _ := urlOf(key)
		for _, scope := range x.Scopes() {
			q := backlink.Query{Target: url, Scope: scope, Limit: 50}
			want, got := edgeSourcesOf(t, list, q), edgeSourcesOf(t, x, q)
			slices.Sort(want) // for the list both schemes of a page are two pages
			slices.Sort(got)
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Fatalf("%v of %s (-list +index): %s", scope, url, diff)
			}
		}
	}
}
