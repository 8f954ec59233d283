package ui

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

const maxSecretFeed = 100 // finds in the feed of a list

// feedPath is where the secret feed of a list is, without its ending; "" where there is
// none.
func (s *server) feedPath(v *visit, l eventseer.List) string {
	token, err := s.Subscriptions.FeedToken(v.Context(), v.account.ID, l.ID)
	if err != nil || token == "" {
		if err != nil {
			s.Log.Warn("a list without the secret of its feed", "list", l.ID, "cause", err)
		}
		return ""
	}
	return "/feed/" + url.PathEscape(token)
}

// feedLinks are the feed of a list in all formats.
func (s *server) feedLinks(v *visit, l eventseer.List) []views.Link {
	path := s.feedPath(v, l)
	if path == "" {
		return nil
	}
	var links []views.Link
	for _, name := range offeredFeeds {
		for _, f := range s.endings {
			if f.Name == name {
				links = append(links, views.Link{Text: feedName(f), Href: path + f.Ending})
				break
			}
		}
	}
	return links
}

// offeredFeeds are the formats that readers are offered, of those there are; the others
// are served too.
var offeredFeeds = []string{"ics", "atom", "rss", "jsonfeed", "csv", "json"}

func feedName(f eventseer.Format) string {
	name := firstOf(f.Describe, "JSON, for programs")
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(first)) + name[size:]
}

// secretFeed serves what a list brought to whoever holds its secret: to programs, which
// have no session. No index and no other site shall learn of it.
func (s *server) secretFeed(w http.ResponseWriter, r *http.Request) {
	ownAnswer(w)
	w.Header().Set("Referrer-Policy", "no-referrer")
	if d := s.limits.Wait(s.clientAddress(r), s.Now()); d > 0 {
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

// readFeed writes the feed that a request asks for.
func (s *server) readFeed(r *http.Request) (body []byte, contentType string, changed time.Time, err error) {
	file := r.PathValue("file")
	if s.Subscriptions == nil || len(file) > maxCookie {
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
	items = views.Head(items, maxSecretFeed)
	if len(items) > 0 {
		changed = items[0].At.UTC()
	}
	if format.Write == nil {
		body, err = feedJSON(list, items)
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

// feedJSON is a list's feed for programs. It says nothing of the reader.
func feedJSON(list eventseer.List, items []eventseer.Item) ([]byte, error) {
	public := make([]eventseer.Item, 0, len(items))
	for _, i := range items {
		i.List, i.Useful = "", 0
		public = append(public, i)
	}
	body, err := json.MarshalIndent(struct {
		Name  string           `json:"name"`
		Query string           `json:"query"`
		Items []eventseer.Item `json:"items"`
	}{list.Name, list.Query, public}, "", "  ")
	return append(body, '\n'), err
}

// feedPublication is what a list brought as events with the passages found; an event
// once, as it was found last.
func (s *server) feedPublication(r *http.Request, list eventseer.List, items []eventseer.Item) (eventseer.Publication, error) {
	base := s.siteBase(r)
	p := eventseer.Publication{
		Title: views.Clip(firstOf(list.Name, list.Query, "Calls for papers"), 200), Base: base, Home: base + "clips",
		Self: strings.TrimSuffix(base, "/") + r.URL.EscapedPath(), Now: s.Now().UTC(), Refresh: refreshEvery,
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
			s.Log.Warn("an event that was found cannot be read", "id", i.Event, "cause", err)
			continue
		}
		first := len(p.Entries)
		if err := s.addEvent(r, &p, e); err != nil {
			return p, err
		}
		if len(p.Entries) > first {
			p.Entries[first].Passage = views.Clip(i.Passage, maxFindPassage)
		}
	}
	p.Updated = updatedOf(p.Entries)
	return p, nil
}
