package eventseer

import (
	"strings"
	"sync"
	"time"
)

// A Comparand is a record as Likeness compares it: what that reads out of titles,
// addresses and days is read once. It is safe for concurrent use and takes a few
// kilobytes.
type Comparand struct {
	e        Event // what is compared of it only
	acronym  string
	squeezed string // the acronym
	words    map[string]bool
	parent   map[string]bool // words of Event.Parent
	ordinal  int
	dated    bool
	years    []int
	from     time.Time // the first day
	hasFrom  bool
	city     string
	dues     map[dueDay]bool
	sites    []comparedSite

	once sync.Once // guards below
	name eventName
}

// A dueDay is what is asked for by a day.
type dueDay struct {
	kind DeadlineKind
	day  Date
}

// A comparedSite is where a page lies.
type comparedSite struct {
	site
	edition int      // the year it is named after, see site.year
	sure    bool     // of edition
	paths   []string // the names of the host and its folders down to each depth, squeezed
}

// Compare prepares a record for comparisons. It is pure.
func Compare(e Event) *Comparand {
	c := &Comparand{
		e: Event{
			Title: e.Title, Acronym: e.Acronym, Parent: e.Parent, Kind: e.Kind, Year: e.Year, URL: e.URL,
			EventStart: e.EventStart, EventEnd: e.EventEnd, Location: e.Location,
		},
		acronym: bareAcronym(e), words: titleWords(e.Title), parent: titleWords(e.Parent), ordinal: ordinal(e.Title),
		dated: dated(e), years: yearsOf(e), dues: map[dueDay]bool{},
	}
	c.squeezed = squeeze(c.acronym)
	c.from, c.hasFrom = e.EventStart.Time()
	if e.Location != nil {
		c.city = fold(e.Location.City)
	}
	for _, d := range e.Deadlines {
		for _, day := range []Date{d.Date, d.ExtendedFrom} {
			if day != "" {
				c.dues[dueDay{d.Kind, day}] = true
			}
		}
	}
	for _, s := range sitesOf(e) {
		c.sites = append(c.sites, compareSite(s))
	}
	return c
}

func compareSite(s site) comparedSite {
	c := comparedSite{site: s}
	c.edition, c.sure = s.year()
	path := ""
	for _, name := range append([]string{s.host}, s.folders...) {
		path += squeeze(fold(name))
		c.paths = append(c.paths, path)
	}
	return c
}

// eventName is what the title says the event is called, read where it is needed.
func (c *Comparand) eventName() eventName {
	c.once.Do(func() { c.name = nameOf(c.e) })
	return c.name
}

// named reports whether a path of a site bears the acronym of the event.
func (c *Comparand) named(path string) bool {
	return len(c.squeezed) >= minNamed && strings.Contains(path, c.squeezed)
}
