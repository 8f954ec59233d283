package ui

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/api"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

// Limits on the data of one event in a list; the record of the single event is complete.
const (
	maxTombstones      = 10
	maxListedDeadlines = 60
	maxListedTopics    = 60
	maxListedChanges   = 200 // the latest
)

// listedEvent returns an event for lists: without people and with bounded length.
func listedEvent(e eventseer.Event) eventseer.Event {
	e = views.PublicEvent(e)
	e.Deadlines = views.FirstN(e.Deadlines, maxListedDeadlines)
	e.Topics = views.FirstN(e.Topics, maxListedTopics)
	e.Trail = nil
	return e
}

// buildPublication builds the list at a path for a format.
func (s *server) buildPublication(r *http.Request, base string, f *eventseer.Format) (eventseer.Publication, error) {
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
		err = s.publishChanges(r, &p, api.NewChanges)
	case base == "/changes":
		p.Title = "Changes of calls for papers"
		err = s.publishChanges(r, &p, api.AllChanges)
	case base == starredPath:
		p.Title = "Starred calls for papers"
		var hits []eventseer.Hit
		if hits, err = s.requestedStarred(r); err == nil {
			err = s.addEvents(r, &p, hits)
		}
	case base == closingPath:
		p.Home = p.Base
		err = s.publishClosing(r, &p)
	default:
		err = s.publishSearch(r, &p, isFeed(*f))
	}
	p.Updated = updatedOf(p.Entries)
	return p, err
}

// updatedOf returns the time when an entry last changed.
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

// publishSearch lists the results of a search: in its order, or for feeds by last change.
func (s *server) publishSearch(r *http.Request, p *eventseer.Publication, feed bool) error {
	p.Title = "Open calls for papers"
	if text := r.FormValue("q"); text != "" {
		p.Title = views.Clip(text, 100)
	}
	q, err := s.queryOf(r)
	if err != nil {
		return err
	}
	most := maxEntries
	if feed {
		most = maxFeedEntries
	}
	limit, limitErr := web.ReadNumber(r, "limit", most, 1, most)
	q.From, err = web.ReadNumber(r, "from", 0, 0, web.MaxPage*perPage)
	if err := cmp.Or(limitErr, err); err != nil {
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
		p.Entries = views.FirstN(p.Entries, limit)
		s.addPassages(r, p.Entries, found.Hits)
	}
	return nil
}

// addPassages adds the passages with the query words to entries.
func (s *server) addPassages(r *http.Request, entries []eventseer.Entry, hits []eventseer.Hit) {
	places := placesByEvent(hits)
	for i := range entries {
		if entries[i].Gone {
			continue
		}
		pieces, _ := s.foundPassage(r.Context(), entries[i].Event, places[entries[i].Event.ID])
		for _, piece := range pieces {
			entries[i].Passage += piece.Text
		}
	}
}

// publishClosing lists the open calls whose next deadline is within days.
func (s *server) publishClosing(r *http.Request, p *eventseer.Publication) error {
	hits, days, err := s.closingHits(r)
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

// closingHits finds the open calls whose next deadline is within the requested number of days, 7 by
// default.
func (s *server) closingHits(r *http.Request) (hits []eventseer.Hit, days int, err error) {
	days, err = web.ReadNumber(r, "days", 7, 1, maxClosingDays)
	limit, limitErr := web.ReadNumber(r, "limit", maxFeedEntries, 1, maxEntries)
	if err := cmp.Or(err, limitErr); err != nil {
		return nil, 0, err
	}
	q := s.searchQuery(views.Clip(r.FormValue("q"), views.MaxShownQuery), false)
	q.Limit = limit
	found, err := s.Index.Find(r.Context(), q)
	if err != nil {
		return nil, 0, err
	}
	end := q.OpenAt.AddDate(0, 0, days)
	for _, h := range found.Hits { // the next deadline first
		e, err := s.Store.Event(r.Context(), h.ID)
		if err != nil {
			continue // logged when the list was read
		}
		if d, open := eventseer.NextDeadline(e, q.OpenAt); open && d.Moment().After(end) {
			break
		}
		hits = append(hits, h)
	}
	return hits, days, nil
}

// publishEvent lists one event; a deleted one stays in the list.
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
	for _, e := range views.FirstN(editions, eventseer.MaxEditions) {
		if err := s.addEvent(r, p, e); err != nil {
			return err
		}
	}
	return nil
}

// addEvents reads the events found.
func (s *server) addEvents(r *http.Request, p *eventseer.Publication, hits []eventseer.Hit) error {
	events, err := s.readEvents(r, hits)
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

// addEvent adds an event, and a tombstone for each event merged into it, which calendars know by
// its old id.
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
	for _, id := range views.FirstN(order, maxTombstones) {
		was := e
		was.ID = id
		p.Entries = append(p.Entries, eventseer.Entry{Event: was, Changes: gone[id], Gone: true})
	}
	return nil
}

// publishChanges lists changes, each with its event in its present state. A merge of an event into
// another is a tombstone.
func (s *server) publishChanges(r *http.Request, p *eventseer.Publication, which api.ChangeClass) error {
	limit, err := web.ReadNumber(r, "limit", maxFeedEntries/2, 1, maxFeedEntries)
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
			s.Log.Warn("a changed event cannot be read", "id", c.Event, "cause", err)
			continue
		}
		e = listedEvent(e)
		gone := c.Into != "" || e.ID != c.Event
		e.ID = c.Event
		p.Entries = append(p.Entries, eventseer.Entry{Event: e, Changes: []eventseer.Change{*c}, Change: c, Gone: gone})
	}
	return nil
}

// Limits on a list in a data format.
const (
	maxEntries     = 1000 // of a calendar or file
	maxFeedEntries = 100  // of a feed
	maxExport      = 16 << 20
	refreshEvery   = 6 * time.Hour // interval at which calendars and feeds should be fetched
)

const closingPath = "/closing"

// lists are the paths that may have an ending.
var lists = map[string]bool{"/search": true, "/new": true, "/changes": true, closingPath: true, starredPath: true}

// listed matches the name in a path that may have an ending: ids contain no dot.
var listed = regexp.MustCompile(`^/(e|s)/[a-z0-9-]{1,100}$`)

// cutEnding splits "/search.ics" into its path and its format; nil if there is none.
func (s *server) cutEnding(path string) (string, *eventseer.Format) {
	if len(path) > 200 || !strings.Contains(path, ".") {
		return path, nil
	}
	for i := range s.endings {
		f := &s.endings[i]
		if base, ok := strings.CutSuffix(path, f.Ending); ok && (lists[base] || listed.MatchString(base)) {
			return base, f
		}
	}
	return path, nil
}

// withEndings serves the paths that have an ending.
func (s *server) withEndings(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		base, f := s.cutEnding(r.URL.Path)
		switch {
		case f == nil:
			next.ServeHTTP(w, r)
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "Only GET and HEAD are supported here.", http.StatusMethodNotAllowed)
		case f.Write == nil:
			s.recordHandler(base)(w, r)
		default:
			s.export(w, r, base, f)
		}
	})
}

// recordHandler serves the records of the API.
func (s *server) recordHandler(base string) http.HandlerFunc {
	switch {
	case strings.HasPrefix(base, "/e/"):
		return s.jsonHandler(func(r *http.Request) (any, error) { return s.eventRecord(r, base[len("/e/"):]) })
	case strings.HasPrefix(base, "/s/"):
		return s.jsonHandler(func(r *http.Request) (any, error) { return s.seriesRecord(r, base[len("/s/"):]) })
	case base == "/new":
		return s.jsonHandler(func(r *http.Request) (any, error) { return s.changesAnswer(r, api.NewChanges) })
	case base == "/changes":
		return s.jsonHandler(func(r *http.Request) (any, error) { return s.changesAnswer(r, api.AllChanges) })
	case base == closingPath:
		return s.jsonHandler(s.closingJSON)
	case base == starredPath:
		return s.jsonHandler(s.starredJSON)
	}
	return s.jsonHandler(s.eventsJSON)
}

// errTooLong means that a list does not fit into one response.
var errTooLong = web.BadRequest("too many calls for one file; request fewer with limit and from")

// export writes a list in a format.
func (s *server) export(w http.ResponseWriter, r *http.Request, base string, f *eventseer.Format) {
	w.Header().Set("Access-Control-Allow-Origin", "*")
	p, err := s.buildPublication(r, base, f)
	var b limitedBuffer
	if err == nil {
		err = f.Write(&b, p, r.URL.Query())
	}
	if b.over {
		err = errTooLong
	}
	if err != nil {
		s.plainError(w, r, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", f.ContentType)
	if name := fileName(base, f); name != "" {
		h.Set("Content-Disposition", name)
	}
	web.Send(w, r, b.Bytes(), publicationTag(p, f, s.Version, r.URL.RawQuery), p.Updated)
}

// plainError responds to programs with one sentence on the error.
func (s *server) plainError(w http.ResponseWriter, r *http.Request, err error) {
	status, text := s.StatusOf(r, err)
	var input *eventseer.InputError
	if errors.As(err, &input) {
		status, text = http.StatusBadRequest, views.Clip(input.Error(), views.MaxValue)
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	web.Write(w, status, []byte(text+"\n"))
}

// limitedBuffer takes maxExport bytes.
type limitedBuffer struct {
	bytes.Buffer
	over bool
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxExport {
		b.over = true
		return 0, io.ErrShortWrite
	}
	return b.Buffer.Write(p)
}

// isFeed reports whether a format lists news, the latest first, for feed readers.
func isFeed(f eventseer.Format) bool {
	return f.Name == "atom" || f.Name == "rss" || strings.HasPrefix(f.Name, "jsonfeed")
}

// fileName returns the Content-Disposition of a list: feeds are shown, tables are saved, the rest
// is opened by the program for its type.
func fileName(base string, f *eventseer.Format) string {
	if isFeed(*f) {
		return ""
	}
	how := "inline"
	if f.Name == "csv" || f.Name == "tsv" {
		how = "attachment"
	}
	name := base[strings.LastIndexByte(base, '/')+1:] // letters, digits and "-"
	return fmt.Sprintf(`%s; filename="eventseer-%s%s"`, how, name, f.Ending)
}

// publicationTag returns the entity tag of a publication. It depends on the contents, not on the
// time of writing.
func publicationTag(p eventseer.Publication, f *eventseer.Format, version, options string) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\x00%s\x00%s\x00%s\x00", f.Name, version, p.Self, options)
	for _, e := range p.Entries {
		last := uint64(0)
		for _, c := range e.Changes {
			last = max(last, c.Seq)
		}
		change := uint64(0)
		if e.Change != nil {
			change = e.Change.Seq
		}
		fmt.Fprintf(&b, "%s %d %d %d %d %t %s\x00", e.Event.ID, last, change, len(e.Changes), e.Event.LastSeen.UnixNano(), e.Gone, e.Passage)
	}
	return web.WeakTag(b.Bytes())
}
