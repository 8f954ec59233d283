package ui

import (
	"encoding/xml"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

// absolute is the URL of a path of ours.
func (s *server) absolute(r *http.Request, path string) string {
	return strings.TrimSuffix(s.siteBase(r), "/") + path
}

// sitemapPart is how many events one sitemap lists; a sitemap may list 50,000 URLs.
const sitemapPart = 10_000

type sitemapIndex struct {
	XMLName xml.Name     `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 sitemapindex"`
	Maps    []sitemapURL `xml:"sitemap"`
}

type sitemapURLs struct {
	XMLName xml.Name     `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
	URLs    []sitemapURL `xml:"url"`
}

type sitemapURL struct {
	Loc     string `xml:"loc"`
	LastMod string `xml:"lastmod,omitempty"`
}

// xmlPage serves what f answers as XML.
func (s *server) xmlPage(contentType string, f func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		answer, err := f(r)
		var body []byte
		if err == nil {
			body, err = xml.Marshal(answer)
		}
		if err != nil {
			status, text := s.StatusOf(r, err)
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			web.Write(w, status, []byte(text+"\n"))
			return
		}
		w.Header().Set("Content-Type", contentType)
		web.Send(w, r, append([]byte(xml.Header), body...), "", time.Time{})
	}
}

// sitemap lists the parts of the sitemap.
func (s *server) sitemap(r *http.Request) (any, error) {
	_, n, err := s.catalog.Located(r.Context(), 0, 0)
	if err != nil {
		return nil, err
	}
	index := sitemapIndex{Maps: []sitemapURL{{Loc: s.absolute(r, "/sitemap/pages.xml")}}}
	for part := range (n + sitemapPart - 1) / sitemapPart {
		found, _, err := s.catalog.Located(r.Context(), part*sitemapPart, sitemapPart)
		if err != nil {
			return nil, err
		}
		var last time.Time
		for _, e := range found {
			if e.Modified.After(last) {
				last = e.Modified
			}
		}
		if len(found) > 0 {
			index.Maps = append(index.Maps, sitemapURL{s.absolute(r, "/sitemap/"+strconv.Itoa(part+1)+".xml"), lastMod(last)})
		}
	}
	return index, nil
}

func lastMod(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// sitemapFile answers pages.xml and N.xml.
func (s *server) sitemapFile(r *http.Request) (any, error) {
	name, ok := strings.CutSuffix(r.PathValue("file"), ".xml")
	if !ok {
		return nil, web.ErrNoPage
	}
	if name == "pages" {
		return s.sitemapPages(r)
	}
	part, err := strconv.Atoi(name)
	if err != nil || part < 1 || part > 1_000_000 || strconv.Itoa(part) != name {
		return nil, web.ErrNoPage
	}
	found, _, err := s.catalog.Located(r.Context(), (part-1)*sitemapPart, sitemapPart)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, web.ErrNoPage
	}
	var urls sitemapURLs
	for _, e := range found {
		urls.URLs = append(urls.URLs, sitemapURL{s.absolute(r, views.EventHref(e.ID)), lastMod(e.Modified)})
	}
	return urls, nil
}

// sitemapPages lists the pages that are no events.
func (s *server) sitemapPages(r *http.Request) (any, error) {
	var urls sitemapURLs
	paths := []string{"/", "/calendar", "/timeline", "/map", "/about", "/bot", "/api"}
	if s.Recent != nil {
		paths = append(paths, "/new", "/changes")
	}
	if s.Dumps != "" {
		paths = append(paths, "/data")
	}
	for _, p := range paths {
		urls.URLs = append(urls.URLs, sitemapURL{Loc: s.absolute(r, p)})
	}
	if s.Series == nil {
		return urls, nil
	}
	n := 0
	for series, err := range s.Series.AllSeries(r.Context()) {
		if ended := r.Context().Err(); ended != nil {
			return nil, ended
		}
		if n++; n > sitemapPart {
			break
		}
		if err == nil && listed.MatchString("/s/"+series.ID) {
			urls.URLs = append(urls.URLs, sitemapURL{Loc: s.absolute(r, "/s/"+series.ID)})
		}
	}
	return urls, nil
}

// robots keeps crawlers of others from what is personal, the operator's, and endless.
func (s *server) robots(w http.ResponseWriter, r *http.Request) {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for _, path := range []string{
		"/account", "/admin", "/clips", "/d/", "/f/", "/label", "/report", "/signin", "/signout", "/slice", "/submit", "/subscribe", "/suggest",
		"/unsubscribe", "/vote", "/wrappers", "/zone", "/search?", "/search.", "/calendar?", "/timeline?", "/map?", "/api/v1/", "/e/*/", "/e/*.", "/s/*.",
	} {
		b.WriteString("Disallow: " + path + "\n")
	}
	b.WriteString("\nSitemap: " + s.absolute(r, "/sitemap.xml") + "\n")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	web.Send(w, r, []byte(b.String()), "", time.Time{})
}

// An openSearch describes the search to browsers (OpenSearch 1.1).
type openSearch struct {
	XMLName     xml.Name        `xml:"http://a9.com/-/spec/opensearch/1.1/ OpenSearchDescription"`
	ShortName   string          `xml:"ShortName"`
	Description string          `xml:"Description"`
	Language    string          `xml:"Language"`
	Input       string          `xml:"InputEncoding"`
	Image       openSearchImage `xml:"Image"`
	URLs        []openSearchURL `xml:"Url"`
}

type openSearchImage struct {
	Type string `xml:"type,attr"`
	URL  string `xml:",chardata"`
}

type openSearchURL struct {
	Type     string `xml:"type,attr"`
	Rel      string `xml:"rel,attr,omitempty"`
	Template string `xml:"template,attr"`
}

func (s *server) openSearch(r *http.Request) (any, error) {
	d := openSearch{
		ShortName: "EventSeer", Description: "Open calls for papers of conferences, workshops and journals", Language: "en", Input: "UTF-8",
		Image: openSearchImage{"image/svg+xml", s.absolute(r, s.icon)},
		URLs: []openSearchURL{
			{Type: "text/html", Template: s.absolute(r, "/search?q={searchTerms}")},
			{Type: "application/x-suggestions+json", Rel: "suggestions", Template: s.absolute(r, suggestPath+"?q={searchTerms}")},
			{Type: "application/opensearchdescription+xml", Rel: "self", Template: s.absolute(r, "/opensearch.xml")},
		},
	}
	for i := range s.Formats {
		if f := &s.Formats[i]; isFeed(f) {
			d.URLs = append(d.URLs, openSearchURL{Type: mediaTypeOf(f.ContentType), Template: s.absolute(r, "/search"+f.Ending+"?q={searchTerms}")})
		}
	}
	return d, nil
}

func mediaTypeOf(contentType string) string {
	kind, _, _ := strings.Cut(contentType, ";")
	return kind
}

// probe is the id of no event: it says whether the store answers.
const probe eventseer.EventID = "readyz"

// readyz says whether store and index answer.
func (s *server) readyz(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, err := s.Store.Event(r.Context(), probe)
	if errors.Is(err, eventseer.ErrNotFound) {
		err = nil
	}
	if err == nil {
		_, err = s.Index.Find(r.Context(), eventseer.Query{Limit: 1})
	}
	if err != nil {
		s.Log.Error("not ready", "cause", err)
		web.Write(w, http.StatusServiceUnavailable, []byte("not ready: the store or the index does not answer; the log says why\n"))
		return
	}
	web.Write(w, 0, []byte("ready\n"))
}
