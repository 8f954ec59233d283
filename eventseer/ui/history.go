package ui

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"eventseer/eventseer"
	"eventseer/eventseer/change"
	"eventseer/features/tagtree/diff"
)

// Versions are the versions of pages that are kept. Its methods are called from many
// goroutines at once.
type Versions interface {
	// Versions returns when the versions of a page were seen, oldest first; none of a
	// page of which none is kept.
	Versions(ctx context.Context, page string) ([]time.Time, error)
	// Diff compares the versions of a page that were seen at two moments, or returns
	// eventseer.ErrNotFound.
	Diff(ctx context.Context, page string, old, new time.Time) (VersionDiff, error)
}

// A VersionDiff is what a version of a page changes.
type VersionDiff struct {
	Change change.PageChange
	Pages  *diff.Comparison
}

// The views of two versions.
const (
	viewOnly   = "only"   // only what differs, with context
	viewMerged = "merged" // in one text, with marks
	viewSide   = "side"   // side by side
)

// Limits of the page.
const (
	maxDiffs    = 2      // under way at once, of all visitors
	maxVersions = 50     // listed, the newest
	diffContext = 2      // rows around what differs in viewOnly
	diffAround  = 120    // runes around the words that differ in viewOnly
	maxDiffLine = 4_000  // runes of a row
	maxDiffText = 40_000 // runes of all rows
	maxDiffRows = 1_500
	maxLinks    = 40 // of those added, and of those gone
)

// A historyPage shows what changed between two versions of a page of an event.
type historyPage struct {
	frame
	Name     Name
	Event    string // its page's URL
	Pages    []choiceRow
	Page     link
	Versions []versionRow
	Older    int // versions that are not listed
	Old, New stamp
	Views    []choiceRow
	View     string
	Diff     *diffShown // nil where there are not two versions
	History  []changeRow
	Hidden   string // what was too much to show
}

// A choiceRow is one of several things to choose from.
type choiceRow struct {
	link
	Chosen bool
}

// A versionRow is one version in the list of all.
type versionRow struct {
	Seen   stamp
	Kinds  []string // what it changed
	Href   string   // what it changed in full; "" of the first
	Chosen bool
}

func (s *server) history(r *http.Request) (view, error) {
	e, err := s.Store.Event(r.Context(), eventseer.EventID(r.PathValue("id")))
	if err != nil {
		return view{}, err
	}
	history, err := s.readHistory(r, e.ID)
	if err != nil {
		return view{}, err
	}
	c, err := s.chooseVersions(r, e)
	if err != nil {
		return view{}, err
	}
	var shown *diffShown
	if c.isPair() {
		if r.FormValue("new") == "" && r.FormValue("old") == "" {
			c.chooseTold(history)
		}
		if shown, err = s.shownDiff(r, &c); err != nil {
			return view{}, err
		}
	}
	p := s.newHistoryPage(r, e, history, c)
	p.Diff = shown
	return view{name: "history", data: p}, nil
}

// maxTries bounds the pairs of versions that are compared to find one that differs.
const maxTries = 4

// shownDiff compares the versions chosen. Where nobody asked for them and nothing
// visible changed, it looks at those before.
func (s *server) shownDiff(r *http.Request, c *versionChoice) (*diffShown, error) {
	asked := r.FormValue("new") != "" || r.FormValue("old") != ""
	first := *c
	var shown *diffShown
	for range maxTries {
		d, err := s.diff(r.Context(), *c)
		if err != nil {
			return nil, err
		}
		if next := newDiffShown(d, c.view); shown == nil || next.Nothing == "" {
			shown = next
		}
		if asked || shown.Nothing == "" || !c.back() {
			break
		}
	}
	if shown.Nothing != "" {
		*c = first
	}
	return shown, nil
}

func tells(c eventseer.Change) bool {
	return slices.ContainsFunc(kindsOf(c), eventseer.ChangeKind.Telling)
}

// readHistory reads the changes of an event. A part that cannot be read is logged and
// left out.
func (s *server) readHistory(r *http.Request, id eventseer.EventID) ([]eventseer.Change, error) {
	history, err := s.Store.History(r.Context(), id)
	if err != nil && len(history) == 0 && r.Context().Err() != nil {
		return nil, err
	}
	if err != nil {
		s.Log.Warn("a part of an event's history cannot be read", "id", id, "cause", err)
	}
	return history, nil
}

// hasVersions reports whether there are two versions of a page of the event to compare.
func (s *server) hasVersions(r *http.Request, e eventseer.Event) bool {
	return s.Versions != nil && slices.ContainsFunc(pagesOf(e), func(page string) bool {
		seen, err := s.Versions.Versions(r.Context(), page)
		return err == nil && len(seen) > 1
	})
}

// pagesOf lists the pages an event was read at, its call first.
func pagesOf(e eventseer.Event) []string {
	pages := nonEmpty(append([]string{e.URL}, head(e.Pages, maxPages)...)...)
	seen := make(map[string]bool, len(pages))
	return slices.DeleteFunc(pages, func(page string) bool {
		again := seen[page]
		seen[page] = true
		return again
	})
}

// diff compares the versions chosen, few at once.
func (s *server) diff(ctx context.Context, c versionChoice) (VersionDiff, error) {
	select {
	case s.diffs <- struct{}{}:
		defer func() { <-s.diffs }()
	case <-ctx.Done():
		return VersionDiff{}, ctx.Err()
	}
	d, err := s.Versions.Diff(ctx, c.page, c.old, c.new)
	if err == nil && d.Pages == nil {
		err = errors.New("a comparison without pages")
	}
	return d, err
}

func (s *server) newHistoryPage(r *http.Request, e eventseer.Event, history []eventseer.Change, c versionChoice) historyPage {
	now, name := s.Now(), nameOf(e)
	p := historyPage{
		frame: s.frameOf(r, "What changed: "+clip(name.Full(), 100), ""), Name: name, Event: eventHref(e.ID),
		Page: pageLink(c.page), View: c.view, History: changeRows(history, now), Hidden: hidden(eventseer.Event{}, history),
	}
	p.Meta.NoIndex = true // it shows what pages said once, names among it
	if c.isPair() {
		p.Old, p.New = newStamp(c.old, now), newStamp(c.new, now)
		p.JSON = "/api/v1/events/" + strings.TrimPrefix(p.Event, "/e/") + "/diff?" + c.values().Encode()
	}
	for _, page := range pagesOf(e) {
		to := versionChoice{page: page, view: c.view}
		p.Pages = append(p.Pages, choiceRow{link{pageLink(page).Text, historyHref(e.ID, to)}, page == c.page})
	}
	for _, v := range []struct{ name, text string }{{viewOnly, "Only what changed"}, {viewMerged, "Whole page, marked"}, {viewSide, "Side by side"}} {
		to := c
		to.view = v.name
		p.Views = append(p.Views, choiceRow{link{v.text, historyHref(e.ID, to)}, v.name == c.view})
	}
	p.Versions = versionRows(e.ID, history, c, now)
	p.Older = max(0, len(c.seen)-maxVersions)
	return p
}

// versionRows lists the versions, newest first, each with what it changed.
func versionRows(id eventseer.EventID, history []eventseer.Change, c versionChoice, now time.Time) []versionRow {
	var rows []versionRow
	for i, at := range slices.Backward(c.seen) {
		if len(rows) == maxVersions {
			break
		}
		row := versionRow{Seen: newStamp(at, now), Chosen: at.Equal(c.new)}
		if i > 0 {
			row.Href = historyHref(id, versionChoice{page: c.page, old: c.seen[i-1], new: at, view: c.view})
		}
		var until time.Time
		if i+1 < len(c.seen) {
			until = c.seen[i+1]
		}
		row.Kinds = kindsBetween(history, c.page, at, until)
		rows = append(rows, row)
	}
	return rows
}

// kindsBetween says what a page changed from one moment on, until another if that is not
// zero.
func kindsBetween(history []eventseer.Change, page string, from, until time.Time) []string {
	var words []string
	for _, c := range changesBetween(history, page, from, until) {
		for _, k := range kindsOf(c) {
			if w := kindWords(k); !slices.Contains(words, w) {
				words = append(words, w)
			}
		}
	}
	return words
}

// changesBetween are the changes that a page brought from one moment on, until another
// if that is not zero.
func changesBetween(history []eventseer.Change, page string, from, until time.Time) []eventseer.Change {
	var found []eventseer.Change
	for _, c := range history {
		if c.Page == page && !c.At.Before(from) && (until.IsZero() || c.At.Before(until)) {
			found = append(found, c)
		}
	}
	return found
}
