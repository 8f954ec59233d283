package eventseer

import (
	"slices"

	"eventseer/features/tagtree"
)

// links finds new links, and new entries of menus.
func (d *differ) links() {
	for i, e := range d.edits {
		if e.menu && e.old == "" && !d.explained[i] && len(e.new) <= maxHeadLine && !d.turned && !d.respelt(e.new) {
			d.find(LinksAdded, "", "", e.new)
			d.explained[i] = true
		}
	}
	if d.turned {
		return
	}
	for _, i := range d.added {
		p := d.c.New.Place(i)
		block := d.c.New.LinkBlock(i)
		if p.Picture || p.Block == nil || d.respelt(p.Anchor) || d.speaks[d.heads[block]] || d.serves[d.heads[block]] ||
			d.wasLinked[block] || credits.MatchString(p.Block.Text) || isAside(p) {
			continue
		}
		d.find(LinksAdded, "", "", p.Anchor)
	}
}

// isAside reports whether a link stands in running text and leads to nothing that one
// does.
func isAside(p tagtree.LinkPlace) bool {
	return len(p.Block.Text) > maxHeadLine && 3*len(p.Anchor) < len(p.Block.Text) && !toDo.MatchString(p.Anchor)
}

var (
	toDo    = word(`submi|regist|templates?|portal|https?:|www\.|\bforms?\b|download|\bhere\b|sign up|apply|easychair|openreview|\bcmt\b|hotcrp|softconf|zoom|einreich|anmeld|soum|inscri|envi[oa]|aqu[ií]|ici\b|hier\b`)
	credits = word(`\b(design(ed)?|theme|template|powered|hosted|built|created|maintained|website) (by|with|on|from)\b|©|copyright|all rights reserved`)
)

// addedLinks returns the indexes of the links that are new, and no old ones that lead
// elsewhere now: one of each target.
func addedLinks(c *tagtree.Comparison) []int {
	added := make(map[string]bool, len(c.Added))
	for _, l := range c.Added {
		added[l.Target] = l.Anchor != ""
	}
	for _, r := range c.Retargeted {
		added[r.New.Target] = false
	}
	var out []int
	for i, l := range c.New.Links() {
		if added[l.Target] && l.Anchor != "" {
			added[l.Target] = false
			out = append(out, i)
		}
	}
	return out
}

// respelt reports whether an entry of a menu was there before, written otherwise.
func (d *differ) respelt(entry string) bool {
	s := squeezed(entry)
	return len(s) >= minMisspelt && slices.ContainsFunc(d.goneEntries, func(o string) bool { return distance(o, s) <= maxMisspelt })
}

// maxEntries bounds the entries of menus that are gone which new ones are compared with.
const maxEntries = 100

// goneEntries returns the squeezed texts of menu entries that are gone.
func goneEntries(edits []edit) []string {
	var out []string
	for _, e := range edits {
		if e.menu && e.new == "" && len(out) < maxEntries {
			out = append(out, squeezed(e.old))
		}
	}
	return out
}
