package simweb

import "slices"

// sources are the pages that may speak of other sites' events. Those in the
// unlisted groups are linked by no page of another site.
type sources struct {
	campus        []*page // front pages of institutions
	institutions  []*page
	homes         []*page
	unlisted      map[*page]bool // of homes
	owner         map[*page]person
	lists         []*page
	unlistedLists []*page
	mails         []*page
	archive       *page
	blogHomes     []*page
	blogs         []*page
	unlistedBlogs []*page
}

// Paper 002 counted which pages link event sites: the shares of lists,
// institutions, conferences, mails, homepages and weblogs.
const (
	listShare        = .231
	institutionShare = .125
	conferenceShare  = .096
	homepageShare    = .317
	weblogShare      = .173
	parentsPerEvent  = 4.7 // mean number of linking pages of other sites
)

// mentionEvents decides which page links which event.
func (p *plan) mentionEvents() {
	open, hidden := p.mentionable()
	total := parentsPerEvent * float64(len(open)+len(hidden))
	quota := func(share float64) int { return int(share*total + .5) }
	split := func(n int) (int, int) {
		h := n * len(hidden) / (len(open) + len(hidden))
		return n - h, h
	}
	homes, unlisted := p.homesByListing()
	n, _ := split(quota(homepageShare))
	p.spread(open, homes, n-p.chain(open, homes[:len(homes)/2]))
	p.chain(append([]*event{open[0]}, hidden...), unlisted)

	n, h := split(quota(listShare))
	p.spread(open, p.sources.lists, n)
	p.spread(hidden, p.sources.unlistedLists, h)
	n, h = split(quota(weblogShare))
	p.spread(open, p.sources.blogs, n)
	p.spread(hidden, p.sources.unlistedBlogs, h)
	p.spread(open, p.sources.institutions, quota(institutionShare))
	p.spread(open, p.conferenceParents(open), quota(conferenceShare))
	p.announce(open)
	p.listMails()
	p.seatMembers()
}

// seatMembers puts people on the committees of the events that their homepages name.
func (p *plan) seatMembers() {
	for _, h := range p.sources.homes {
		for _, e := range h.mentions {
			e.committee[p.r.IntN(len(e.committee))] = p.sources.owner[h]
		}
	}
}

// mentionable returns the events with pages of their own, split into those
// anybody links and the hidden ones, each in random order.
func (p *plan) mentionable() (open, hidden []*event) {
	var own []*event
	for _, e := range p.events {
		switch {
		case e.home.path == "/" && e.call != nil:
			own = append(own, e)
		case e.home.path == "/" || e.home.truth.Type == CFP && !p.isColocated(e):
			open = append(open, e)
		}
	}
	p.r.Shuffle(len(own), func(i, j int) { own[i], own[j] = own[j], own[i] })
	for i, e := range own {
		if e.hidden = i < hiddenEvents; e.hidden {
			hidden = append(hidden, e)
		} else {
			open = append(open, e)
		}
	}
	p.r.Shuffle(len(open), func(i, j int) { open[i], open[j] = open[j], open[i] })
	return open, hidden
}

// isColocated says that e has its call on another event's site, whose menu is
// the way to it.
func (p *plan) isColocated(e *event) bool {
	first := e.home.site.order[0]
	return first.truth.Type == Conference && first != e.home
}

func (p *plan) homesByListing() (listed, unlisted []*page) {
	for _, h := range p.sources.homes {
		if p.sources.unlisted[h] {
			unlisted = append(unlisted, h)
		} else {
			listed = append(listed, h)
		}
	}
	return listed, unlisted
}

// chain assigns events to pages so that each page shares an event with the next. A crawl that goes
// back from one of the events and forward again finds them all. It returns how many links it made.
func (p *plan) chain(events []*event, pages []*page) int {
	links := 0
	for i, pg := range pages {
		from, to := i*(len(events)-1)/len(pages), (i+1)*(len(events)-1)/len(pages)
		for _, e := range events[from : to+1] {
			links += pg.mention(e)
		}
	}
	return links
}

// spread makes n links from random pages to the events in turn, fewer if the
// pages have no more room.
func (p *plan) spread(events []*event, pages []*page, n int) {
	for i := 0; n > 0 && i < len(events)*len(pages); i++ {
		n -= pick(p.r, pages).mention(events[i%len(events)])
	}
}

// mention adds an event to a page of another site and returns how many it added.
func (pg *page) mention(e *event) int {
	if pg.site == e.home.site || slices.Contains(pg.mentions, e) {
		return 0
	}
	pg.mentions = append(pg.mentions, e)
	return 1
}

// conferenceParents are the front pages that name related events: every second
// open one. The others, as most of the real web's, link nowhere.
func (p *plan) conferenceParents(open []*event) []*page {
	var out []*page
	for i, e := range open {
		if i%2 == 0 && e.home.path == "/" && e.call != nil {
			out = append(out, e.home)
		}
	}
	return out
}

// announce gives each message of the archive that is for an event with a site
// its event.
func (p *plan) announce(open []*event) {
	var called []*event
	for _, e := range open {
		if e.call != nil && e.kind != issue {
			called = append(called, e)
		}
	}
	for i, m := range p.sources.mails {
		e := called[i%len(called)]
		m.title = pick(p.r, []string{"CFP: ", "[Announce] ", "2nd Call for Papers: "}) + e.short()
		m.write = e.page(mailCall)
		m.call(e)
	}
}

// listMails puts the calls that only a message announces on the lists.
func (p *plan) listMails() {
	for i, e := range p.events {
		if e.home.truth.Type == MailAnnouncement && i%2 == 0 {
			pick(p.r, p.sources.lists).mention(e)
		}
	}
}

// linkNeighbours links sites in ways that have nothing to do with calls.
func (p *plan) linkNeighbours() {
	for i, pg := range p.off {
		for range p.r.IntN(3) {
			pg.linkTo(pick(p.r, p.off))
		}
		if i%37 == 5 {
			pg.linkTo(pick(p.r, p.sources.campus))
		}
	}
	listed, _ := p.homesByListing()
	for i, h := range listed {
		if h.section == "" {
			p.sources.campus[i%institutions].linkTo(h)
			pick(p.r, p.off).linkTo(h)
		}
		if i%4 == 0 {
			h.linkTo(pick(p.r, p.sources.lists))
		}
		if i%3 == 0 {
			h.linkTo(pick(p.r, p.sources.blogHomes[:weblogs-1]))
		}
	}
	for i, l := range p.sources.lists {
		l.linkTo(p.sources.lists[(i+1)%len(p.sources.lists)])
	}
	p.sources.lists[0].linkTo(p.sources.archive)
	p.sources.campus[0].linkTo(p.sources.archive)
	for i, e := range p.events {
		if venue := venueOf(e.home.site); venue != nil && i%2 == 0 {
			venue.linkTo(pick(p.r, p.off))
		}
	}
}

// venueOf returns a site's page on its venue, or nil.
func venueOf(s *site) *page {
	for _, pg := range s.order {
		if pg.menu == "Venue" {
			return pg
		}
	}
	return nil
}

// linkTo links a page of another site.
func (pg *page) linkTo(other *page) {
	if pg.site != other.site && !slices.Contains(pg.near, other) {
		pg.near = append(pg.near, other)
	}
}

// seeds returns calls that a user might know: two of hidden events and three of others.
func (p *plan) seeds() []string {
	var out []string
	hidden, open := 2, 3
	for _, e := range p.events {
		if e.call == nil || e.call.truth.Type == MailAnnouncement || e.kind == issue {
			continue
		}
		left := &open
		if e.hidden {
			left = &hidden
		}
		if *left > 0 {
			*left--
			out = append(out, e.call.url())
		}
	}
	return out
}
