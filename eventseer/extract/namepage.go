package extract

import (
	"slices"
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/eventseer/extract/date"
	"github.com/eventseer/eventseer/eventseer/extract/name"
	"github.com/eventseer/eventseer/features/tagtree"
)

// namePage returns the input for finding the name and the acronym of the event.
func (n *nameReader) namePage() *name.Page {
	var targets []string
	for _, l := range n.t.Links() {
		targets = append(targets, l.Target)
	}
	return &name.Page{
		URL: n.url, Title: withoutListMark(n.titleElement()), Blocks: n.unmarkedBlocks(), Menu: n.menu, Head: n.head, Hints: n.t.Hints(),
		Roles: n.roles, Guess: n.guessNames, Targets: targets, Hosts: n.eventHosts(), Part: namesPart, Generic: isGeneric,
		Dates: func(i int) [][2]int {
			if i < 0 {
				title := cutToBytes(n.titleElement(), maxTitleBlock)
				return datesOutsideNames(title, date.Read(title, n.lang), func(d date.Span) date.Span { return d })
			}
			return datesOutsideNames(n.blocks[i].Text, n.datesIn(i), func(d foundDate) date.Span { return d.Span })
		},
	}
}

// presetTitle matches titles that editors, templates and servers preset and that the author did not
// replace. They are not names of events.
var presetTitle = compilePattern(`(?i)^\s*(untitled( (document|page|site|form))?|new page( \d+)?|(html )?document|(page|site|my|your|your (site|page|website)) title( here)?|title|index|index of /.*|my (new )?(site|website|web ?page|blog|app)|react app|vite( \+ [\w.]+)*( app)?|create next app|nuxt app|angular app|svelte app|lorem ipsum.*|welcome to (nginx|joomla|wordpress|drupal|github pages)!?|(apache2?|iis|nginx)\b.*(default|test|it works).*|just another wordpress site|hello world!?)\s*$|\b(free|bootstrap|html5?|css3?|wordpress|jekyll|hugo|joomla|tailwind|responsive|landing page|one[ -]page) ([\w-]+ ){0,3}(theme|template)s?\b`)

// titleElement returns the text of the title element, or "" if it is preset.
func (n *nameReader) titleElement() string {
	t := n.t.Title()
	if presetTitle.MatchString(cutToBytes(t, maxTitleBlock)) {
		return ""
	}
	return t
}

// genericWords are words of many calls: contributions, nouns for events, and courtesies. dueStops adds the
// words of labels of dates.
var genericWords = wordSet("call calls cfp paper papers abstract abstracts article articles contributions proposals participation special topical thematic issue issues session sessions section track tracks workshop workshops symposium conference journal registration notification reminder announcement apologies apologize sorry cross posting postings crossposting crosspostings multiple copies duplicates receive received you if this please forward distribute widely circulate open extended us in any")

// isGeneric reports whether a text has only words that many calls contain.
func isGeneric(s string) bool {
	for w := range strings.FieldsFuncSeq(strings.ToLower(cutToBytes(s, maxLabel)), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if len(w) > 1 && !genericWords[w] && !dueStops[w] {
			return false
		}
	}
	return true
}

// mailingListMark matches a subject that begins with the name of its mailing list in brackets, such as
// "[quiet-pumps] ". The name contains no digit.
var mailingListMark = compilePattern(`(?i)^\s*(?:subject:\s*)?(?:(?:re|fwd?|aw|wg|tr):\s*)*(\[\pL[^\[\]\d]{0,39}\])\s*\S`)

// withoutListMark returns a text of the same length with white space instead of such a name. It names the
// mailing list and not the event.
func withoutListMark(s string) string {
	m := mailingListMark.FindStringSubmatchIndex(s)
	if m == nil {
		return s
	}
	return s[:m[2]] + strings.Repeat(" ", m[3]-m[2]) + s[m[3]:]
}

// maxSubjectBlocks is the number of blocks at the top of a message that may contain its subject.
const maxSubjectBlocks = 3

// unmarkedBlocks returns the blocks of the page without the name of a mailing list before a subject.
func (n *nameReader) unmarkedBlocks() []tagtree.Block {
	blocks := n.blocks
	for i := range min(maxSubjectBlocks, len(blocks)) {
		if s := withoutListMark(blocks[i].Text); s != blocks[i].Text {
			blocks = slices.Clone(blocks)
			blocks[i].Text = s
		}
	}
	return blocks
}

// datesOutsideNames returns the bytes [from, to) of the dates in s that cannot be part of a name, including the
// weekday before them. They are full days, and months with a year.
func datesOutsideNames[D any](s string, dates []D, span func(D) date.Span) [][2]int {
	var out [][2]int
	for _, found := range dates {
		d := span(found)
		if d.From.Day == 0 && (d.From.Month == 0 || d.From.Year == 0) {
			continue
		}
		from, before := d.Start, strings.TrimRight(s[:d.Start], " ,")
		if at := strings.LastIndexAny(before, " ,(") + 1; date.IsWeekday(strings.ToLower(before[at:])) {
			from = at
		}
		out = append(out, [2]int{from, d.End})
	}
	return out
}
