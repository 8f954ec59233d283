// Package stats counts the examples of datasets by class, group, language, discipline and size.
package stats

import (
	"cmp"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// shownGroups is the number of groups shown, the largest ones.
const shownGroups = 5

// Stats are the counts of a dataset.
type Stats struct {
	Examples int `json:"examples"`
	Groups   int `json:"groups"`
	// Counts are the counts by column and value, the most frequent value first.
	Counts []ColumnCounts `json:"counts"`
	// Sizes are quantiles of sizes. They are missing for labels without pages.
	Sizes []Sizes `json:"sizes"`
	// Components is the number of components of vectors.
	Components int `json:"components,omitempty"`
	Missing    int `json:"missing,omitempty"`
}

// A ColumnCounts holds the counts of the values of a column.
type ColumnCounts struct {
	Column string       `json:"column"`
	Values []ValueCount `json:"values"`
}

// A ValueCount is the number of occurrences of a value.
type ValueCount struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// A Sizes holds the minimum, the quartiles, the 95th percentile and the maximum.
type Sizes struct {
	Name   string `json:"name"`
	Min    int    `json:"min"`
	Q25    int    `json:"q25"`
	Median int    `json:"median"`
	Q75    int    `json:"q75"`
	P95    int    `json:"p95"`
	Max    int    `json:"max"`
}

// A Counter counts examples. The zero value is ready to use.
type Counter struct {
	classes, groups, langs, disciplines, calls []string
	bytes, words                               []int
}

// Add counts an example of a class.
func (c *Counter) Add(e datasets.Example, class string) {
	c.classes, c.groups = append(c.classes, class), append(c.groups, e.Group)
	c.langs, c.disciplines = append(c.langs, e.Lang), append(c.disciplines, e.Discipline)
	if !e.Untyped {
		c.calls = append(c.calls, e.ClassBy("is_cfp"))
	}
	if e.Page == nil {
		return
	}
	c.bytes = append(c.bytes, max(len(e.Page.Body), len(e.Page.Text)))
	if tree, err := tagtree.Parse(e.Page); err == nil {
		_, words := webgraph.Simhash(tree.Text())
		c.words = append(c.words, words)
	}
}

// Stats returns the counts of the examples added so far.
func (c *Counter) Stats() Stats {
	s := Stats{Examples: len(c.classes), Groups: len(countBy(c.groups))}
	s.Counts = append(s.Counts, ColumnCounts{"class", countValues(c.classes)})
	for _, column := range []struct {
		name   string
		values []string
	}{{"is_cfp", c.calls}, {"lang", c.langs}, {"discipline", c.disciplines}} {
		if slices.ContainsFunc(column.values, func(v string) bool { return v != "" }) {
			s.Counts = append(s.Counts, ColumnCounts{column.name, countValues(column.values)})
		}
	}
	largest := countValues(c.groups)
	s.Counts = append(s.Counts, ColumnCounts{"largest groups", largest[:min(shownGroups, len(largest))]})
	var perGroup []int
	for _, g := range largest {
		perGroup = append(perGroup, g.Count)
	}
	s.Sizes = appendSizes(s.Sizes, "pages of a group", perGroup)
	s.Sizes = appendSizes(s.Sizes, "bytes of a page", c.bytes)
	s.Sizes = appendSizes(s.Sizes, "words of a page", c.words)
	return s
}

// OfVectors counts vectors.
func OfVectors(v *datasets.Vectors) Stats {
	s := Stats{Examples: len(v.Rows), Components: v.NumComponents(), Missing: v.Missing}
	var classes, groups []string
	var stored []int
	for _, row := range v.Rows {
		classes, stored = append(classes, v.Classes[row.Class]), append(stored, row.X.Len())
		if row.Group != "" {
			groups = append(groups, row.Group)
		}
	}
	s.Groups = len(countBy(groups))
	s.Counts = []ColumnCounts{{"class", countValues(classes)}}
	s.Sizes = appendSizes(nil, "components of a row", stored)
	return s
}

// countValues returns the counts of values, the most frequent first, equal ones by name.
func countValues(values []string) []ValueCount {
	counts := []ValueCount{}
	for value, n := range countBy(values) {
		counts = append(counts, ValueCount{value, n})
	}
	slices.SortFunc(counts, func(a, b ValueCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Value, b.Value))
	})
	return counts
}

// appendSizes appends the quantiles of values, unless there are none. A quantile is the smallest value
// such that at least the given fraction of all is not larger (nearest rank).
func appendSizes(all []Sizes, name string, values []int) []Sizes {
	if len(values) == 0 {
		return all
	}
	values = slices.Sorted(slices.Values(values))
	at := func(percent int) int { return values[max(0, (len(values)*percent+99)/100-1)] }
	return append(all, Sizes{name, values[0], at(25), at(50), at(75), at(95), values[len(values)-1]})
}

// countBy counts equal names.
func countBy(names []string) map[string]int {
	counts := map[string]int{}
	for _, name := range names {
		counts[name]++
	}
	return counts
}
