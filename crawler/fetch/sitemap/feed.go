package sitemap

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/webgraph"

	"github.com/mmcdole/gofeed"
)

// Limits on a feed. The parser builds all of it in memory and parses nested elements by recursion.
const (
	maxFeedBytes = 4 << 20
	maxFeedItems = 1_000
	maxFeedDepth = 64
	maxFeedTags  = 50_000   // opening tags; for JSON a tenth as many objects
	maxFeedTag   = 64 << 10 // bytes of one tag, with its attributes
	maxFeedText  = 64 << 10 // bytes of a summary that are converted to plain text
)

// readFeed reads a feed with the given root element; "json" means a JSON Feed.
func (l *entryList) readFeed(text io.Reader, root string) error {
	body, err := io.ReadAll(io.LimitReader(text, maxFeedBytes))
	if err != nil && len(body) == 0 {
		return err
	}
	body = withoutDeclaration(body)
	switch {
	case root != "json":
		if body, err = cutFeedToLimits(body); err != nil {
			return err
		}
	case bytes.Count(body, []byte("{")) > maxFeedTags/10:
		return errors.New("too many objects")
	}
	parser := gofeed.NewParser()
	// Looking for a picture would parse the HTML of every item.
	parser.RSSTranslator = &gofeed.DefaultRSSTranslator{DisableContentImageScan: true}
	feed, err := parser.Parse(bytes.NewReader(body))
	if err != nil {
		return err
	}
	for _, item := range feed.Items[:min(len(feed.Items), maxFeedItems)] {
		l.addEntry(feedEntry(item))
	}
	return nil
}

// withoutDeclaration removes the XML declaration and everything before it. The body is now UTF-8,
// so its declared encoding is wrong.
func withoutDeclaration(body []byte) []byte {
	body = bytes.TrimLeft(body, " \t\r\n\ufeff")
	if bytes.HasPrefix(body, []byte("<?xml")) {
		if end := bytes.Index(body[:min(len(body), listHead)], []byte("?>")); end >= 0 {
			return body[end+len("?>"):]
		}
	}
	return body
}

// An openFeedElements tracks the open elements of a feed to find where it may be cut.
type openFeedElements struct {
	open  []string // names of the open elements
	items int      // that ended
	end   int      // end of the last item
	above []string // what is open there
}

// cutFeedToLimits cuts an XML feed after its last complete item within the limits and closes the open
// elements. This also repairs a truncated feed.
func cutFeedToLimits(body []byte) ([]byte, error) {
	var c openFeedElements
	s := newTagScanner(bytes.NewReader(body))
	for tags := 0; c.items < maxFeedItems && tags < maxFeedTags; {
		t, ok := s.next()
		if !ok {
			break
		}
		if t.kind != textRun && s.offset-t.start > maxFeedTag {
			return nil, fmt.Errorf("a tag of the feed has more than %d bytes", maxFeedTag)
		}
		switch {
		case t.kind == openTag:
			tags++
			if !t.empty {
				c.open = append(c.open, t.raw)
			}
			if len(c.open) > maxFeedDepth {
				return nil, fmt.Errorf("elements of the feed are nested more than %d deep", maxFeedDepth)
			}
		case t.kind == closeTag:
			c.closeElement(t, int(s.offset))
		}
	}
	switch {
	case len(c.open) == 0:
		return body, nil
	case c.items == 0:
		return nil, errors.New("the feed breaks off before the end of its first item")
	}
	mended := bytes.NewBuffer(slices.Clone(body[:c.end]))
	for _, name := range slices.Backward(c.above) {
		mended.WriteString("</" + name + ">")
	}
	return mended.Bytes(), nil
}

// closeElement closes the innermost element of that name and those inside it; an unmatched tag is ignored.
func (c *openFeedElements) closeElement(t tag, end int) {
	i := len(c.open) - 1
	for i >= 0 && c.open[i] != t.raw {
		i--
	}
	if i < 0 {
		return
	}
	c.open = c.open[:i]
	if (t.name == "item" || t.name == "entry") && i <= 2 {
		c.items++
		c.end, c.above = end, slices.Clone(c.open)
	}
}

// feedEntry returns an item as an entry.
func feedEntry(item *gofeed.Item) webgraph.Entry {
	e := webgraph.Entry{
		URL:     feedLink(item),
		Title:   plainText(cutBytes(item.Title, maxTagText)),
		Summary: plainText(cutBytes(cmp.Or(item.Description, item.Content), maxFeedText)),
	}
	switch {
	case item.UpdatedParsed != nil:
		e.Changed = item.UpdatedParsed.UTC()
	case item.PublishedParsed != nil:
		e.Changed = item.PublishedParsed.UTC()
	default:
		e.Changed = rfc822Time(cmp.Or(item.Updated, item.Published))
	}
	return e
}

// rfc822Time reads the dates of RSS (RFC 822 §5) that gofeed does not. They are those without a day
// of the week and with a year of two digits.
func rfc822Time(s string) time.Time {
	s = strings.TrimSpace(s)
	for _, layout := range []string{"2 Jan 06 15:04:05 -0700", "2 Jan 06 15:04 -0700", "2 Jan 06 15:04:05"} {
		if at, err := time.Parse(layout, s); err == nil {
			return at.UTC()
		}
	}
	return time.Time{}
}

// feedLink returns the address of an item's page. It is the original address that a service
// replaced, otherwise the link, otherwise an identifier that is an address, even if declared not to
// be one.
func feedLink(item *gofeed.Item) string {
	if original := item.Extensions["feedburner"]["origLink"]; len(original) > 0 && original[0].Value != "" {
		return original[0].Value
	}
	if item.Link != "" {
		return item.Link
	}
	if strings.HasPrefix(item.GUID, "http://") || strings.HasPrefix(item.GUID, "https://") {
		return item.GUID
	}
	return ""
}

// cutBytes returns at most n bytes of s.
func cutBytes(s string, n int) string { return s[:min(len(s), n)] }
