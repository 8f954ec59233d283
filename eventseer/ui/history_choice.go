package ui

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

// A versionChoice is what a visitor asks to compare.
type versionChoice struct {
	page     string
	old, new time.Time
	view     string
	seen     []time.Time // all versions of the page, oldest first
}

// isPair reports whether there are two versions to compare.
func (c versionChoice) isPair() bool { return !c.old.IsZero() && !c.new.IsZero() }

// back chooses the pair of versions before, if there is one.
func (c *versionChoice) back() bool {
	i := slices.IndexFunc(c.seen, c.old.Equal)
	if i < 1 {
		return false
	}
	c.old, c.new = c.seen[i-1], c.seen[i]
	return true
}

// chooseTold chooses the last version that changed something readers are told of, as the
// changes of the event say, if there is one.
func (c *versionChoice) chooseTold(history []eventseer.Change) {
	for i, at := range slices.Backward(c.seen) {
		var until time.Time
		if i+1 < len(c.seen) {
			until = c.seen[i+1]
		}
		if i > 0 && slices.ContainsFunc(views.ChangesBetween(history, c.page, at, until), views.Tells) {
			c.old, c.new = c.seen[i-1], at
			return
		}
	}
}

// chooseVersions reads what is asked for: by default the last two versions of the first
// page of the event that has two.
func (s *server) chooseVersions(r *http.Request, e eventseer.Event) (versionChoice, error) {
	c := versionChoice{view: r.FormValue("view"), page: r.FormValue("page")}
	if c.view == "" {
		c.view = views.ViewOnly
	}
	if !slices.Contains([]string{views.ViewOnly, views.ViewMerged, views.ViewSide}, c.view) {
		return c, web.BadRequest("view is %s, %s or %s", views.ViewOnly, views.ViewMerged, views.ViewSide)
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
	at := n - 1
	if text := r.FormValue("new"); text != "" {
		var err error
		if at, err = c.find(text); err != nil {
			return err
		}
	}
	before := max(at-1, 0)
	if text := r.FormValue("old"); text != "" {
		var err error
		if before, err = c.find(text); err != nil {
			return err
		}
	}
	c.old, c.new = c.seen[before], c.seen[at]
	return nil
}

// find returns which version a moment names.
func (c *versionChoice) find(text string) (int, error) {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return 0, web.BadRequest("%q is no time of a version", views.Clip(text, 40))
	}
	i := slices.IndexFunc(c.seen, at.Equal)
	if i < 0 {
		return 0, web.ErrNoPage
	}
	return i, nil
}

// values is the choice as a query.
func (c versionChoice) values() url.Values {
	values := url.Values{}
	for name, value := range map[string]string{"page": c.page, "view": c.view, "old": momentText(c.old), "new": momentText(c.new)} {
		if value != "" {
			values.Set(name, value)
		}
	}
	return values
}

func momentText(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

func historyHref(id eventseer.EventID, c versionChoice) string {
	return views.EventHref(id) + "/history?" + c.values().Encode()
}
