package wrapper

import (
	"fmt"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer/wrapper/wrappertest"
	"github.com/eventseer/eventseer/features/tagtree"
)

// generated returns n pages of one invented template.
func generated(b *testing.B, n int) []*tagtree.Tree {
	var pages []*tagtree.Tree
	for i := range n {
		optional := ""
		if i%3 == 0 {
			optional = fmt.Sprintf("<dt>Track:</dt><dd>Track %d</dd>", i%7)
		}
		pages = append(pages, talk(b, i, optional, strings.Fields("Ada Bo Cy Di Ed")[:i%5+1]...))
	}
	return pages
}

// BenchmarkLearn measures the time of a page, learned one by one and by a template induced from
// scratch at each page. The ratio of the two is the saving by learning.
func BenchmarkLearn(b *testing.B) {
	for _, n := range []int{10, 100, 1000} {
		pages := generated(b, n)
		b.Run(fmt.Sprintf("incremental/pages=%d", n), func(b *testing.B) {
			for b.Loop() {
				w := New("", "")
				for _, p := range pages {
					w.Add(p)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/page")
		})
		if n > 100 {
			continue // the square of it is minutes
		}
		b.Run(fmt.Sprintf("scratch/pages=%d", n), func(b *testing.B) {
			for b.Loop() {
				for i := range pages {
					batch("", "", pages[:i+1])
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/page")
		})
	}
}

// big returns a page of about 5,000 nodes: a programme of talks with speakers.
func big(b *testing.B, version int) *tagtree.Tree {
	var body strings.Builder
	for i := range 250 {
		fmt.Fprintf(&body, `<div class="talk"><h3><a href="/t/%[1]d">Talk %[1]d of %[2]d</a></h3><p class="who"><b>By</b> Ada %[1]d</p>`, i, version)
		fmt.Fprintf(&body, `<ul><li>One %[1]d</li><li>Two</li><li>Three %[2]d</li></ul><p>Room %[1]d<br>Floor %[2]d</p></div>`, i, version)
	}
	return wrappertest.ParsePage(b, "big", "<html><body><h1>Programme "+fmt.Sprint(version)+"</h1>"+body.String()+"</body></html>")
}

// mixed returns a page of about 5,000 nodes that is not one repeated block. It has menus, articles
// of prose with links and markup, tables whose rows differ, nested lists, and blocks that no other
// version of the page has.
func mixed(b *testing.B, version int) *tagtree.Tree {
	var body strings.Builder
	for i := range 60 {
		fmt.Fprintf(&body, `<li class="m%d"><a href="/m/%d">Menu %d</a></li>`, i%3, i, i)
	}
	for i := range 40 {
		fmt.Fprintf(&body, `<article id="a%[1]d" class="kind%[2]d"><h2>Part %[1]d of %[3]d</h2>`, i, i%5, version)
		for k := range (i*7+version)%9 + 3 {
			fmt.Fprintf(&body, `<p>Some <b>words %d</b> on <a href="/x/%d">that</a>, <i>then</i><br>others %d.</p>`, k, i*k, version)
		}
		if (i+version)%3 == 0 {
			fmt.Fprintf(&body, `<div class="only%d-x%c"><span>New</span><ul><li>a<ul><li>b</li><li>c</li></ul></li></ul></div>`, i, 'a'+rune(version))
		}
		body.WriteString("</article><table>")
		for k := range (i+version)%6 + 2 {
			fmt.Fprintf(&body, "<tr>%s</tr>", strings.Repeat(fmt.Sprintf("<td>c%d</td>", i*k+version), (k+i)%4+1))
		}
		body.WriteString("</table>")
	}
	return wrappertest.ParsePage(b, "mixed", "<html><body>"+body.String()+"</body></html>")
}

// BenchmarkBigPage aligns pages of 5,000 nodes with their template: issue 8 wants less
// than 100 ms.
func BenchmarkBigPage(b *testing.B) {
	for _, kind := range []struct {
		name string
		page func(*testing.B, int) *tagtree.Tree
	}{{"repeated", big}, {"mixed", mixed}} {
		w := New("", "")
		w.Add(kind.page(b, 1))
		w.Add(kind.page(b, 2))
		page := kind.page(b, 3)
		nodes := page.Outline().Size
		b.Run(kind.name+"/apply", func(b *testing.B) {
			for b.Loop() {
				w.Apply(page)
			}
			b.ReportMetric(float64(nodes), "nodes")
		})
		b.Run(kind.name+"/learn", func(b *testing.B) {
			data, err := w.Encode()
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				b.StopTimer()
				fresh, err := Decode(data)
				if err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				fresh.Add(page)
			}
			b.ReportMetric(float64(nodes), "nodes")
		})
	}
}
