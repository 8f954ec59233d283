package diff

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/tagtreetest"

	"golang.org/x/net/html"
)

// BenchmarkCompare compares two versions of a page in which every fifth date moved.
// "x-html.Parse" is the time as a multiple of what html.Parse takes for one of them,
// both in their fastest round; the trees are parsed already.
func BenchmarkCompare(b *testing.B) {
	s := tagtreetest.Synthetic()
	old, err := tagtree.Parse(tagtreetest.Page(s, "text/html; charset=utf-8"))
	if err != nil {
		b.Fatal(err)
	}
	new, err := tagtree.Parse(tagtreetest.Page(strings.ReplaceAll(s, "5 May", "9 May"), "text/html; charset=utf-8"))
	if err != nil {
		b.Fatal(err)
	}
	parse, compare := math.Inf(1), math.Inf(1)
	for b.Loop() {
		start := time.Now()
		if _, err := html.Parse(strings.NewReader(s)); err != nil {
			b.Fatal(err)
		}
		middle := time.Now()
		c := Compare(old, new)
		c.TemplateDistance()
		parse, compare = min(parse, middle.Sub(start).Seconds()), min(compare, time.Since(middle).Seconds())
	}
	b.ReportMetric(compare/parse, "x-html.Parse")
}
