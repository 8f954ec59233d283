package change

import (
	"slices"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/diff"
	"github.com/eventseer/eventseer/webgraph"
)

// findNewLinks finds new links, and new entries of menus.
func (d *differ) findNewLinks() {
	for i, e := range d.edits {
		if e.menu && e.old == "" && !d.explained[i] && len(e.new) <= maxHeadLine && !d.turned && !d.isRespeltEntry(e.new) && !d.isRenamedEntry(e) {
			d.addChange(eventseer.LinksAdded, "", "", e.new)
			d.explained[i] = true
		}
	}
	if d.turned {
		return
	}
	for _, i := range d.added {
		p := d.c.New.LinkPlace(i)
		block := d.c.New.LinkBlock(i)
		if p.Picture || p.Block == nil || d.isRespeltEntry(p.Anchor) || d.speaks[d.heads[block]] || d.serves[d.heads[block]] ||
			d.wasLinked[block] || d.isSameWithLinks(block) || d.isReported(block) || len(p.Block.Text) <= maxNotice && credits.MatchString(p.Block.Text) || isAside(p) {
			continue
		}
		d.addChange(eventseer.LinksAdded, "", "", p.Anchor)
	}
}

// isSameWithLinks reports whether a new block is a version of an old one with the same number of links.
func (d *differ) isSameWithLinks(block int) bool {
	i, ok := d.ofNew[block]
	if !ok || d.edits[i].oldBlock < 0 {
		return false
	}
	return d.newLinks[block] <= d.oldLinks[d.edits[i].oldBlock]
}

// isReported reports whether a link is in a line that is news or was explained otherwise, such as a
// committee member. Then the line is the change, not its link.
func (d *differ) isReported(block int) bool {
	i, ok := d.ofNew[block]
	if !ok {
		return false
	}
	e := d.edits[i]
	return !e.menu && (d.explained[i] || !e.isSpellingOnly() && d.isNews(e))
}

// linksByBlock counts the links of each block.
func linksByBlock(t *tagtree.Tree) map[int]int {
	n := map[int]int{}
	for i := range t.Links() {
		n[t.LinkBlock(i)]++
	}
	return n
}

// isAside reports whether a link is in running text and has a common kind of target.
func isAside(p tagtree.LinkPlace) bool {
	return len(p.Block.Text) > maxHeadLine && 3*len(p.Anchor) < len(p.Block.Text) && 2*p.Block.Linked < len(p.Block.Text) && !toDo.MatchString(p.Anchor)
}

var (
	toDo    = wordPattern(`submi|regist|templates?|portal|https?:|www\.|\bforms?\b|download|\bhere\b|style[- ]?(files?|sheets?|guides?)|guidelines?|instructions|author[’']?s? kit|latex|overleaf|sign up|apply|easychair|openreview|\bcmt\b|hotcrp|softconf|zoom|einreich|anmeld|soum|inscri|envi[oa]|aqu[ií]|ici\b|hier\b`)
	credits = wordPattern(`\b(design(ed)?|theme|template|powered|hosted|built|created|maintained|website) (by|with|on|from)\b|©|copyright|all rights reserved`)
)

// addedLinks returns the indexes of new links, one per target, without existing ones whose target
// changed.
func addedLinks(c *diff.Comparison) []int {
	added := make(map[string]bool, len(c.Added))
	for _, l := range c.Added {
		added[l.Target] = l.Anchor != ""
	}
	moved := make(map[webgraph.Link]bool, len(c.Retargeted))
	for _, r := range c.Retargeted {
		moved[r.New] = true
	}
	var out []int
	for i, l := range c.New.Links() {
		if added[l.Target] && l.Anchor != "" && !moved[l] {
			added[l.Target] = false
			out = append(out, i)
		}
	}
	return out
}

// isRespeltEntry reports whether the previous version of a menu has the entry with another spelling.
func (d *differ) isRespeltEntry(entry string) bool {
	s := lettersAndDigits(entry)
	return len(s) >= minMisspelt && slices.ContainsFunc(d.goneEntries, func(o string) bool { return editDistance(o, s) <= maxMisspelt })
}

// isRenamedEntry reports whether a new menu entry has the target of a removed one, or is within the page.
func (d *differ) isRenamedEntry(e edit) bool {
	target := d.newTargets[e.newBlock]
	return target != "" && d.goneTargets[target] || pageControl.MatchString(e.new)
}

// pageControl matches an entry that leads within the page.
var pageControl = wordPattern(`^\W*((back |go )?(to )?(the )?top|skip (to|navigation).*|(toggle )?(menu|navigation)|close|open menu|nach oben|haut de page|search)\W*$`)

// blockTargets returns the target of the first link of each block.
func blockTargets(t *tagtree.Tree) map[int]string {
	targets := map[int]string{}
	for i, l := range t.Links() {
		if b := t.LinkBlock(i); targets[b] == "" {
			targets[b] = l.Target
		}
	}
	return targets
}

// maxEntries bounds the removed menu entries that are compared with new ones.
const maxEntries = 100

// removedMenuEntries returns the squeezed texts of menu entries that are gone.
func removedMenuEntries(edits []edit) (out []string) {
	for _, e := range edits {
		if e.menu && e.new == "" && len(out) < maxEntries {
			out = append(out, lettersAndDigits(e.old))
		}
	}
	return out
}
