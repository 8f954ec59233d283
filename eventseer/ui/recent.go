package ui

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/api"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

// Recent lists changes over all events, newest first: at most limit of those with a number below
// before, where 0 means all. Its methods may be called from many goroutines.
type Recent interface {
	// Recent lists all changes reported to people, RecentNew those that added an event, RecentMoved
	// those that moved a known deadline.
	Recent(ctx context.Context, before uint64, limit int) ([]eventseer.Change, error)
	RecentNew(ctx context.Context, before uint64, limit int) ([]eventseer.Change, error)
	RecentMoved(ctx context.Context, before uint64, limit int) ([]eventseer.Change, error)
}

// Limits on recent changes.
const (
	recentPerPage = 30
	maxLately     = 1000        // changes used for badges
	latelyFor     = time.Minute // lifetime of the cached changes
	maxRecentRow  = 4           // fields shown of a change
)

// changeCache caches the last changes of each event, for the badges of lists.
type changeCache struct {
	mu      sync.Mutex // guards all below
	at      time.Time
	changes map[eventseer.EventID][]eventseer.Change
}

// recentChangesByEvent returns the changes of the last days by event, oldest first. Badges need only these, not
// the full history of each event. It is read once a minute.
func (s *server) recentChangesByEvent(ctx context.Context) map[eventseer.EventID][]eventseer.Change {
	if s.Recent == nil {
		return nil
	}
	now := s.Now()
	s.news.mu.Lock()
	defer s.news.mu.Unlock()
	if s.news.changes != nil && !now.Before(s.news.at) && now.Sub(s.news.at) < latelyFor {
		return s.news.changes
	}
	all, err := s.Recent.Recent(ctx, 0, maxLately)
	if err != nil {
		if ctx.Err() == nil {
			s.Log.Warn("the last changes cannot be read", "cause", err)
		}
		return s.news.changes
	}
	changes := map[eventseer.EventID][]eventseer.Change{}
	for _, c := range slices.Backward(all) {
		if now.Sub(c.At) < views.BadgeFor {
			changes[c.Event] = append(changes[c.Event], c)
		}
	}
	s.news.at, s.news.changes = now, changes
	return changes
}

// A recentPage lists new events or changes, newest first.
type recentPage struct {
	views.Frame
	Lead   string
	Views  []choiceRow
	Rows   []recentRow
	Older  string
	Newest string // URL of the first page, "" if this page is the first
	Feeds  []views.Link
}

// A recentRow is one change with its event.
type recentRow struct {
	views.ChangeRow
	Call views.CallRow
	More int // fields not shown
}

func (s *server) newCalls(r *http.Request) (web.View, error) {
	p := recentPage{Frame: s.FrameOf(r, "New calls for papers", "new"), Lead: "Calls that the crawler found, the latest first."}
	return s.recentView(r, p, "/new", api.NewChanges)
}

func (s *server) changes(r *http.Request) (web.View, error) {
	p := recentPage{Frame: s.FrameOf(r, "What changed", "changes"), Lead: "Changes on pages of calls, the latest first."}
	kind := r.FormValue("of")
	class, known := map[string]api.ChangeClass{"": api.AllChanges, "deadlines": api.MovedChanges}[kind]
	if !known {
		return web.View{}, web.BadRequest("of must be deadlines, or left out")
	}
	p.Views = []choiceRow{{views.Link{Text: "All changes", Href: "/changes"}, kind == ""}, {views.Link{Text: "Moved deadlines", Href: "/changes?of=deadlines"}, kind != ""}}
	return s.recentView(r, p, "/changes", class)
}

// recentView returns a page with changes of a class.
func (s *server) recentView(r *http.Request, p recentPage, path string, class api.ChangeClass) (web.View, error) {
	var before uint64
	values := url.Values{}
	if kind := r.FormValue("of"); kind != "" {
		values.Set("of", kind)
	}
	if text := r.FormValue("before"); text != "" {
		var err error
		if before, err = strconv.ParseUint(text, 10, 63); err != nil || before == 0 {
			return web.View{}, web.BadRequest("before must be the number of a change")
		}
		p.Newest, p.Meta.NoIndex = views.WithQuery(path, values), true
	}
	changes, err := s.recentChanges(r, class, before, recentPerPage+1)
	if err != nil {
		return web.View{}, err
	}
	if len(changes) > recentPerPage {
		changes = changes[:recentPerPage]
		values.Set("before", strconv.FormatUint(changes[recentPerPage-1].Seq, 10))
		p.Older = views.WithQuery(path, values)
	}
	p.Meta.About = p.Lead
	p.Meta.Canonical = s.canonicalURL(r, path)
	for _, f := range s.Formats {
		if f.Name == "atom" || f.Name == "rss" {
			l := views.FeedLink{Type: views.MediaType(f.ContentType), Title: p.Title, Href: path + f.Ending}
			p.Meta.Feeds = append(p.Meta.Feeds, l)
			p.Feeds = append(p.Feeds, views.Link{Text: views.FormatNames[f.Name], Href: l.Href})
		}
	}
	p.Rows, err = s.recentRows(r, changes)
	return web.View{Name: "recent", Data: p}, err
}

func (s *server) recentRows(r *http.Request, changes []eventseer.Change) ([]recentRow, error) {
	now, zone := s.Now(), web.ReaderZone(r)
	ranks := s.rankReader(r.Context())
	var rows []recentRow
	for _, c := range changes {
		events, err := s.readEvents(r, []eventseer.Hit{{ID: c.Event}})
		if err != nil {
			return nil, err
		}
		if len(events) == 0 {
			continue
		}
		e := events[0]
		c.Kinds = slices.DeleteFunc(slices.Clone(c.Kinds), func(k eventseer.ChangeKind) bool { return k == eventseer.CommitteeChanged })
		row := recentRow{ChangeRow: views.NewChangeRow(c, now), Call: views.NewCallRow(e, now, zone)}
		row.Call.Ranks = views.FirstN(ranks(e), views.MaxRanks)
		row.Call.Badges = views.RecordBadges(e, now)
		row.More = max(0, len(row.Fields)-maxRecentRow)
		row.Fields = views.FirstN(row.Fields, maxRecentRow)
		rows = append(rows, row)
	}
	return rows, nil
}

// recentChanges lists changes, newest first, with numbers below before, 0 for all; without people.
func (s *server) recentChanges(r *http.Request, which api.ChangeClass, before uint64, limit int) ([]eventseer.Change, error) {
	if s.Recent == nil {
		return nil, web.ErrNoPage
	}
	read := map[api.ChangeClass]func(context.Context, uint64, int) ([]eventseer.Change, error){
		api.AllChanges: s.Recent.Recent, api.NewChanges: s.Recent.RecentNew, api.MovedChanges: s.Recent.RecentMoved,
	}[which]
	changes, err := read(r.Context(), before, limit)
	for i := range changes {
		changes[i].Fields = views.PublicFields(changes[i].Fields)
	}
	return changes, err
}

// changesJSON answers class, before, after and limit.
func (s *server) changesJSON(r *http.Request) (any, error) {
	class := api.ChangeClass(r.FormValue("class"))
	switch class {
	case "":
		class = api.AllChanges
	case api.AllChanges, api.NewChanges, api.MovedChanges:
	default:
		return nil, web.BadRequest("class must be all, new or moved")
	}
	if r.FormValue("after") != "" {
		return s.changesAfter(r, class)
	}
	return s.changesAnswer(r, class)
}

// changesAnswer answers before and limit, newest first.
func (s *server) changesAnswer(r *http.Request, class api.ChangeClass) (any, error) {
	before, err := web.ReadNumber(r, "before", 0, 0, api.MaxSeq)
	limit, limitErr := web.ReadNumber(r, "limit", perPage, 1, api.APILimit)
	if err := cmp.Or(err, limitErr); err != nil {
		return nil, err
	}
	changes, err := s.recentChanges(r, class, uint64(before), limit) // #nosec G115 -- not below 0
	if err != nil {
		return nil, err
	}
	return s.changesPage(changes, limit, "before"), nil
}

// changesPage returns a response with at most limit changes. If it is full, it has the parameter of
// the next page.
func (s *server) changesPage(changes []eventseer.Change, limit int, parameter string) api.Paged {
	page := api.Paged{
		Answer: api.ChangesAnswer{Changes: append([]eventseer.Change{}, changes...), Last: s.currentEpoch().Revision}, Modified: api.LastOf(changes),
	}
	if len(changes) == limit {
		page.Next = url.Values{parameter: {strconv.FormatUint(changes[limit-1].Seq, 10)}}
	}
	return page
}

// numbers above this one lose digits in JavaScript

// changesAfter serves the parameters after and limit, oldest first: for programs that follow all
// changes.
func (s *server) changesAfter(r *http.Request, class api.ChangeClass) (any, error) {
	if class != api.AllChanges {
		return nil, web.BadRequest("after works for all changes only; leave out class")
	}
	after, err := web.ReadNumber(r, "after", 0, 0, api.MaxSeq)
	limit, limitErr := web.ReadNumber(r, "limit", perPage, 1, api.APILimit)
	if err := cmp.Or(err, limitErr); err != nil {
		return nil, err
	}
	var changes []eventseer.Change
	for c, err := range s.Store.Outbox(r.Context(), uint64(after)) { // #nosec G115 -- not below 0
		if ended := r.Context().Err(); ended != nil {
			return nil, ended
		}
		if err != nil {
			s.Log.Warn("a change cannot be read", "seq", c.Seq, "cause", err)
			continue
		}
		c.Fields = views.PublicFields(c.Fields)
		if changes = append(changes, c); len(changes) == limit {
			break
		}
	}
	return s.changesPage(changes, limit, "after"), nil
}

// closingJSON answers q, days and limit.
func (s *server) closingJSON(r *http.Request) (any, error) {
	hits, _, err := s.closingHits(r)
	if err != nil {
		return nil, err
	}
	return s.newEventsAnswer(r, views.FirstN(hits, api.APILimit))
}
