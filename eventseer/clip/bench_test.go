package clip

import (
	"fmt"
	"strings"
	"testing"
)

// BenchmarkExtract shows that the cost grows with the text, not with the lists. With 20,000 terms it equals
// that with 10, except for the bigger table.
func BenchmarkExtract(b *testing.B) {
	tree := parse(b, "<h1>Calls</h1>"+strings.Repeat("<p>We ask for papers on quiet engines, small and large. Prof. Reed chairs the session on Oct. 5 in the hall.</p>", 100)+"<p>The deadline is near.</p>")
	for _, n := range []int{10, MaxTerms} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var file strings.Builder
			for i := range n - 1 {
				fmt.Fprintf(&file, "papers on word%d\n", i)
			}
			x := extractor(b, file.String()+"deadline", Options{})
			x.Extract(tree, Context{})
			b.SetBytes(int64(len(tree.Text())))
			for b.Loop() {
				x.Extract(tree, Context{})
			}
		})
	}
}
