package clip

import (
	"eventseer/eventseer"
	"eventseer/features/tagtree"
)

var _ eventseer.Clipper = (*Extractor)(nil)

// Clips returns the clips of a page as the store keeps them, with summaries of
// at most eventseer.MaxSnippet runes.
func (x *Extractor) Clips(t *tagtree.Tree) []eventseer.Clip {
	var clips []eventseer.Clip
	for _, c := range x.Extract(t, Context{}).Clips {
		stored := eventseer.Clip{Title: c.Title, Summary: shorten(c.Summary, eventseer.MaxSnippet), Path: c.Path}
		for _, m := range c.Distinct() {
			stored.Keywords = append(stored.Keywords, eventseer.Keyword{List: m.List, Term: m.Term})
		}
		clips = append(clips, stored)
	}
	return clips
}
