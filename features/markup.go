package features

import "eventseer/features/tagtree"

// markupNames are the features of how a page was made, in vector order.
var markupNames = nameMarkup()

func nameMarkup() []string {
	names := []string{"elements", "feeds", "is_article", "has_generator"}
	for _, e := range tagtree.MarkupElements() {
		names = append(names, "element_"+e)
	}
	for _, c := range tagtree.MarkupClasses() {
		names = append(names, "class_"+c)
	}
	return names
}

// markupFeatures returns the features of how a page was made; t is nil for a
// text that was not marked up.
func markupFeatures(t *tagtree.Tree) []float64 {
	if t == nil {
		return make([]float64, len(markupNames))
	}
	m := t.Markup()
	out := []float64{scaled(m.All, 2000), scaled(m.Feeds, 3), truth(m.Article), truth(m.Generator)}
	for _, n := range m.Elements {
		out = append(out, scaled(n, 100))
	}
	for _, n := range m.Classes {
		out = append(out, scaled(n, 50))
	}
	return out
}
