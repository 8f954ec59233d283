package features

import (
	"math"
	"math/bits"
	"net/url"
	"slices"
	"strings"

	"eventseer/features/tagtree"
)

// structureNames are the dense features in the order they stand in a vector.
// Counts n enter as log(1+n) over the log of a number that few pages exceed,
// so all lie in [0, 1] or little above.
var structureNames = [...]string{
	"links", "link_share", "outlink_hosts", "dates", "due_dates", "years", "items", "cells", "headings",
	"mail_addresses", "mail_header", "first_person", "invitations", "length",
}

// StructureNames returns the names of the dense features, in vector order.
func StructureNames() []string { return slices.Clone(structureNames[:]) }

// pageCounts gathers what the dense features are made from.
type pageCounts struct {
	words, pronouns         int
	dates, dueDates         int
	years                   uint64 // bit i: firstYear+i is mentioned
	items, cells, headings  int
	addresses, invitations  int
	blocks, headerLines     int
	letters                 int      // bytes of text
	recent                  [4]*word // the last words, newest first
	tokens                  int
	lastMonth, lastDay      int // token numbers, 0 for none yet
	lastDue, lastDate       int
	numbers, yearsInNumbers int // of the current run of joined numbers
}

// near is how many tokens may lie between a date and the word that says what
// is due then.
const near = 15

// token counts one token of the visible text.
func (c *pageCounts) token(t token) {
	c.tokens++
	if t.word == nil {
		c.number(t)
		return
	}
	w := t.word
	c.words++
	c.numbers = 0
	copy(c.recent[1:], c.recent[:3])
	c.recent[0] = w
	if w.class == 0 {
		return
	}
	if w.class&month != 0 {
		c.lastMonth = c.tokens
		if c.lastDay > 0 && c.tokens-c.lastDay <= 2 {
			c.date()
		}
	}
	if w.class&dueWord != 0 {
		if c.lastDate > 0 && c.tokens-c.lastDate <= near/2 && c.lastDue < c.lastDate {
			c.dueDates++
		}
		c.lastDue = c.tokens
	}
	if w.class&firstPerson != 0 {
		c.pronouns++
	}
	if w.class&phraseEnd != 0 && endsInvitation(c.recent) {
		c.invitations++
	}
}

// number counts a number: as a year, as the day beside a month, or as part of
// a date such as 2026-05-01.
func (c *pageCounts) number(t token) {
	if isYear(t.number) {
		c.years |= 1 << (t.number - firstYear)
	}
	if !t.joined {
		c.numbers, c.yearsInNumbers = 0, 0
	}
	c.numbers++
	if isYear(t.number) {
		c.yearsInNumbers++
	}
	if c.numbers == 3 && c.yearsInNumbers == 1 {
		c.date()
	}
	if t.number >= 1 && t.number <= 31 {
		c.lastDay = c.tokens
		if c.lastMonth > 0 && c.tokens-c.lastMonth == 1 {
			c.date()
		}
	}
}

// date counts a date, and whether a word nearby says that something is due.
func (c *pageCounts) date() {
	if c.lastDate > 0 && c.tokens-c.lastDate <= 2 {
		return // the same date
	}
	c.dates++
	if c.lastDue > 0 && c.tokens-c.lastDue <= near {
		c.dueDates++
	}
	c.lastDate = c.tokens
}

// block counts a block of visible text as a whole.
func (c *pageCounts) block(b tagtree.Block) {
	switch b.Kind {
	case tagtree.Item:
		c.items++
	case tagtree.Cell, tagtree.HeadCell:
		c.cells++
	case tagtree.Heading:
		c.headings++
	}
	c.letters += len(b.Text)
	c.lastMonth, c.lastDay, c.lastDate = 0, 0, 0 // no date runs on into the next block
	c.tokens += 2
	c.addresses += strings.Count(b.Text, "@")
	if c.blocks++; c.blocks <= headerBlocks && isMailHeader(b.Text) {
		c.headerLines++
	}
}

// headerBlocks is how far down a mail's header is looked for.
const headerBlocks = 12

func isMailHeader(s string) bool {
	name, _, ok := strings.Cut(s, ":")
	if !ok || len(name) > len("message-id") {
		return false
	}
	switch strings.ToLower(name) {
	case "from", "to", "subject", "date", "sender", "reply-to", "message-id":
		return true
	}
	return false
}

// features returns the dense features; t is nil for a text without links.
func (c *pageCounts) features(t *tagtree.Tree) [len(structureNames)]float64 {
	var links, anchorText int
	var hosts map[string]bool
	if t != nil {
		links = len(t.Links())
		hosts = make(map[string]bool)
		for _, l := range t.Links() {
			anchorText += len(l.Anchor)
			hosts[hostOf(l.Target)] = true
		}
		delete(hosts, hostOf(t.Page.URL))
	}
	var header float64
	if c.headerLines >= 2 {
		header = 1
	}
	return [...]float64{
		scaled(links, 200), math.Min(1, share(anchorText, c.letters)), scaled(len(hosts), 50),
		scaled(c.dates, 50), scaled(c.dueDates, 10), scaled(bits.OnesCount64(c.years), 15),
		scaled(c.items, 100), scaled(c.cells, 200), scaled(c.headings, 30),
		scaled(c.addresses, 20), header, math.Min(1, 10*share(c.pronouns, c.words)), scaled(c.invitations, 4),
		scaled(c.words, 3000),
	}
}

func scaled(n, most int) float64 { return math.Log1p(float64(n)) / math.Log1p(float64(most)) }

func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// hostOf returns the host of a canonical URL, or raw itself.
func hostOf(raw string) string {
	if u, err := url.Parse(raw); err == nil && u.Host != "" {
		return u.Hostname()
	}
	return raw
}

var (
	months = makeSet(`january february march april may june july august september october november december
		jan feb mar apr jun jul aug sep sept oct nov dec`)
	dueWords = makeSet(`deadline deadlines submission submissions submit due notification acceptance camera extended abstracts`)
	ownWords = makeSet(`i my me mine we our us i'm i've i'd i'll`)
)

// invitations are phrases by which calls ask for work.
var invitations = makePhrases(`call for papers; call for abstracts; call for proposals; call for contributions;
	call for participation; call for posters; call for submissions; call for workshops; call for tutorials;
	call for demos; call for chapters; call for presentations; calls for papers; we invite; we solicit; we welcome;
	you are invited; invited to submit; invited to contribute; encouraged to submit; invites submissions;
	invite submissions; solicits papers; papers are invited; papers are solicited; submissions are invited;
	submissions are solicited; contributions are invited; papers are sought; submissions are sought`)

// makePhrases maps the last word of each phrase to the words before it,
// nearest first.
func makePhrases(list string) map[string][][]string {
	phrases := make(map[string][][]string)
	for phrase := range strings.SplitSeq(list, ";") {
		w := strings.Fields(phrase)
		slices.Reverse(w)
		phrases[w[0]] = append(phrases[w[0]], w[1:])
	}
	return phrases
}

// endsInvitation reports whether the last words, newest first, end a phrase.
func endsInvitation(recent [4]*word) bool {
	for _, phrase := range invitations[recent[0].text] {
		matched := true
		for i, w := range phrase {
			matched = matched && recent[i+1] != nil && recent[i+1].text == w
		}
		if matched {
			return true
		}
	}
	return false
}

func classOf(s string) class {
	var c class
	if months[s] {
		c |= month
	}
	if dueWords[s] {
		c |= dueWord
	}
	if ownWords[s] {
		c |= firstPerson
	}
	if _, ok := invitations[s]; ok {
		c |= phraseEnd
	}
	return c
}
