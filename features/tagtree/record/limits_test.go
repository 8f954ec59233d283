package record

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/tagtreetest"
)

func TestRegionsOfLongAndDeepPages(t *testing.T) {
	var rows, lines, kinds strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&rows, "<tr><td><a href=%d>Owl Days %d</a><td>%d May<td>Graz", i, i, i%31+1)
		fmt.Fprintf(&lines, "<a href=%d>Owl Days %d</a>, %d May<br>", i, i, i%31+1)
		fmt.Fprintf(&kinds, "<x%d>a<y%d>b</y%d></x%d><p>c", i, i, i, i)
	}
	cases := map[string]struct {
		html    string
		records int // of the first region; -1: any
	}{
		"10,000 rows":           {"<table>" + rows.String() + "</table>", 10_000},
		"10,000 lines":          {"<div>" + lines.String() + "</div>", 10_000},
		"20,000 names":          {kinds.String(), -1},
		"10,000 cells":          {"<table><tr>" + strings.Repeat("<td>a<b>b</b>", 10_000) + "</table>", -1},
		"lists nested deep":     {strings.Repeat("<ul><li>a b<li>", 300), -1},
		"boxes nested deep":     {strings.Repeat("<div><p>a</p><p>b</p>", 390), -1},
		"tables nested deep":    {strings.Repeat("<table><tr><td>a<td>", 150), -1},
		"lists in 3,000 boxes":  {strings.Repeat("<div><h3>a</h3><ul><li><a href=x>b</a> c<li><a href=y>d</a> e<li>f</ul></div>", 3_000), -1},
		"10,000 links in a row": {"<p>" + strings.Repeat("<a href=x><span>a</span><span>b</span></a>", 10_000), 10_000},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			tree := tagtreetest.Parse(t, c.html)
			regions := Find(tree)
			if c.records >= 0 && (len(regions) == 0 || len(regions[0].Records) != c.records) {
				t.Errorf("%d regions, want one of %d records first", len(regions), c.records)
			}
			checkRegions(t, regions, 0)
		})
	}
}

// A page costs at most a small multiple of an ordinary list of its size. The unit is the time of Find for the
// list.
func TestSlowPagesAreReadInTime(t *testing.T) {
	const elements, most = 30_000, 4
	methods := map[string]func(*tagtree.Tree) []Region{"eventseer": Find, "mdr": FindMDR, "iepad": FindIEPAD}
	plain := tagtreetest.Parse(t, tagtreetest.PlainList(elements))
	pages := tagtreetest.SlowPages(elements)
	base := func() { Find(plain) }
	usual := tagtreetest.CPU(t, base)
	for _, method := range slices.Sorted(maps.Keys(methods)) {
		for _, name := range slices.Sorted(maps.Keys(pages)) {
			tree := tagtreetest.Parse(t, pages[name])
			ratio := tagtreetest.CPURatio(t, most, usual, base, func() { checkRegions(t, methods[method](tree), 0) })
			t.Logf("%s, %s: %.1f times a list", method, name, ratio)
			if ratio > most {
				t.Errorf("%s, %s: %.1f times the processor time of a list of that size, at most %v", method, name, ratio, float64(most))
			}
		}
	}
}

// The profile of a unit does not read text below more formats than maxFormatDepth. Otherwise each of many formats in
// each other would read all that is below it.
func TestProfileLimitsFormats(t *testing.T) {
	var read func(n *tagtree.Node) *tagtree.Node
	read = func(n *tagtree.Node) *tagtree.Node {
		if n.Name == "b" {
			return n
		}
		for _, c := range n.Children {
			if found := read(c); found != nil {
				return found
			}
		}
		return nil
	}
	for formats, want := range map[int]int{maxFormatDepth: 2, maxFormatDepth + 1: 1} { // features: bold, and the text
		tree := tagtreetest.Parse(t, "<p>"+strings.Repeat("<b>", formats)+"a text")
		if got := profileOf([]*tagtree.Node{read(tree.Outline())}); len(got) != want {
			t.Errorf("%d formats: %d features, want %d", formats, len(got), want)
		}
	}
}

func TestRecordLimits(t *testing.T) {
	long := strings.Repeat("<i>word</i> ", maxRecordText/3) + strings.Repeat("<a href=x>a</a>", 3) + strings.Repeat("<b>c</b>d", 2*maxRecordFields)
	for i := range 2 * maxRecordLinks {
		long += fmt.Sprintf("<a href=/%d>e</a>", i)
	}
	regions := Find(tagtreetest.Parse(t, "<ul><li>"+long+"<li>"+long+"</ul>"))
	if len(regions) != 1 {
		t.Fatalf("%d regions, want 1", len(regions))
	}
	r := regions[0].Records[0]
	if len(r.Text()) > maxRecordText || len(r.Links) > maxRecordLinks || len(r.Fields) > maxRecordFields {
		t.Errorf("%d bytes, %d links, %d fields", len(r.Text()), len(r.Links), len(r.Fields))
	}
}

// checkRegions checks what every answer must keep.
func checkRegions(t *testing.T, regions []Region, depth int) {
	t.Helper()
	if depth > maxNested {
		t.Fatalf("lists nested %d deep", depth)
	}
	for _, region := range regions {
		if region.Path == "" || len(region.Records) == 0 {
			t.Fatalf("region %q with %d records", region.Path, len(region.Records))
		}
		for _, r := range region.Records {
			if len(r.Nodes) == 0 || len(r.Fields) != len(region.Records[0].Fields) || len(r.Fields) > maxRecordFields || len(r.Links) > maxRecordLinks {
				t.Fatalf("%s: %d nodes, %d fields, %d links", region.Path, len(r.Nodes), len(r.Fields), len(r.Links))
			}
			for _, f := range r.Fields {
				if (f.Node == nil) != (f.Text == "") {
					t.Fatalf("%s: field %q of node %v", region.Path, f.Text, f.Node)
				}
			}
			checkRegions(t, r.Regions, depth+1)
		}
	}
}

func FuzzRegions(f *testing.F) {
	for _, s := range []string{
		"<ul><li>a<li>b<ul><li>c<li>d</ul></ul>", "<table><tr><td rowspan=2>a<td>b<tr><td>c<tr><td>d<td>e<tr><td>f</table>",
		"<p><b>a</b><br>b<br><br><b>c</b><br>d</p><hr>e", "<dl><dt>a<dd>b<dt>c<dd>d</dl>", "<h2>a</h2><p>b<a href=c>d</a><p>e<h2>f</h2><p>g",
		"<div class=x1>a<p>b</div><div class=x2>c<p>d</div>", "<table><tr><td><img><td><img><tr><td>a<td>b</table>", "<br><br><hr>", "a|b|c",
		"<html style='display:none'><ul><li>a b<li>c d",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		tree, err := tagtree.Parse(tagtreetest.Page(s, "text/html"))
		if err != nil {
			return
		}
		regions := Find(tree)
		checkRegions(t, regions, 0)
		checkRegions(t, FindMDR(tree), 0)
		checkRegions(t, FindIEPAD(tree), 0)
		if again := Find(tree); !reflect.DeepEqual(outcome(regions), outcome(again)) {
			t.Fatal("second reading differs")
		}
	})
}

// outcome is the part that two readings of a page must share: nodes are created again.
func outcome(regions []Region) []string {
	var out []string
	for _, region := range regions {
		out = append(out, region.Path)
		for _, r := range region.Records {
			out = append(out, r.Text(), fmt.Sprint(r.Links))
			for _, f := range r.Fields {
				out = append(out, f.Text)
			}
			out = append(out, outcome(r.Regions)...)
		}
	}
	return out
}

// listPage is a page of about n nodes, most of them of a list.
func listPage(n int) string {
	var b strings.Builder
	b.WriteString("<ul><li><a href=/>Home</a><li><a href=/cfp>Call</a></ul><h1>Calendar</h1>")
	for i := range n / 12 {
		if i%40 == 0 {
			fmt.Fprintf(&b, "<h2>Month %d</h2>", i/40)
		}
		fmt.Fprintf(&b, "<div class=event><h3><a href=/e%d>Owl Days %d</a></h3><p>%d May, <b>Graz</b><p>Deadline: <i>%d March</i></div>", i, i, i%31+1, i%31+1)
	}
	return b.String()
}

// BenchmarkRegions has parsing as its peer: finding lists costs
// a small multiple of it, the same at any size.
func BenchmarkRegions(b *testing.B) {
	for _, size := range []int{500, 5_000, 50_000} {
		p := tagtreetest.Page(listPage(size), "text/html")
		tree, err := tagtree.Parse(p)
		if err != nil {
			b.Fatal(err)
		}
		methods := []struct {
			name string
			run  func()
		}{
			{"parse", func() { _, _ = tagtree.Parse(p) }},
			{"eventseer", func() { Find(tree) }},
			{"mdr", func() { FindMDR(tree) }},
			{"iepad", func() { FindIEPAD(tree) }},
		}
		for _, m := range methods {
			b.Run(fmt.Sprintf("%s/%d", m.name, size), func(b *testing.B) {
				for b.Loop() {
					m.run()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(tree.Outline().Size), "ns/node")
			})
		}
	}
}
