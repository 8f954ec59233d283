package series

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/extract/pattern"
	"github.com/eventseer/eventseer/internal/text"
)

// A Page is the data on an event for finding its series.
type Page struct {
	Acronym   string
	Title     string
	Parent    string   // the event with which it is held
	Place     string   // words of its place, which titles contain too
	Addresses []string // of the event's own pages
	Topics    []string
	Kind      eventseer.Kind
}

// An EvidenceKind is a kind of evidence that a page belongs to a series.
type EvidenceKind string

// The witnesses.
const (
	ByAcronym EvidenceKind = "acronym" // it has the acronym of the series
	ByName    EvidenceKind = "name"    // its title has the words of the series' name
	ByAddress EvidenceKind = "address" // its address is among those of editions of the series
	ByField   EvidenceKind = "field"   // its topics contain the words of the series' name
)

// A Match is the series that a page is of.
type Match struct {
	Series eventseer.Series
	// Evidence is the evidence found for each witness: the acronym, the words, the address.
	Evidence map[EvidenceKind]string
}

// Shares of the weight of a name's words. Tuned on the plain-text calls and the pages of
// corpora/wikicfp and corpora/gold with TestKnownSeries.
const (
	wholeName  = 0.85   // of both the name and the title: the name alone is sufficient
	partOfName = 0.5    // of the name, together with the acronym
	mostOfName = 0.7    // of the name, together with an acronym that is only in the title
	someOfName = 0.34   // of the title, if it is short
	fieldShare = 0.5    // of the name, among the words of the topics
	minWeight  = 10_000 // of a name that is sufficient alone: two words that few names have
	longName   = 4      // words of a name that is sufficient whatever the page's acronym
)

// A candidate is a series that may be the page's.
type candidate struct {
	row                             int
	acronym, address, words, topics string  // evidence
	fromTitle                       bool    // the acronym is in the title only
	name, most                      float64 // similarity to the title, and the share of the name in it
	own                             float64 // the share of the title in the name
	whole                           bool    // the name alone is sufficient
	wholeWords                      int     // of that name
	contrary                        bool    // the title is of a different event
}

// Match finds the series of a page, with the evidence. Two witnesses are needed, or its whole name, or, if
// the title has nothing else, an acronym of four letters or more that no other series has. If several match
// equally well, there is no result. Match is pure.
func (t *Table) Match(p Page) (Match, bool) {
	if p.Kind == eventseer.SpecialIssue || issueTitle.MatchString(text.CutName(p.Title)) {
		return Match{}, false
	}
	c := comparison{t: t, page: p, title: titleOf(p), bare: normalizedAcronym(p.Acronym)}
	var best, second candidate
	all := c.findCandidates()
	whole := 0.0 // the highest similarity of a whole name
	for i := range all {
		if all[i].whole {
			whole = max(whole, all[i].name)
		}
	}
	for i := range all {
		found := all[i]
		if !found.whole && whole > found.name || !c.isAccepted(&found) {
			continue
		}
		if found.hasMoreEvidence(best) {
			best, second = found, best
		} else if found.hasMoreEvidence(second) {
			second = found
		}
	}
	if best.evidenceByWitness() == nil || second.evidenceByWitness() != nil && !best.hasMoreEvidence(second) {
		return Match{}, false
	}
	return Match{t.rows[best.row].Series, best.evidenceByWitness()}, true
}

const maxTopics = 40

// issueTitle matches titles of journal issues or books, which are not events.
var issueTitle = pattern.Compile(`(?i)\b(special (issue|section)|topical collection|research topic|book chapters?|edited (book|volume)|journal of)\b`)

// evidenceByWitness returns the evidence by witness, nil without any.
func (c candidate) evidenceByWitness() map[EvidenceKind]string {
	found := map[EvidenceKind]string{}
	for w, what := range map[EvidenceKind]string{ByAcronym: c.acronym, ByName: c.words, ByAddress: c.address, ByField: c.topics} {
		if what != "" {
			found[w] = what
		}
	}
	if len(found) == 0 {
		return nil
	}
	return found
}

// countWitnesses returns the number of witnesses for which there is evidence.
func (c *candidate) countWitnesses() (n int) {
	for _, what := range []string{c.acronym, c.words, c.address, c.topics} {
		if what != "" {
			n++
		}
	}
	return n
}

// hasMoreEvidence orders candidates: by the number of witnesses, then by the name.
func (c candidate) hasMoreEvidence(other candidate) bool {
	return cmp.Or(cmp.Compare(c.countWitnesses(), other.countWitnesses()), cmp.Compare(c.name, other.name)) > 0
}

// A comparison compares a page with a table.
type comparison struct {
	t      *Table
	page   Page
	title  pageTitle
	topics map[string]bool // stems, nil until they are needed
	bare   string          // the page's acronym, normalized; see bare
	// parents are the series of the event with which the page's event is held, set by isParent.
	parents     []string
	parentsRead bool
}

// A pageTitle is a title prepared for comparison with names.
type pageTitle struct {
	own   string // without lists and parents
	bare  string // without years too
	words []titleWord
	kind  eventKind
	frame string
	empty bool // it has only acronyms
}

// A titleWord is the stem of a word of a title.
type titleWord struct {
	stem     string
	weight   int
	optional bool // optional means a word of the place or of a part of an edition: it counts only if the name has it
}

// shortYear matches a year of two digits: "ICX'27".
var shortYear = pattern.Compile(`['’‘]\d\d\b`)

func titleOf(p Page) pageTitle {
	own := OwnTitle(p.Title)
	bare := WithoutYears(shortYear.ReplaceAllString(own, " "))
	return pageTitle{own: own, bare: bare, kind: kindOf(bare), frame: eventTypeWords(bare)}
}

// readWords reads the words of the title, without acronyms.
func (t *pageTitle) readWords(table *Table, place string, acronyms map[string]bool) {
	places := nameWords(place)
	t.empty = true
	for _, w := range slices.Sorted(maps.Keys(nameWords(t.bare))) {
		if acronyms[w] || acronyms[stem(trimYear(w))] {
			continue
		}
		word := titleWord{w, table.rarityOf(w), places[w] || partWords[w]}
		t.words = append(t.words, word)
		t.empty = t.empty && word.optional
	}
}

// findCandidates returns the series that share an acronym, an address or words of a name with the page.
// They are in order of row, with what they share.
func (c *comparison) findCandidates() []candidate {
	found := map[int]*candidate{}
	of := func(row int) *candidate {
		if found[row] == nil {
			found[row] = &candidate{row: row}
		}
		return found[row]
	}
	acronyms := map[string]bool{} // words of the title that are acronyms
	if !IsArchive(c.page.Acronym) {
		bare := BareAcronym(eventseer.Event{Acronym: c.page.Acronym, Title: c.page.Title})
		for _, s := range append(spellings(c.page.Acronym), bare, trimYear(c.page.Acronym)) {
			for _, row := range c.t.acronym[acronymKey(s)] {
				of(row).acronym = cmp.Or(of(row).acronym, s)
			}
			for _, w := range strings.Fields(text.FoldForComparison(s)) {
				acronyms[stem(w)] = true
			}
			acronyms[stem(acronymKey(s))] = true
		}
	}
	for _, s := range c.t.acronymsIn(c.title.own) {
		for _, row := range c.t.acronym[acronymKey(s)] {
			if of(row).acronym == "" {
				of(row).acronym, of(row).fromTitle = s, true
			}
		}
		acronyms[stem(acronymKey(s))] = true
	}
	for _, address := range c.page.Addresses[:min(len(c.page.Addresses), maxAddresses)] {
		for _, site := range SiteKeys(address) {
			for _, row := range c.t.site[site] {
				of(row).address = cmp.Or(of(row).address, site)
			}
		}
	}
	c.title.readWords(c.t, c.page.Place, acronyms)
	words := map[string]bool{}
	for _, w := range c.title.words {
		words[w.stem] = true
	}
	for _, row := range c.t.rowsOfWords(words) {
		of(row)
	}
	out := make([]candidate, 0, len(found))
	for _, row := range slices.Sorted(maps.Keys(found)) {
		c.compareNames(found[row])
		out = append(out, *found[row])
	}
	return out
}

const maxAddresses = 8

// rowsOfWords returns the rows that share the rarest words of a title.
func (t *Table) rowsOfWords(words map[string]bool) (rows []int) {
	known := slices.DeleteFunc(slices.Sorted(maps.Keys(words)), func(w string) bool { return len(t.word[w]) == 0 })
	slices.SortStableFunc(known, func(a, b string) int { return cmp.Compare(len(t.word[a]), len(t.word[b])) })
	seen := map[int]bool{}
	for _, w := range known[:min(len(known), 3)] {
		for _, row := range t.word[w] {
			if !seen[row] {
				seen[row] = true
				rows = append(rows, row)
			}
		}
	}
	return rows
}

// compareNames compares the title and the topics with the names of a candidate.
func (c *comparison) compareNames(found *candidate) {
	row := &c.t.rows[found.row]
	if found.acronym == "" {
		found.acronym = c.acronymOf(row)
		found.fromTitle = found.acronym != ""
	}
	contrary, named := !c.title.empty, false
	for _, n := range row.names {
		both, title, shared := 0, 0, 0
		for _, w := range c.title.words {
			switch {
			case n.words[w.stem]:
				both += w.weight
				title += w.weight
				shared++
			case !w.optional && !row.acronymWords[w.stem]:
				title += w.weight
			}
		}
		named = named || n.weight > 0
		if found.acronym != "" && found.topics == "" {
			found.topics = c.wordsInTopics(n)
		}
		if shared == 0 || n.weight == 0 {
			continue
		}
		ofName, ofTitle := float64(both)/float64(n.weight), float64(both)/float64(title)
		whole := ofName >= wholeName && ofTitle >= wholeName
		fits := n.kind.mayBeKindOf(c.title.kind)
		if fits && (ofName >= partOfName && (shared > 1 || ofName >= wholeName || !isSpelledBy(c.title.bare, found.acronym)) || ofTitle >= wholeName && ofName >= someOfName || ofTitle >= partOfName && shared > 1) {
			contrary, found.most, found.own = false, max(found.most, ofName), max(found.own, ofTitle)
			if score := 2 * float64(both) / float64(n.weight+title); score > found.name {
				found.name, found.words = score, c.sharedWords(n)
			}
			if whole && n.weight >= minWeight && n.fitsEventType(c.title.frame, shared) {
				found.whole, found.wholeWords = true, max(found.wholeWords, shared)
			}
		}
	}
	if !named && len(acronymKey(found.acronym)) >= wordy && c.title.kind == meeting {
		contrary, found.words = false, cmp.Or(found.words, found.acronym) // it has no other name
	}
	if c.title.empty && c.title.kind == workshop && !c.isWorkshopSeries(found.row) {
		contrary = true // "Workshop at ICX"
	}
	found.contrary = contrary
}

// isSpelledBy reports whether the initials of a title form an acronym. Then the title is the name that
// the acronym stands for, and one common word does not make it another's: "Conference on Surface
// Engineering (ICSE)".
func isSpelledBy(title, acronym string) bool {
	var initials strings.Builder
	for _, w := range strings.Fields(text.FoldForComparison(title)) {
		if !spellingSmall[w] && !sponsors[w] && ordinalOf(w) == 0 {
			initials.WriteString(w[:1])
		}
	}
	key := acronymKey(acronym)
	return len(key) > 2 && strings.HasSuffix(initials.String(), key)
}

// spellingSmall are words of titles that acronyms omit.
var spellingSmall = text.WordSet("a an and at for from in of on the to with annual joint")

// acronymOf returns the acronym of a series, of one or more words, as spelt in the title. The title
// begins with it and a year or punctuation, or has it in brackets or at its end.
func (c *comparison) acronymOf(row *row) string {
	for _, s := range row.spellings {
		before, after, ok := strings.Cut(c.title.own, s)
		if !ok || s == "" {
			continue
		}
		opens := before == "" || strings.HasSuffix(before, "(")
		closes := after == "" || strings.HasPrefix(after, ")") || strings.HasPrefix(after, ":") || strings.HasPrefix(after, "'") || strings.HasPrefix(after, "’") ||
			yearNext.MatchString(after)
		if opens && closes || strings.HasSuffix(before, " ") && after == "" && isAcronym(s) {
			return s
		}
	}
	return ""
}

// yearNext matches a year, or punctuation, directly after an acronym.
var yearNext = pattern.Compile(`^\s?[-–—:|]\s|^[\s-]?(19|20)\d\d\b`)

// wordy is the length in bytes from which an acronym is a distinctive name.
const wordy = 8

// isWorkshopSeries reports whether a series is one of workshops.
func (c *comparison) isWorkshopSeries(row int) bool {
	names := c.t.rows[row].names
	return len(names) == 0 || slices.ContainsFunc(names, func(n name) bool { return n.kind == workshop })
}

// sharedWords returns the words of a name that are in the title.
func (c *comparison) sharedWords(n name) string {
	var shared []string
	for _, w := range c.title.words {
		if n.words[w.stem] {
			shared = append(shared, w.stem)
		}
	}
	return strings.Join(shared, " ")
}

// wordsInTopics returns the words of a name that are in the topics, "" if there are too few.
func (c *comparison) wordsInTopics(n name) string {
	if c.topics == nil { // most pages do not need them
		c.topics = map[string]bool{}
		for _, topic := range c.page.Topics[:min(len(c.page.Topics), maxTopics)] {
			for _, w := range ContentWords(topic) {
				c.topics[stem(w)] = true
			}
		}
	}
	if len(c.topics) == 0 {
		return ""
	}
	both, shared := 0, []string(nil)
	for w := range n.words {
		if c.topics[w] {
			both += c.t.rarityOf(w)
			shared = append(shared, w)
		}
	}
	if len(shared) < 2 || float64(both) < fieldShare*float64(n.weight) {
		return ""
	}
	slices.Sort(shared)
	return strings.Join(shared, " ")
}

// isAccepted decides whether the evidence for a candidate is sufficient.
func (c *comparison) isAccepted(found *candidate) bool {
	return c.hasEnoughEvidence(found) && !c.isParent(found.row)
}

// hasEnoughEvidence is isAccepted without the check of the parent.
func (c *comparison) hasEnoughEvidence(found *candidate) bool {
	if found.fromTitle && (c.bare != "" || !c.title.empty && found.most < mostOfName) {
		return found.whole && !c.isAcronymOfOther(found.row) // it is the acronym of a sponsor, or one of several
	}
	switch {
	case interestGroup.MatchString(acronymKey(WithoutSponsor(found.acronym))) && found.words != "" && found.most < mostOfName && found.own < wholeName:
		return false // a special interest group also sponsors other events on its subject
	case found.acronym != "" && (found.words != "" || len(c.t.rows[found.row].names) == 0):
		return true
	case found.contrary:
		return false
	case found.acronym != "" && (found.address != "" || found.topics != ""):
		return true
	case found.acronym != "" && c.title.empty:
		key := acronymKey(found.acronym)
		ownSeries := len(c.t.rows[found.row].Sources) == 0 // added by the operator, who is trusted
		return len(c.t.acronym[key]) == 1 && (len(key) >= minDistinct && !IsSociety(key) || ownSeries)
	case found.whole && found.wholeWords >= longName:
		return !c.isAcronymOfOther(found.row)
	case found.whole:
		return c.bare == "" || found.address != ""
	}
	return false
}

// minDistinct is the length from which an acronym needs no second witness if nothing contradicts
// it.
const minDistinct = 4

// normalizedAcronym returns a normalized acronym, "" if it is that of an archive.
func normalizedAcronym(acronym string) string {
	return BareAcronym(eventseer.Event{Acronym: acronym})
}

// isAcronymOfOther reports whether the page's acronym is known to be of another series.
func (c *comparison) isAcronymOfOther(row int) bool {
	for _, s := range spellings(c.page.Acronym) {
		if others := c.t.acronym[acronymKey(s)]; len(others) > 0 && !slices.Contains(others, row) {
			return true
		}
	}
	return false
}

// isParent reports whether a series is that of the event with which the page's event is held.
func (c *comparison) isParent(row int) bool {
	if c.page.Parent == "" || strings.EqualFold(c.page.Parent, c.page.Acronym) {
		return false
	}
	if !c.parentsRead {
		c.parents, c.parentsRead = c.t.Named(c.page.Parent), true
	}
	return slices.Contains(c.parents, c.t.rows[row].ID)
}

// An eventKind is the noun of a title that distinguishes types of events.
type eventKind string

const (
	workshop eventKind = "workshop"
	school   eventKind = "school"
	meeting  eventKind = "" // conferences, symposia and events without a noun
)

// mayBeKindOf reports whether a title of one kind may belong to a name of kind k.
func (k eventKind) mayBeKindOf(title eventKind) bool {
	return k == title || title == meeting && k != school
}

var (
	workshopNoun = pattern.Compile(`(?i)\b(workshop|taller|oficina|atelier)\b`)
	schoolNoun   = pattern.Compile(`(?i)\b(summer|winter|spring|autumn|doctoral|phd) school\b`)
	askForParts  = pattern.Compile(`(?i)\b(workshops? (proposals?|and tutorials?)|proposals? for workshops?|call for workshops?)\b`)
)

func kindOf(title string) eventKind {
	switch {
	case askForParts.MatchString(title):
		return meeting
	case schoolNoun.MatchString(title):
		return school
	case workshopNoun.MatchString(title):
		return workshop
	}
	return meeting
}

// framing are words that distinguish series on one subject: regions, nouns, joint conferences, and
// organizers of whole series of conferences.
var framing = text.WordSet(`european europe asian asia pacific african africa america american americas latin ibero iberian nordic scandinavian
	baltic australasian australian australia north south east west eastern western central indian india chinese china japanese japan german
	french italian spanish portuguese brazilian canadian british korean turkish russian polish balkan mediterranean arab world global
	conference symposium workshop congress meeting colloquium school forum summit joint track
	iasted iaria wseas iadis`)

// nouns are the words for types of events in the part of a name that does not describe its subject; there may
// be none.
var nouns = text.WordSet("conference symposium workshop congress meeting colloquium school forum summit")

// eventTypeWords returns the words of a title that describe the type of event, in alphabetical order.
func eventTypeWords(title string) string {
	var found []string
	for _, w := range strings.Fields(text.FoldForComparison(title)) {
		if framing[w] && !slices.Contains(found, w) {
			found = append(found, w)
		}
	}
	slices.Sort(found)
	return strings.Join(found, " ")
}

// fitsEventType reports whether a name is for the type of event of a title: the same type, or a long name
// without a noun.
func (n name) fitsEventType(title string, words int) bool {
	if n.frame == title {
		return true
	}
	rest := slices.DeleteFunc(strings.Fields(title), func(w string) bool { return nouns[w] })
	return words >= longName && n.frame == strings.Join(rest, " ")
}

// partWords are stems of words for a part of an edition, or for the use of a page, not its subject.
var partWords = stemSet(`research industry industrial track tracks demo demos demonstration demonstrations poster posters tutorial tutorials doctoral consortium
	forum phd student paper full short main technical artifact artifacts evaluation online virtual hybrid website site official
	edition proposals proposal applied experience practice tool tools late breaking results new ideas emerging journal first visions vision
	annual joint deadline extended january february march april may june july august september october november december round cycle
	important author authors instructions guidelines submit submitting ieee acm ifip usenix sigplan sigsoft sigmod`)

func stemSet(words string) map[string]bool {
	out := map[string]bool{}
	for w := range text.WordSet(words) {
		out[stem(w)] = true
	}
	return out
}

// nameWords returns the stems of the words of a name that describe its subject.
func nameWords(name string) map[string]bool {
	words := map[string]bool{}
	for _, w := range ContentWords(name) {
		if !sponsors[w] && !nameSmall[w] && !interestGroup.MatchString(w) {
			words[stem(w)] = true
		}
	}
	return words
}

// interestGroup matches ACM's special interest groups.
var interestGroup = pattern.Compile(`^sig[a-z]{2,7}$`)

// nameSmall are words of names that do not describe a subject, besides the small words of titles.
var nameSmall = text.WordSet("joint special interest group meetings its their with from as is sponsored sig edition")

// stem removes endings that differ between spellings of one name.
func stem(w string) string {
	switch n := len(w); {
	case n > 5 && strings.HasSuffix(w, "ies"):
		return w[:n-3] + "y"
	case n > 4 && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && !strings.HasSuffix(w, "is"):
		return w[:n-1]
	}
	return w
}
