package ui

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/eventseer/ui/account"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/views"

	"github.com/PuerkitoBio/goquery"
)

// subscribers keeps the contract of Subscriptions in memory. A frozen one panics where
// it would change.
type subscribers struct {
	frozen   bool
	links    map[string]mailedList // by token
	sessions map[string]string     // account by session
	accounts map[string]eventseer.Account
	lists    []eventseer.List
	items    []eventseer.Item
	digests  map[string]eventseer.Digest
	leaving  map[string]eventseer.Unsubscription
	votes    map[string]int
	preview  *eventseer.Preview
	err      error // of Ask, SaveList, SaveAccount and Preview
	did      []string
}

type mailedList struct {
	address string
	list    eventseer.List
}

func newSubscribers() *subscribers {
	return &subscribers{
		links: map[string]mailedList{}, sessions: map[string]string{}, accounts: map[string]eventseer.Account{},
		digests: map[string]eventseer.Digest{}, leaving: map[string]eventseer.Unsubscription{}, votes: map[string]int{},
	}
}

func (s *subscribers) change(format string, args ...any) {
	what := fmt.Sprintf(format, args...)
	if s.frozen {
		panic("changed: " + what)
	}
	s.did = append(s.did, what)
}

func (s *subscribers) RequestSignIn(_ context.Context, from, address string, list eventseer.List) error {
	s.change("ask %s for %s: %s", from, address, list.Query)
	if s.err == nil {
		s.links[fmt.Sprintf("link%d", len(s.links)+1)] = mailedList{address, list}
	}
	return s.err
}

func (s *subscribers) SignInRequest(_ context.Context, token string) (string, eventseer.List, error) {
	l, ok := s.links[token]
	if !ok {
		return "", eventseer.List{}, eventseer.ErrNotFound
	}
	return l.address, l.list, nil
}

func (s *subscribers) SignIn(_ context.Context, token string) (string, error) {
	l, ok := s.links[token]
	if !ok {
		return "", eventseer.ErrNotFound
	}
	s.change("sign in %s", l.address)
	delete(s.links, token)
	id := "a-" + l.address
	if _, known := s.accounts[id]; !known {
		s.accounts[id] = eventseer.Account{ID: id, Address: l.address, Created: now, Confirmed: now}
	}
	if l.list.Query != "" {
		l.list.ID, l.list.Account = fmt.Sprintf("l%d", len(s.lists)+1), id
		s.lists = append(s.lists, l.list)
	}
	session := fmt.Sprintf("session%d", len(s.sessions)+1)
	s.sessions[session] = id
	return session, nil
}

func (s *subscribers) Account(_ context.Context, session string) (eventseer.Account, error) {
	a, ok := s.accounts[s.sessions[session]]
	if !ok {
		return a, ErrSignedOut
	}
	return a, nil
}

func (s *subscribers) AccountOf(_ context.Context, user string) (eventseer.Account, error) {
	id := "u-" + user
	if _, known := s.accounts[id]; !known { // allowed on any request
		s.accounts[id] = eventseer.Account{ID: id, User: user, Created: now}
	}
	return s.accounts[id], nil
}

func (s *subscribers) SignOut(_ context.Context, session string) error {
	s.change("sign out %s", session)
	delete(s.sessions, session)
	return nil
}

func (s *subscribers) SaveAccount(_ context.Context, a eventseer.Account) error {
	s.change("save account %s %q %v %v", a.ID, a.Zone, a.Reminders, a.Stars)
	if s.err == nil {
		s.accounts[a.ID] = a
	}
	return s.err
}

func (s *subscribers) DeleteAccount(_ context.Context, account string) error {
	s.change("forget %s", account)
	delete(s.accounts, account)
	return nil
}

func (s *subscribers) Lists(_ context.Context, account string) ([]eventseer.List, error) {
	return slices.DeleteFunc(slices.Clone(s.lists), func(l eventseer.List) bool { return l.Account != account }), nil
}

func (s *subscribers) SaveList(_ context.Context, l eventseer.List) (eventseer.List, error) {
	s.change("save list %s: %s", l.ID, l.Query)
	if s.err != nil {
		return l, s.err
	}
	if l.ID == "" {
		l.ID, l.Created = fmt.Sprintf("l%d", len(s.lists)+1), now
		s.lists = append(s.lists, l)
		return l, nil
	}
	for i := range s.lists {
		if s.lists[i].ID == l.ID && s.lists[i].Account == l.Account {
			s.lists[i] = l
			return l, nil
		}
	}
	return l, eventseer.ErrNotFound
}

func (s *subscribers) RemoveList(_ context.Context, account, list string) error {
	s.change("remove list %s of %s", list, account)
	s.lists = slices.DeleteFunc(s.lists, func(l eventseer.List) bool { return l.ID == list && l.Account == account })
	return nil
}

func (s *subscribers) Preview(_ context.Context, l eventseer.List) (eventseer.Preview, error) {
	if _, err := query.Parse(l.Query); err != nil {
		return eventseer.Preview{}, err
	}
	if s.preview != nil {
		return *s.preview, s.err
	}
	return eventseer.Preview{
		Since: now.AddDate(0, 0, -90), Items: s.items, Total: len(s.items), PerWeek: float64(len(s.items)) / 12.9,
		Terms: []eventseer.PreviewTerm{{Term: "crawling", Same: []string{"harvesting", "spidering"}}, {Term: "web"}},
	}, s.err
}

func (s *subscribers) Items(_ context.Context, account, list string, from, limit int) ([]eventseer.Item, int, error) {
	if _, ok := s.accounts[account]; !ok {
		return nil, 0, eventseer.ErrNotFound
	}
	all := slices.DeleteFunc(slices.Clone(s.items), func(i eventseer.Item) bool { return list != "" && i.List != list })
	return all[min(from, len(all)):min(from+limit, len(all))], len(all), nil
}

func (s *subscribers) FeedToken(_ context.Context, _, list string) (string, error) {
	return "feed-" + list, nil
}

func (s *subscribers) Feed(_ context.Context, token string) (eventseer.List, []eventseer.Item, error) {
	for _, l := range s.lists {
		if token == "feed-"+l.ID {
			return l, s.items, nil
		}
	}
	return eventseer.List{}, nil, eventseer.ErrNotFound
}

func (s *subscribers) Digest(_ context.Context, token string) (eventseer.Digest, error) {
	d, ok := s.digests[token]
	if !ok {
		return d, eventseer.ErrNotFound
	}
	return d, nil
}

func (s *subscribers) VoteToken(i eventseer.Item) string { return "vote-" + i.ID }

func (s *subscribers) Vote(_ context.Context, token string, useful int) (eventseer.Item, error) {
	for _, i := range s.items {
		if token == s.VoteToken(i) {
			s.change("vote %s %d", i.ID, useful)
			i.Useful = useful
			return i, nil
		}
	}
	return eventseer.Item{}, eventseer.ErrNotFound
}

func (s *subscribers) Unsubscription(_ context.Context, token string) (eventseer.Unsubscription, error) {
	l, ok := s.leaving[token]
	if !ok {
		return l, eventseer.ErrNotFound
	}
	return l, nil
}

func (s *subscribers) Unsubscribe(ctx context.Context, token string) error {
	return s.leave(ctx, token, true)
}

func (s *subscribers) Resubscribe(ctx context.Context, token string) error {
	return s.leave(ctx, token, false)
}

func (s *subscribers) leave(_ context.Context, token string, left bool) error {
	l, ok := s.leaving[token]
	if !ok {
		return eventseer.ErrNotFound
	}
	s.change("left %s %t", token, left)
	l.Left = left
	s.leaving[token] = l
	return nil
}

// fullSubscribers has Ada, signed in as "s1", with all that can be.
func fullSubscribers() *subscribers {
	s := newSubscribers()
	s.sessions["s1"] = "ada"
	s.accounts["ada"] = eventseer.Account{
		ID: "ada", Address: "ada@home.example", Created: now.AddDate(0, -3, 0), Confirmed: now.AddDate(0, -3, 0),
		Zone: "Europe/Oslo", Stars: []eventseer.EventID{"icx-2027", "gone"}, Reminders: []int{14, 3},
	}
	s.lists = []eventseer.List{
		{ID: "l1", Account: "ada", Name: "Crawling", Query: `web crawling -workshop`, Synonyms: true, Without: []string{"spidering"}, Rhythm: eventseer.Daily, Created: now.AddDate(0, -2, 0)},
		{ID: "l2", Account: "ada", Name: "Libraries", Query: `"digital library"`, Exact: true, Rhythm: eventseer.Weekly, Snoozed: now.AddDate(0, 0, 9), Created: now.AddDate(0, 0, -1)},
		{ID: "b1", Account: "bob", Name: "Bob's", Query: "secret of bob", Rhythm: eventseer.Quiet},
	}
	text := "We invite papers on web crawling and on what crawlers find there."
	for n := range 30 {
		s.items = append(s.items, eventseer.Item{
			ID: fmt.Sprintf("i%d", n), Kind: eventseer.NewCall, Event: "icx-2027", List: "l1", At: now.Add(-time.Duration(n) * time.Hour),
			Title: "22nd International Conference on Information Crawling", Place: "Trondheim, Norway", Passage: text,
			Marks: [][2]int{{20, 23}, {24, 32}}, Why: []string{`"web crawling" in the text`}, Source: "https://icx.example.org/cfp",
			Next: fullEvent().Deadlines[0],
		})
	}
	s.items[1].Kind, s.items[1].Useful, s.items[1].Old = eventseer.Moved, 1, eventseer.Deadline{Kind: eventseer.Submission, Date: "2027-02-05"}
	s.items[2].Kind, s.items[2].List, s.items[2].Useful = eventseer.Closing, "", -1
	s.digests["d1"] = eventseer.Digest{
		ID: "d1", Account: "ada", At: now.Add(-time.Hour), Subject: `3 new calls, 1 deadline moved: "web crawling"`, Crawled: now.Add(-2 * time.Hour),
		Sections: []eventseer.Section{{Items: s.items[2:3]}, {List: s.lists[0], Items: s.items[:2], More: 12}},
	}
	s.leaving["u1"] = eventseer.Unsubscription{List: s.lists[0], Address: "a…a@home.example"}
	s.leaving["u2"] = eventseer.Unsubscription{Address: "a…a@home.example", Left: true}
	s.links["begin"] = mailedList{"eve@home.example", eventseer.List{Name: "Gardens", Query: "gardens", Rhythm: eventseer.Weekly}}
	s.links["plain"] = mailedList{"ada@home.example", eventseer.List{}}
	return s
}

// noteDesk is a Desk in memory. A frozen one panics where it would change.
type noteDesk struct {
	frozen bool
	notes  []eventseer.Note
	err    error
}

func (d *noteDesk) StoreNote(_ context.Context, n eventseer.Note) error {
	if d.frozen {
		panic("a note is left")
	}
	if d.err == nil {
		n.ID = fmt.Sprintf("n%d", len(d.notes)+1)
		d.notes = append(d.notes, n)
	}
	return d.err
}

func (d *noteDesk) Notes(_ context.Context, done bool, limit int) ([]eventseer.Note, error) {
	found := slices.DeleteFunc(slices.Clone(d.notes), func(n eventseer.Note) bool { return n.Done.IsZero() == done })
	return views.FirstN(found, limit), nil
}

func (d *noteDesk) CloseNote(_ context.Context, id, answer string, at time.Time) error {
	if d.frozen {
		panic("a note is settled")
	}
	for i := range d.notes {
		if d.notes[i].ID == id && d.notes[i].Done.IsZero() {
			d.notes[i].Answer, d.notes[i].Done = answer, at
			return nil
		}
	}
	return eventseer.ErrNotFound
}

// pageReader is a Submitter that knows one page.
type pageReader struct {
	frozen bool
	event  eventseer.Event
	asked  []string
	queued []string
	err    error
}

func (p *pageReader) Read(_ context.Context, url string) (eventseer.Event, bool, error) {
	if p.frozen {
		panic("a page is fetched")
	}
	p.asked = append(p.asked, url)
	return p.event, p.event.Title != "", p.err
}

func (p *pageReader) Queue(_ context.Context, url string) error {
	if p.frozen {
		panic("a page is queued")
	}
	p.queued = append(p.queued, url)
	return p.err
}

// A town is a site with all that visitors may change.
type town struct {
	*world
	subscribers *subscribers
	desk        *noteDesk
	reader      *pageReader
	options     func(*Options)
	clock       time.Time
	audited     []AuditEntry
	acted       []string
}

func newTown() *town {
	return &town{world: fullWorld(), subscribers: fullSubscribers(), desk: &noteDesk{}, reader: &pageReader{event: fullEvent()}, clock: now}
}

// freeze makes all changes panic.
func (tn *town) freeze() { tn.subscribers.frozen, tn.desk.frozen, tn.reader.frozen = true, true, true }

func (tn *town) handler() http.Handler {
	o := Options{
		Store: tn.world, Index: tn.world, Now: func() time.Time { return tn.clock }, Version: "1.2", Contact: "ops@example.org",
		Subscriptions: tn.subscribers, Desk: tn.desk, Submitter: tn.reader,
		AdminToken: operatorsToken, Panels: tn.panels(), Audit: func(e AuditEntry) { tn.audited = append(tn.audited, e) },
	}
	if tn.options != nil {
		tn.options(&o)
	}
	return newUI(o)
}

func (tn *town) panels() []Panel {
	return []Panel{{
		Name: "hosts", Title: "Hosts", Group: "Crawl", Find: "Part of the name",
		Show: func(_ context.Context, query map[string]string) (Sheet, error) {
			return Sheet{
				Intro: "All hosts.", Facts: []Fact{{"Waiting", "7", "good"}, {"Failing", "2", "bad"}, {"Asked for", query["q"], ""}},
				Tables: []Table{{
					Caption: "Hosts", Columns: []string{"Host", "Last", "State"}, More: "from=100&q=x",
					Rows: []Row{{Cells: []Cell{{Text: "a.example", Href: "https://a.example/"}, {At: now.Add(-time.Hour)}, {Text: "slow", State: "warn"}},
						Buttons: []Button{{Action: "block", Subject: "a.example", Label: "Block", Ask: "Why"}, {Action: "retry", Subject: "a.example", Label: "Try again"}}}},
				}, {Caption: "Others", Empty: "No others."}},
			}, nil
		},
		Act: func(_ context.Context, action, subject, value string) (string, error) {
			tn.acted = append(tn.acted, strings.Join([]string{action, subject, value}, " "))
			if action == "explode" {
				return "", fmt.Errorf("this action does not exist")
			}
			return action + " is done", nil
		},
		Preview: func(_ context.Context, action, subject, value string) (*Sheet, error) {
			switch action {
			case "rename":
				return &Sheet{Intro: "This changes.", Tables: []Table{{Caption: subject, Columns: []string{"Field", "Now", "Then"}, Rows: []Row{{Cells: []Cell{{Text: "name"}, {Text: "a"}, {Text: value}}}}}}}, nil
			case "vanish":
				return nil, fmt.Errorf("it cannot vanish")
			}
			return nil, nil
		},
	}}
}

// A visitor is a browser with its cookies.
type visitor struct {
	t       *testing.T
	handler http.Handler
	cookies map[string]string
	change  func(*http.Request)
	doc     *goquery.Document // the page that was answered last
	last    *httptest.ResponseRecorder
}

func visit1(t *testing.T, h http.Handler) *visitor {
	return &visitor{t: t, handler: h, cookies: map[string]string{}}
}

// ada is a visitor with Ada's session.
func ada(t *testing.T, h http.Handler) *visitor {
	v := visit1(t, h)
	v.cookies[sessionCookie] = "s1"
	return v
}

func (v *visitor) do(method, path string, form url.Values) *httptest.ResponseRecorder {
	v.t.Helper()
	r := httptest.NewRequestWithContext(v.t.Context(), method, path, strings.NewReader(form.Encode()))
	r.Host, r.RemoteAddr = "events.example", "192.0.2.7:4711"
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for name, value := range v.cookies {
		r.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	if v.change != nil {
		v.change(r)
	}
	w := httptest.NewRecorder()
	v.handler.ServeHTTP(w, r)
	for _, c := range w.Result().Cookies() {
		if c.MaxAge < 0 {
			delete(v.cookies, c.Name)
		} else {
			v.cookies[c.Name] = c.Value
		}
	}
	v.last = w
	if strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
		doc, err := goquery.NewDocumentFromReader(strings.NewReader(w.Body.String()))
		if err != nil {
			v.t.Fatal(err)
		}
		v.doc = doc
	}
	return w
}

// get opens a page, which must be one for people to use.
func (v *visitor) get(path string, status int) *goquery.Document {
	v.t.Helper()
	w := v.do(http.MethodGet, path, nil)
	if w.Code != status {
		v.t.Fatalf("GET %s = %d to %q, want %d\n%s", path, w.Code, w.Header().Get("Location"), status, views.Clip(w.Body.String(), 2000))
	}
	v.checkPage("GET " + path)
	return v.doc
}

// post sends a form of the page that is open.
func (v *visitor) post(path string, form url.Values, status int) *goquery.Document {
	v.t.Helper()
	form.Set(account.TokenField, v.token())
	w := v.do(http.MethodPost, path, form)
	if w.Code != status {
		v.t.Fatalf("POST %s = %d to %q, want %d\n%s", path, w.Code, w.Header().Get("Location"), status, views.Clip(w.Body.String(), 2000))
	}
	if status != http.StatusSeeOther {
		v.checkPage("POST " + path)
	}
	return v.doc
}

func (v *visitor) token() string {
	if v.doc == nil {
		return ""
	}
	return v.doc.Find("input[name="+account.TokenField+"]").First().AttrOr("value", "")
}

func (v *visitor) wantTarget(want string) {
	v.t.Helper()
	if got := v.last.Header().Get("Location"); got != want {
		v.t.Errorf("led to %q, want %q", got, want)
	}
}

// checkPage checks what every page with forms must keep.
func (v *visitor) checkPage(name string) {
	v.t.Helper()
	h := v.last.Header()
	for header, want := range map[string]string{"Content-Security-Policy": web.Policy, "Cache-Control": "no-store", "Referrer-Policy": "same-origin"} {
		if got := h.Get(header); got != want {
			v.t.Errorf("%s: %s = %q, want %q", name, header, got, want)
		}
	}
	doc := v.doc
	for selector, want := range map[string]int{
		"html[lang=en]": 1, "h1": 1, "main#main": 1, "script:not([src$='/seek.js'])": 0, "style,[style]": 0, "[onclick],[onerror],[onload]": 0, "main img, main b": 0,
		"a:not([href]),a[href='']": 0, "form[method=post]:not(:has(input[name=form])):not(:has(input[name=List-Unsubscribe]))": 0,
		"form:not([method])": 0, "button:empty": 0,
	} {
		if got := doc.Find(selector).Length(); got != want {
			v.t.Errorf("%s: %d × %s, want %d", name, got, selector, want)
		}
	}
	doc.Find("input:not([type=hidden]),select,textarea").Each(func(_ int, in *goquery.Selection) {
		if doc.Find("label[for='"+in.AttrOr("id", "none")+"']").Length() != 1 {
			v.t.Errorf("%s: field %q has no label", name, in.AttrOr("name", ""))
		}
		for id := range strings.FieldsSeq(in.AttrOr("aria-describedby", "")) {
			if doc.Find("#"+id).Length() != 1 {
				v.t.Errorf("%s: field %q is described by #%s, which is not there", name, in.AttrOr("name", ""), id)
			}
		}
	})
	doc.Find(".problems a").Each(func(_ int, a *goquery.Selection) {
		if doc.Find(a.AttrOr("href", "#none")).Length() != 1 {
			v.t.Errorf("%s: a problem leads to %s, which is not there", name, a.AttrOr("href", ""))
		}
	})
	doc.Find("a[href]").Each(func(_ int, a *goquery.Selection) {
		href := a.AttrOr("href", "")
		local := strings.HasPrefix(href, "/") && !strings.HasPrefix(href, "//") || strings.HasPrefix(href, "#") || strings.HasPrefix(href, "?")
		if !local && (!strings.HasPrefix(href, "http") || a.AttrOr("rel", "") != "nofollow noopener") {
			v.t.Errorf("%s: link to %q", name, href)
		}
	})
	seen := map[string]bool{}
	doc.Find("[id]").Each(func(_ int, e *goquery.Selection) {
		id := e.AttrOr("id", "")
		if seen[id] {
			v.t.Errorf("%s: two elements are #%s", name, id)
		}
		seen[id] = true
	})
	if n := v.last.Body.Len(); n > 4*maxBytes {
		v.t.Errorf("%s has %d bytes", name, n)
	}
}
