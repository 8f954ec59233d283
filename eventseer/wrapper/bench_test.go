package wrapper

import (
	"fmt"
	"strings"
	"testing"

	"eventseer/features/tagtree"
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

// BenchmarkLearn is the time of a page, learned one by one and by a template induced
// from scratch at each page; the ratio of the two is what learning saves.
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
					Batch("", "", pages[:i+1])
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
	return parsePage(b, "big", "<html><body><h1>Programme "+fmt.Sprint(version)+"</h1>"+body.String()+"</body></html>")
}

// BenchmarkBigPage aligns a page of 5,000 nodes with its template: issue 8 wants less
// than 100 ms.
func BenchmarkBigPage(b *testing.B) {
	w := New("", "")
	w.Add(big(b, 1))
	w.Add(big(b, 2))
	page := big(b, 3)
	nodes := page.Outline().Size
	b.Run("apply", func(b *testing.B) {
		for b.Loop() {
			w.Apply(page)
		}
		b.ReportMetric(float64(nodes), "nodes")
	})
	b.Run("learn", func(b *testing.B) {
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
