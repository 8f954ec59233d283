package extract

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/block"
	"github.com/eventseer/eventseer/eventseer/extract/date"
	"github.com/eventseer/eventseer/eventseer/extract/name"
	"github.com/eventseer/eventseer/eventseer/extract/person"
	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/tagtree"
)

// A page is a parsed page with what all fields are read from: its blocks, the
// heading above each, and its dates.
type page struct {
	t           *tagtree.Tree
	url         string
	lang        string
	blocks      []tagtree.Block
	menu        []bool               // blocks of navigation, where neither topics nor people are looked for
	roles       []block.Scores       // what each block is for, see weights
	people      *person.Model        // tells names of people; nil finds none
	head        []int                // index of the heading above a block, -1 for none
	calls       []eventseer.CallKind // of the section a block is in, see readCalls
	dates       []found
	kinds       map[int]eventseer.DeadlineKind // of blocks read as labels, see blockKind
	bares       map[int]bool                   // of blocks asked for, see bare
	first       []int                          // first[i]: index in dates of the first date of block i
	cities      func(string) []City            // see Options
	lookedUp    map[string][]City              // what it said
	placeRanker *classify.LogLinear            // chooses among places, see placeLesson
	places      *placeLesson                   // that venue chose from
	names       recognizer
	kindsBy     *classify.LogLinear // says what dates are for; nil: the rules do
	called      name.Result         // what the event is called
	hostList    []name.Host         // see hosts
	hostsRead   bool
	titleTexts  titleTexts
	low         string           // see lowText
	class       string           // the noun of the title: workshop, symposium, conference
	year        int              // of the edition, 0 when the page does not say
	sent        date.Day         // on which a mail was sent
	call        callDates        // of the deadlines
	open        []found          // dates whose year nothing tells
	besideDays  map[string][]int // blocks with a date by the name before it, nil until asked for
	// misprints are printed as dates but are none.
	misprints []misprinted
	last      int // year after which dates are not read
}

// A found is a date on the page.
type found struct {
	date.Span
	block    int
	struck   bool
	inferred string      // what the year follows from, "" where it is printed
	was      []date.Span // read off what is struck out inside the date
}

// read prepares a page; dates after the year last are left out.
func read(t *tagtree.Tree, last int) *page {
	p := &page{t: t, lang: langOf(t), last: last, kinds: map[int]eventseer.DeadlineKind{}, bares: map[int]bool{}}
	if t.Page != nil {
		p.url = t.Page.URL
	}
	lines := mendedBlocks(t)
	p.menu = navigation(t, len(lines))
	p.unwrap(lines)
	p.sent = p.sentOn()
	p.readDates(last)
	p.pairColumns()
	p.readHeads()
	p.readCalls()
	return p
}

// langOf returns the language tag that a page declares, or that of its text if the two differ.
// Templates often declare "en" whatever they are filled with.
func langOf(t *tagtree.Tree) string {
	declared := t.Lang()
	code := features.LangOf(t.Text(), declared)
	if code == "" || strings.HasPrefix(strings.ToLower(declared), code) {
		return declared
	}
	return code
}

// Blocks returns the blocks of a page as they are read, at most maxBlocks. Characters of a misread
// encoding are repaired; in plain text the lines of a sentence or an item are joined.
func Blocks(t *tagtree.Tree) []tagtree.Block {
	blocks, _ := unwrapped(mendedBlocks(t))
	return blocks
}

func mendedBlocks(t *tagtree.Tree) []tagtree.Block {
	blocks := t.Blocks()
	return mended(blocks[:min(len(blocks), maxBlocks)])
}

// navigation tells of the first n blocks which are of navigation.
func navigation(t *tagtree.Tree, n int) []bool {
	a := t.Analysis()
	aside := make([]bool, n)
	for i := range aside {
		aside[i] = a.Areas[a.AreaOfBlock(i)].Kind == tagtree.Navigation
	}
	return aside
}

func (p *page) readHeads() {
	p.head = make([]int, len(p.blocks))
	last := -1
	for i, b := range p.blocks {
		p.head[i] = last
		if isHeading(b) || newsHeading.MatchString(b.Text) && p.first[min(i+3, len(p.blocks))] > p.first[i+1] {
			last = i
		}
	}
}

// newsHeading matches what stands over a list of news, whose dates are days on
// which something was announced.
var newsHeading = compile(`(?i)^\W*((latest|recent) )?(news|updates?|announcements?|what['’]s new|noticias|novedades|aktuelles|actualités|notícias)( and \w+)?\W*$`)

// sectionWords begin a heading that is not marked up as one.
var sectionWords = compile(`(?i)^[^\p{L}]*(important|key|critical)? ?(dates|deadlines?|schedule|timeline|topics|themes|tracks|areas|scope|submissions?|paper submission|submission (guidelines|instructions|information)|author(s')? (guidelines|instructions)|publication|proceedings|registration|venue|location|contacts?|(.{0,40} )?(committees?|chairs?|chairmen|organi[sz]ers|speakers|board)|keynotes?|about|overview|aims?|call for .{3,40}|topics of interest|areas of interest|fechas importantes|datas importantes|wichtige termine|termine)\b.{0,30}$|^[^\p{L}]*(重要日期|重要な日程).{0,30}$`)

// maxHeading bounds a heading that is not marked up, in bytes.
const maxHeading = 70

func isHeading(b tagtree.Block) bool {
	switch b.Kind {
	case tagtree.Heading:
		return true
	case tagtree.Paragraph, tagtree.Line, tagtree.Term:
		return len(b.Text) <= maxHeading && !strings.ContainsAny(b.Text, "0123456789.;,@") && sectionWords.MatchString(b.Text)
	}
	return false
}

// blockKind returns the labelKind of block i; neighbours ask for it again and again.
func (p *page) blockKind(i int) eventseer.DeadlineKind {
	k, ok := p.kinds[i]
	if !ok {
		k = labelKind(p.blocks[i].Text)
		p.kinds[i] = k
	}
	return k
}

// heading returns the text of the heading above block i, or "".
func (p *page) heading(i int) string {
	if h := p.head[i]; h >= 0 {
		return p.blocks[h].Text
	}
	return ""
}

func (p *page) readDates(last int) {
	p.first = make([]int, len(p.blocks)+1)
	for i, b := range p.blocks {
		p.first[i] = len(p.dates)
		if len(p.dates) >= date.MaxDates || p.isSentLine(b) {
			continue
		}
		kept, struck := parted(b)
		r := date.NewReader(withoutAddresses(kept), p.lang)
		ds := r.Dates()
		p.noteMisprints(i, r.Misprints(ds))
		for _, s := range ds {
			switch {
			case s.To.Year > last:
				p.noteMisprints(i, []date.Misprint{{Start: s.Start, End: s.End}})
			case len(p.dates) < date.MaxDates:
				p.dates = append(p.dates, found{Span: s, block: i})
			}
		}
		if struck != "" {
			of := slices.Clone(p.dates[p.first[i]:])
			p.dates = append(p.dates[:p.first[i]], addStruck(of, i, b.Text, struck, p.lang)...)
		}
	}
	p.first[len(p.blocks)] = len(p.dates)
	p.joinDays()
	p.settleOrder()
}

// withoutAddresses returns a text of the same length without the digits of its addresses,
// which are no dates: "https://icx.example/2027/06/15/post", "?ver=2027-06-15".
func withoutAddresses(s string) string {
	if !strings.Contains(s, "://") && !strings.Contains(s, "=") && !strings.Contains(s, "www.") {
		return s
	}
	return addresses.ReplaceAllStringFunc(s, func(address string) string {
		return strings.Map(func(r rune) rune {
			if '0' <= r && r <= '9' {
				return 'x'
			}
			return r
		}, address)
	})
}

var addresses = compile(`(?i)(?:\b[a-z]{2,10}://|\bwww\.|[?&][a-z_]{1,20}=)[!-~]+`)

// datesIn returns the dates of block i.
func (p *page) datesIn(i int) []found { return p.dates[p.first[i]:p.first[i+1]] }

// source returns the provenance of bytes [from, to) of block i.
func (p *page) source(i, from, to int, rule string) eventseer.Provenance {
	b := p.blocks[i]
	return eventseer.Provenance{
		URL: p.url, Path: b.Path, Rule: rule,
		Offset:  [2]int{b.Start + from, b.Start + to},
		Snippet: snippet(b.Text, from),
	}
}

// snippet cuts at most MaxSnippet runes out of s, some of them before from, and
// redacts them.
func snippet(s string, from int) string {
	const before = eventseer.MaxSnippet / 4
	if from > before {
		s = s[len(clip(s, from-before)):]
	}
	s = redact(clip(s, 2*utf8.UTFMax*eventseer.MaxSnippet)) // before the cut, which may halve an address
	n := 0
	for i := range s {
		if n++; n > eventseer.MaxSnippet {
			return strings.TrimSpace(s[:i])
		}
	}
	return strings.TrimSpace(s)
}
