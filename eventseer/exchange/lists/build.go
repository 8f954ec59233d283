package lists

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/series"
	"github.com/eventseer/eventseer/internal/text"
)

// minYears is the minimum number of years of a developers' conference to be a series. Research
// lists contain series themselves.
const minYears = 3

// Limits on the data of a series.
const (
	maxSites = 12
	maxNames = 8
)

// A group is a series in the making.
type group struct {
	eventseer.Series
	acronyms, names []string // as printed, the present one first
	spelled, homes  map[string]bool
	years           map[int]bool
	months          map[int]int
	links           []link
	calls           bool
	research        bool // from a list of series rather than of editions
}

// A link is the home page of an edition.
type link struct {
	address string
	year    int
}

// A builder merges list entries of one series.
type builder struct {
	groups []*group
	byKey  map[string][]*group // acronym, site or name
}

// Build builds the table from the lists below a folder, in order of id. The result depends only on
// the lists.
func Build(root string) ([]eventseer.Series, error) {
	b, err := buildWithout(root, "")
	if err != nil {
		return nil, err
	}
	return b.seriesRows(), nil
}

// buildWithout reads all lists except that of one folder.
func buildWithout(root, left string) (*builder, error) {
	b := &builder{byKey: map[string][]*group{}}
	for _, source := range Sources() {
		if source.Folder == left {
			continue
		}
		all, err := source.readAll(root)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", source.Folder, err)
		}
		for _, s := range all {
			b.addEntry(s, source)
		}
	}
	return b, nil
}

// addEntry merges a list entry with its series, or creates a series from it.
func (b *builder) addEntry(s listEntry, source Source) {
	s = cleanNames(s)
	if s.name == "" && len(s.acronyms) == 0 || journal.MatchString(s.name) {
		return
	}
	g := b.findSeries(s)
	if g == nil {
		g = &group{years: map[int]bool{}, months: map[int]int{}, spelled: map[string]bool{}, homes: map[string]bool{}}
		b.groups = append(b.groups, g)
	}
	g.addEntry(s, source)
	for _, key := range s.candidateKeys() {
		if !slices.Contains(b.byKey[key], g) {
			b.byKey[key] = append(b.byKey[key], g)
		}
	}
}

// findSeries returns the series of a list entry. Two kinds of evidence must agree: the acronym or the
// address of the home page, and the words of the name; or the acronym and the address.
func (b *builder) findSeries(s listEntry) *group {
	var best *group
	most := 0
	for _, key := range s.candidateKeys() {
		for _, g := range b.byKey[key] {
			if n := g.countEvidence(s); n >= 2 && n > most {
				best, most = g, n
			}
		}
	}
	return best
}

// countEvidence counts the evidence that a list entry belongs to a series: an acronym, the words of a
// name, the address. A very different name counts against it unless the address agrees, because
// series are renamed.
func (g *group) countEvidence(s listEntry) (n int) {
	if slices.ContainsFunc(s.spellingKeys(), func(a string) bool { return g.spelled[a] }) {
		n++
	}
	atHome := slices.ContainsFunc(s.homeKeys(), func(k string) bool { return g.homes[k] })
	if atHome {
		n++
	}
	if s.name == "" || len(g.names) == 0 {
		return n
	}
	like := g.nameSimilarity(s.name)
	bare := isBare(s.acronyms, s.name) || len(g.names) == 1 && isBare(g.acronyms, g.names[0])
	switch {
	case like == 1 && s.acronyms == nil: // there are only names
		n += 2
	case bare && n > 0 && len(s.spellingKeys()) > 0 && len(s.spellingKeys()[0]) >= wordy, like == 1 && s.isTrack(g): // "Eurographics", "REFSQ-RT"
		n += 2
	case bare:
	case like >= sameName:
		n++
	case like < otherName && !atHome:
		n--
	}
	return n
}

// isBare reports whether a name has no more words than the acronym.
func isBare(acronyms []string, name string) bool {
	return len(acronyms) > 0 && text.FoldForComparison(name) == text.FoldForComparison(acronyms[0])
}

// wordy is the length in bytes from which an acronym is a distinctive word.
const wordy = 8

// isTrack reports whether an acronym is that of a series followed by that of a track.
func (s listEntry) isTrack(g *group) bool {
	return slices.ContainsFunc(s.acronyms, func(a string) bool {
		before, _, ok := strings.Cut(a, "-")
		return ok && slices.ContainsFunc(series.Spellings(before), func(k string) bool { return g.spelled[k] })
	})
}

// Shares of common words from which two names are equal, and below which they differ.
const (
	sameName  = 0.6
	otherName = 0.25
)

func containsFolded(list []string, s string) bool {
	return slices.ContainsFunc(list, func(t string) bool { return text.FoldForComparison(t) == text.FoldForComparison(s) })
}

// nameSimilarity returns the highest similarity of a name to the names of the series, 1 if equal.
func (g *group) nameSimilarity(name string) (most float64) {
	for _, n := range g.names {
		if text.FoldForComparison(n) == text.FoldForComparison(name) {
			return 1
		}
		like, _ := series.TitleSimilarity(series.TitleWords(n), series.TitleWords(name))
		most = max(most, min(like, 0.99))
	}
	return most
}

// candidateKeys returns the keys by which candidates for a list entry are found.
func (s listEntry) candidateKeys() (keys []string) {
	for _, a := range s.spellingKeys() {
		keys = append(keys, "acronym "+a)
	}
	if s.name != "" {
		keys = append(keys, "name "+strings.Join(slices.Sorted(maps.Keys(series.TitleWords(s.name))), " "))
	}
	for _, a := range s.acronyms {
		if before, _, ok := strings.Cut(a, "-"); ok {
			keys = append(keys, "acronym "+text.FoldForComparison(before))
		}
	}
	for _, k := range s.homeKeys() {
		keys = append(keys, "home "+k)
	}
	return keys
}

func (s listEntry) spellingKeys() (keys []string) {
	for _, a := range s.acronyms {
		keys = append(keys, series.Spellings(a)...)
	}
	return keys
}

// homeKeys returns the keys of a home page's address: those that contain the acronym, and the host if
// it is exclusive.
func (s listEntry) homeKeys() (keys []string) {
	keys = s.siteKeys()
	if s.link != "" {
		keys = append(keys, strings.TrimRight(s.link, "/"))
	}
	if u, err := url.Parse(s.link); err == nil && strings.Trim(u.Path, "/") == "" {
		if all := series.SiteKeys(s.link); len(all) > 0 && !slices.Contains(keys, all[0]) {
			keys = append(keys, all[0])
		}
	}
	return keys
}

// siteKeys returns the keys of the link that contain an acronym or a short name.
func (s listEntry) siteKeys() (sites []string) {
	names := s.acronyms
	if len(names) == 0 {
		names = []string{s.name}
	}
	for _, a := range names {
		for _, k := range series.OwnSites(s.link, a) {
			if !slices.Contains(sites, k) {
				sites = append(sites, k)
			}
		}
	}
	return sites
}

// cleanNames removes years, ordinals and punctuation from names.
func cleanNames(s listEntry) listEntry {
	s.name = cleanName(s.name)
	var acronyms []string
	for _, a := range s.acronyms {
		if a = cleanName(a); a != "" && !series.IsArchive(a) {
			acronyms = append(acronyms, a)
		}
	}
	if len(acronyms) > 0 && text.FoldForComparison(acronyms[0]) == text.FoldForComparison(s.name) && len(strings.Fields(s.name)) > 1 {
		acronyms = nil // "World Health AI"
	}
	if len(acronyms) > 0 && len(strings.Fields(acronyms[0])) > 3 {
		if s.name == "" {
			s.name = acronyms[0]
		}
		acronyms = nil
	}
	if s.name != "" && len(acronyms) == 0 && len(strings.Fields(s.name)) == 1 && len(s.name) <= 24 {
		acronyms = []string{s.name} // "EuroPython"
	}
	s.acronyms = acronyms
	if !strings.HasPrefix(s.link, "http") || len(s.link) > 400 || strings.Contains(s.link, "web.archive.org/") {
		s.link = ""
	}
	return s
}

var (
	ordinal = regexp.MustCompile(`^\d{1,3}(st|nd|rd|th)$`)
	counted = regexp.MustCompile(`\[\d+\]$`) // "PythonBrasil[15]"
	roman   = regexp.MustCompile(`^[IVX]{1,6}$`)
	journal = regexp.MustCompile(`(?i)\b(transactions|journal) (on|of)\b`)
)

// cleanName drops years, and an ordinal or an article at the start.
func cleanName(name string) string {
	name = counted.ReplaceAllString(name, "")
	words := strings.Fields(series.WithoutYears(strings.ReplaceAll(name, `\`, "/")))
	words = slices.DeleteFunc(words, func(w string) bool { return ordinal.MatchString(w) })
	if n := len(words); n > 2 && roman.MatchString(words[n-1]) {
		words = words[:n-1]
	}
	for len(words) > 1 {
		first := text.FoldForComparison(words[0])
		if first != "the" && first != "annual" && !series.IsOrdinal(first) {
			break
		}
		words = words[1:]
	}
	return strings.Trim(strings.Join(words, " "), " ,-–:;")
}

// addEntry adds the data of a list entry.
func (g *group) addEntry(s listEntry, source Source) {
	for _, a := range s.acronyms {
		if !containsFolded(g.acronyms, a) && !(len(g.acronyms) > 0 && s.isTrack(g)) {
			g.acronyms = append(g.acronyms, a)
		}
	}
	if s.name != "" && !containsFolded(g.names, s.name) && len(g.names) <= maxNames {
		g.names = append(g.names, s.name)
	}
	for _, a := range s.spellingKeys() {
		g.spelled[a] = true
	}
	for _, k := range s.homeKeys() {
		g.homes[k] = true
	}
	for _, f := range s.fields {
		if !containsFolded(g.Fields, f) {
			g.Fields = append(g.Fields, f)
		}
	}
	for _, k := range s.siteKeys() {
		if !slices.Contains(g.Sites, k) && len(g.Sites) < maxSites {
			g.Sites = append(g.Sites, k)
		}
	}
	if s.dblp != "" && g.DBLP == "" {
		g.DBLP = "conf/" + s.dblp
	}
	for _, r := range s.ranks { // the first list counts
		if !slices.ContainsFunc(g.Ranks, func(k eventseer.Rank) bool { return k.System == r.System }) {
			g.Ranks = append(g.Ranks, r)
		}
	}
	if s.year > 0 {
		g.years[s.year] = true
		if s.month > 0 {
			g.months[s.month]++
		}
		if s.link != "" {
			g.links = append(g.links, link{s.link, s.year})
		}
	}
	g.calls = g.calls || s.calls
	g.research = g.research || source.Folder != "conference-data" && source.Folder != "python-deadlines"
	if !slices.Contains(g.Sources, source.Name) {
		g.Sources = append(g.Sources, source.Name)
	}
}

// seriesRows returns the series of the groups.
func (b *builder) seriesRows() (rows []eventseer.Series) {
	kept := slices.DeleteFunc(b.groups, func(g *group) bool { return !g.calls || !g.research && len(g.years) < minYears })
	ids := map[string]int{}
	for _, g := range kept {
		ids[g.seriesID(false)]++
	}
	taken := map[string]bool{}
	for _, g := range kept {
		s := g.toSeries()
		if s.ID = g.seriesID(false); ids[s.ID] > 1 {
			s.ID = g.seriesID(true)
		}
		if s.ID == "" || taken[s.ID] || series.Check(s) != nil {
			continue
		}
		taken[s.ID] = true
		rows = append(rows, s)
	}
	slices.SortFunc(rows, func(a, b eventseer.Series) int { return strings.Compare(a.ID, b.ID) })
	return rows
}

// seriesID returns the id of a series: its acronym, and for an ambiguous one also the words of its name.
func (g *group) seriesID(long bool) string {
	e := eventseer.Event{}
	if len(g.acronyms) > 0 {
		e.Acronym = series.WithoutSponsor(g.acronyms[0])
	}
	if e.Acronym == "" && len(g.names) > 0 {
		return text.Slug(g.names[0])
	}
	id := text.Slug(series.BareAcronym(e))
	if long && len(g.names) > 0 {
		id = text.Slug(id + " " + strings.Join(series.ContentWords(g.names[0]), " "))
	}
	return id
}

// toSeries returns the series merged from the list entries.
func (g *group) toSeries() eventseer.Series {
	s := g.Series
	if len(g.acronyms) > 0 {
		s.Acronym, s.Acronyms = g.acronyms[0], g.acronyms[1:]
	}
	if len(g.names) > 0 {
		s.Name, s.Names = g.names[0], g.names[1:]
	}
	slices.Sort(s.Sites)
	slices.SortStableFunc(g.links, func(a, b link) int { return cmp.Compare(b.year, a.year) })
	if len(g.links) > 0 {
		s.Homepage, s.HomepageYear = g.links[0].address, g.links[0].year
	}
	most := 0
	for _, n := range g.months {
		most = max(most, n)
	}
	for _, m := range slices.Sorted(maps.Keys(g.months)) {
		if g.months[m]*3 >= most { // at least a third as often as the most frequent
			s.Months = append(s.Months, m)
		}
	}
	if len(s.Months) > 4 {
		s.Months = nil // no usual month
	}
	return s
}
