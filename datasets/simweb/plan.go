package simweb

import (
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"time"
)

// A plan is what all pages agree on: who and what there is, and who links whom.
type plan struct {
	seed   uint64
	now    time.Time
	words  grammar
	fields []field
	names  [][2][]string // by culture: first names, family names
	cities [][2]string   // city, country
	unis   []string

	r        *rand.Rand
	sites    []*site
	hosts    map[string]bool
	acronyms map[string]bool
	events   []*event // all, also those without a call
	sources  sources
	submit   *site
	off      []*page         // off-topic pages that may link and be linked
	dead     map[string]bool // URLs that are linked though nothing answers there
}

// A field is a branch of research.
type field struct {
	name, discipline string
	topics           []string
}

// department is the part of a university that works on the field.
func (f field) department() string {
	switch f.discipline {
	case "informatics":
		return "Computer Science"
	case "mathematics":
		return "Mathematics"
	}
	return upperFirst(f.discipline)
}

func university(place string) string { return "University of " + place }

// A person is invented: a first and a family name of one culture drawn from tables.
type person struct{ name, place string }

// atPlace is the person for a list, as markup.
func (p person) atPlace() string { return esc(p.name + ", " + p.place) }

// newPlan reads the tables. It draws nothing but the order of the fields.
func newPlan(seed uint64, now time.Time) *plan {
	words, _ := loadGrammar("calls.txt", "people.txt", "offtopic.txt")
	p := &plan{
		seed: seed, now: now, r: random(seed, "plan"), words: words,
		hosts: map[string]bool{}, acronyms: map[string]bool{}, dead: map[string]bool{},
	}
	places, _ := loadGrammar("places.txt")
	p.unis = places["unis"]
	for _, line := range places["cities"] {
		city, country, _ := strings.Cut(line, ", ")
		p.cities = append(p.cities, [2]string{city, country})
	}
	fields, order := loadGrammar("fields.txt")
	for _, name := range order {
		title, discipline, _ := strings.Cut(name, "|")
		p.fields = append(p.fields, field{title, discipline, fields[name]})
	}
	names, order := loadGrammar("names.txt")
	for _, culture := range order {
		p.names = append(p.names, [2][]string{strings.Fields(names[culture][0]), strings.Fields(names[culture][1])})
	}
	p.r.Shuffle(len(p.fields), func(i, j int) { p.fields[i], p.fields[j] = p.fields[j], p.fields[i] })
	p.r.Shuffle(len(p.unis), func(i, j int) { p.unis[i], p.unis[j] = p.unis[j], p.unis[i] })
	return p
}

// build lays out the whole web. The order of its steps is the order of the
// hosts, and part of what a seed means.
func (p *plan) build() {
	p.submissionSystem()
	p.conferences()
	p.journals()
	p.mailArchive()
	p.institutions()
	p.homepages()
	p.lists()
	p.weblogs()
	p.offTopic()
	p.mentionEvents()
	p.linkNeighbours()
	p.submissionLogins()
}

// person invents a person.
func (p *plan) person(r *rand.Rand) person {
	culture := pick(r, p.names)
	return person{pick(r, culture[0]) + " " + pick(r, culture[1]), university(pick(r, p.unis))}
}

// people invents n people with different names.
func (p *plan) people(r *rand.Rand, n int) []person {
	var out []person
	seen := map[string]bool{}
	for len(out) < n {
		if who := p.person(r); !seen[who.name] {
			seen[who.name] = true
			out = append(out, who)
		}
	}
	return out
}

// site opens a host under the first free name made from base.
func (p *plan) site(base, name string) *site {
	tld := ".example"
	if p.r.IntN(6) == 0 {
		tld = ".test"
	}
	host := base + tld
	for n := 2; p.hosts[host]; n++ {
		host = fmt.Sprintf("%s%d%s", base, n, tld)
	}
	p.hosts[host] = true
	s := &site{host: host, name: name, style: style(p.r.IntN(int(numStyle))), pages: map[string]*page{}, moved: map[string]string{}}
	p.sites = append(p.sites, s)
	return s
}

// add puts a page on a site. A path already taken gets a number.
func (s *site) add(path, title, menu string, t PageType, write func(*doc)) *page {
	base, ext := path, ""
	if i := strings.LastIndexByte(path, '.'); i > strings.LastIndexByte(path, '/') {
		base, ext = path[:i], path[i:]
	} else if strings.HasSuffix(path, "/") && path != "/" {
		base, ext = path[:len(path)-1], "/"
	}
	for n := 2; s.pages[path] != nil; n++ {
		path = fmt.Sprintf("%s-%d%s", base, n, ext)
	}
	pg := &page{site: s, path: path, title: title, menu: menu, write: write}
	pg.truth.Type = t
	s.pages[path] = pg
	s.order = append(s.order, pg)
	return pg
}

// call marks a page as calling for e.
func (pg *page) call(e *event) *page {
	pg.truth.IsCFP, pg.truth.Event = true, e.id
	return pg
}

// miss marks a page as looking like a call.
func (pg *page) miss(kind string) *page {
	pg.truth.NearMiss = kind
	return pg
}

// A PageType is one of the eight page types of the corpora.
type PageType string

// The page types.
const (
	CFP              PageType = "cfp"
	CFPList          PageType = "cfp_list"
	Conference       PageType = "conference"
	Homepage         PageType = "homepage"
	InstitutionTopic PageType = "institution_topic"
	MailAnnouncement PageType = "mail_announcement"
	Weblog           PageType = "weblog"
	Other            PageType = "other"
)

// Truth is what the web really holds.
type Truth struct {
	// Pages are the pages that answer 200 with a body of their own, without
	// robots.txt and pages made per request, in the order of the plan.
	Pages []PageTruth
	// Events are what the pages call for, each once, sorted by ID.
	Events []Event

	byURL map[string]int // index into Pages
}

// PageTruth is what one page really is.
type PageTruth struct {
	URL   string
	Type  PageType
	IsCFP bool
	// NearMiss says what makes the page look like a call though it is none,
	// such as "programme" or "stub"; else "".
	NearMiss string
	// Event is the ID of the event the page calls for; "" where IsCFP is false.
	Event string
	// Deadlines are those the page prints in its block of dates, Text as printed.
	Deadlines []Deadline
}

// An Event is one event that the web's pages call for.
type Event struct {
	ID      string // "icga-2027"
	Title   string // without year and acronym
	Acronym string
	Year    int
	// Start and End are days, "2027-06-01"; empty for journal issues, as are
	// City and Country.
	Start, End    string
	City, Country string
	Deadlines     []Deadline
	// Pages are the URLs of the pages that call for it, in the order of the plan.
	Pages []string
}

// A Deadline is one dated line of a call. Kind is a word of the records of
// `eventseer extract`.
type Deadline struct {
	Kind         string
	Track        string
	Date         string // "2027-03-12"
	TZ           string // "AoE", "UTC" or an abbreviation as printed; "" where no page says it
	ExtendedFrom string
	Text         string // the date as a page prints it; empty in Event.Deadlines
}

// Page returns the truth of one URL; ok is false where the web has no such page.
func (t Truth) Page(url string) (p PageTruth, ok bool) {
	i, ok := t.byURL[url]
	if !ok {
		return PageTruth{}, false
	}
	return t.Pages[i], true
}

// truth collects what the rendered pages say.
func (p *plan) truth(pages []*page) Truth {
	t := Truth{byURL: make(map[string]int, len(pages))}
	calls := map[string][]string{}
	for _, pg := range pages {
		t.byURL[pg.url()] = len(t.Pages)
		t.Pages = append(t.Pages, pg.truth)
		if pg.truth.IsCFP {
			calls[pg.truth.Event] = append(calls[pg.truth.Event], pg.url())
		}
	}
	for _, e := range p.events {
		if urls := calls[e.id]; len(urls) > 0 {
			t.Events = append(t.Events, e.truth(urls))
		}
	}
	sort.Slice(t.Events, func(i, j int) bool { return t.Events[i].ID < t.Events[j].ID })
	return t
}
