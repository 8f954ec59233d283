// Package sitemap reads the entries of sitemaps and feeds in all their forms.
package sitemap

import (
	"strings"
	"time"

	"github.com/eventseer/eventseer/webgraph"
)

// readSitemap reads a urlset or sitemapindex, whose items are url and sitemap elements. Only direct
// children of an item are read, not those of extensions such as image:loc. Namespaces are often
// wrong, so elements with the prefix of the first element belong to the sitemap.
func (l *entryList) readSitemap(s *tagScanner) {
	root, ok := s.next()
	for ok && root.kind != openTag {
		root, ok = s.next()
	}
	var it *sitemapItem
	for n := 0; n < maxSitemapTags && !l.isFull(); n++ {
		t, ok := s.next()
		if !ok {
			return
		}
		isItem := t.prefix == root.prefix && (t.name == "url" || t.name == "sitemap") && (it == nil || it.depth <= 1)
		switch {
		case isItem && t.kind == openTag:
			l.addItem(it) // an item that was never closed
			it = nil
			if !t.empty {
				it = &sitemapItem{sitemap: t.name == "sitemap"}
			}
		case it == nil:
		case isItem && t.kind == closeTag:
			l.addItem(it)
			it = nil
		default:
			it.readTag(t)
		}
	}
}

func (l *entryList) addItem(it *sitemapItem) {
	if it != nil {
		l.addEntry(it.toEntry())
	}
}

// A sitemapItem is an item as it is read.
type sitemapItem struct {
	sitemap   bool
	depth     int       // number of open elements within it
	open      [2]tag    // the outermost of them
	bare      []byte    // text outside its child elements
	loc, date []byte    // as written
	news      [2][]byte // title and date of news:news
}

func (it *sitemapItem) readTag(t tag) {
	switch t.kind {
	case openTag:
		if t.empty {
			return
		}
		if it.depth < len(it.open) {
			it.open[it.depth] = t
		}
		it.depth++
	case closeTag:
		it.depth = max(it.depth-1, 0)
	case textRun:
		if field := it.textBuffer(); field != nil && len(*field) < maxTagText {
			*field = append(*field, t.text...)
		}
	}
}

// textBuffer returns the buffer for the current text, nil if it is ignored.
func (it *sitemapItem) textBuffer() *[]byte {
	switch it.depth {
	case 0:
		return &it.bare
	case 1:
		switch it.open[0].name {
		case "loc":
			return &it.loc
		case "lastmod":
			return &it.date
		}
	case 2:
		switch {
		case it.open[0].name != "news":
		case it.open[1].name == "title":
			return &it.news[0]
		case it.open[1].name == "publication_date":
			return &it.news[1]
		}
	}
	return nil
}

// toEntry returns the item as an entry. Some write the address without a loc.
func (it *sitemapItem) toEntry() webgraph.Entry {
	e := webgraph.Entry{URL: strings.TrimSpace(string(it.loc)), Title: string(it.news[0]), Changed: w3cTime(string(it.date)), Sitemap: it.sitemap}
	if bare := strings.TrimSpace(string(it.bare)); e.URL == "" && strings.HasPrefix(bare, "http") {
		e.URL = bare
	}
	if e.Changed.IsZero() {
		e.Changed = w3cTime(string(it.news[1]))
	}
	return e
}

// w3cTime reads a date of the W3C's profile of ISO 8601 (www.w3.org/TR/NOTE-datetime)
// and its usual misspellings; it is the zero time for any other.
func w3cTime(s string) time.Time {
	if s = strings.TrimSpace(s); s == "" {
		return time.Time{}
	}
	for _, layout := range []string{
		time.RFC3339, "2006-01-02", "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05Z0700", "2006-01-02 15:04:05Z07:00",
		"2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02T15:04", "2006-01", "2006",
	} {
		if at, err := time.Parse(layout, s); err == nil {
			return at.UTC()
		}
	}
	return time.Time{}
}
