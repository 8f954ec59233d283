package extract

import (
	"path"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/wording"
	"github.com/eventseer/eventseer/features/tagtree"
)

// Pages with several tracks often print the purpose of a group of days once, and beside each day only its
// track. An example is "Notification" above "Main track: 3 May" and "Industry: 9 May".

// steps are the concepts of labels that say what a day is for, as opposed to a part of the event.
const steps = wording.Send | wording.Due | wording.Until | wording.Tell | wording.Accept | wording.Final | wording.Corrected | wording.Version |
	wording.Register | wording.Open | wording.Review | wording.Update | wording.Held | wording.Pay | wording.Programme

// namesTrack reports whether a label may name a part of an event and does not say what is due.
func namesTrack(label string) bool {
	return containsWord(label) && len(label) <= maxTrack && !dueLabel.MatchString(label) && !wording.ReadLabel(label).All.Has(steps) && !hasOnlyMoveWords(label) && !dueWords.MatchString(label)
}

// labelFromGroup labels a date that has only a track beside it by the text above its group. That text is
// the item around a list, a term, a heading, the first line of a paragraph, or the cell to the left. It
// reports whether it labelled the date.
func (p *page) labelFromGroup(i int, e *entry) bool {
	if !namesTrack(e.label) {
		return false
	}
	j, sure := p.groupHead(i)
	if j < 0 || len(p.blocks[j].Text) > maxHeading || len(p.datesIn(j)) > 0 || !mayBeTrack(e, sure) {
		return false
	}
	if !sure && !(pointsRight.MatchString(e.label) && p.isInDatedList(i)) {
		return false
	}
	if !p.isTrack(i, j, e.label) {
		return false
	}
	head := p.blocks[j].Text
	k := labelKind(plainDates.ReplaceAllString(head, ""))
	if !isScoredKind(k) || isAmbiguousLabel(head) || e.kind.IsSubmission() && k.IsSubmission() {
		return false
	}
	e.kind, e.track, e.label = k, strings.Trim(e.label, " :-–"), head+" "+e.label
	return true
}

// isTrack reports whether the label of a date in block i, below block head, certainly names a track. Either
// its words say so, or the page repeats it beside a day of another group. An unknown word alone is not
// enough.
func (p *page) isTrack(i, head int, label string) bool {
	if ofTrack.MatchString(label) || eventseer.CallKindOf(label) != eventseer.MainCall || wording.ReadLabel(label).All.Has(wording.Session) {
		return true
	}
	if p.blocksByLabel == nil {
		p.blocksByLabel = map[string][]int{}
		for _, d := range p.dates {
			name := p.labelBeforeDate(d.block)
			if at := p.blocksByLabel[name]; len(at) < maxHeads && !slices.Contains(at, d.block) {
				p.blocksByLabel[name] = append(at, d.block)
			}
		}
	}
	return slices.ContainsFunc(p.blocksByLabel[trackName(label)], func(j int) bool {
		other, _ := p.groupHead(j)
		return j != i && other != head
	})
}

// maxHeads is the maximum number of blocks that are compared per label beside their dates.
const maxHeads = 20

// labelBeforeDate returns the label before the first date of block i, in the block or in the cell to its left.
func (p *page) labelBeforeDate(i int) string {
	b := p.blocks[i]
	if i > 0 && b.Table > 0 && p.blocks[i-1].Table == b.Table && p.blocks[i-1].Row == b.Row && p.isOnlyDates(i) {
		return trackName(p.blocks[i-1].Text)
	}
	return trackName(cutToBytes(b.Text[:p.datesIn(i)[0].Start], maxTrack))
}

// ofTrack matches a label that names a track by its words.
var ofTrack = compilePattern(`(?i)\b(?:track|papers?)\b`)

// trackName returns a label in lower case without the punctuation around it.
func trackName(label string) string {
	return strings.ToLower(strings.Trim(label, " \t:–—-.*•"))
}

// isInDatedList reports whether an adjacent block of the same kind and in the same element as block i has a
// date too.
func (p *page) isInDatedList(i int) bool {
	b := p.blocks[i]
	for _, j := range []int{i - 1, i + 1} {
		if j >= 0 && j < len(p.blocks) && p.blocks[j].Kind == b.Kind && path.Dir(p.blocks[j].Path) == path.Dir(b.Path) && len(p.datesIn(j)) > 0 {
			return true
		}
	}
	return false
}

// mayBeTrack reports whether the label of an entry may be a track, such as "Posters" under "Notification".
// sure is the result of groupHead; if it is false, of the labels about the event only sessions may be
// tracks.
func mayBeTrack(e *entry, sure bool) bool {
	switch {
	case e.kind == "" || e.kind.IsSubmission():
		return true
	case e.kind != eventDates || e.date.From != e.date.To:
		return false
	}
	c := wording.ReadLabel(e.label).All
	return sure || c.Has(wording.Session) && !c.Has(wording.Event)
}

// groupHead returns the index of the block above the group of dated blocks around block i, or -1. sure
// reports whether the mark-up proves it.
func (p *page) groupHead(i int) (head int, sure bool) {
	b := p.blocks[i]
	if b.Table > 0 && !p.isLayoutCell(i) {
		for j := i - 1; j >= 0 && p.blocks[j].Table == b.Table && p.blocks[j].Row == b.Row; j-- {
			if p.blocks[j].Col < b.Col {
				return j, true
			}
		}
		return -1, false
	}
	for j := i - 1; j >= 0 && i-j < maxRun; j-- {
		c := p.blocks[j]
		if c.Kind == b.Kind && path.Dir(c.Path) == path.Dir(b.Path) && len(p.datesIn(j)) > 0 {
			continue
		}
		switch {
		case c.Kind == tagtree.Item && strings.HasPrefix(b.Path, c.Path+"/"), c.Kind == tagtree.Term && b.Kind == tagtree.Definition:
			return j, true
		case isHeading(c) && !p.isPageTitle(j), c.Path == b.Path && c.Kind == b.Kind, strings.HasSuffix(c.Text, ":"):
			return j, false
		}
		return -1, false
	}
	return -1, false
}

// spannedLabel returns the label of cell i, where row is the text of its row. If the row names only a
// track, the cell with the purpose of the rows is put before it, and the row becomes the track of e. That
// cell is the next one to the left, or one above that spans the row or is not repeated in it.
func (p *page) spannedLabel(i int, row string, e *entry) string {
	if k := labelKind(row); !namesTrack(row) || k != "" && k != eventDates {
		return row
	}
	over := e.track
	if over == "" {
		over = p.cellAbove(i)
	}
	if k := labelKind(over); !isScoredKind(k) || isAmbiguousLabel(over) || !p.isTrack(i, -1, row) {
		return row
	}
	e.track = row
	return over + " " + row
}

// cellAbove returns the text of the last cell above cell i in the first column. It returns "" if the row of
// cell i has a cell in that column.
func (p *page) cellAbove(i int) string {
	b := p.blocks[i]
	for j := i - 1; j >= 0 && p.blocks[j].Table == b.Table; j-- {
		if c := p.blocks[j]; c.Col == 0 {
			if c.Row == b.Row || c.Kind == tagtree.HeadCell && c.Row == 0 || len(p.datesIn(j)) > 0 {
				return ""
			}
			return cutToBytes(c.Text, maxLabel)
		}
	}
	return ""
}
