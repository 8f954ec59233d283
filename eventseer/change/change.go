// Package change finds the changes between two states of an event and between two versions of its
// page.
package change

import (
	"slices"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/pattern"
	"github.com/eventseer/eventseer/features/tagtree/diff"
)

// A differ finds what a new version of a page changes: first changes of its dates, then other
// changes. Blocks are indexes into those of their version.
type differ struct {
	old, new eventseer.Reading
	c        *diff.Comparison
	pairs    *datePairing

	edits        []edit
	ofOld, ofNew map[int]int  // block → edit
	explained    map[int]bool // edits for which a kind was found
	restated     map[int]bool // old blocks whose dates are printed elsewhere now
	turned       bool         // the page was replaced by a different one

	heads, oldHeads    []string                // heading above each block
	speaks, serves     map[string]bool         // headings of speakers, of committees
	inNews, inOldNews  []bool                  // for each block: it is in a section of news
	oldDays, newDays   map[eventseer.Date]bool // dates printed in the version, including struck out ones
	added              []int                   // new links
	linked, wasLinked  map[int]bool            // new blocks with an added link, and unchanged ones that had a link
	oldLinks, newLinks map[int]int             // number of links in each block
	goneEntries        []string                // texts of menu entries, squeezed
	goneHeads          map[string]bool         // headings that are gone
	newTargets         map[int]string          // new block → target of its first link
	goneTargets        map[string]bool         // targets of removed menu entries
	dueAt              map[int]bool            // new blocks with a deadline

	found   []finding
	earlier []finding // deadlines moved to an earlier date
	loose   []finding // later dates whose label is not that of a deadline
	gone    []finding // deadlines that are no longer printed
}

// newDiffer prepares the data of both versions for the differ.
func newDiffer(old, new eventseer.Reading, c *diff.Comparison) *differ {
	d := &differ{old: old, new: new, c: c, pairs: pairDates(old, new, c), heads: sectionHeadings(c.New), oldHeads: sectionHeadings(c.Old)}
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
	d.added, d.goneEntries = addedLinks(c), removedMenuEntries(d.edits)
	d.dueAt = map[int]bool{}
	for _, p := range new.Dates {
		if p.Kind != "" {
			d.dueAt[blockAt(c.New, p.Offset[0])] = true
		}
	}
	d.readLinks()
	return d
}

// readLinks records the positions and targets of the versions' links.
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

// daysPrinted returns the dates in a version, including struck out ones.
func daysPrinted(ds []eventseer.PrintedDate) map[eventseer.Date]bool {
	m := map[eventseer.Date]bool{}
	for _, p := range ds {
		m[p.From], m[p.To] = true, true
	}
	return m
}

// markExplained records that a kind was found for the change of a block in either version.
func (d *differ) markExplained(old, new int) {
	if i, ok := d.ofOld[old]; ok {
		d.explained[i] = true
	}
	if i, ok := d.ofNew[new]; ok {
		d.explained[i] = true
	}
}

// addChange records a kind with its evidence.
func (d *differ) addChange(kind eventseer.ChangeKind, label, old, new string) {
	d.addFinding(finding{ChangedLine: ChangedLine{Label: label, Old: old, New: new}}, kind)
}

func (d *differ) addFinding(f finding, kind eventseer.ChangeKind) {
	f.Kind = kind
	d.found = append(d.found, f)
}

// addChangeOnce explains an edit by a kind, and records the first edit of a kind with its texts.
func (d *differ) addChangeOnce(edit int, kind eventseer.ChangeKind, label string) {
	d.explained[edit] = true
	if e := d.edits[edit]; !d.hasKind(kind) {
		d.addChange(kind, label, e.old, e.new)
	}
}

func (d *differ) hasKind(kinds ...eventseer.ChangeKind) bool {
	return slices.ContainsFunc(d.found, func(f finding) bool { return slices.Contains(kinds, f.Kind) })
}

// decideDependentDates decides the changes that depend on others. Dates that moved along with an extended
// deadline are not corrections, and neither are replaced deadlines.
func (d *differ) decideDependentDates() {
	extended := d.hasKind(eventseer.DeadlineExtended)
	for _, f := range append(slices.Clone(d.earlier), d.loose...) {
		if extended {
			d.addFinding(f, "")
		} else {
			d.addFinding(f, eventseer.DateCorrected)
		}
	}
	if !extended && !d.hasKind(eventseer.DeadlineAdded) && !d.turned {
		for _, f := range d.gone {
			d.addFinding(f, eventseer.DateCorrected)
		}
	}
}

// maxEvidence bounds the lines of evidence of each kind.
const maxEvidence = 10

// toPageChange combines the findings into a PageChange.
func (d *differ) toPageChange() PageChange {
	pc := PageChange{Fields: Diff(d.old.Event, d.new.Event)}
	for _, f := range d.found {
		if f.move.Kind != "" && !slices.Contains(pc.Deadlines, f.move) {
			pc.Deadlines = append(pc.Deadlines, f.move)
		}
	}
	for _, kind := range eventseer.ChangeKinds() {
		n := 0
		for _, f := range d.found {
			if f.Kind != kind {
				continue
			}
			if n++; n <= maxEvidence {
				pc.Evidence = append(pc.Evidence, f.toChangedLine())
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

// printedDate returns a date as its version prints it.
func (d *differ) printedDate(p eventseer.PrintedDate, new bool) string {
	text := d.versionName(new)
	return text[min(p.Offset[0], len(text)):min(p.Offset[1], len(text))]
}

// after returns the text after a date in its block.
func (d *differ) textAfterDate(p eventseer.PrintedDate, new bool) string {
	const length = 30
	text := d.versionName(new)
	from := min(p.Offset[1], len(text))
	return text[from:min(from+length, len(text))]
}

func (d *differ) versionName(new bool) string {
	if new {
		return d.c.New.Text()
	}
	return d.c.Old.Text()
}

// toChangedLine returns the evidence with texts short enough for a line, without addresses.
func (f finding) toChangedLine() ChangedLine {
	e := f.ChangedLine
	e.Label, e.Old, e.New = shortenText(e.Label), shortenText(e.Old), shortenText(e.New)
	return e
}

// maxLine bounds a text of Evidenced, in runes.
const maxLine = 160

func shortenText(s string) string {
	s = eventseer.Redact(s)
	if r := []rune(s); len(r) > maxLine {
		return string(r[:maxLine-1]) + "…"
	}
	return s
}

// A PageChange holds the changes of a new version of a page.
type PageChange struct {
	// Kinds are in the order of ChangeKinds, each once; empty if nothing visible changed.
	Kinds     []eventseer.ChangeKind `json:"changes"`
	Deadlines []DeadlineMove         `json:"deadlines,omitempty"`
	// Fields are the differences of the two records.
	Fields []eventseer.FieldChange `json:"fields,omitempty"`
	// Evidence are texts for messages: some lines of each kind, in the order of Kinds.
	Evidence []ChangedLine `json:"evidence,omitempty"`
}

// A ChangedLine is one changed line as printed on the pages.
type ChangedLine struct {
	Kind  eventseer.ChangeKind `json:"kind"`
	Label string               `json:"label,omitempty"` // what it is of
	Old   string               `json:"old,omitempty"`
	New   string               `json:"new,omitempty"`
}

// A DeadlineMove is a deadline with a changed day; Old is "" for a new one, New for a removed one.
type DeadlineMove struct {
	Kind eventseer.DeadlineKind `json:"kind"`
	Old  eventseer.Date         `json:"old"`
	New  eventseer.Date         `json:"new"`
}

// ChangesBetween returns the changes in a new version of a page; old and new are the readings of the two
// versions. It is pure.
func ChangesBetween(old, new eventseer.Reading, c *diff.Comparison) PageChange {
	d := newDiffer(old, new, c)
	d.turned = d.isReplacedPage()
	d.findDateChanges()
	d.turned = d.turned && !d.hasKind(eventseer.DeadlineExtended, eventseer.DeadlineAdded)
	d.findPageChanges()
	d.decideDependentDates()
	d.findCosmeticChanges()
	return d.toPageChange()
}

// Phrases with which pages announce changes, in the most common languages of calls. Matching
// ignores case.
var (
	// extensionNotice matches phrases saying that a deadline was moved.
	extensionNotice = wordPattern(`(deadlines?|due dates?|submissions?( period| window)?|calls?( for \w+)?|dates?)\b[^.;]{0,40}\b(extended|postponed|prolonged|pushed back)|` +
		`\b(extended|new|revised) (\w+ ){0,2}(deadlines?|due dates?)|(deadlines?|submission) extension|extension of (the )?(\w+ ){0,2}deadlines?|` +
		`\bextended (to|until|till|by)\b|\bstill (accepting|open for|taking) (\w+ ){0,2}(submissions?|papers?|abstracts?|proposals?|contributions?)|` +
		`verlängert|fristverlängerung|prolongation|prolongée?s?\b|repoussée?s?\b|nouvelle date limite|prorrogad|prórroga|prorrogação|ampliación del plazo|plazo ampliado|nuev[ao] (fecha|plazo)|novo prazo|prorogat|proroga\b|nuova scadenza|продл[её]н|przedłużon|verlengd|延期|延长|延長|연장`)
	// extendedText matches things called extended that are not deadlines.
	extendedText = wordPattern(`\bextended (abstract|version|paper|summar|talk|manuscript|article|draft|text)[a-z]*`)
	// extensionAside matches the parts of a label that do not name the deadline.
	extensionAside = wordPattern(`\((further |firm|final|strict|hard)?( ?extended)?( ?deadline)?!*\)|\b(extended|extension|new|updated|revised|further|final|firm|strict|hard|now|was|to)\b`)
	// undecided matches placeholders for a date.
	undecided = wordPattern(`\b(tba|tbd|tbc|t\.b\.[adc]\.?)\b|to be (announced|determined|decided|confirmed|defined|fixed|avail?[ai]able)|\b(coming|posted) soon\b|\b(tentative(ly)?|provisional(ly)?|approximately|around|circa)\b|\bxx+\b|\?\?+|noch (offen|nicht)|à (venir|confirmer|préciser)|por (definir|confirmar|anunciar)|a (definir|confirmar)|da (definire|confermare)|未定|待定|미정`)
	// priced matches prices that are valid until a date.
	priced = wordPattern(`[€£$¥]\s?\d|\d\s?[€£]|\b(eur|usd|gbp)\b|\bprices?\b|\bfees?\b`)
	// datedWords matches words for dates.
	datedWords = wordPattern(`\b(dates?|deadlines?|due|schedule|timeline|held|(take|takes|taking) place)\b|\b(jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)([a-z]{2,6})?\b|termin|fecha|datas?\b|échéance|日程|日期`)

	programReady = wordPattern(`\b(programm?e?|schedule|timetable|agenda)\b[^.;]{0,30}\b(is |are )?(now )?(available|online|on-line|posted|published|out|released|announced|unveiled|(can be )?found)\b|` +
		`^\W*((new|the|final|full|detailed|preliminary|tentative|provisional|advance|complete|conference|symposium|workshops?|technical|scientific|academic|main|event|social)\b\W*)*([\w'’-]+ ){0,2}programm?e?(\W+(and|&|overview|details?|schedule|timetable|at|a|glance|guide|book|booklet|pdf|online|accepted|papers|abstracts|proceedings|now|new))*\W*$|` +
		`\b(workshops?|conference|symposium|full|final|preliminary|detailed|tentative|presentations?|talks?|sessions?|programm?e?) (schedule|timetable|agenda)\b|zeitplan|tagungsprogramm|^\W*programa\W*$|programa (final|definitivo|preliminar|provisional)|programm (ist )?online|日程表|会议日程|议程|プログラム|프로그램|программа`)
	notProgram     = wordPattern(`\bprogramm?e? ?(committees?|chairs?|co-?chairs?|members?|board|organi[sz]ers?)|\b(master|phd|doctoral|degree|funding|framework|grant|research|training|mentoring|volunteer|study|work|horizon|erasmus|social|partner|exchange|summer|fellowship|scholarship|outreach) program(me)?s?|program(me)?s? (of|for) (study|funding)|programming|\bopen program`)
	speakerWords   = wordPattern(`\b(key ?notes?|invited|plenary|featured|distinguished|guest)( and \w+)? ?(speakers?|talks?|lectures?|lecturers?|address|presentations?|panelists?)?\b|\b(speakers?|panelists?|tutors|lecturers?)\b|hauptredner|conférenciers? invités?|conferencistas?|ponentes|palestrantes|oradores|relatori|基調講演|招待講演|特邀报告|主讲|초청 ?(강연|연사)|기조 ?강연|докладчик`)
	committeeWords = wordPattern(`\b(committees?|commitee|comittee|chairs?|co-?chairs?|chairperson|chairm[ae]n|organi[sz]ers?|organi[sz]ing|editors?|steering|(advisory|editorial|review) board|reviewers|panelists|tpc|faculty panel)\b|komitee|ausschuss|comité|comitê|comitato|comissão|organisatoren|veranstalter|organizadores|coordinadores|organizzatori|委員|委员|主席|위원|комитет|komitet`)
	newsWords      = wordPattern(`^\W*(latest |recent |current |new |breaking )*(news|updates?|announcements?|happenings|what['’]s new|noticias|novedades|aktuelles|neuigkeiten|actualités|notícias|avvisi|notizie|ニュース|お知らせ|新闻|消息|通知公告|공지( ?사항)?|новости)( (and|&) \w+)?\W*$`)
	newsNotice     = wordPattern(`\b(is|are|has been|have been)( now| already)? (now )?(open|online|on-line|available|live|out|published|announced|released|posted|closed|over|accepted)\b|\bnow (open|online|available|live|accepting)\b|^\W*new\W*(!|:|\]|\)|$)|\bcongratulations?\b|\b(announc(e|ing|ed|ement)|unveiled|postponed|cancel+ed|has moved|welcome to)\b|\bthank(s| you)\b|jetzt (online|verfügbar|geöffnet)|ya (está|están) (abiert|disponible)|já (está|estão) (abert|disponíve)|est (désormais|maintenant) (ouvert|disponible|en ligne)|è ora (aperta|disponibile)|公開しました|开放|已发布`)
	sectionOfNews  = wordPattern(`^\W*(registration|venue|accommodation|travel( information)?|hotels?|awards?|best papers?|proceedings|sponsors?|social events?|excursions?|photos?|camera[- ]ready( \w+)?|presentation (instructions|guidelines)|instructions for (presenters|authors|speakers)|visa|workshops|tutorials|special issues?|accepted papers?|how to (get|reach) .*|grants?|anmeldung|inscri[pç][a-zçõã]+|registrazione|inscriptions?)\W*$`)
	movedAway      = wordPattern(`\b(page|site|website|conference|workshop|web ?page) (has|have) (been )?moved\b|\b(new|moved) (web ?)?(site|page|address|url)\b|no longer (maintained|updated)|redirect`)
)

func wordPattern(expr string) *pattern.Pattern { return pattern.Compile(`(?i)` + expr) }
