package eventseer

import (
	"slices"

	"eventseer/features/tagtree/diff"
)

// A differ finds what a new version of a page changes: first what became of its days,
// then what else is new. Blocks are indexes into those of their version.
type differ struct {
	old, new Reading
	c        *diff.Comparison
	pairs    *datePairing

	edits        []edit
	ofOld, ofNew map[int]int  // the edit of a block
	explained    map[int]bool // edits that a kind was found for
	restated     map[int]bool // old blocks whose days are printed elsewhere now
	turned       bool         // the page is another one now

	heads, oldHeads    []string        // of each block the heading above
	speaks, serves     map[string]bool // headings of speakers, of committees
	inNews, inOldNews  []bool          // of each block: it stands among the news
	oldDays, newDays   map[Date]bool   // printed in the version, struck out or not
	added              []int           // new links
	linked, wasLinked  map[int]bool    // new blocks that show one of them, that are as they were and showed a link
	oldLinks, newLinks map[int]int     // how many links each block has
	goneEntries        []string        // texts of menu entries, squeezed
	goneHeads          map[string]bool // headings that are gone
	newTargets         map[int]string  // of each new block where its first link leads
	goneTargets        map[string]bool // where menu entries led that are gone
	dueAt              map[int]bool    // new blocks that print a deadline

	found   []finding
	earlier []finding // deadlines that are earlier now
	loose   []finding // later days of what is no deadline by its label
	gone    []finding // deadlines that are not printed any more
}

// newDiffer prepares what the differ asks of both versions.
func newDiffer(old, new Reading, c *diff.Comparison) *differ {
	d := &differ{old: old, new: new, c: c, pairs: pairDates(old, new, c), heads: sections(c.New), oldHeads: sections(c.Old)}
	d.edits = editsOf(c, d.oldHeads, d.heads)
	d.explained, d.restated, d.goneHeads = map[int]bool{}, map[int]bool{}, map[string]bool{}
	d.ofOld, d.ofNew = map[int]int{}, map[int]int{}
	d.speaks, d.serves = map[string]bool{}, map[string]bool{}
	d.inNews, d.inOldNews = newsBlocks(c.New, d.heads), newsBlocks(c.Old, d.oldHeads)
	for i, e := range d.edits {
		if e.new == "" {
			d.goneHeads[e.old] = true
		}
		if e.oldBlock >= 0 {
			d.ofOld[e.oldBlock] = i
		}
		if e.newBlock >= 0 {
			d.ofNew[e.newBlock] = i
		}
	}
	for _, head := range append(slices.Clone(d.heads), d.oldHeads...) {
		if _, seen := d.speaks[head]; !seen {
			d.serves[head] = committeeWords.MatchString(head) && !speakerWords.MatchString(head)
			d.speaks[head] = speakerWords.MatchString(head) && !committeeWords.MatchString(head)
		}
	}
	d.oldDays, d.newDays = daysPrinted(old.Dates), daysPrinted(new.Dates)
	d.added, d.goneEntries = addedLinks(c), goneEntries(d.edits)
	d.dueAt = map[int]bool{}
	for _, p := range new.Dates {
		if p.Kind != "" {
			d.dueAt[blockAt(c.New, p.Offset[0])] = true
		}
	}
	d.readLinks()
	return d
}

// readLinks notes where the links of the versions stand and lead.
func (d *differ) readLinks() {
	c := d.c
	d.newTargets, d.goneTargets = blockTargets(c.New), map[string]bool{}
	oldTargets := blockTargets(c.Old)
	for _, e := range d.edits {
		if e.menu && e.new == "" {
			d.goneTargets[oldTargets[e.oldBlock]] = true
		}
	}
	d.oldLinks, d.newLinks = linksByBlock(c.Old), linksByBlock(c.New)
	d.linked, d.wasLinked = map[int]bool{}, map[int]bool{}
	for _, i := range d.added {
		d.linked[c.New.LinkBlock(i)] = true
	}
	for _, k := range c.Kept {
		d.wasLinked[k.New] = c.Old.Blocks()[k.Old].Linked > 0
	}
}

// daysPrinted returns the days that a version prints, struck out or not.
func daysPrinted(ds []PrintedDate) map[Date]bool {
	m := map[Date]bool{}
	for _, p := range ds {
		m[p.From], m[p.To] = true, true
	}
	return m
}

// explain notes that a kind was found for what changed in a block, of either version.
func (d *differ) explain(old, new int) {
	if i, ok := d.ofOld[old]; ok {
		d.explained[i] = true
	}
	if i, ok := d.ofNew[new]; ok {
		d.explained[i] = true
	}
}

// find notes a kind with its evidence.
func (d *differ) find(kind ChangeKind, label, old, new string) {
	d.take(finding{Evidenced: Evidenced{Label: label, Old: old, New: new}}, kind)
}

func (d *differ) take(f finding, kind ChangeKind) {
	f.Kind = kind
	d.found = append(d.found, f)
}

func (d *differ) has(kinds ...ChangeKind) bool {
	return slices.ContainsFunc(d.found, func(f finding) bool { return slices.Contains(kinds, f.Kind) })
}

// settle judges what depends on the rest: days that moved along with an extended
// deadline are no corrections, nor are deadlines that gave way to others.
func (d *differ) settle() {
	extended := d.has(DeadlineExtended)
	for _, f := range append(slices.Clone(d.earlier), d.loose...) {
		if extended {
			d.take(f, "")
		} else {
			d.take(f, DateCorrected)
		}
	}
	if !extended && !d.has(DeadlineAdded) && !d.turned {
		for _, f := range d.gone {
			d.take(f, DateCorrected)
		}
	}
}

// maxEvidence bounds the lines of evidence of each kind.
const maxEvidence = 10

// change puts together what was found.
func (d *differ) change() PageChange {
	pc := PageChange{Fields: Diff(d.old.Event, d.new.Event)}
	for _, f := range d.found {
		if f.move.Kind != "" && !slices.Contains(pc.Deadlines, f.move) {
			pc.Deadlines = append(pc.Deadlines, f.move)
		}
	}
	for _, kind := range ChangeKinds() {
		n := 0
		for _, f := range d.found {
			if f.Kind != kind {
				continue
			}
			if n++; n <= maxEvidence {
				pc.Evidence = append(pc.Evidence, f.shortened())
			}
		}
		if n > 0 {
			pc.Kinds = append(pc.Kinds, kind)
		}
	}
	return pc
}

func (d *differ) oldText(block int) string { return d.c.Old.Blocks()[block].Text }
func (d *differ) newText(block int) string { return d.c.New.Blocks()[block].Text }

// printed returns a date as its version prints it.
func (d *differ) printed(p PrintedDate, new bool) string {
	text := d.version(new)
	return text[min(p.Offset[0], len(text)):min(p.Offset[1], len(text))]
}

// behind returns what follows a date in its block.
func (d *differ) behind(p PrintedDate, new bool) string {
	const length = 30
	text := d.version(new)
	from := min(p.Offset[1], len(text))
	return text[from:min(from+length, len(text))]
}

func (d *differ) version(new bool) string {
	if new {
		return d.c.New.Text()
	}
	return d.c.Old.Text()
}

// shortened returns the evidence with texts short enough for a line, without addresses.
func (f finding) shortened() Evidenced {
	e := f.Evidenced
	e.Label, e.Old, e.New = shorten(e.Label), shorten(e.Old), shorten(e.New)
	return e
}

// maxLine bounds a text of Evidenced, in runes.
const maxLine = 160

func shorten(s string) string {
	s = Redact(s)
	if r := []rune(s); len(r) > maxLine {
		return string(r[:maxLine-1]) + "…"
	}
	return s
}
