package ui

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

// Versions stores the versions of pages. Its methods may be called from many goroutines.
type Versions interface {
	// Versions returns when the stored versions of a page were seen, oldest first; none if no
	// version is stored.
	Versions(ctx context.Context, page string) ([]time.Time, error)
	// Diff compares the versions of a page that were seen at two moments, or returns
	// eventseer.ErrNotFound.
	Diff(ctx context.Context, page string, old, new time.Time) (views.VersionDiff, error)
}

// Limits of the page.
const (
	maxDiffs    = 2  // maximum number at once, over all visitors
	maxVersions = 50 // listed, the newest

)

// A historyPage shows what changed between two versions of a page of an event.
type historyPage struct {
	views.Frame
	Name     views.Name
	Event    string // its page's URL
	Pages    []choiceRow
	Page     views.Link
	Versions []versionRow
	Older    int // number of versions not listed
	Old, New views.TimeStamp
	Views    []choiceRow
	View     string
	Diff     *views.DiffShown // nil if there are fewer than two versions
	History  []views.ChangeRow
	Hidden   string // description of omitted data
}

// A choiceRow is one option of a choice.
type choiceRow struct {
	views.Link
	Chosen bool
}

// A versionRow is one version in the list of all.
type versionRow struct {
	Seen   views.TimeStamp
	Kinds  []string // what it changed
	Href   string   // URL of the full comparison; "" for the first
	Chosen bool
}

func (s *server) history(r *http.Request) (web.View, error) {
	e, err := s.Store.Event(r.Context(), eventseer.EventID(r.PathValue("id")))
	if err != nil {
		return web.View{}, err
	}
	history, err := s.readHistory(r, e.ID)
	if err != nil {
		return web.View{}, err
	}
	c, err := s.chooseVersions(r, e)
	if err != nil {
		return web.View{}, err
	}
	var shown *views.DiffShown
	if c.isPair() {
		if r.FormValue("new") == "" && r.FormValue("old") == "" {
			c.selectReported(history)
		}
		if shown, err = s.shownDiff(r, &c); err != nil {
			return web.View{}, err
		}
	}
	p := s.newHistoryPage(r, e, history, c)
	p.Diff = shown
	return web.View{Name: "history", Data: p}, nil
}

// maxTries is the maximum number of pairs of versions compared to find a difference.
const maxTries = 4

// shownDiff compares the chosen versions. If none were chosen and nothing visible changed, it tries
// earlier ones.
func (s *server) shownDiff(r *http.Request, c *versionChoice) (*views.DiffShown, error) {
	asked := r.FormValue("new") != "" || r.FormValue("old") != ""
	first := *c
	var shown *views.DiffShown
	for range maxTries {
		d, err := s.compareVersions(r.Context(), *c)
		if err != nil {
			return nil, err
		}
		if next := views.NewDiffShown(d, c.view); shown == nil || next.Nothing == "" {
			shown = next
		}
		if asked || shown.Nothing == "" || !c.selectPrevious() {
			break
		}
	}
	if shown.Nothing != "" {
		*c = first
	}
	return shown, nil
}

// readHistory reads the changes of an event. Damaged parts are logged and left out.
func (s *server) readHistory(r *http.Request, id eventseer.EventID) ([]eventseer.Change, error) {
	history, err := s.Store.History(r.Context(), id)
	if err != nil && len(history) == 0 && r.Context().Err() != nil {
		return nil, err
	}
	if err != nil {
		s.Log.Warn("a part of the history of an event cannot be read", "id", id, "cause", err)
	}
	return history, nil
}

// compareVersions compares the versions chosen, few at once.
func (s *server) compareVersions(ctx context.Context, c versionChoice) (views.VersionDiff, error) {
	select {
	case s.diffs <- struct{}{}:
		defer func() { <-s.diffs }()
	case <-ctx.Done():
		return views.VersionDiff{}, ctx.Err()
	}
	d, err := s.Versions.Diff(ctx, c.page, c.old, c.new)
	if err == nil && d.Pages == nil {
		err = errors.New("a comparison without pages")
	}
	return d, err
}

func (s *server) newHistoryPage(r *http.Request, e eventseer.Event, history []eventseer.Change, c versionChoice) historyPage {
	now, name := s.Now(), views.NameOf(e)
	p := historyPage{
		Frame: s.FrameOf(r, "What changed: "+views.Clip(name.Full(), 100), ""), Name: name, Event: views.EventHref(e.ID),
		Page: views.PageLink(c.page), View: c.view, History: views.ChangeRows(history, now), Hidden: views.HiddenText(eventseer.Event{}, history),
	}
	p.Meta.NoIndex = true // it shows former texts of pages, which may contain names
	if c.isPair() {
		p.Old, p.New = views.NewTimeStamp(c.old, now), views.NewTimeStamp(c.new, now)
		p.JSON = c.href("/api/v1/events/" + strings.TrimPrefix(p.Event, "/e/") + "/diff")
	}
	for _, page := range views.PagesOf(e) {
		to := versionChoice{page: page, view: c.view}
		p.Pages = append(p.Pages, choiceRow{views.Link{Text: views.PageLink(page).Text, Href: historyHref(e.ID, to)}, page == c.page})
	}
	for _, v := range []struct{ name, text string }{{views.ViewOnly, "Only what changed"}, {views.ViewMerged, "Whole page, marked"}, {views.ViewSide, "Side by side"}} {
		to := c
		to.view = v.name
		p.Views = append(p.Views, choiceRow{views.Link{Text: v.text, Href: historyHref(e.ID, to)}, v.name == c.view})
	}
	p.Versions = versionRows(e.ID, history, c, now)
	p.Older = max(0, len(c.seen)-maxVersions)
	return p
}

// versionRows lists the versions, newest first, each with its changes.
func versionRows(id eventseer.EventID, history []eventseer.Change, c versionChoice, now time.Time) []versionRow {
	var rows []versionRow
	for i, at := range slices.Backward(c.seen) {
		if len(rows) == maxVersions {
			break
		}
		row := versionRow{Seen: views.NewTimeStamp(at, now), Chosen: at.Equal(c.new)}
		if i > 0 {
			row.Href = historyHref(id, versionChoice{page: c.page, old: c.seen[i-1], new: at, view: c.view})
		}
		row.Kinds = views.KindsBetween(history, c.page, at, c.replacedAt(i))
		rows = append(rows, row)
	}
	return rows
}

// A versionChoice is the pair of versions that a visitor compares.
type versionChoice struct {
	page     string
	old, new time.Time
	view     string
	seen     []time.Time // all versions of the page, oldest first
}

// replacedAt returns when a version was replaced by the next, zero for the last.
func (c versionChoice) replacedAt(i int) (next time.Time) {
	if i+1 < len(c.seen) {
		next = c.seen[i+1]
	}
	return next
}

// isPair reports whether there are two versions to compare.
func (c versionChoice) isPair() bool { return !c.old.IsZero() && !c.new.IsZero() }

// selectPrevious selects the previous pair of versions and reports whether there is one.
func (c *versionChoice) selectPrevious() bool {
	i := slices.IndexFunc(c.seen, c.old.Equal)
	if i < 1 {
		return false
	}
	c.old, c.new = c.seen[i-1], c.seen[i]
	return true
}

// selectReported selects the last version with a change reported to readers, if there is one.
func (c *versionChoice) selectReported(history []eventseer.Change) {
	for i, at := range slices.Backward(c.seen) {
		if i > 0 && slices.ContainsFunc(views.ChangesBetween(history, c.page, at, c.replacedAt(i)), views.NotifiesReaders) {
			c.old, c.new = c.seen[i-1], at
			return
		}
	}
}

// chooseVersions reads the choice from a request. The default is the last two versions of the first
// page of the event that has two.
func (s *server) chooseVersions(r *http.Request, e eventseer.Event) (versionChoice, error) {
	c := versionChoice{view: cmp.Or(r.FormValue("view"), views.ViewOnly), page: r.FormValue("page")}
	if !slices.Contains([]string{views.ViewOnly, views.ViewMerged, views.ViewSide}, c.view) {
		return c, web.BadRequest("view must be %s, %s or %s", views.ViewOnly, views.ViewMerged, views.ViewSide)
	}
	pages := views.PagesOf(e)
	if c.page != "" {
		if !slices.Contains(pages, c.page) {
			return c, web.ErrNoPage
		}
		pages = []string{c.page}
	}
	if s.Versions == nil {
		return c, nil
	}
	for i, page := range pages {
		seen, err := s.Versions.Versions(r.Context(), page)
		if err != nil {
			return c, err
		}
		if i == 0 || len(seen) > 1 {
			c.page, c.seen = page, seen
		}
		if len(seen) > 1 {
			break
		}
	}
	return c, c.chooseMoments(r)
}

// chooseMoments reads old and new; by default new is the last version and old the one
// before new.
func (c *versionChoice) chooseMoments(r *http.Request) error {
	n := len(c.seen)
	if n < 2 {
		return nil
	}
	at, err := c.versionAt(r.FormValue("new"), n-1)
	if err != nil {
		return err
	}
	before, err := c.versionAt(r.FormValue("old"), max(at-1, 0))
	if err != nil {
		return err
	}
	c.old, c.new = c.seen[before], c.seen[at]
	return nil
}

// versionAt returns the number of the version that a moment names. For "" it returns other.
func (c *versionChoice) versionAt(text string, other int) (int, error) {
	if text == "" {
		return other, nil
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return 0, web.BadRequest("%q is not the time of a version", views.Clip(text, 40))
	}
	i := slices.IndexFunc(c.seen, at.Equal)
	if i < 0 {
		return 0, web.ErrNoPage
	}
	return i, nil
}

// href returns a path with the choice as its query.
func (c versionChoice) href(path string) string {
	return views.ViewHref(path, "", "page", c.page, "view", c.view, "old", momentText(c.old), "new", momentText(c.new))
}

func momentText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

func historyHref(id eventseer.EventID, c versionChoice) string {
	return c.href(views.EventHref(id) + "/history")
}
