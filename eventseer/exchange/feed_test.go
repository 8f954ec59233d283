package exchange

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer"

	"github.com/mmcdole/gofeed"
	"golang.org/x/net/html"
)

var feedNames = []string{"atom", "rss", "jsonfeed"}

// A call in two lists of a reader is an entry of each; in public feeds it is one entry, whatever the request.
func TestFeedEntriesOfLists(t *testing.T) {
	ids := map[string]bool{}
	for _, list := range []string{"", "", "l1", "l2", "a b\n<c>"} {
		p := sample()
		p.List = list
		ids[itemOf(p.Entries[0], p, "seer.example").id] = true
		if text := written(t, "atom", p, ""); strings.Contains(string(text), "<c>") {
			t.Errorf("the list %q breaks out", list)
		}
	}
	if len(ids) != 4 {
		t.Errorf("ids %v, want 4", ids)
	}
}

func parsedFeed(t testing.TB, text []byte) *gofeed.Feed {
	t.Helper()
	feed, err := gofeed.NewParser().Parse(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("gofeed: %v", err)
	}
	return feed
}

// checkXML demands well-formed XML of legal characters.
func checkXML(t testing.TB, text []byte) {
	t.Helper()
	if !utf8.Valid(text) {
		t.Error("no UTF-8")
	}
	dec := xml.NewDecoder(bytes.NewReader(text))
	for {
		_, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("XML: %v", err)
		}
	}
	for _, r := range string(text) {
		if r < ' ' && r != '\n' && r != '\t' || r == 0xFFFE || r == 0xFFFF {
			t.Fatalf("illegal character %U", r)
		}
	}
}

// checkHTML demands that a summary holds the elements we write and nothing else.
func checkHTML(t testing.TB, text string) {
	t.Helper()
	z := html.NewTokenizer(strings.NewReader(text))
	for z.Next() != html.ErrorToken {
		token := z.Token()
		switch token.Type {
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			if !strings.Contains(" p ul li a ", " "+token.Data+" ") {
				t.Fatalf("element %s in %q", token.Data, text)
			}
			for _, a := range token.Attr {
				if a.Key != "href" || !strings.HasPrefix(a.Val, "https://") && !strings.HasPrefix(a.Val, "http://") {
					t.Fatalf("attribute %s=%q", a.Key, a.Val)
				}
			}
		case html.CommentToken, html.DoctypeToken:
			t.Fatalf("%s in %q", token, text)
		}
	}
}

func TestFeeds(t *testing.T) {
	p := sample()
	moved := icxChanges()[3]
	p.Entries = append(p.Entries, eventseer.Entry{Event: icx(), Changes: icxChanges(), Change: &icxChanges()[0]}, eventseer.Entry{Event: icx(), Changes: icxChanges(), Gone: true})
	p.Entries[0].Change = &moved
	for _, name := range feedNames {
		text := written(t, name, p, "")
		feed := parsedFeed(t, text)
		if feed.Title != p.Title || feed.Link != p.Home || feed.FeedLink != p.Self {
			t.Errorf("%s: %q, link %q, self %q", name, feed.Title, feed.Link, feed.FeedLink)
		}
		if len(feed.Items) != 3 {
			t.Fatalf("%s: %d items", name, len(feed.Items))
		}
		first := feed.Items[0]
		if first.GUID != "tag:seer.example,2026:e/icx-2027/9/change" || feed.Items[1].GUID != "tag:seer.example,2026:e/icx-2027/3/change" || feed.Items[2].GUID != "tag:seer.example,2026:e/icx-2027/9/gone" {
			t.Errorf("%s: ids %s, %s, %s", name, first.GUID, feed.Items[1].GUID, feed.Items[2].GUID)
		}
		if first.Link != "https://seer.example/e/icx-2027" {
			t.Errorf("%s: link %s", name, first.Link)
		}
		when := first.UpdatedParsed
		if when == nil {
			when = first.PublishedParsed
		}
		if when == nil || !when.Equal(moved.At) {
			t.Errorf("%s: dated %v, want when the change was seen", name, when)
		}
		if want := "submission moved from 2027-01-10 AoE to 2027-01-15 AoE"; !strings.HasSuffix(first.Title, want) {
			t.Errorf("%s: title %q, want %q at its end", name, first.Title, want)
		}
		body := first.Description + first.Content
		checkHTML(t, body)
		for _, want := range []string{"23:59 AoE", "/e/icx-2027/history", "extended from 10 January 2027", "web crawling &amp; &lt;search&gt;"} {
			if !strings.Contains(body, want) {
				t.Errorf("%s: %q is not in %s", name, want, body)
			}
		}
		if bytes.Contains(text, []byte("Ada Example")) {
			t.Errorf("%s names a person", name)
		}
	}
}

// No item has a date in the future, whatever the history contains.
func TestFeedDates(t *testing.T) {
	e := icx()
	e.FirstSeen = testNow.AddDate(1, 0, 0)
	c := eventseer.Change{Seq: 1, At: testNow.AddDate(2, 0, 0), New: true}
	for _, name := range feedNames {
		feed := parsedFeed(t, written(t, name, publication(eventseer.Entry{Event: e, Changes: []eventseer.Change{c}}), ""))
		for _, at := range []*time.Time{feed.Items[0].PublishedParsed, feed.Items[0].UpdatedParsed} {
			if at != nil && at.After(testNow) {
				t.Errorf("%s: an item of %s, after now", name, at)
			}
		}
	}
}

func TestEmptyFeeds(t *testing.T) {
	for _, name := range feedNames {
		text := written(t, name, eventseer.Publication{}, "")
		if feed := parsedFeed(t, text); len(feed.Items) != 0 || feed.Title == "" {
			t.Errorf("%s: %+v", name, feed)
		}
		if name == "jsonfeed" && !bytes.Contains(text, []byte(`"items":[`)) {
			t.Error("an empty JSON Feed without items")
		}
	}
}

func TestHostileFeeds(t *testing.T) {
	p := hostilePublication()
	for _, name := range feedNames {
		text := written(t, name, p, "")
		if name == "jsonfeed" {
			if !json.Valid(text) {
				t.Error("no JSON")
			}
		} else {
			checkXML(t, text)
		}
		feed := parsedFeed(t, text)
		if len(feed.Items) != len(evil) {
			t.Errorf("%s: %d items, want %d", name, len(feed.Items), len(evil))
		}
		seen := map[string]bool{}
		for _, it := range feed.Items {
			checkHTML(t, it.Description+it.Content)
			if it.Title == "" || seen[it.GUID] || len(it.Title) > 4000 {
				t.Errorf("%s: item %s %q", name, it.GUID, it.Title)
			}
			seen[it.GUID] = true
		}
	}
}

func FuzzFeeds(f *testing.F) {
	for _, s := range evil {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p := publication(hostileEntry(s))
		p.Title = s
		for _, name := range feedNames {
			text := written(t, name, p, "")
			if name != "jsonfeed" {
				checkXML(t, text)
			}
			if feed := parsedFeed(t, text); len(feed.Items) != 1 {
				t.Fatalf("%s: %d items", name, len(feed.Items))
			} else {
				checkHTML(t, feed.Items[0].Description+feed.Items[0].Content)
			}
		}
	})
}
