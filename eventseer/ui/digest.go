package ui

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/account"
	"github.com/eventseer/eventseer/eventseer/ui/api"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

const maxSections = eventseer.MaxListsAnAccount + 1

// A digestPage is one mail as a page.
type digestPage struct {
	account.OwnFrame
	Subject  string
	At       views.TimeStamp
	Crawled  views.TimeStamp
	Sections []digestSection
	Here     string
	Newer    string
	Older    string
}

const digestPerPage = 25 // items

// A digestSection is the part of a mail for one list.
type digestSection struct {
	Name  string
	Query string
	Items []account.ItemView
	More  string
	All   string // URL of the other items, for the recipient of the mail
}

var errNoMail = &account.VisitError{
	Status: http.StatusNotFound, Text: "There is no mail at this address: the link is incomplete, or the mail is no longer stored. The items of your lists are still there.",
	On: views.Link{Text: "What your lists found", Href: "/clips"},
}

// digest shows a mail to a visitor who has the link in it.
func (s *server) digest(v *account.Visit) (web.View, error) {
	d, err := s.Subscriptions.Digest(v.Context(), v.PathValue("token"))
	if errors.Is(err, eventseer.ErrNotFound) {
		return web.View{}, errNoMail
	}
	if err != nil {
		return web.View{}, err
	}
	now := s.Now()
	p := digestPage{
		OwnFrame: s.ownFrame(v, views.Clip(d.Subject, 200), "clips"), Subject: views.Clip(d.Subject, 300), At: views.NewTimeStamp(d.At, now),
		Crawled: views.NewTimeStamp(d.Crawled, now), Here: "/d/" + v.PathValue("token"),
	}
	p.Said = map[string]string{"voted": clipsSaid["voted"]}[v.URL.Query().Get("done")]
	number, err := web.ReadNumber(v.Request, "page", 1, 1, eventseer.MaxDigestItems/digestPerPage)
	if err != nil {
		return web.View{}, err
	}
	more := s.showSections(v, &p, d, (number-1)*digestPerPage)
	p.Newer, p.Older = neighbourPages(number, more, func(n int) string { return digestHref(p.Here, n) })
	p.Here = digestHref(p.Here, number)
	return web.View{Name: "digest", Data: p}, nil
}

func digestHref(path string, number int) string {
	if number == 1 {
		return path
	}
	return fmt.Sprintf("%s?page=%d", path, number)
}

// showSections fills in the items of a page of a mail, and reports whether there are more.
func (s *server) showSections(v *account.Visit, p *digestPage, d eventseer.Digest, from int) (more bool) {
	own := v.Account != nil && v.Account.ID == d.Account
	at, most := 0, eventseer.MaxDigestItems // items so far, and items left
	for _, section := range views.FirstN(d.Sections, maxSections) {
		shown := views.FirstN(section.Items, most)
		most -= len(shown)
		first, last := max(0, from-at), min(len(shown), from+digestPerPage-at)
		at += len(shown)
		if last < len(shown) {
			more = true
		}
		if first >= last && len(section.Items) > 0 {
			continue // on another page
		}
		row := digestSection{Name: "Calls you follow"}
		if section.List.ID != "" || section.List.Query != "" {
			row.Name, row.Query = views.Clip(cmp.Or(section.List.Name, section.List.Query), 100), views.Clip(section.List.Query, views.MaxValue)
		}
		for i := first; i < last; i++ {
			row.Items = append(row.Items, s.itemWithVote(v, shown[i]))
		}
		if left := section.More + len(section.Items) - len(shown); left > 0 && last == len(shown) {
			row.More = fmt.Sprintf("%d more matched", left)
			if own && section.List.ID != "" {
				row.All = s.newListRow(section.List).Only
			}
		}
		p.Sections = append(p.Sections, row)
	}
	return more
}

const maxSecretFeed = 100 // items in the feed of a list

// feedPath returns the path of the secret feed of a list, without its ending; "" if there is none.
func (s *server) feedPath(v *account.Visit, l eventseer.List) string {
	token, err := s.Subscriptions.FeedToken(v.Context(), v.Account.ID, l.ID)
	if err != nil || token == "" {
		if err != nil {
			s.Log.Warn("the secret of a list's feed cannot be read", "list", l.ID, "cause", err)
		}
		return ""
	}
	return "/feed/" + url.PathEscape(token)
}

// feedLinks returns the feed of a list in all formats.
func (s *server) feedLinks(v *account.Visit, l eventseer.List) []views.Link {
	path := s.feedPath(v, l)
	if path == "" {
		return nil
	}
	var links []views.Link
	for _, name := range offeredFeeds {
		if f := s.formatNamed(name); f != nil {
			links = append(links, views.Link{Text: feedName(*f), Href: path + f.Ending})
		}
	}
	return links
}

// offeredFeeds are the feed formats offered to readers; the others are served too.
var offeredFeeds = []string{"ics", "atom", "rss", "jsonfeed", "csv", "json"}

func feedName(f eventseer.Format) string {
	name := cmp.Or(f.Describe, "JSON, for programs")
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(first)) + name[size:]
}

// secretFeed serves a list's entries to programs, which have no session, by the list's secret. It
// must not be indexed or leak to other sites.
func (s *server) secretFeed(w http.ResponseWriter, r *http.Request) {
	account.SetPrivateHeaders(w)
	w.Header().Set("Referrer-Policy", "no-referrer")
	if d := s.limits.WaitTime(s.clientAddress(r), s.Now()); d > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(d/time.Second)+1))
		http.Error(w, eventseer.ErrTooMany.Error(), http.StatusTooManyRequests)
		return
	}
	body, contentType, changed, err := s.readFeed(r)
	if err != nil {
		status, text := http.StatusNotFound, "There is no such feed. Its list may have been removed."
		if !errors.Is(err, eventseer.ErrNotFound) {
			status, text = s.StatusOf(r, err)
		}
		http.Error(w, text, status)
		return
	}
	w.Header().Set("Cache-Control", "private, max-age=300")
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("ETag", web.WeakTag(body))
	http.ServeContent(w, r, "", changed, bytes.NewReader(body))
}

// readFeed writes the requested feed.
func (s *server) readFeed(r *http.Request) (body []byte, contentType string, changed time.Time, err error) {
	file := r.PathValue("file")
	if s.Subscriptions == nil || len(file) > account.MaxCookie {
		return nil, "", changed, eventseer.ErrNotFound
	}
	format, token := eventseer.Format{}, ""
	for _, f := range s.endings { // longest first
		if name, ok := strings.CutSuffix(file, f.Ending); ok {
			format, token = f, name
			break
		}
	}
	if token == "" {
		return nil, "", changed, eventseer.ErrNotFound
	}
	list, items, err := s.Subscriptions.Feed(r.Context(), token)
	if err != nil {
		return nil, "", changed, err
	}
	items = views.FirstN(items, maxSecretFeed)
	if len(items) > 0 {
		changed = items[0].At.UTC()
	}
	if format.Write == nil {
		body, err = api.FeedJSON(list, items)
		return body, "application/json; charset=utf-8", changed, err
	}
	p, err := s.feedPublication(r, list, items)
	if err != nil {
		return nil, "", changed, err
	}
	if p.Updated.After(changed) {
		changed = p.Updated
	}
	var b limitedBuffer
	if err = format.Write(&b, p, r.URL.Query()); b.over {
		err = errTooLong
	}
	return b.Bytes(), format.ContentType, changed, err
}

// feedPublication returns the items of a list as events with the passages found; each event once,
// as it was found last.
func (s *server) feedPublication(r *http.Request, list eventseer.List, items []eventseer.Item) (eventseer.Publication, error) {
	base := s.siteBase(r)
	p := eventseer.Publication{
		Title: views.Clip(cmp.Or(list.Name, list.Query, "Calls for papers"), 200), Base: base, Home: base + "clips",
		Self: strings.TrimSuffix(base, "/") + r.URL.EscapedPath(), Now: s.Now().UTC(), Refresh: refreshEvery, List: list.ID,
	}
	seen := map[eventseer.EventID]bool{}
	for _, i := range items {
		if seen[i.Event] {
			continue
		}
		seen[i.Event] = true
		e, err := s.Store.Event(r.Context(), i.Event)
		if errors.Is(err, eventseer.ErrNotFound) {
			continue
		}
		if err != nil {
			if r.Context().Err() != nil {
				return p, err
			}
			s.Log.Warn("an event of an item cannot be read", "id", i.Event, "cause", err)
			continue
		}
		first := len(p.Entries)
		if err := s.addEvent(r, &p, e); err != nil {
			return p, err
		}
		if len(p.Entries) > first {
			p.Entries[first].Passage = views.Clip(i.Passage, account.MaxFindPassage)
		}
	}
	p.Updated = updatedOf(p.Entries)
	return p, nil
}

// A votePage asks for, or confirms, a reader's vote on an item.
type votePage struct {
	account.OwnFrame
	Action string
	Useful int    // the vote, or the one proposed by the link in the mail
	Title  string // of the item, if known
	Href   string
	Done   bool
}

// vote only asks for confirmation: programs that scan mails open all links.
func (s *server) vote(v *account.Visit) (web.View, error) {
	p := s.newVotePage(v)
	switch v.URL.Query().Get("useful") {
	case "1", "yes":
		p.Useful = 1
	case "-1", "0", "no":
		p.Useful = -1
	}
	return web.View{Name: "vote", Data: p}, nil
}

func (s *server) newVotePage(v *account.Visit) votePage {
	return votePage{OwnFrame: s.ownFrame(v, "Was this useful?", "clips"), Action: "/v/" + url.PathEscape(v.PathValue("token"))}
}

func (s *server) votePressed(v *account.Visit) (web.View, error) {
	useful, known := map[string]int{"yes": 1, "no": -1}[v.PostForm.Get("useful")]
	if !known {
		return web.View{}, web.BadRequest("useful must be yes or no")
	}
	item, err := s.Subscriptions.Vote(v.Context(), v.PathValue("token"), useful)
	if errors.Is(err, eventseer.ErrNotFound) {
		return web.View{}, &account.VisitError{Status: http.StatusNotFound, Text: "This link is not valid, or no longer valid. No vote was stored."}
	}
	if err != nil {
		return web.View{}, err
	}
	if next := account.LocalPath(v.PostForm.Get("next")); next != "" {
		return v.Redirect(withDone(next, "voted", account.AnchorOf(item.ID)))
	}
	p := s.newVotePage(v)
	p.Title, p.Useful, p.Done = views.Clip(item.Title, 300), useful, true
	p.Href = views.EventHref(item.Event)
	return web.View{Name: "vote", Data: p}, nil
}

// withDone adds a confirmation and an element to the URL of a page of this site.
func withDone(path, done, element string) string {
	u, err := url.Parse(path)
	if err != nil {
		return path
	}
	q := u.Query()
	q.Set("done", done)
	u.RawQuery, u.Fragment = q.Encode(), element
	return u.String()
}
