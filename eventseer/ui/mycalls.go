package ui

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

// Pages of one list each, besides the home page: open calls that close within a week, and those in
// the reader's fields.
const (
	minePath     = "/mine"
	fieldsCookie = "fields"
	thisWeek     = "due<7d"
)

// myFields returns the fields that the reader chose.
func myFields(r *http.Request) []string {
	c, err := r.Cookie(fieldsCookie)
	if err != nil {
		return nil
	}
	return views.ParseFields(c.Value)
}

// requestedFields returns the fields of the address, otherwise those that the reader chose.
func requestedFields(r *http.Request) []string {
	if in := r.FormValue("in"); in != "" {
		return views.ParseFields(in)
	}
	return myFields(r)
}

// fieldsQuery returns a query for the calls in some fields, for all calls if there are none.
func fieldsQuery(ids []string) string {
	return strings.Join(views.MapSlice(ids, func(id string) string { return query.TermText("field", id) }), " OR ")
}

// setFields stores the fields of the form in a cookie and redirects to their calls, to the home
// page if the form is there. Each check box is a "field"; a button names all fields as "set".
func (s *server) setFields(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 10_000)
	_ = r.ParseForm() // an invalid form chooses nothing
	ids := views.ParseFields(strings.Join(append(r.PostForm["field"], r.PostForm["set"]...), "."))
	c := &http.Cookie{
		Name: fieldsCookie, Value: strings.Join(ids, "."), Path: "/", MaxAge: int(web.ZoneFor / time.Second),
		HttpOnly: true, Secure: s.isHTTPS(r), SameSite: http.SameSiteLaxMode,
	}
	if len(ids) == 0 {
		c.MaxAge = -1
	}
	http.SetCookie(w, c)
	w.Header().Set("Cache-Control", "no-store")
	to := views.WithQuery(minePath, fieldValues(ids))
	if r.PostForm.Has("home") {
		to = views.WithQuery("/", fieldValues(ids)) + "#fields"
	}
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// fieldValues returns the parameters of the page with calls in fields: an address that can be
// shared and works without cookies.
func fieldValues(ids []string) map[string][]string {
	if len(ids) == 0 {
		return nil
	}
	return map[string][]string{"in": {strings.Join(ids, ".")}}
}

// myCallsPage shows the open calls in the reader's fields, or in those of the address.
func (s *server) myCallsPage(r *http.Request) (web.View, error) {
	ids := requestedFields(r)
	page := listPage{Frame: s.FrameOf(r, "Open in my fields", "mine"), Heading: "Open in my fields"}
	page.Meta.NoIndex = true
	page.Query = fieldsQuery(ids)
	v, err := s.list(r, page)
	if err != nil {
		return v, err
	}
	all := s.searchQuery("", false)
	all.Limit, all.Facets = 1, true
	found, err := s.Index.Find(r.Context(), all)
	if err != nil {
		return v, err
	}
	page, _ = v.Data.(listPage)
	page.Chooser = views.NewFieldChooser(ids, found.Facets)
	page.Chooser.Open = page.Chooser.Open || r.FormValue("choose") != ""
	v.Data = page
	return v, nil
}

// closingPage shows the open calls whose next deadline is within a week.
func (s *server) closingPage(r *http.Request) (web.View, error) {
	page := listPage{Frame: s.FrameOf(r, "Closing this week", "closing"), Heading: "Closing this week"}
	page.Query = strings.TrimSpace(views.ViewQuery(r) + " " + thisWeek)
	page.Meta.About = "Open calls for papers whose deadline is within seven days."
	return s.list(r, page)
}

// orderNames describe what an order lists first, for the line above a list and its menu.
var orderNames = map[eventseer.Order][2]string{
	eventseer.OrderDeadline: {"Next deadline", "next deadline first"}, eventseer.OrderEvent: {"Date of the event", "first event first"},
	eventseer.OrderRank: {"Rank", "best rank first"}, eventseer.OrderRelevance: {"Relevance", "most relevant first"},
	eventseer.OrderAdded: {"Recently added", "last added first"},
}

// requestedOrder returns the parameter sort of a request.
func requestedOrder(r *http.Request) (eventseer.Order, error) {
	o := eventseer.Order(r.FormValue("sort"))
	if o != "" && !slices.Contains(eventseer.Orders(), o) {
		return "", web.BadRequest("sort must be one of %s", strings.Join(views.MapSlice(eventseer.Orders(), func(o eventseer.Order) string { return string(o) }), ", "))
	}
	return o, nil
}

// addOrderMenu fills the menu of orders of a list and marks the present one.
func (p *listPage) addOrderMenu() {
	now := cmp.Or(eventseer.Order(p.Sort), eventseer.OrderDeadline)
	if p.All {
		now = cmp.Or(eventseer.Order(p.Sort), eventseer.OrderRelevance)
	}
	p.Order = orderNames[now][1]
	if p.All && p.Query == "" && p.Sort == "" {
		p.Order = ""
	}
	for _, o := range eventseer.Orders() {
		f := p.Frame
		f.Sort = string(o)
		p.Orders = append(p.Orders, orderLink{views.Link{Text: orderNames[o][0], Href: f.SearchHref(f.Query)}, o == now})
	}
}

// An orderLink leads to a list in another order.
type orderLink struct {
	views.Link
	Now bool
}
