package ui

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

// Limits of one event in a list; its own record has all.
const (
	maxTombstones      = 10
	maxListedDeadlines = 60
	maxListedTopics    = 60
	maxListedChanges   = 200 // the latest
)

// listedEvent is an event as lists show it: without people, and of bounded length.
func listedEvent(e eventseer.Event) eventseer.Event {
	e = views.PublicEvent(e)
	e.Deadlines = views.Head(e.Deadlines, maxListedDeadlines)
	e.Topics = views.Head(e.Topics, maxListedTopics)
	e.Trail = nil
	return e
}

// publication builds the list at a path for a format.
func (s *server) publication(r *http.Request, base string, f *eventseer.Format) (eventseer.Publication, error) {
	p := eventseer.Publication{Base: s.siteBase(r), Now: s.Now().UTC(), Refresh: refreshEvery}
	p.Self = strings.TrimSuffix(p.Base, "/") + r.URL.RequestURI()
	p.Home = strings.TrimSuffix(p.Base, "/") + base
	if r.URL.RawQuery != "" {
		p.Home += "?" + r.URL.Query().Encode()
	}
	var err error
	switch {
	case strings.HasPrefix(base, "/e/"):
		err = s.publishEvent(r, &p, eventseer.EventID(base[len("/e/"):]))
	case strings.HasPrefix(base, "/s/"):
		err = s.publishSeries(r, &p, base[len("/s/"):])
	case base == "/new":
		p.Title = "New calls for papers"
		err = s.publishChanges(r, &p, newChanges)
	case base == "/changes":
		p.Title = "Changes of calls for papers"
		err = s.publishChanges(r, &p, allChanges)
	case base == closingPath:
		p.Home = p.Base
		err = s.publishClosing(r, &p)
	default:
		err = s.publishSearch(r, &p, isFeed(f))
	}
	p.Updated = updatedOf(p.Entries)
	return p, err
}

// updatedOf is when an entry last changed.
func updatedOf(entries []eventseer.Entry) (last time.Time) {
	later := func(t time.Time) {
		if t.After(last) {
			last = t
		}
	}
	for _, e := range entries {
		later(e.Event.FirstSeen)
		if e.Change != nil {
			later(e.Change.At)
			continue
		}
		for _, c := range e.Changes {
			later(c.At)
		}
	}
	return last.UTC()
}

// publishSearch lists what a search finds: in its own order, or for feeds what changed
// last first.
func (s *server) publishSearch(r *http.Request, p *eventseer.Publication, feed bool) error {
	p.Title = "Open calls for papers"
	if text := r.FormValue("q"); text != "" {
		p.Title = views.Clip(text, 100)
	}
	q, err := s.askedQuery(r)
	if err != nil {
		return err
	}
	most := maxEntries
	if feed {
		most = maxFeedEntries
	}
	limit, err := web.Number(r, "limit", most, 1, most)
	if err != nil {
		return err
	}
	if q.From, err = web.Number(r, "from", 0, 0, web.MaxPage*perPage); err != nil {
		return err
	}
	q.Limit = limit
	if feed {
		q.From, q.Limit, q.Passages = 0, maxEntries, q.Text != ""
	}
	found, err := s.Index.Find(r.Context(), q)
	if err != nil {
		return err
	}
	if err := s.addEvents(r, p, found.Hits); err != nil {
		return err
	}
	if feed {
		slices.SortStableFunc(p.Entries, func(a, b eventseer.Entry) int {
			return updatedOf([]eventseer.Entry{b}).Compare(updatedOf([]eventseer.Entry{a}))
		})
		p.Entries = views.Head(p.Entries, limit)
		s.addPassages(r, p.Entries, found.Hits)
	}
	return nil
}

// addPassages gives entries the passage of a clip with what was looked for.
func (s *server) addPassages(r *http.Request, entries []eventseer.Entry, hits []eventseer.Hit) {
	places := map[eventseer.EventID][]eventseer.Place{}
	for _, h := range hits {
		places[h.ID] = h.Places
	}
	for i := range entries {
		found := places[entries[i].Event.ID]
		first := slices.IndexFunc(found, func(p eventseer.Place) bool { return p.Field == "clip" })
		if first < 0 || entries[i].Gone {
			continue
		}
		part := found[first].Part
		var ranges [][2]int
		for _, p := range found {
			if p.Field == "clip" && p.Part == part {
				ranges = append(ranges, p.Offset)
			}
		}
		for _, piece := range s.passage(r.Context(), entries[i].Event.ID, part, ranges) {
			entries[i].Passage += piece.Text
		}
	}
}

// publishClosing lists the open calls whose next deadline is within days.
func (s *server) publishClosing(r *http.Request, p *eventseer.Publication) error {
	hits, days, err := s.closing(r)
	if err != nil {
		return err
	}
	p.Title = "Calls closing within " + strconv.Itoa(days) + " days"
	if days == 1 {
		p.Title = "Calls closing within a day"
	}
	return s.addEvents(r, p, hits)
}

const maxClosingDays = 90

// closing finds the open calls whose next deadline is within the days asked for, 7
// unless said.
func (s *server) closing(r *http.Request) (hits []eventseer.Hit, days int, err error) {
	if days, err = web.Number(r, "days", 7, 1, maxClosingDays); err != nil {
		return nil, 0, err
	}
	limit, err := web.Number(r, "limit", maxFeedEntries, 1, maxEntries)
	if err != nil {
		return nil, 0, err
	}
	q := s.query(views.Clip(r.FormValue("q"), views.MaxShownQuery), false)
	q.Limit = limit
	found, err := s.Index.Find(r.Context(), q)
	if err != nil {
		return nil, 0, err
	}
	end := q.OpenAt.AddDate(0, 0, days)
	for _, h := range found.Hits { // the next deadline first
		e, err := s.Store.Event(r.Context(), h.ID)
		if err != nil {
			continue // logged when the list is read
		}
		if d, open := eventseer.NextDeadline(e, q.OpenAt); open && d.Moment().After(end) {
			break
		}
		hits = append(hits, h)
	}
	return hits, days, nil
}

// publishEvent lists one event; one that is known to have been, but is gone, stays.
func (s *server) publishEvent(r *http.Request, p *eventseer.Publication, id eventseer.EventID) error {
	e, err := s.Store.Event(r.Context(), id)
	if err != nil {
		return err
	}
	p.Title, p.Home = views.Clip(views.NameOf(e).Full(), 200), p.Base+"e/"+url.PathEscape(string(e.ID))
	return s.addEvent(r, p, e)
}

func (s *server) publishSeries(r *http.Request, p *eventseer.Publication, id string) error {
	if s.Series == nil {
		return web.ErrNoPage
	}
	series, err := s.Series.Series(r.Context(), id)
	if err != nil {
		return err
	}
	editions, err := s.Series.Editions(r.Context(), id)
	if err != nil && len(editions) == 0 {
		return err
	}
	name, short := views.SeriesName(series, editions)
	p.Title = views.Clip(cmp.Or(short, name, id), 200)
	for _, e := range views.Head(editions, eventseer.MaxEditions) {
		if err := s.addEvent(r, p, e); err != nil {
			return err
		}
	}
	return nil
}

// addEvents reads the events found.
func (s *server) addEvents(r *http.Request, p *eventseer.Publication, hits []eventseer.Hit) error {
	events, err := s.events(r, hits)
	if err != nil {
		return err
	}
	for _, e := range events {
		if err := s.addEvent(r, p, e); err != nil {
			return err
		}
	}
	return nil
}

// addEvent adds an event, and a tombstone of each that turned out to be it: calendars
// hold those under their old names.
func (s *server) addEvent(r *http.Request, p *eventseer.Publication, e eventseer.Event) error {
	history, err := s.readHistory(r, e.ID)
	if err != nil {
		return err
	}
	e = listedEvent(e)
	var own []eventseer.Change
	gone := map[eventseer.EventID][]eventseer.Change{}
	var order []eventseer.EventID
	for _, c := range history {
		c.Fields = views.PublicFields(c.Fields)
		if c.Event == e.ID || c.Event == "" {
			own = append(own, c)
			continue
		}
		if gone[c.Event] == nil {
			order = append(order, c.Event)
		}
		gone[c.Event] = append(gone[c.Event], c)
	}
	own = own[max(0, len(own)-maxListedChanges):]
	p.Entries = append(p.Entries, eventseer.Entry{Event: e, Changes: own})
	for _, id := range views.Head(order, maxTombstones) {
		was := e
		was.ID = id
		p.Entries = append(p.Entries, eventseer.Entry{Event: was, Changes: gone[id], Gone: true})
	}
	return nil
}

// publishChanges lists changes, each with its event as it is now. A change that made an
// event part of another is a tombstone.
func (s *server) publishChanges(r *http.Request, p *eventseer.Publication, which changeClass) error {
	limit, err := web.Number(r, "limit", maxFeedEntries/2, 1, maxFeedEntries)
	if err != nil {
		return err
	}
	changes, err := s.recentChanges(r, which, 0, limit)
	if err != nil {
		return err
	}
	for i := range changes {
		c := &changes[i]
		e, err := s.Store.Event(r.Context(), c.Event)
		if errors.Is(err, eventseer.ErrNotFound) {
			continue
		}
		if err != nil {
			if err := r.Context().Err(); err != nil {
				return err
			}
			s.Log.Warn("an event that changed cannot be read", "id", c.Event, "cause", err)
			continue
		}
		e = listedEvent(e)
		gone := c.Into != "" || e.ID != c.Event
		e.ID = c.Event
		p.Entries = append(p.Entries, eventseer.Entry{Event: e, Changes: []eventseer.Change{*c}, Change: c, Gone: gone})
	}
	return nil
}
