//go:build measure

package extract

import (
	"hash/fnv"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/datasets/split"
	"github.com/eventseer/eventseer/eventseer/block"
	"github.com/eventseer/eventseer/eventseer/extract/name"
	knownseries "github.com/eventseer/eventseer/eventseer/series"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/warc"
)

// Pages without a labelled event can be labelled by a table of known names: distant supervision (Mintz et
// al. 2009). The table has the shipped series and the names in the records of owners used for training.

// pagesOfOwner is the number of such pages per owner that are used for training, not counting mails.
const pagesOfOwner = 3

// wholeName is the minimum share of common words of a text and a name of the table. Below it, the text is
// only about the event.
const wholeName = 0.7

// A knownName is a name of an event in the table.
type knownName struct {
	key      string   // its content words
	words    []string // all its words, in the form in which titles are scored
	acronyms []string // letters and digits in lower case
	id       string   // known from records of the owner
	owned    bool     // printed forms in these records
	forms    []string // in these
}

// A nameTable finds names by their content words.
type nameTable map[string][]knownName

func contentKey(s string) string { return strings.Join(knownseries.ContentWords(s), " ") }

// newNameTable reads the shipped series and the records of the training pages.
func newNameTable(pages []*namedPage) nameTable {
	table := nameTable{}
	add := func(n knownName) {
		same := func(o knownName) bool { return o.id == n.id && o.owned == n.owned }
		if strings.Count(n.key, " ") > 0 && !slices.ContainsFunc(table[n.key], same) {
			table[n.key] = append(table[n.key], n)
		}
	}
	for _, s := range knownseries.Shipped().All() {
		var short []string
		for _, a := range knownseries.AcronymsOf(s) {
			short = append(short, knownseries.Spellings(a)...)
		}
		for _, n := range knownseries.NamesOf(s) {
			add(knownName{key: contentKey(n), words: scoredWords(n), acronyms: short, id: s.ID})
		}
	}
	for _, p := range pages {
		if p.corpus == "gold" || p.corpus == "work" {
			for _, f := range p.forms {
				add(knownName{key: contentKey(f), acronyms: knownseries.Spellings(p.short), id: p.group, owned: true, forms: p.forms})
			}
		}
	}
	return table
}

// label sets the names that the table has for a page, and reports whether they are certain. Either one
// event is named in full, with its acronym, and the head of the page or its address contains one of the
// two; or the page's owner has records with that name.
func (table nameTable) label(n *namedPage, head string) bool {
	names, _ := n.lesson.Names("", 0)
	shorts := map[string]string{}
	for _, a := range n.lesson.Acronyms() {
		if key := scoredAcronym(a); key != "" {
			shorts[key] = a
		}
	}
	type found struct {
		forms []string
		short string
		owned bool
		known []string
	}
	events := map[string]*found{}
	for _, s := range names {
		for _, k := range table[contentKey(s)] {
			short := ""
			for _, a := range k.acronyms {
				if v, ok := shorts[a]; ok && len(a) > 1 {
					short = v
				}
			}
			own := k.owned && k.id == n.group
			if k.owned != own || !own && (short == "" || name.SharedWords(scoredWords(bare(s)), k.words) < wholeName) {
				continue
			}
			f := events[k.id]
			if f == nil {
				f = &found{}
				events[k.id] = f
			}
			f.forms, f.short, f.owned = append(f.forms, s), short, f.owned || own
			f.known = k.forms
		}
	}
	var of *found
	shortOf := map[string]bool{}
	for _, id := range slices.Sorted(maps.Keys(events)) {
		f := events[id]
		shortOf[f.short] = true
		if of == nil || f.owned && !of.owned {
			of = f
		}
	}
	if of == nil || len(shortOf) > 1 && !of.owned {
		return false
	}
	if !of.owned {
		low := strings.ToLower(head)
		bears := len(knownseries.OwnSites(n.url, of.short)) > 0 || strings.Contains(scoredText(head), " "+scoredAcronym(of.short))
		for _, f := range of.forms {
			bears = bears || strings.Contains(low, strings.ToLower(f))
		}
		if !bears || namesOther(n, of.short) {
			return false
		}
	}
	slices.SortStableFunc(of.forms, func(a, b string) int { return len(bare(b)) - len(bare(a)) })
	n.forms, n.short, n.noAcronym = append(of.forms, of.known...), of.short, of.short == ""
	if n.short != "" { // a page may print only the acronym
		n.forms = append(n.forms, n.short)
		for _, s := range names {
			if len(s) <= len(n.short)+6 && strings.HasPrefix(s, n.short) && scoredAcronym(s) == scoredAcronym(n.short) {
				n.forms = append(n.forms, s)
			}
		}
	}
	return true
}

// namesOther reports whether the page has an acronym other than short in brackets after words that it
// abbreviates. It may be the event's, and short that of its host.
func namesOther(n *namedPage, short string) bool {
	for _, m := range bracketInLine.FindAllStringSubmatch(n.text, 200) {
		key := scoredAcronym(m[2])
		if len(key) > 2 && key != scoredAcronym(short) && name.IsAbbreviation(m[2], m[1]) {
			return true
		}
	}
	return false
}

// bare returns a name without years and text in brackets.
func bare(s string) string {
	if at := strings.IndexByte(s, '('); at > 0 {
		s = s[:at]
	}
	return knownseries.WithoutYears(s)
}

// scoredText returns a text in the form in which acronyms are searched, with a space before each word.
func scoredText(s string) string {
	return " " + strings.Join(asciiWord.FindAllString(strings.ToLower(s), -1), " ")
}

// distantPages labels the pages of events and calls in corpora/pages by the table. Owners with a validation
// site are left out. It takes all mails, and pagesOfOwner pages of each other owner, calls first. Pages
// similar to one that is left out are left out too.
func distantPages(t *testing.T, table nameTable, roles []*block.Model, left contentIndex) []*namedPage {
	set, err := datasets.Open(golden.SharedPath(t, "corpora/pages/labels.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	labels := map[string]datasets.Label{}
	for _, l := range set.Labels() {
		if l.PageType == "cfp" || l.PageType == "conference" || l.IsCFP {
			labels[l.URL] = l
		}
	}
	for _, c := range hostedCalls(t) {
		delete(labels, c.URL)
	}
	groups, validation := blockGroups(t), validationOwners()
	var list []*namedPage
	var jobs []namedJob
	for p, err := range warc.Pages(golden.SharedPath(t, "corpora/pages/pages.warc.gz")) {
		if err != nil || p.Status != http.StatusOK {
			continue
		}
		l, ok := labels[p.URL]
		if !ok {
			continue
		}
		delete(labels, p.URL)
		repo, _, _ := strings.Cut(l.Source, ":")
		n := &namedPage{corpus: "series", group: nameOwner(repo), url: p.URL, isCall: l.IsCFP}
		if l.PageType == "mail_announcement" {
			n.corpus, n.group = "mail", "mail "+p.URL
		}
		if validation[n.group] {
			continue
		}
		if n.rolesOf = groups[n.url]; n.rolesOf == "" {
			n.rolesOf = n.group
		}
		list = append(list, n)
		jobs = append(jobs, namedJob{n, p})
	}
	readNamedPages(jobs, roles)
	slices.SortStableFunc(list, func(a, b *namedPage) int { return int(oneIfTrue(b.isCall) - oneIfTrue(a.isCall)) })
	seen, copies := map[string]int{}, 0
	list = slices.DeleteFunc(list, func(n *namedPage) bool {
		if n.lesson == nil || seen[n.group] >= pagesOfOwner || !table.label(n, n.head) && (n.corpus != "mail" || !labelByAddress(n)) {
			return true
		}
		if left.near(n.words) {
			copies++
			return true
		}
		seen[n.group]++
		return false
	})
	t.Logf("%d pages by the table; %d left out, which are near pages left out", len(list), copies)
	return list
}

// hostedCalls returns the calls of parts of larger events whose names were labelled by reading.
func hostedCalls(t *testing.T) []split.HostedCall {
	calls, err := split.HostedCalls()
	if err != nil {
		t.Fatal(err)
	}
	return calls
}

// labelByAddress sets the acronym of a mail, and reports whether there is exactly one. It must be in
// brackets after words that it abbreviates, with a year elsewhere, and in an address of the mail. The full
// name remains unknown.
func labelByAddress(n *namedPage) bool {
	shorts := map[string]string{}
	for _, a := range n.lesson.Acronyms() {
		shorts[scoredAcronym(a)] = a
	}
	sites := mailedAddress.FindAllString(n.text, 200)
	found := map[string]bool{}
	for _, m := range bracketInLine.FindAllStringSubmatch(n.text, 200) {
		a := shorts[scoredAcronym(m[2])]
		if len(scoredAcronym(a)) < 3 || found[a] || !name.IsAbbreviation(a, m[1]) {
			continue
		}
		dated := regexp.MustCompile(`\b` + regexp.QuoteMeta(a) + `[\s'’-]*(?:19|20)?\d\d\b`) // acronyms of institutions have no year
		if dated.MatchString(n.text) && slices.ContainsFunc(sites, func(s string) bool { return len(knownseries.OwnSites(s, a)) > 0 }) {
			found[a] = true
		}
	}
	for a := range found {
		n.short = a
	}
	n.noName = true
	return len(found) == 1
}

var (
	mailedAddress = regexp.MustCompile(`https?://[^\s<>"()]+`)
	bracketInLine = regexp.MustCompile(`([^()]{10,160})\(([^()]{2,24})\)`)
)

// blockGroups returns the groups of the pages with labelled blocks, by address.
func blockGroups(t *testing.T) map[string]string {
	f, err := os.Open("../../datasets/blocks.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	pages, err := datasets.ReadPageRoles(f, "blocks.tsv")
	if err != nil {
		t.Fatal(err)
	}
	groups := map[string]string{}
	for _, p := range pages {
		groups[p.URL] = p.Group
	}
	return groups
}

// contents are the ascending hashes of a sample of the sequences of six words on a page, one in sampleOf.
type contents []uint64

const (
	sampleOf  = 4
	runLength = 6
	// nearShare is the share of common sequences from which two pages are similar. It is relative to the
	// smaller page, which must have minRuns or more.
	nearShare = 0.3
	minRuns   = 8
	// maxHolders is the maximum number of pages with a sequence that is compared. Sequences in more pages
	// belong to the frame of an archive.
	maxHolders = 12
)

func contentsOf(blocks []tagtree.Block) contents {
	var words []string
	for _, b := range blocks {
		words = append(words, strings.FieldsFunc(strings.ToLower(b.Text), func(r rune) bool { return !inAWord(r) })...)
	}
	var out contents
	for i := 0; i+runLength <= len(words); i++ {
		h := fnv.New64a()
		h.Write([]byte(strings.Join(words[i:i+runLength], " ")))
		if v := h.Sum64(); v%sampleOf == 0 {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func inAWord(r rune) bool { return r > 0x7f || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' }

// A contentIndex maps sequences of words to the numbers of pages that contain them.
type contentIndex struct {
	pages []contents
	of    map[uint64][]int
}

func (x *contentIndex) add(c contents) {
	if x.of == nil {
		x.of = map[uint64][]int{}
	}
	for _, h := range c {
		x.of[h] = append(x.of[h], len(x.pages))
	}
	x.pages = append(x.pages, c)
}

// like returns the numbers of pages similar to c.
func (x *contentIndex) like(c contents) (near []int) {
	both := map[int]int{}
	for _, h := range c {
		if len(x.of[h]) > maxHolders {
			continue
		}
		for _, i := range x.of[h] {
			both[i]++
		}
	}
	for i, p := range x.pages {
		if n := min(len(p), len(c)); n >= minRuns && float64(both[i]) >= nearShare*float64(n) {
			near = append(near, i)
		}
	}
	return near
}

func (x *contentIndex) near(c contents) bool { return len(x.like(c)) > 0 }

// leftOut returns the pages to which no training page may be similar. They are those of validation sites,
// and those of the frozen web that were read to measure precision.
func leftOut(t *testing.T) (x contentIndex) {
	seen := map[string]bool{}
	for line := range strings.Lines(split.ReadPages) {
		seen[strings.TrimSpace(line)] = true
	}
	for _, c := range hostedCalls(t) {
		if c.Part != "learn" {
			seen[c.URL] = true
		}
	}
	for _, line := range sharedLines(t, "corpora/sites/sites.jsonl") {
		var r struct {
			Site, CFP string
			Pages     []string
		}
		decode(t, line, &r)
		if split.IsValidation(r.Site) {
			seen[r.CFP] = true
			for _, u := range r.Pages {
				seen[u] = true
			}
		}
	}
	for _, file := range []string{"sites/cfp.warc.gz", "sites/sites.warc.gz", "web/web.warc.gz"} {
		for p, err := range warc.Pages(golden.SharedPath(t, "corpora/"+file)) {
			if err != nil || !seen[p.URL] || p.Status != http.StatusOK {
				continue
			}
			delete(seen, p.URL)
			if tree, err := tagtree.Parse(p); err == nil {
				x.add(contentsOf(Blocks(tree)))
			}
		}
	}
	return x
}

// joinNear sets for each page the owners of all pages that are similar to it, directly or through others.
func joinNear(t *testing.T, pages []*namedPage) {
	root := make([]int, len(pages))
	var find func(i int) int
	find = func(i int) int {
		if root[i] != i {
			root[i] = find(root[i])
		}
		return root[i]
	}
	var x contentIndex
	for i, p := range pages {
		root[i] = i
		for _, k := range x.like(p.words) {
			root[find(i)] = find(k)
		}
		x.add(p.words)
	}
	owners := map[int]map[string]bool{}
	for i, p := range pages {
		r := find(i)
		if owners[r] == nil {
			owners[r] = map[string]bool{}
		}
		owners[r][p.group] = true
		p.near = owners[r]
	}
	for _, p := range pages {
		p.kin = slices.Sorted(maps.Keys(p.near))[0]
	}
	most, joined := 0, 0
	for _, o := range owners {
		most = max(most, len(o))
		joined += int(oneIfTrue(len(o) > 1))
	}
	t.Logf("%d sets of pages that say much the same are of several owners, the largest of %d", joined, most)
}
