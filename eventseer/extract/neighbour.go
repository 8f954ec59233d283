package extract

import (
	"path"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/date"
	"github.com/eventseer/eventseer/eventseer/extract/wording"
	"github.com/eventseer/eventseer/features/tagtree"
)

// labelFromNeighbours finds the label of a date that has none in its own block. It is in the row or column
// of a table, the term of a definition list, or the block before or after.
func (r *deadlineReader) labelFromNeighbours(i int, e *entry) {
	b := r.blocks[i]
	behind := false // the label is after the date
	if j := r.closestLabelBlock(i); j >= 0 && e.kind == "" {
		if k := r.blockKind(j); k != "" {
			e.setLabel(k, r.blocks[j])
			return
		}
		behind = j > i && r.blocks[j].Path != r.blocks[i].Path
	}
	inTable := b.Table > 0 && !r.isLayoutCell(i) && !r.hasOneColumn(i)
	if !inTable && !r.isOnlyDates(i) {
		// The block has a label of its own whose kind is unknown.
		if j := i - 1; j >= 0 && b.Kind == r.blocks[j].Kind && strings.HasSuffix(r.blocks[j].Text, ":") && r.isLabel(j) && len(b.Text) <= maxShortLabel && !datesHeading.MatchString(r.blocks[j].Text) {
			e.kind, e.label, e.shape = r.blockKind(j), r.blocks[j].Text, neighbour
		} else if e.kind == "" {
			r.labelFromIntroduction(i, e)
		}
		return
	}
	if inTable {
		r.labelFromTable(i, e)
		return
	}
	for _, j := range r.labelNeighbours(i) {
		if k := r.blockKind(j); k != "" && !datesHeading.MatchString(r.blocks[j].Text) && !(behind && j < i && isDeadline(k)) {
			e.setLabel(k, r.blocks[j])
			return
		}
	}
}

// setLabel sets block b as the label of a date, with kind k.
func (e *entry) setLabel(k eventseer.DeadlineKind, b tagtree.Block) {
	e.kind, e.label, e.shape = k, b.Text, neighbour
	if b.Kind == tagtree.Term {
		e.shape = term
	}
}

// closestLabelBlock returns the neighbour of block i that shares the most enclosing elements with it, if it may
// be its label. It returns -1 if block i does not consist of dates, or if both neighbours share equally
// many elements. Blocks in one element belong together in any mark-up.
func (r *deadlineReader) closestLabelBlock(i int) int {
	if !r.isOnlyDates(i) {
		return -1
	}
	near, at := [2]int{-1, -1}, [2]int{-1, -1} // shared steps of the path, and index, of the nearest blocks with words before and after
	for n, by := range []int{-1, 1} {
		for j := i + by; j >= 0 && j < len(r.blocks) && (j-i)*by <= 2; j += by {
			if _, day := date.LoneDay(r.blocks[j].Text); containsWord(r.blocks[j].Text) && !day {
				near[n], at[n] = sharedSteps(r.blocks[i].Path, r.blocks[j].Path), j
				break
			}
		}
	}
	j := at[0]
	if near[1] > near[0] {
		j = at[1]
	}
	if near[0] == near[1] || j < 0 || !r.sameCell(i, j) || j >= len(r.blocks) || !r.isLabel(j) || isHeading(r.blocks[j]) && datesHeading.MatchString(r.blocks[j].Text) {
		return -1
	}
	return j
}

// sameCell reports whether two blocks are in the same cell of a table, or both in none.
func (r *deadlineReader) sameCell(i, j int) bool {
	if j < 0 || j >= len(r.blocks) {
		return false
	}
	a, b := r.blocks[i], r.blocks[j]
	return a.Table == b.Table && a.Row == b.Row && a.Col == b.Col
}

// sharedSteps returns the number of steps that two paths have in common from their start.
func sharedSteps(a, b string) int {
	n := 0
	for {
		x, restA, moreA := strings.Cut(a, "/")
		y, restB, moreB := strings.Cut(b, "/")
		if x != y {
			return n
		}
		n++
		if !moreA || !moreB {
			return n
		}
		a, b = restA, restB
	}
}

// labelFromIntroduction labels an item of a list by the text that introduces the list: the parts of the
// event below "Submission deadlines:". The item's own label becomes the track.
func (r *deadlineReader) labelFromIntroduction(i int, e *entry) {
	b := r.blocks[i]
	if b.Kind != tagtree.Item && b.Kind != tagtree.Line || e.shape != labelLeft || len(e.label) > maxTrack || !containsWord(e.label) || !pointsRight.MatchString(e.label) {
		return
	}
	j := i - 1
	for j >= 0 && i-j < maxRun && r.blocks[j].Kind == b.Kind && path.Dir(r.blocks[j].Path) == path.Dir(b.Path) {
		j--
	}
	if j < 0 || len(r.blocks[j].Text) > maxHeading || len(r.datesIn(j)) > 0 {
		return
	}
	intro := r.blocks[j].Text
	if !isHeading(r.blocks[j]) && !strings.HasSuffix(intro, ":") || !introduces.MatchString(intro) {
		return
	}
	if k := labelKind(plainDates.ReplaceAllString(intro, "")); isDeadline(k) && k != eventseer.OtherDeadline {
		e.kind, e.track, e.label = k, strings.Trim(e.label, " :-–"), intro+" "+e.label
	}
}

var (
	// pointsRight matches a label with a mark at its end that announces the labelled thing.
	pointsRight = compilePattern(`[:–—-]$`)
	// introduces matches the text above a list of dates of one kind.
	introduces = compilePattern(`(?i)\b(deadlines?|dates?|due|until|by)\b|submissions?:$|notifications?:$|frist(en)?\b|fechas?\b|datas?\b|scadenz[ae]\b|échéances?\b|截止|締切|日期`)
	// plainDates matches the words of a heading that do not say what is due.
	plainDates = compilePattern(`(?i)\b(important|key|critical|main)?\s*(dates?|deadlines?)\b`)
)

// unlabelledWords matches words that are printed beside a date without being its label.
var unlabelledWords = compilePattern(`(?i)\b(extended|extension|firm|final|strict|hard|tentative|approx\w*|midnight|noon|closed|passed|expired|anywhere|earth|aoe|time|(\d+)?[ap]m|new|updated?|deadline|until|till|by|before|on|at|local|pacific|eastern|central|standard|daylight|utc|gmt|cest|cet|pdt|pst|est|edt|jst|kst|tba|to|from|was|end|of|day|(mon|tues|wednes|thurs|fri|satur|sun)day|mon|tue|wed|thu|fri|sat|sun|mo|di|mi|do|fr|sa|so|uhr)\b|[年月日()]`)

// maxOnlyDates is the maximum length, in bytes, of a block that consists of dates.
const maxOnlyDates = 600

// isOnlyDates reports whether block i contains nothing but dates and words without meaning of their own.
// Results are cached.
func (r *deadlineReader) isOnlyDates(i int) bool {
	bare, ok := r.onlyDates[i]
	if !ok {
		text := r.blocks[i].Text
		bare = len(text) <= maxOnlyDates && hasOnlyLinkWords(unlabelledWords.ReplaceAllString(daySigns.ReplaceAllString(smallSigns.ReplaceAllString(withoutMove(blankDates(text, r.spansIn(i, len(text)))), " "), " "), " "), dayNouns)
		r.onlyDates[i] = bare
	}
	return bare
}

// labelNeighbours returns the blocks that may label block i, at most one.
func (r *deadlineReader) labelNeighbours(i int) []int {
	if r.labelsFollow(i) {
		if j := r.nextUndatedBlock(i, +1); j >= 0 && r.isLabel(j) {
			return []int{j}
		}
		return nil
	}
	if j := r.nextUndatedBlock(i, -1); j >= 0 && len(r.blocks[j].Text) <= maxLabel/2 {
		return []int{j}
	}
	return nil
}

// alternationDirection returns the direction of a sequence of alternating labels and dates around block i. All labels
// must be the same kind of block, and one end must be a date and the other a label. The words of the labels
// do not matter. ok is false for other sequences.
func (r *deadlineReader) alternationDirection(i int) (labelsFollow, ok bool) {
	dated := func(j int) bool { return len(r.datesIn(j)) > 0 && r.isOnlyDates(j) }
	if !dated(i) {
		return false, false
	}
	var like *tagtree.Block // a label between two dates
	follow := func(by int) (end int) {
		end = i
		for j := i + by; j >= 0 && j < len(r.blocks) && (j-i)*by < maxRun; j += by {
			b := r.blocks[j]
			switch {
			case dated(j):
				if !dated(end) && like == nil {
					like = &r.blocks[end]
				}
			case !dated(end) || !r.isLabel(j) || !containsWord(b.Text) || like != nil && (b.Kind != like.Kind || b.Level != like.Level) || isHeading(b) && datesHeading.MatchString(b.Text):
				return end
			}
			end = j
		}
		return end
	}
	last := follow(+1)
	first := follow(-1)
	if like == nil || dated(first) == dated(last) {
		return false, false
	}
	for _, end := range []int{first, last} {
		if b := r.blocks[end]; !dated(end) && (b.Kind != like.Kind || b.Level != like.Level) {
			return false, false
		}
	}
	return dated(first), true
}

// labelsFollow reports whether labels follow their dates in the sequence of labels and dates around block
// i. They do if the sequence begins with a date.
func (r *deadlineReader) labelsFollow(i int) bool {
	switch r.blocks[i].Kind { // in a definition list the mark-up decides
	case tagtree.Definition:
		return false
	case tagtree.Term:
		return i+1 < len(r.blocks) && r.blocks[i+1].Kind == tagtree.Definition
	}
	if follow, ok := r.alternationDirection(i); ok {
		return follow
	}
	if i > 0 && r.blocks[i-1].Kind == tagtree.Heading && r.blockKind(i-1) != "" {
		return false
	}
	start := i
	for j := i - 1; j >= 0 && i-j < maxRun; j-- {
		dated := len(r.datesIn(j)) > 0
		if !dated && (!r.isLabel(j) || isHeading(r.blocks[j]) && datesHeading.MatchString(r.blocks[j].Text)) || dated && len(r.blocks[j].Text) > maxLabel/2 {
			break
		}
		if !dated && r.blockKind(j) == "" {
			break
		}
		start = j
	}
	if len(r.datesIn(start)) == 0 || start < i && !r.isOnlyDates(start) && r.isOnlyDates(i) {
		return false
	}
	k := r.nextUndatedBlock(i, +1)
	return k >= 0 && r.isLabel(k) && r.blockKind(k) != ""
}

// datesHeading matches a heading above dates that is not a label for them.
var datesHeading = compilePattern(`(?i)\bdates\b|deadlines\b|schedule|timeline|fechas|datas|termine|calend|^[^\pL]*(?:重要)?(?:日程|日期)`)

// maxRun is the maximum number of blocks read of a sequence of labels and dates.
const maxRun = 60

// nextUndatedBlock returns the first of the next few blocks from i in direction by that contains words and no
// date, or -1.
func (r *deadlineReader) nextUndatedBlock(i, by int) int {
	for n := 0; n < 6; n++ {
		i += by
		if i < 0 || i >= len(r.blocks) {
			return -1
		}
		if len(r.datesIn(i)) == 0 && containsWord(r.blocks[i].Text) {
			return i
		}
	}
	return -1
}

// isLabel reports whether block j is short enough for the label of a date and contains no date.
func (r *deadlineReader) isLabel(j int) bool {
	return len(r.blocks[j].Text) <= maxLabel/2 && len(r.datesIn(j)) == 0
}

// isLayoutCell reports whether block i shares its table cell with many blocks. Such a table is used for
// layout and its cells are not labels.
func (r *deadlineReader) isLayoutCell(i int) bool {
	b, n := r.blocks[i], 0
	for _, by := range []int{-1, 1} {
		for j := i + by; j >= 0 && j < len(r.blocks) && n <= maxCellBlocks; j += by {
			c := r.blocks[j]
			if c.Table != b.Table || c.Row != b.Row || c.Col != b.Col {
				break
			}
			n++
		}
	}
	return n > maxCellBlocks
}

// headingOver returns the heading above block i. It returns "" if the heading contains a date or labels
// another date, as in a list of headings with dates.
func (r *deadlineReader) headingOver(i int) string {
	h := r.head[i]
	if h < 0 || h == i || len(r.datesIn(h)) > 0 {
		return ""
	}
	for _, j := range []int{h - 1, h + 1} {
		if j != i && r.isNearerDate(h, j, i) {
			return ""
		}
	}
	return r.blocks[h].Text
}

// isNearerDate reports whether block j consists of dates and shares more enclosing elements with heading h
// than block i does.
func (r *deadlineReader) isNearerDate(h, j, i int) bool {
	if j < 0 || j >= len(r.blocks) || len(r.datesIn(j)) == 0 || !r.isOnlyDates(j) {
		return false
	}
	return i >= len(r.blocks) || sharedSteps(r.blocks[h].Path, r.blocks[j].Path) > sharedSteps(r.blocks[h].Path, r.blocks[i].Path)
}

// hasOneColumn reports whether the table around block i has a single column there. Its cells are read like
// lines of text.
func (r *deadlineReader) hasOneColumn(i int) bool {
	b, rows := r.blocks[i], 1
	for _, by := range []int{-1, 1} {
		for j := i + by; j >= 0 && j < len(r.blocks) && (j-i)*by < maxRun && r.blocks[j].Table == b.Table; j += by {
			if r.blocks[j].Col != b.Col {
				return false
			}
			if r.blocks[j].Row != b.Row {
				rows++
			}
		}
	}
	return rows > 1
}

const maxCellBlocks = 5 // maximum number of other blocks in a cell of a table of dates

// labelFromTable labels a date by the head of its row or column. If a row contains several dates, one of
// the two heads is the label and the other the track.
func (r *deadlineReader) labelFromTable(i int, e *entry) {
	row, column, many := r.cellsBefore(i, e)
	after, more := r.cellsAfter(i)
	many = many || more
	if isHeadingOfReplacedDates(column) || isHeadingOfReplacedDates(row) {
		e.date.struck = true
		if isHeadingOfReplacedDates(column) {
			column = ""
		} else {
			row = ""
		}
	}
	row = r.spannedLabel(i, row, e)
	rowKind, columnKind := labelKind(row), labelKind(column)
	e.shape = table
	if rowKind != "" && (len(significantWords(plainLabel(column))) == 0 || hasOnlyMoveWords(column)) {
		columnKind = "" // "extended deadline" only distinguishes two days of one row
	}
	switch {
	case many && columnKind != "" && columnKind != eventDates:
		e.kind, e.label, e.track = columnKind, column, row
	case rowKind != "":
		e.kind, e.label = rowKind, row
		if many && len(significantWords(plainLabel(column))) > 0 {
			e.track = column
		}
		if extensionWords.MatchString(column) && !extensionWords.MatchString(row) {
			e.label += " " + column
		}
	case labelKind(after) != "":
		e.kind, e.label = labelKind(after), after
	case columnKind != "":
		e.kind, e.label, e.track = columnKind, column, row
	case row != "":
		e.label = row
	}
	if extensionWords.MatchString(e.track) {
		e.track = ""
	}
}

// isHeadingOfReplacedDates reports whether a text is the head of a column or row of replaced dates. It then
// consists of words for "previous" and for dates.
func isHeadingOfReplacedDates(s string) bool {
	return len(s) <= maxHeading && formerOnly.MatchString(s) && !extensionWords.MatchString(s) && hasOnlyLinkWords(formerOnly.ReplaceAllString(s, " "), dayNouns)
}

// cellsBefore returns the texts to the left of cell i, the head of its column, and whether other cells to
// the left contain dates. It may set the track of e.
func (r *deadlineReader) cellsBefore(i int, e *entry) (row, column string, dated bool) {
	b, said := r.blocks[i], false
	for j := i - 1; j >= 0 && r.blocks[j].Table == b.Table; j-- {
		c := r.blocks[j]
		switch {
		case c.Row == b.Row && c.Col != b.Col && len(r.datesIn(j)) > 0:
			dated = true
		case c.Row == b.Row && c.Col != b.Col && said:
			e.track = cutToBytes(c.Text, maxTrack) // the cell next to the date is label enough
		case c.Row == b.Row && c.Col != b.Col && len(row) < maxLabel:
			row = cutToBytes(c.Text, maxLabel) + " " + row
			said = labelKind(row) != ""
		case c.Col == b.Col && c.Row < b.Row && len(r.datesIn(j)) == 0 && (c.Kind == tagtree.HeadCell || c.Row == 0):
			column = c.Text
		}
	}
	return strings.TrimSpace(cutToBytes(row, maxLabel)), column, dated
}

// cellsAfter returns the texts to the right of cell i, and whether other cells there contain dates.
func (r *deadlineReader) cellsAfter(i int) (text string, dated bool) {
	b := r.blocks[i]
	for j := i + 1; j < len(r.blocks) && r.blocks[j].Table == b.Table && r.blocks[j].Row == b.Row; j++ {
		switch c := r.blocks[j]; {
		case c.Col == b.Col:
		case len(r.datesIn(j)) > 0:
			dated = true
		case len(text) < maxLabel:
			text += " " + c.Text
		}
	}
	return strings.TrimSpace(cutToBytes(text, maxLabel)), dated
}

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
func (r *deadlineReader) labelFromGroup(i int, e *entry) bool {
	if !namesTrack(e.label) {
		return false
	}
	j, sure := r.groupHead(i)
	if j < 0 || len(r.blocks[j].Text) > maxHeading || len(r.datesIn(j)) > 0 || !mayBeTrack(e, sure) {
		return false
	}
	if !sure && !(pointsRight.MatchString(e.label) && r.isInDatedList(i)) {
		return false
	}
	if !r.isTrack(i, j, e.label) {
		return false
	}
	head := r.blocks[j].Text
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
func (r *deadlineReader) isTrack(i, head int, label string) bool {
	if ofTrack.MatchString(label) || eventseer.CallKindOf(label) != eventseer.MainCall || wording.ReadLabel(label).All.Has(wording.Session) {
		return true
	}
	if r.blocksByLabel == nil {
		r.blocksByLabel = map[string][]int{}
		for _, d := range r.dates {
			name := r.labelBeforeDate(d.block)
			if at := r.blocksByLabel[name]; len(at) < maxHeads && !slices.Contains(at, d.block) {
				r.blocksByLabel[name] = append(at, d.block)
			}
		}
	}
	return slices.ContainsFunc(r.blocksByLabel[trackName(label)], func(j int) bool {
		other, _ := r.groupHead(j)
		return j != i && other != head
	})
}

// maxHeads is the maximum number of blocks that are compared per label beside their dates.
const maxHeads = 20

// labelBeforeDate returns the label before the first date of block i, in the block or in the cell to its left.
func (r *deadlineReader) labelBeforeDate(i int) string {
	b := r.blocks[i]
	if i > 0 && b.Table > 0 && r.blocks[i-1].Table == b.Table && r.blocks[i-1].Row == b.Row && r.isOnlyDates(i) {
		return trackName(r.blocks[i-1].Text)
	}
	return trackName(cutToBytes(b.Text[:r.datesIn(i)[0].Start], maxTrack))
}

// ofTrack matches a label that names a track by its words.
var ofTrack = compilePattern(`(?i)\b(?:track|papers?)\b`)

// trackName returns a label in lower case without the punctuation around it.
func trackName(label string) string {
	return strings.ToLower(strings.Trim(label, " \t:–—-.*•"))
}

// isInDatedList reports whether an adjacent block of the same kind and in the same element as block i has a
// date too.
func (r *deadlineReader) isInDatedList(i int) bool {
	b := r.blocks[i]
	for _, j := range []int{i - 1, i + 1} {
		if j >= 0 && j < len(r.blocks) && r.blocks[j].Kind == b.Kind && path.Dir(r.blocks[j].Path) == path.Dir(b.Path) && len(r.datesIn(j)) > 0 {
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
func (r *deadlineReader) groupHead(i int) (head int, sure bool) {
	b := r.blocks[i]
	if b.Table > 0 && !r.isLayoutCell(i) {
		for j := i - 1; j >= 0 && r.blocks[j].Table == b.Table && r.blocks[j].Row == b.Row; j-- {
			if r.blocks[j].Col < b.Col {
				return j, true
			}
		}
		return -1, false
	}
	for j := i - 1; j >= 0 && i-j < maxRun; j-- {
		c := r.blocks[j]
		if c.Kind == b.Kind && path.Dir(c.Path) == path.Dir(b.Path) && len(r.datesIn(j)) > 0 {
			continue
		}
		switch {
		case c.Kind == tagtree.Item && strings.HasPrefix(b.Path, c.Path+"/"), c.Kind == tagtree.Term && b.Kind == tagtree.Definition:
			return j, true
		case isHeading(c) && !r.isPageTitle(j), c.Path == b.Path && c.Kind == b.Kind, strings.HasSuffix(c.Text, ":"):
			return j, false
		}
		return -1, false
	}
	return -1, false
}

// spannedLabel returns the label of cell i, where row is the text of its row. If the row names only a
// track, the cell with the purpose of the rows is put before it, and the row becomes the track of e. That
// cell is the next one to the left, or one above that spans the row or is not repeated in it.
func (r *deadlineReader) spannedLabel(i int, row string, e *entry) string {
	if k := labelKind(row); !namesTrack(row) || k != "" && k != eventDates {
		return row
	}
	over := e.track
	if over == "" {
		over = r.cellAbove(i)
	}
	if k := labelKind(over); !isScoredKind(k) || isAmbiguousLabel(over) || !r.isTrack(i, -1, row) {
		return row
	}
	e.track = row
	return over + " " + row
}

// cellAbove returns the text of the last cell above cell i in the first column. It returns "" if the row of
// cell i has a cell in that column.
func (r *deadlineReader) cellAbove(i int) string {
	b := r.blocks[i]
	for j := i - 1; j >= 0 && r.blocks[j].Table == b.Table; j-- {
		if c := r.blocks[j]; c.Col == 0 {
			if c.Row == b.Row || c.Kind == tagtree.HeadCell && c.Row == 0 || len(r.datesIn(j)) > 0 {
				return ""
			}
			return cutToBytes(c.Text, maxLabel)
		}
	}
	return ""
}
