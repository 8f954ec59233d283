package sitemap

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"

	"github.com/eventseer/eventseer/webgraph"
)

// Limits on sitemaps and feeds; what lies beyond is left out. The first two are
// those of sitemaps.org.
const (
	maxSitemapURLs  = 50_000
	maxSitemapBytes = 50 << 20  // unpacked
	maxListKept     = 16 << 20  // bytes of the addresses, titles and summaries kept of one
	maxSitemapTags  = 4_000_000 // tags and texts
	maxRefused      = 5_000     // URLs that are none, or came before, after which no more is read
	listHead        = 4 << 10   // bytes within which the root element begins
	listProbe       = 10        // lines of a text that must all be URLs
)

// Entries reads a page that lists others for machines, recognised by its content. It is a sitemap
// or an index of sitemaps (XML or a text of URLs, packed or not, in any namespace), or a feed (RSS,
// RDF, Atom, JSON Feed). It returns nil for any other page. URLs are canonical and distinct.
//
// A sitemap that breaks off gives what came before; the error is of a feed that
// cannot be read.
func Entries(p *webgraph.Page) ([]webgraph.Entry, error) {
	text := listText(p)
	head, _ := text.Peek(listHead)
	head = bytes.TrimLeft(head, " \t\r\n\ufeff")
	if len(head) == 0 {
		return nil, nil
	}
	l := entryList{resolver: webgraph.NewResolver(p.URL), seen: make(map[string]bool)}
	isList, err := l.read(p, head, text)
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

// read reads the text of a page, which begins with head, and reports whether it
// is a list.
func (l *entryList) read(p *webgraph.Page, head []byte, text *bufio.Reader) (bool, error) {
	switch head[0] {
	case '<':
		switch root := rootOf(head); root {
		case "urlset", "sitemapindex":
			l.readSitemap(newTagScanner(text))
			return true, nil
		case "rss", "rdf", "feed":
			return true, l.readFeed(text, root)
		}
		return false, nil
	case '{':
		if bytes.Contains(head, []byte("jsonfeed.org")) { // in its version, whose slashes may be escaped
			return true, l.readFeed(text, "json")
		}
		return false, nil
	}
	return mayBeText(p) && l.readText(text), nil
}

// rootOf returns the local name of the first element, "" if there is none.
func rootOf(head []byte) string {
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

// mayBeText reports whether a page may be a sitemap of lines.
func mayBeText(p *webgraph.Page) bool {
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

// full reports whether no entry is taken any more.
func (l *entryList) full() bool {
	return len(l.entries) >= maxSitemapURLs || l.kept >= maxListKept || l.refused >= maxRefused
}

// add takes an entry whose URL is as written.
func (l *entryList) add(e webgraph.Entry) {
	written := strings.TrimSpace(e.URL)
	if l.full() {
		return
	}
	var url string
	if written != "" && len(written) <= webgraph.MaxURL { // sitemaps.org has smaller limits, too
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

// readText reads a text of a URL a line. It reports whether it is one.
func (l *entryList) readText(text *bufio.Reader) bool {
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, maxTagText)
	n := 0
	for lines.Scan() && !l.full() {
		line := strings.TrimSpace(strings.TrimPrefix(lines.Text(), "\ufeff"))
		if line == "" {
			continue
		}
		isURL := (strings.HasPrefix(line, "http://") || strings.HasPrefix(line, "https://")) && !strings.ContainsAny(line, " \t<>")
		if n++; isURL {
			l.add(webgraph.Entry{URL: line})
		} else if n <= listProbe {
			return false
		}
	}
	return n > 0
}

// MediaType returns the type of a Content-Type header, "" if there is none or one that says
// nothing.
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
