package extract

import (
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/block"
	"github.com/eventseer/eventseer/eventseer/extract/date"
	"github.com/eventseer/eventseer/eventseer/extract/name"
	"github.com/eventseer/eventseer/eventseer/extract/pattern"
	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/tagtree"
)

// A page is a parsed page with the data that all fields are read from: its blocks, the heading above each,
// and its dates. It is used by one goroutine.
type page struct {
	t        *tagtree.Tree
	url      string
	lang     string
	blocks   []tagtree.Block
	menu     []bool         // by block: is navigation, which contains neither topics nor people
	trigrams []pattern.Text // by block: its text, set when mayMatch needs it
	roles    []block.Scores // by block: probabilities of its role
	head     []int          // by block: index of the heading above, -1 for none
	dates    []foundDate
	kinds    map[int]eventseer.DeadlineKind // cache of blockKind by block
	first    []int                          // first[i]: index in dates of the first date of block i
	called   name.Result                    // name and acronym of the event
	class    string                         // noun of the title: workshop, symposium, conference
	year     int                            // year of the edition, 0 if unknown
	sent     date.Day                       // day on which a mail was sent; zero if unknown
	call     callDates                      // block of the first deadline and last day for submissions, see callDatesOf
	open     []foundDate                    // dates whose year is unknown
	// misprints are impossible dates.
	misprints []blockMisprint
	last      int // last year in which a date is valid
}

// A foundDate is a date on the page.
type foundDate struct {
	date.Span
	block    int
	struck   bool
	inferred string      // how a year that is not printed was inferred, "" for a printed one
	was      []date.Span // earlier dates from struck-out parts inside the date
}

// preparePage prepares a page. Dates after the year last are misprints.
func preparePage(t *tagtree.Tree, last int) *page {
	p := &page{t: t, lang: langOf(t), last: last, kinds: map[int]eventseer.DeadlineKind{}}
	if t.Page != nil {
		p.url = t.Page.URL
	}
	lines := fixedBlocks(t)
	p.menu = navigationBlocks(t, len(lines))
	p.setUnwrapped(lines)
	p.sent = p.mailDay()
	p.readDates(last)
	p.pairColumns()
	p.readHeadings()
	return p
}

// mayMatch reports whether the text of block i, or any part of it, may match e. It is a fast check.
func (p *page) mayMatch(i int, e *pattern.Pattern) bool {
	if p.trigrams == nil {
		p.trigrams = takeTexts(len(p.blocks))
	}
	t := &p.trigrams[i]
	if !t.IsSet() {
		t.Set(p.blocks[i].Text)
	}
	return e.MayMatch(t)
}

// freeTexts are texts of pages that have been read.
var freeTexts = sync.Pool{New: func() any { return new([]pattern.Text) }}

// maxFreeTexts is the maximum number of texts of a page that are reused.
const maxFreeTexts = 2048

// takeTexts returns n texts that are not set.
func takeTexts(n int) []pattern.Text {
	free := freeTexts.Get().(*[]pattern.Text)
	if cap(*free) < n {
		*free = make([]pattern.Text, max(n, maxTop))
	}
	return (*free)[:n]
}

// release frees the memory of p for another page. p must not be used any more.
func (p *page) release() {
	if cap(p.trigrams) == 0 || cap(p.trigrams) > maxFreeTexts {
		return
	}
	for i := range p.trigrams {
		p.trigrams[i].Reset()
	}
	texts := p.trigrams
	p.trigrams = nil
	freeTexts.Put(&texts)
}

// langOf returns the language tag that a page declares, or the language of its text if the two differ.
// Templates often declare "en" for any content.
func langOf(t *tagtree.Tree) string {
	declared := t.Lang()
	code := features.LangOf(t.Text(), declared)
	if code == "" || strings.HasPrefix(strings.ToLower(declared), code) {
		return declared
	}
	return code
}

// Blocks returns the blocks of a page as Extract reads them, at most maxBlocks. Characters of a misread
// encoding are repaired. In plain text the lines of a sentence or list item are joined.
func Blocks(t *tagtree.Tree) []tagtree.Block {
	blocks, _ := unwrapLines(fixedBlocks(t))
	return blocks
}

func fixedBlocks(t *tagtree.Tree) []tagtree.Block {
	blocks := t.Blocks()
	return fixMojibake(blocks[:min(len(blocks), maxBlocks)])
}

// navigationBlocks reports for each of the first n blocks whether it is navigation.
func navigationBlocks(t *tagtree.Tree, n int) []bool {
	a := t.Analysis()
	aside := make([]bool, n)
	for i := range aside {
		aside[i] = a.Areas[a.AreaOfBlock(i)].Kind == tagtree.Navigation
	}
	return aside
}

func (p *page) readHeadings() {
	p.head = make([]int, len(p.blocks))
	last := -1
	for i, b := range p.blocks {
		p.head[i] = last
		if isHeading(b) || newsHeading.MatchString(b.Text) && p.first[min(i+3, len(p.blocks))] > p.first[i+1] {
			last = i
		}
	}
}

// newsHeading matches a heading above news. Their dates are the days of announcements.
var newsHeading = compilePattern(`(?i)^\W*((latest|recent) )?(news|updates?|announcements?|what['’]s new|noticias|novedades|aktuelles|actualités|notícias)( and \w+)?\W*$`)

// sectionWords matches the start of a heading that is not marked up as one.
var sectionWords = compilePattern(`(?i)^[^\p{L}]*(important|key|critical)? ?(dates|deadlines?|schedule|timeline|topics|themes|tracks|areas|scope|submissions?|paper submission|submission (guidelines|instructions|information)|author(s')? (guidelines|instructions)|publication|proceedings|registration|venue|location|contacts?|(.{0,40} )?(committees?|chairs?|chairmen|organi[sz]ers|speakers|board)|keynotes?|about|overview|aims?|call for .{3,40}|topics of interest|areas of interest|fechas importantes|datas importantes|wichtige termine|termine)\b.{0,30}$|^[^\p{L}]*(重要日期|重要な日程).{0,30}$`)

// maxHeading is the maximum length, in bytes, of a heading that is not marked up as one.
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

// blockKind returns the labelKind of block i. Results are cached.
func (p *page) blockKind(i int) eventseer.DeadlineKind {
	k, ok := p.kinds[i]
	if !ok {
		k = labelKind(p.blocks[i].Text)
		p.kinds[i] = k
	}
	return k
}

// headingAbove returns the text of the heading above block i, or "" for none.
func (p *page) headingAbove(i int) string {
	if h := p.head[i]; h >= 0 {
		return p.blocks[h].Text
	}
	return ""
}

func (p *page) readDates(last int) {
	p.first = make([]int, len(p.blocks)+1)
	for i, b := range p.blocks {
		p.first[i] = len(p.dates)
		if len(p.dates) >= date.MaxDates || p.isMailDateLine(b) {
			continue
		}
		kept, struck := separateStruck(b)
		ds, misprints := date.ReadWithMisprints(withoutAddresses(kept), p.lang)
		p.addMisprints(i, misprints)
		for _, s := range ds {
			switch {
			case s.To.Year > last:
				p.addMisprints(i, []date.Misprint{{Start: s.Start, End: s.End}})
			case len(p.dates) < date.MaxDates:
				p.dates = append(p.dates, foundDate{Span: s, block: i})
			}
		}
		if struck != "" {
			of := slices.Clone(p.dates[p.first[i]:])
			p.dates = append(p.dates[:p.first[i]], addStruck(of, i, b.Text, struck, p.lang)...)
		}
	}
	p.first[len(p.blocks)] = len(p.dates)
	p.joinDays()
	p.decideDayOrder()
}

// withoutAddresses returns a text of the same length with the digits of its addresses replaced. They are
// not dates: "https://icx.example/2027/06/15/post", "?ver=2027-06-15".
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

var addresses = compilePattern(`(?i)(?:\b[a-z]{2,10}://|\bwww\.|[?&][a-z_]{1,20}=)[!-~]+`)

// datesIn returns the dates of block i.
func (p *page) datesIn(i int) []foundDate { return p.dates[p.first[i]:p.first[i+1]] }

// spansIn returns the dates in the first n bytes of block i.
func (p *page) spansIn(i, n int) []date.Span {
	var out []date.Span
	for _, d := range p.datesIn(i) {
		if d.End <= n && d.Start < d.End {
			out = append(out, d.Span)
		}
	}
	return out
}

// nextDate returns the offset of the first date in block i at or after byte from, or the length of the
// block.
func (p *page) nextDate(i, from int) int {
	for _, d := range p.datesIn(i) {
		if d.Start >= from {
			return d.Start
		}
	}
	return len(p.blocks[i].Text)
}

// provenanceOf returns the source of bytes [from, to) of block i.
func (p *page) provenanceOf(i, from, to int, rule string) eventseer.Provenance {
	b := p.blocks[i]
	return eventseer.Provenance{
		URL: p.url, Path: b.Path, Rule: rule,
		Offset:  [2]int{b.Start + from, b.Start + to},
		Snippet: snippet(b.Text, from),
	}
}

// snippet returns a redacted part of s of at most MaxSnippet runes, a quarter of them before byte from.
func snippet(s string, from int) string {
	const before = eventseer.MaxSnippet / 4
	if from > before {
		s = s[len(cutToBytes(s, from-before)):]
	}
	s = redact(cutToBytes(s, 2*utf8.UTFMax*eventseer.MaxSnippet)) // redacted before it is cut, since cutting could split an address
	n := 0
	for i := range s {
		if n++; n > eventseer.MaxSnippet {
			return strings.TrimSpace(s[:i])
		}
	}
	return strings.TrimSpace(s)
}
