package features

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/slice"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

func linksOf(t *tagtree.Tree) []*Document {
	var docs []*Document
	for _, d := range ReadLinks(t, nil) {
		docs = append(docs, d)
	}
	return docs
}

// filled returns the dense features of a link that are not 0.
func filled(d *Document) map[string]float64 {
	m := make(map[string]float64)
	for i, ix := range d.dense[linkBlock].Index {
		m[linkFeatureNames[ix]] = d.dense[linkBlock].Value[i]
	}
	return m
}

func TestLinkTerms(t *testing.T) {
	docs := linksOf(tree(t, `<h2>Owl meetings</h2><ul><li>See the <a href=/2027/callForPapers.html>calls of ICX</a>, singing due 5 May</ul>`))
	if len(docs) != 1 {
		t.Fatalf("%d documents of one link", len(docs))
	}
	want := map[string][]string{
		Anchors: {"call", "icx"}, Body: {"sing"}, Headings: {"meet", "owl"}, Title: nil, Menu: nil,
		URL: {"#year", "call", "exampl", "html", "org", "owl", "paper"},
	}
	for block, terms := range want {
		got := slices.DeleteFunc(docs[0].Terms(block), func(s string) bool { return s == "s" || s == "owls2026" })
		if diff := cmp.Diff(terms, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", block, diff)
		}
	}
}

func TestFeaturesOfLinks(t *testing.T) {
	const page = `<nav><a href=/>Home</a></nav><h2>Upcoming</h2>
		<table><tr><td><a rel="nofollow external" href=http://icx2027.example.net/cfp.pdf>ICX 2027</a></td><td>Paper deadline 5 May 2027</td></tr></table>
		<p>Much is to be told of owls, of their songs, and of <a href=owls/>2026</a> in general.</p>`
	docs := linksOf(tree(t, page))
	tests := []struct {
		name string
		has  map[string]bool
	}{
		{"menu", map[string]bool{"area_navigation": true, "area_hub": false, "in_item": false, "to_root": true, "to_same_host": true, "order": false}},
		{"row", map[string]bool{
			"in_cell": true, "above_upcoming": true, "near_deadline": true, "beside_date": true, "beside_due": true, "years": true,
			"anchor_years": true, "anchor_is_event": true, "anchor_is_year": false, "rel_nofollow": true, "rel_external": true, "rel_tag": false,
			"to_pdf": true, "to_host_year": true, "to_same_host": false, "to_same_site": false, "target_call": true, "anchor_call": false,
		}},
		{"sentence", map[string]bool{
			"area_informational": true, "anchor_is_year": true, "to_same_site": true, "to_deeper": true, "in_no_block": false, "picture": false, "order": true,
		}},
	}
	for i, tt := range tests {
		got := filled(docs[i])
		for _, name := range slices.Sorted(maps.Keys(tt.has)) {
			if (got[name] != 0) != tt.has[name] {
				t.Errorf("%s: %s is %v; all: %v", tt.name, name, got[name], got)
			}
		}
	}
}

// The hub value, LTR and LAR of the area of two links, worked by hand.
func TestLinkAreaValues(t *testing.T) {
	tr := tree(t, `<p>one and <a href=a>call</a> two <a href=b>date</a></p>`)
	a := tr.LinkPlace(0).Area
	linked, all := float64(a.LinkText), float64(a.LinkText+a.CleanText)
	got := filled(linksOf(tr)[0])
	for name, want := range map[string]float64{
		"area_hub_value": math.Log(3) / math.Log(201), "area_link_share": linked / all, "area_link_length": math.Log(1+math.Floor(linked/2)) / math.Log(101), "area_links_of_page": 1,
	} {
		if !near6(got[name], want) {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
}

// A link is the nearer to the topic the fewer edges lie between it and a key node.
func TestLinksNearTheTopic(t *testing.T) {
	topic, err := slice.ParseQuery("cfp")
	if err != nil {
		t.Fatal(err)
	}
	tr := tree(t, `<ul><li><a href=a>CFP</a><li><a href=b>Venue</a></ul>`+strings.Repeat("<div>", 20)+`<a href=c>Far</a>`)
	var near []float64
	for _, d := range ReadLinks(tr, topic) {
		near = append(near, filled(d)["near_topic"])
	}
	want := []float64{1, 1 - math.Log(5)/math.Log(16), 0} // a, li, ul, li, a: four edges
	if diff := cmp.Diff(want, near, cmp.Comparer(near6)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestLinkNamesAreDistinct(t *testing.T) {
	seen := make(map[string]bool)
	for _, name := range linkFeatureNames {
		if name == "" || seen[name] {
			t.Errorf("feature %q is nameless or named twice", name)
		}
		seen[name] = true
	}
	r := newLinkReader(tree(t, "<a href=x>x</a>"))
	r.nearness = keyNodeNearness(r.tree, nil)
	r.readLink(0)
	if len(r.values) != len(seen) {
		t.Errorf("%d values of %d features", len(r.values), len(seen))
	}
}

// A vectorizer of links survives its bytes, and has no features for pages.
func TestLinkVectors(t *testing.T) {
	tr := tree(t, `<ul><li><a href=/cfp>Call for papers</a>, owls<li><a href=/venue>Venue</a>, owls</ul>`)
	docs := linksOf(tr)
	v := fit(t, Options{Blocks: []string{Anchors, Body, URL, Link}, NGrams: 2, Normalize: true}, nil, docs...)
	x := v.Vector(docs[0])
	got := named(v, x)
	if got["anchors:call paper"] == 0 || got["link:anchor_call"] != 1 || got["link:in_item"] != 1 || got["body:owl"] == 0 {
		t.Errorf("vector %v", got)
	}
	if last := x.Index[x.Len()-1]; int(last) >= v.Size() || !slices.IsSorted(x.Index) {
		t.Errorf("indexes %v of %d components", x.Index, v.Size())
	}
	b, err := v.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	again, err := DecodeVectorizer(b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(x, again.Vector(docs[0])); diff != "" {
		t.Errorf("after decoding (-want +got):\n%s", diff)
	}
	for name := range named(v, v.Vector(Read(tr))) {
		if strings.HasPrefix(name, Link+":") {
			t.Errorf("a page has %s", name)
		}
	}
}

func checkLinks(t *testing.T, tr *tagtree.Tree) {
	t.Helper()
	n := 0
	for i, d := range ReadLinks(tr, nil) {
		if i != n {
			t.Fatalf("link %d after %d", i, n)
		}
		n++
		for j, x := range d.dense[linkBlock].Value {
			if !(x > 0 && x <= 20) || x != float64(float32(x)) {
				t.Fatalf("link %d: %s is %v", i, linkFeatureNames[d.dense[linkBlock].Index[j]], x)
			}
		}
	}
	if n != len(tr.Links()) {
		t.Fatalf("%d documents of %d links", n, len(tr.Links()))
	}
}

func TestLinksOfHostilePages(t *testing.T) {
	for _, markup := range append(hostile, strings.Repeat("<h1>"+strings.Repeat("owl ", 10_000)+"</h1>", 3)+strings.Repeat("<a href=x>", 2000)) {
		checkLinks(t, treeAt(t, "http://a.example.org/", markup))
	}
}

func TestReadLinksEnds(t *testing.T) {
	for range ReadLinks(tree(t, "<a href=x>x</a><a href=y>y</a>"), nil) {
		break
	}
	for range ReadLinks(tree(t, "no link"), nil) {
		t.Error("a document of no link")
	}
}

func FuzzReadLinks(f *testing.F) {
	f.Add("http://a.example.org/", "<h1>ICX 2027</h1><nav><a href=/>x</a></nav><li>due 12 May 2026 <a href=/y/2027/05/ rel=tag>y</a>")
	f.Add("x", "Subject: Re: cfp\nFrom: a\n\n> http://a.example.org/ call for papers\n")
	f.Fuzz(func(t *testing.T, url, markup string) {
		if tr, err := tagtree.Parse(&webgraph.Page{URL: url, Body: []byte(markup)}); err == nil {
			checkLinks(t, tr)
		}
	})
}

// benchList is a list of events, each with a link and a line of text.
func benchList(b *testing.B) *tagtree.Tree {
	var s strings.Builder
	s.WriteString("<title>Events</title><nav><a href=/>Home</a></nav><h1>Upcoming conferences on owls</h1><ul>")
	for i := range 500 {
		fmt.Fprintf(&s, "<li><a href=http://owls%d.example.net/%d/call-for-papers.html>OWLS %d: Conference on Owls and their %c-songs</a>, Athens, Greece, %d May 2027; "+
			"submission deadline %d January 2027", i, 2020+i%9, 2020+i%9, 'a'+i%26, i%31+1, i%31+1)
	}
	return tree(b, s.String())
}

// An operation is one link: 50 µs are 20,000 links a second.
func BenchmarkReadLinks(b *testing.B) {
	t := benchList(b)
	b.ReportAllocs()
	for n := 0; n < b.N; {
		for range ReadLinks(t, nil) {
			n++
		}
	}
}

func BenchmarkLinkVector(b *testing.B) {
	docs := linksOf(benchList(b))
	v := fit(b, Options{Blocks: []string{Anchors, Body, Headings, URL, Link}, Weights: Sublinear, NGrams: 2, Normalize: true}, nil, docs...)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		v.Vector(docs[i%len(docs)])
	}
}
