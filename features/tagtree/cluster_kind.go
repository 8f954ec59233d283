package tagtree

// ListShareOfCategory is the ListShare from which on a page is one of a category
// (paper 004, section 4.2). On corpora/pages 83 in 100 of the pages labelled lists of
// calls have it, and 7 in 100 of the calls; TestKindsOfClusters measures the wrapper
// corpus.
const ListShareOfCategory = 0.5

// minListLinks is the number of links below which a page is no list of links.
const minListLinks = 3

// ListShare returns how far a page is there for its lists, from 0 to 1: which share of
// its links and which of its text stand in records that link somewhere, the lesser of
// the two, for the lists of a page's margin have many of its links, and lists of facts
// much of its text. Each target counts once, links of navigation areas do not count, so
// that a page with nothing but a short list passes for one with a menu.
func (t *Tree) ListShare() float64 {
	listed, text := make(map[string]bool), 0
	for _, region := range t.Regions() {
		for _, r := range region.Records {
			for _, l := range r.Links {
				listed[l.URL] = true
			}
			if len(r.Links) > 0 {
				text += len(r.Text())
			}
		}
	}
	a := t.Analysis()
	own, in := make(map[string]bool), 0
	for i, l := range t.links {
		if n := a.AreaOfLink(i); own[l.Target] || n >= 0 && a.Areas[n].Kind == Navigation {
			continue
		}
		own[l.Target] = true
		if listed[l.Target] {
			in++
		}
	}
	if len(own) < minListLinks || len(t.text) == 0 {
		return 0
	}
	return min(float64(in)/float64(len(own)), float64(text)/float64(len(t.text)))
}
