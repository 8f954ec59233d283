package sitemap

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"

	"github.com/eventseer/eventseer/webgraph"
)

// Limits on sitemaps and feeds; the rest is left out. The first two are from sitemaps.org.
const (
	maxSitemapURLs  = 50_000
	maxSitemapBytes = 50 << 20  // unpacked
	maxListKept     = 16 << 20  // bytes of addresses, titles and summaries stored per list
	maxSitemapTags  = 4_000_000 // tags and texts
	maxRefused      = 5_000     // invalid or repeated URLs, after which reading stops
	listHead        = 4 << 10   // bytes within which the root element must begin
	listProbe       = 10        // lines of a text that must all be URLs
)

// Entries reads a machine-readable list of pages, recognised by its content. It is a sitemap or an
// index of sitemaps (XML or a text of URLs, compressed or not, in any namespace), or a feed (RSS,
// RDF, Atom, JSON Feed). It returns nil for any other page. URLs are canonical and distinct.
//
// A truncated sitemap returns the entries before the end; the error is that of an unreadable feed.
func Entries(p *webgraph.Page) ([]webgraph.Entry, error) {
	text := listText(p)
	head, _ := text.Peek(listHead)
	head = bytes.TrimLeft(head, " \t\r\n\ufeff")
	if len(head) == 0 {
		return nil, nil
	}
	l := entryList{resolver: webgraph.NewResolver(p.URL), seen: make(map[string]bool)}
	isList, err := l.readPage(p, head, text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("feed %s: %w", p.URL, err)
	case !isList:
		return nil, nil
	case l.entries == nil:
		return []webgraph.Entry{}, nil
	}
	return l.entries, nil
}

// readPage reads the text of a page, which begins with head, and reports whether it
// is a list.
func (l *entryList) readPage(p *webgraph.Page, head []byte, text *bufio.Reader) (bool, error) {
	switch head[0] {
	case '<':
		switch root := rootElementName(head); root {
		case "urlset", "sitemapindex":
			l.readSitemap(newTagScanner(text))
			return true, nil
		case "rss", "rdf", "feed":
			return true, l.readFeed(text, root)
		}
		return false, nil
	case '{':
		if bytes.Contains(head, []byte("jsonfeed.org")) { // in its version URL, whose slashes may be escaped
			return true, l.readFeed(text, "json")
		}
		return false, nil
	}
	return isPossiblyText(p) && l.readText(text), nil
}

// rootElementName returns the local name of the first element, "" if there is none.
func rootElementName(head []byte) string {
	for s := newTagScanner(bytes.NewReader(head)); ; {
		t, ok := s.next()
		if !ok || t.kind == closeTag || t.kind == textRun && strings.TrimSpace(t.text) != "" {
			return ""
		}
		if t.kind == openTag {
			return t.name
		}
	}
}

// isPossiblyText reports whether a page may be a sitemap of lines.
func isPossiblyText(p *webgraph.Page) bool {
	switch MediaType(p.Header.Get("Content-Type")) {
	case "text/plain", "":
		return true
	}
	return IsGzip(p.Body)
}

// An entryList collects entries.
type entryList struct {
	resolver webgraph.Resolver
	seen     map[string]bool
	refused  int
	kept     int // bytes
	entries  []webgraph.Entry
}

// isFull reports whether the limits on entries are reached.
func (l *entryList) isFull() bool {
	return len(l.entries) >= maxSitemapURLs || l.kept >= maxListKept || l.refused >= maxRefused
}

// addEntry adds an entry with its URL as written.
func (l *entryList) addEntry(e webgraph.Entry) {
	written := strings.TrimSpace(e.URL)
	if l.isFull() {
		return
	}
	var url string
	if written != "" && len(written) <= webgraph.MaxURL { // sitemaps.org has an even smaller limit
		url, _ = l.resolver.Resolve(strings.ToValidUTF8(written, "\ufffd"))
	}
	if url == "" || l.seen[url] {
		l.refused++
		return
	}
	l.seen[url] = true
	e.URL = url
	e.Title = cutText(e.Title, webgraph.MaxAnchor)
	e.Summary = cutText(e.Summary, webgraph.MaxContext)
	l.kept += len(e.URL) + len(e.Title) + len(e.Summary)
	l.entries = append(l.entries, e)
}

// cutText returns s as valid UTF-8 with white space folded, at most n runes.
func cutText(s string, n int) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "\ufffd")), " ")
	for i := range s {
		if n == 0 {
			return strings.TrimSpace(s[:i])
		}
		n--
	}
	return s
}

// readText reads a text with one URL per line and reports whether it is one.
func (l *entryList) readText(text *bufio.Reader) bool {
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, maxTagText)
	n := 0
	for lines.Scan() && !l.isFull() {
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if line == "" {
			continue
		}
		isURL := (strings.HasPrefix(line, "http://") || strings.HasPrefix(line, "https://")) && !strings.ContainsAny(line, " \t<>")
		if n++; isURL {
			l.addEntry(webgraph.Entry{URL: line})
		} else if n <= listProbe {
			return false
		}
	}
	return n > 0
}

// MediaType returns the type of a Content-Type header, "" if there is none or it is not specific.
func MediaType(header string) string {
	t, _, _ := strings.Cut(header, ";")
	t, _, _ = strings.Cut(t, ",") // a header sent twice and joined
	t = strings.ToLower(strings.TrimSpace(t))
	switch t {
	case "application/octet-stream", "binary/octet-stream", "application/binary", "application/unknown",
		"unknown/unknown", "application/x-unknown-content-type", "application/download",
		"application/force-download", "application/x-download", "httpd/unix-directory", "*/*":
		return ""
	}
	if !strings.Contains(t, "/") {
		return ""
	}
	return t
}
