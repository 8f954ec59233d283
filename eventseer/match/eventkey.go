package match

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/series"
	"github.com/eventseer/eventseer/internal/text"
)

// An EventKey is a record prepared for Likeness: titles, addresses and days are parsed once. It is
// safe for concurrent use and takes a few kilobytes.
type EventKey struct {
	e        eventseer.Event // event with only the compared fields
	acronym  string
	squeezed string // acronym without separators
	words    map[string]bool
	parent   map[string]bool // words of Event.Parent
	ordinal  int
	dated    bool
	years    []int
	from     time.Time // first day of the event
	hasFrom  bool
	city     string
	dues     map[dueDay]bool
	sites    []comparedSite
	home     comparedSite // home page of the event
	series   string
	archived bool // true if all pages, except perhaps the home page, are in archives
	ownsHome bool // true if the home page is named after the event
	bearsOut bool // true if the acronym can be formed from the title

	once sync.Once // computes the name of the event
	name eventName
}

// A dueDay is a kind of deadline with its day.
type dueDay struct {
	kind eventseer.DeadlineKind
	day  eventseer.Date
}

// A comparedSite is the address of a page.
type comparedSite struct {
	site
	edition int      // year in its name, see site.year
	sure    bool     // true if edition is certain
	paths   []string // for each depth, the names of the host and its folders down to it, without separators
}

// NewEventKey prepares a record for comparisons. It is pure.
func NewEventKey(e eventseer.Event) *EventKey {
	c := &EventKey{
		e: eventseer.Event{
			Title: e.Title, Acronym: e.Acronym, Parent: e.Parent, Kind: e.Kind, Year: e.Year, URL: e.URL,
			EventStart: e.EventStart, EventEnd: e.EventEnd, Location: e.Location, Related: e.Related,
		},
		acronym: series.BareAcronym(e), words: series.TitleWords(e.Title), parent: series.TitleWords(e.Parent), ordinal: series.Ordinal(e.Title),
		dated: hasReliableDays(e), years: yearsOf(e), dues: map[dueDay]bool{},
	}
	c.squeezed = withoutSpaces(c.acronym)
	c.from, c.hasFrom = e.EventStart.Time()
	if e.Location != nil {
		c.city = text.FoldForComparison(e.Location.City)
	}
	for _, d := range e.Deadlines {
		for _, day := range []eventseer.Date{d.Date, d.ExtendedFrom} {
			if day != "" {
				c.dues[dueDay{d.Kind, day}] = true
			}
		}
	}
	c.archived = true
	for _, s := range sitesOf(e) {
		c.sites = append(c.sites, compareSite(s))
		c.archived = c.archived && (s.archive || s.page == e.Homepage && s.page != e.URL)
	}
	c.ownsHome = HomeScore(e.Homepage, e) > 0
	c.home, c.series = compareSite(siteOf(e.Homepage)), series.Of(e)
	c.bearsOut = isAcronymOf(e.Title, c.acronym)
	return c
}

// IsAcronymOf reports whether the acronym of an event can be made of a title, see bearsOut.
func IsAcronymOf(title, acronym string) bool { return isAcronymOf(title, acronym) }

// isAcronymOf reports whether the words of a title, besides the acronym itself, can form a bare
// acronym. The acronym of a list or of its page cannot be formed so.
func isAcronymOf(title, acronym string) bool {
	own := text.WordSet(acronym)
	words := strings.Fields(text.FoldForComparison(series.WithoutYears(title)))
	words = words[:min(len(words), series.MaxTitleWords)]
	words = slices.DeleteFunc(words, func(w string) bool { return own[w] })
	return acronym != "" && isSpelledBy(words, withoutSpaces(acronym))
}

func compareSite(s site) comparedSite {
	c := comparedSite{site: s}
	c.edition, c.sure = s.editionYear()
	path := ""
	for _, name := range append([]string{s.host}, s.folders...) {
		path += withoutSpaces(text.FoldForComparison(name))
		c.paths = append(c.paths, path)
	}
	return c
}

// eventName returns the name of the event in the title, read when needed.
func (c *EventKey) eventName() eventName {
	c.once.Do(func() { c.name = nameOf(c.e) })
	return c.name
}

// isNamedInPath reports whether a path of a site bears the acronym of the event.
func (c *EventKey) isNamedInPath(path string) bool {
	return len(c.squeezed) >= minNamed && strings.Contains(path, c.squeezed)
}
