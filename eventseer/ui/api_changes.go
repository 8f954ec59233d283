package ui

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

// A changeClass is which changes are listed.
type changeClass string

const (
	allChanges   changeClass = "all"
	newChanges   changeClass = "new"
	movedChanges changeClass = "moved"
)

// recentChanges lists changes, newest first, of those below a number, 0 for all; without
// people.
func (s *server) recentChanges(r *http.Request, which changeClass, before uint64, limit int) ([]eventseer.Change, error) {
	if s.Recent == nil {
		return nil, web.ErrNoPage
	}
	read := s.Recent.Recent
	switch which {
	case newChanges:
		read = s.Recent.RecentNew
	case movedChanges:
		read = s.Recent.RecentMoved
	}
	changes, err := read(r.Context(), before, limit)
	for i := range changes {
		changes[i].Fields = views.PublicFields(changes[i].Fields)
	}
	return changes, err
}

// A changesAnswer is one page of changes.
type changesAnswer struct {
	Changes []eventseer.Change `json:"changes"`
	// Last is the number of the store's last change: what to ask for after.
	Last uint64 `json:"last,omitempty"`
}

// changesJSON answers class, before, after and limit.
func (s *server) changesJSON(r *http.Request) (any, error) {
	class := changeClass(r.FormValue("class"))
	switch class {
	case "":
		class = allChanges
	case allChanges, newChanges, movedChanges:
	default:
		return nil, web.BadRequest("class is all, new or moved")
	}
	if r.FormValue("after") != "" {
		return s.changesAfter(r, class)
	}
	return s.changesAnswer(r, class)
}

// changesAnswer answers before and limit, newest first.
func (s *server) changesAnswer(r *http.Request, class changeClass) (any, error) {
	before, err := web.Number(r, "before", 0, 0, maxSeq)
	if err != nil {
		return nil, err
	}
	limit, err := web.Number(r, "limit", perPage, 1, apiLimit)
	if err != nil {
		return nil, err
	}
	changes, err := s.recentChanges(r, class, uint64(before), limit) // #nosec G115 -- not below 0
	if err != nil {
		return nil, err
	}
	page := paged{modified: lastOf(changes)}
	if len(changes) == limit {
		page.next = url.Values{"before": {strconv.FormatUint(changes[limit-1].Seq, 10)}}
	}
	page.answer = changesAnswer{append([]eventseer.Change{}, changes...), s.epoch().Revision}
	return page, nil
}

const maxSeq = 1<<53 - 1 // numbers beyond it lose digits in JavaScript

// changesAfter answers after and limit, oldest first: for programs that follow all that
// happens.
func (s *server) changesAfter(r *http.Request, class changeClass) (any, error) {
	if class != allChanges {
		return nil, web.BadRequest("after lists all changes; leave out class")
	}
	after, err := web.Number(r, "after", 0, 0, maxSeq)
	if err != nil {
		return nil, err
	}
	limit, err := web.Number(r, "limit", perPage, 1, apiLimit)
	if err != nil {
		return nil, err
	}
	changes := []eventseer.Change{}
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
	page := paged{answer: changesAnswer{changes, s.epoch().Revision}, modified: lastOf(changes)}
	if len(changes) == limit {
		page.next = url.Values{"after": {strconv.FormatUint(changes[limit-1].Seq, 10)}}
	}
	return page, nil
}

func lastOf(changes []eventseer.Change) (last time.Time) {
	for _, c := range changes {
		if c.At.After(last) {
			last = c.At
		}
	}
	return last
}

// closingJSON answers q, days and limit.
func (s *server) closingJSON(r *http.Request) (any, error) {
	hits, _, err := s.closing(r)
	if err != nil {
		return nil, err
	}
	return s.newEventsAnswer(r, views.Head(hits, apiLimit))
}
