package ui

import (
	"bufio"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/api"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

// sitemapPart is the number of events in one sitemap; 50,000 URLs are allowed.
const sitemapPart = 10_000

// xmlPage serves the result of f as XML.
func (s *server) xmlPage(contentType string, f func(*http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		answer, err := f(r)
		var body []byte
		if err == nil {
			body, err = xml.Marshal(answer)
		}
		if err != nil {
			s.plainError(w, r, err)
			return
		}
		w.Header().Set("Content-Type", contentType)
		web.Send(w, r, append([]byte(xml.Header), body...), "", time.Time{})
	}
}

// sitemap lists the parts of the sitemap.
func (s *server) sitemap(r *http.Request) (any, error) {
	_, n, err := s.catalog.LocatedEvents(r.Context(), 0, 0)
	if err != nil {
		return nil, err
	}
	index := api.SitemapIndex{Maps: []api.SitemapURL{{Loc: s.canonicalURL(r, "/sitemap/pages.xml")}}}
	for part := range (n + sitemapPart - 1) / sitemapPart {
		found, _, err := s.catalog.LocatedEvents(r.Context(), part*sitemapPart, sitemapPart)
		if err != nil {
			return nil, err
		}
		if len(found) > 0 {
			last := slices.MaxFunc(found, func(a, b views.LocatedEvent) int { return a.Modified.Compare(b.Modified) })
			index.Maps = append(index.Maps, api.SitemapURL{Loc: s.canonicalURL(r, "/sitemap/"+strconv.Itoa(part+1)+".xml"), LastMod: api.LastMod(last.Modified)})
		}
	}
	return index, nil
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
	found, _, err := s.catalog.LocatedEvents(r.Context(), (part-1)*sitemapPart, sitemapPart)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, web.ErrNoPage
	}
	var urls api.SitemapURLs
	for _, e := range found {
		urls.URLs = append(urls.URLs, api.SitemapURL{Loc: s.canonicalURL(r, views.EventHref(e.ID)), LastMod: api.LastMod(e.Modified)})
	}
	return urls, nil
}

// sitemapPages lists the pages other than events.
func (s *server) sitemapPages(r *http.Request) (any, error) {
	var urls api.SitemapURLs
	paths := []string{"/", "/calendar", "/timeline", "/map", "/fit", "/about", "/bot", "/api"}
	if s.Recent != nil {
		paths = append(paths, "/new", "/changes")
	}
	if s.Dumps != "" {
		paths = append(paths, "/data")
	}
	for _, p := range paths {
		urls.URLs = append(urls.URLs, api.SitemapURL{Loc: s.canonicalURL(r, p)})
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
			urls.URLs = append(urls.URLs, api.SitemapURL{Loc: s.canonicalURL(r, "/s/"+series.ID)})
		}
	}
	return urls, nil
}

// robots keeps other crawlers away from personal pages, the operator's pages and endless lists.
func (s *server) robots(w http.ResponseWriter, r *http.Request) {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for _, path := range []string{
		"/account", "/admin", "/clips", "/d/", "/f/", "/label", "/report", "/signin", "/signout", "/slice", "/starred", "/submit", "/subscribe", "/suggest",
		"/unsubscribe", "/vote", "/wrappers", "/zone", "/search?", "/search.", "/calendar?", "/timeline?", "/map?", "/api/v1/", "/e/*/", "/e/*.", "/s/*.",
	} {
		b.WriteString("Disallow: " + path + "\n")
	}
	b.WriteString("\nSitemap: " + s.canonicalURL(r, "/sitemap.xml") + "\n")
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	web.Send(w, r, []byte(b.String()), "", time.Time{})
}

func (s *server) openSearch(r *http.Request) (any, error) {
	d := api.OpenSearch{
		ShortName: "EventSeer", Description: "Open calls for papers of conferences, workshops and journals", Language: "en", Input: "UTF-8",
		Image: api.OpenSearchImage{Type: "image/svg+xml", URL: s.canonicalURL(r, s.AssetPath("icon.svg"))},
		URLs: []api.OpenSearchURL{
			{Type: "text/html", Template: s.canonicalURL(r, "/search?q={searchTerms}")},
			{Type: "application/x-suggestions+json", Rel: "suggestions", Template: s.canonicalURL(r, api.SuggestPath+"?q={searchTerms}")},
			{Type: "application/opensearchdescription+xml", Rel: "self", Template: s.canonicalURL(r, "/opensearch.xml")},
		},
	}
	for _, f := range s.Formats {
		if isFeed(f) {
			d.URLs = append(d.URLs, api.OpenSearchURL{Type: views.MediaType(f.ContentType), Template: s.canonicalURL(r, "/search"+f.Ending+"?q={searchTerms}")})
		}
	}
	return d, nil
}

// probe is an unused id, read to check whether the store works.
const probe eventseer.EventID = "readyz"

// readyz reports whether store and index answer.
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
		web.Write(w, http.StatusServiceUnavailable, []byte("not ready: the store or the index does not respond; see the log for the reason\n"))
		return
	}
	web.Write(w, 0, []byte("ready\n"))
}

// Limits on the dumps offered.
const (
	maxDumps    = 200
	maxSumsFile = 1 << 20
	sumsFile    = "SHA256SUMS"
)

// A dataPage lists the dumps.
type dataPage struct {
	views.Frame
	Dumps []dumpRow
	More  int // not listed
}

// A dumpRow is one file of Options.Dumps.
type dumpRow struct {
	Name, Href, Size, Sum string
	At                    views.TimeStamp
}

// A dump is a file that SHA256SUMS names.
type dump struct {
	name, sum string
	size      int64
	at        time.Time
}

// dumpName matches valid names of dumps: no path, not hidden.
var dumpName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,127}$`)

var sumLine = regexp.MustCompile(`^([0-9a-fA-F]{64})[ \t]+\*?(\S+)$`)

// listDumps lists the regular files that SHA256SUMS names: those of the newest day first, those of one day by
// name. A folder without that file has none.
func (s *server) listDumps() ([]dump, error) {
	root, err := os.OpenRoot(s.Dumps)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // read only
	f, err := root.Open(sumsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only
	var list []dump
	seen := map[string]bool{}
	for lines := bufio.NewScanner(io.LimitReader(f, maxSumsFile)); lines.Scan(); {
		m := sumLine.FindStringSubmatch(strings.TrimSpace(lines.Text()))
		if m == nil || !dumpName.MatchString(m[2]) || seen[m[2]] {
			continue
		}
		info, err := root.Lstat(m[2])
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		seen[m[2]] = true
		list = append(list, dump{m[2], strings.ToLower(m[1]), info.Size(), info.ModTime()})
	}
	day := func(d dump) time.Time { return d.at.UTC().Truncate(24 * time.Hour) }
	slices.SortFunc(list, func(a, b dump) int { return cmp.Or(day(b).Compare(day(a)), strings.Compare(a.name, b.name)) })
	return list, nil
}

func (s *server) dataPage(*http.Request) (web.View, error) {
	if s.Dumps == "" {
		return web.View{}, web.ErrNoPage
	}
	list, err := s.listDumps()
	if err != nil {
		return web.View{}, err
	}
	p := dataPage{Frame: s.NewFrame("Data", "data"), More: max(0, len(list)-maxDumps)}
	for _, d := range views.FirstN(list, maxDumps) {
		p.Dumps = append(p.Dumps, dumpRow{d.name, "/data/" + d.name, fileSize(d.size), d.sum, views.NewTimeStamp(d.at, s.Now())})
	}
	return web.View{Name: "data", Data: p}, nil
}

// fileSize writes a size as people read it.
func fileSize(n int64) string {
	switch {
	case n < 1000:
		return strconv.FormatInt(n, 10) + " bytes"
	case n < 1_000_000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	case n < 1_000_000_000:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.2f GB", float64(n)/1e9)
}

// dumpFile serves one of the dumps listed, and SHA256SUMS itself.
func (s *server) dumpFile(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if err := s.serveDump(w, r, name); err != nil {
		if !errors.Is(err, web.ErrNoPage) {
			s.Log.Error("serve a dump", "name", name, "cause", err)
		}
		s.PageHandler(s.NotFound)(w, r)
	}
}

func (s *server) serveDump(w http.ResponseWriter, r *http.Request, name string) error {
	if s.Dumps == "" || !dumpName.MatchString(name) {
		return web.ErrNoPage
	}
	list, err := s.listDumps()
	if err != nil {
		return err
	}
	at := slices.IndexFunc(list, func(d dump) bool { return d.name == name })
	if at < 0 && (name != sumsFile || len(list) == 0) {
		return web.ErrNoPage
	}
	root, err := os.OpenRoot(s.Dumps)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // read only
	f, err := root.Open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // read only
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return errors.Join(err, web.ErrNoPage)
	}
	h := w.Header()
	h.Set("Content-Type", cmp.Or(dumpTypes[filepath.Ext(name)], dumpTypes[name], "application/octet-stream"))
	h.Set("Cache-Control", "public, max-age=60")
	h.Set("Access-Control-Allow-Origin", "*")
	if at >= 0 {
		h.Set("ETag", `"`+list[at].sum[:32]+`"`)
		h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	}
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(dumpTime)) // a server without deadlines needs none
	http.ServeContent(w, r, name, info.ModTime(), f)
	return nil
}

// dumpTime is the maximum time of the download of a dump.
const dumpTime = time.Hour

// dumpTypes are the content types of dumps by the ending of their names, and that of the checksums.
var dumpTypes = map[string]string{
	".json": "application/json", ".jsonld": "application/json", ".gz": "application/gzip", ".zst": "application/zstd",
	".csv": "text/csv; charset=utf-8", ".xz": "application/x-xz", sumsFile: "text/plain; charset=utf-8",
}
