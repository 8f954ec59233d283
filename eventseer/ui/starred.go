package ui

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/eventseer/ui/account"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

// Starred calls need no account. A cookie stores their ids, and a URL with the same ids can be used
// by calendar programs and other people. See decision 051.
const (
	starCookie  = "eventseer-starred"
	starredPath = "/starred"

	// maxStarred is the maximum number of calls of one list. maxStarredBytes is the maximum length
	// of their ids with the dots between them. Browsers store cookies of up to 4,096 bytes with
	// name and attributes.
	maxStarred      = 200
	maxStarredBytes = 3800
)

// callID matches the id of a call.
var callID = regexp.MustCompile(`^[a-z0-9-]{1,100}$`)

// parseStarred returns the ids in a text such as "icx-2027.wsy-2027", each once, and how many
// exceed the limit of a list. Other texts are left out.
func parseStarred(text string) (ids []eventseer.EventID, more int) {
	seen := map[string]bool{}
	bytes := 0
	for id := range strings.SplitSeq(text, ".") {
		if seen[id] || !callID.MatchString(id) {
			continue
		}
		if bytes += len(id) + 1; len(ids) == maxStarred || bytes > maxStarredBytes {
			more++
			continue
		}
		seen[id] = true
		ids = append(ids, eventseer.EventID(id))
	}
	return ids, more
}

// joinStarred writes ids as parseStarred reads them.
func joinStarred(ids []eventseer.EventID) string {
	return strings.Join(views.MapSlice(ids, func(id eventseer.EventID) string { return string(id) }), ".")
}

// starredCalls returns the calls in the browser's cookie. isKept reports whether there is a cookie, even
// with an empty list.
func (s *server) starredCalls(r *http.Request) (ids []eventseer.EventID, isKept bool) {
	c, err := r.Cookie(s.cookieName(r, starCookie))
	if err != nil {
		return nil, false
	}
	ids, _ = parseStarred(c.Value)
	return ids, true
}

// setStarred stores a list in the browser for a year.
func (s *server) setStarred(w http.ResponseWriter, r *http.Request, ids []eventseer.EventID) {
	http.SetCookie(w, &http.Cookie{
		Name: s.cookieName(r, starCookie), Value: cmp.Or(joinStarred(ids), "."), Path: "/", MaxAge: int(web.ZoneFor / time.Second),
		Secure: s.isHTTPS(r), HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// changeStarred adds the call in the form's "star" to the list, or removes that in "unstar", and
// redirects to the star. A visitor without the cookie is redirected to the page of the list, which
// checks whether cookies work.
func (s *server) changeStarred(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 10_000)
	w.Header().Set("Cache-Control", "no-store")
	back := cmp.Or(localPath(r.PostFormValue("back")), starredPath)
	add, id := true, r.PostFormValue("star")
	if id == "" {
		add, id = false, r.PostFormValue("unstar")
	}
	if !callID.MatchString(id) {
		s.ServeError(w, r, web.BadRequest("star or unstar must be the id of a call, as in its address"))
		return
	}
	ids, isKept := s.starredCalls(r)
	ids = slices.DeleteFunc(ids, func(kept eventseer.EventID) bool { return string(kept) == id })
	if add {
		ids = append(ids, eventseer.EventID(id))
		if _, more := parseStarred(joinStarred(ids)); more > 0 {
			http.Redirect(w, r, starredPath+"?full=1", http.StatusSeeOther)
			return
		}
	}
	s.setStarred(w, r, ids)
	back, _, _ = strings.Cut(back, "#")
	back += "#s-" + id
	if !isKept && add {
		back = views.WithQuery(starredPath, url.Values{"new": {id}, "back": {back}})
	}
	http.Redirect(w, r, back, http.StatusSeeOther)
}

// A starredNote is the note above the list of starred calls.
type starredNote struct {
	Address string // of this list
	Shared  bool   // the list is from the URL and not from the cookie
	Refused bool   // the browser does not store cookies
	Full    bool   // a call was not starred, because the list is full
	More    int    // calls of the URL beyond the limit
	Gone    int    // calls that no longer exist
	Most    int
	Clashes []views.OverlappingEvents // pairs of events held at the same time
}

// starredPage shows the calls of the cookie, or of the parameter ids.
func (s *server) starredPage(w http.ResponseWriter, r *http.Request) {
	account.SetPrivateHeaders(w)
	ids, isKept := s.starredCalls(r)
	back := localPath(r.FormValue("back"))
	if isKept && back != "" && r.FormValue("new") != "" {
		http.Redirect(w, r, back, http.StatusSeeOther)
		return
	}
	note := &starredNote{Full: r.FormValue("full") != "", Most: maxStarred}
	if text := cmp.Or(r.FormValue("ids"), r.FormValue("new")); text != "" {
		note.Shared, note.Refused = true, r.FormValue("new") != ""
		ids, note.More = parseStarred(text)
	}
	s.PageHandler(func(r *http.Request) (web.View, error) { return s.starredView(r, ids, note) })(w, r)
}

func (s *server) starredView(r *http.Request, ids []eventseer.EventID, note *starredNote) (web.View, error) {
	page := listPage{Frame: s.FrameOf(r, "Starred calls", "starred"), Starred: note, Full: hasFullRows(r)}
	page.Meta.NoIndex, page.All = true, true
	hits, err := s.starredHits(r, ids)
	if err != nil {
		return web.View{}, err
	}
	if page.Calls, err = s.callRows(r, hits); err != nil {
		return web.View{}, err
	}
	events, err := s.readEvents(r, hits)
	if err != nil {
		return web.View{}, err
	}
	note.Gone, note.Clashes = len(ids)-len(hits), views.FindOverlaps(events)
	page.Views = viewsOfCalls(events)
	if len(ids) > 0 {
		values := url.Values{"ids": {joinStarred(ids)}}
		note.Address = views.WithQuery(starredPath, values)
		page.JSON = views.WithQuery(starredPath+recordsEnding, values)
		s.addFeedsOf(r, &page, strings.TrimPrefix(starredPath, "/"), values)
	}
	page.Total, page.From, page.To, page.Order = len(hits), 1, len(hits), orderNames[eventseer.OrderDeadline][1]
	return web.View{Name: "list", Data: page}, nil
}

// viewsOfCalls returns links to some calls on a calendar, a timeline and a map; nil if there are
// none or they exceed a query.
func viewsOfCalls(events []eventseer.Event) []views.Link {
	terms := views.MapSlice(events, func(e eventseer.Event) string { return query.TermText("id", string(e.ID)) })
	text := strings.Join(terms, " OR ")
	if _, err := query.Parse(text); err != nil || text == "" {
		return nil
	}
	return viewLinks(views.Frame{Query: text, All: true})
}

// starredHits returns the existing calls of a list, sorted by the next deadline with closed ones
// last.
func (s *server) starredHits(r *http.Request, ids []eventseer.EventID) ([]eventseer.Hit, error) {
	type starredCall struct {
		id  eventseer.EventID
		due time.Time // zero for a closed call
	}
	var calls []starredCall
	for _, id := range ids {
		e, err := s.Store.Event(r.Context(), id)
		switch {
		case errors.Is(err, eventseer.ErrNotFound):
			continue
		case err != nil:
			return nil, err
		}
		c := starredCall{id: e.ID}
		if d, open := eventseer.NextDeadline(e, s.Now()); open {
			c.due = d.Moment()
		}
		calls = append(calls, c)
	}
	slices.SortStableFunc(calls, func(a, b starredCall) int {
		if a.due.IsZero() != b.due.IsZero() {
			return cmp.Compare(strconv.FormatBool(a.due.IsZero()), strconv.FormatBool(b.due.IsZero()))
		}
		return a.due.Compare(b.due)
	})
	calls = slices.CompactFunc(calls, func(a, b starredCall) bool { return a.id == b.id })
	return views.MapSlice(calls, func(c starredCall) eventseer.Hit { return eventseer.Hit{ID: c.id} }), nil
}

// requestedStarred returns the calls that a program requests: those of the URL, otherwise those of the
// cookie.
func (s *server) requestedStarred(r *http.Request) ([]eventseer.Hit, error) {
	ids, _ := s.starredCalls(r)
	if text := r.FormValue("ids"); text != "" {
		ids, _ = parseStarred(text)
	}
	return s.starredHits(r, ids)
}

// starredJSON serves the records of the calls in ids.
func (s *server) starredJSON(r *http.Request) (any, error) {
	hits, err := s.requestedStarred(r)
	if err != nil {
		return nil, err
	}
	return s.newEventsAnswer(r, hits)
}

// moveStarredToAccount adds the browser's starred calls to an account, within the limit. The others stay in
// the cookie.
func (s *server) moveStarredToAccount(v *account.Visit, session string) {
	ids, _ := s.starredCalls(v.Request)
	if len(ids) == 0 {
		return
	}
	a, err := s.Subscriptions.Account(v.Context(), session)
	if err == nil {
		for _, id := range ids {
			if _, gone := s.Store.Event(v.Context(), id); gone == nil && len(a.Stars) < eventseer.MaxStars && !slices.Contains(a.Stars, id) {
				a.Stars = append(a.Stars, id)
			}
		}
		err = s.Subscriptions.SaveAccount(v.Context(), a)
	}
	if err != nil {
		s.Log.Warn("the calls starred in a browser could not be copied to the account", "cause", err)
	}
}
