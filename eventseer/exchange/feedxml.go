package exchange

import (
	"bufio"
	"cmp"
	"encoding/xml"
	"net/url"
	"strconv"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

type atomLink struct {
	Rel  string `xml:"rel,attr"`
	Href string `xml:"href,attr"`
	Type string `xml:"type,attr,omitempty"`
}

type atomCategory struct {
	Term string `xml:"term,attr"`
}

type atomText struct {
	Type string `xml:"type,attr"`
	Text string `xml:",chardata"`
}

type atomEntry struct {
	XMLName    xml.Name       `xml:"entry"`
	ID         string         `xml:"id"`
	Title      string         `xml:"title"`
	Updated    string         `xml:"updated"`
	Published  string         `xml:"published"`
	Links      []atomLink     `xml:"link"`
	Categories []atomCategory `xml:"category"`
	Summary    atomText       `xml:"summary"`
}

// An xmlSheet writes the items of a feed as XML elements, each by calling element.
type xmlSheet struct {
	w       *bufio.Writer
	enc     *xml.Encoder
	p       eventseer.Publication
	host    string
	element func(feedItem) any
	foot    string
}

func (s *xmlSheet) writeEntry(en eventseer.Entry) error {
	return s.enc.Encode(s.element(itemOf(en, s.p, s.host)))
}

func (s *xmlSheet) close() error {
	_, err := s.w.WriteString(s.foot)
	return err
}

// newXMLSheet begins a document: root is its start element, head its first children.
func newXMLSheet(w *bufio.Writer, p eventseer.Publication, root string, head ...any) (*xmlSheet, error) {
	w.WriteString(xml.Header + root + "\n")
	s := &xmlSheet{w: w, enc: xml.NewEncoder(w), p: p, host: hostOf(p.Base, p.Self, p.Home)}
	s.enc.Indent("  ", "  ")
	for _, h := range head {
		if err := s.enc.Encode(h); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// An element is one with a text.
type element struct {
	XMLName xml.Name
	Text    string `xml:",chardata"`
}

func textElement(name, text string) element {
	return element{xml.Name{Local: name}, text}
}

// A linkElement is a link that has only attributes.
type linkElement struct {
	XMLName xml.Name
	atomLink
}

func openAtom(w *bufio.Writer, p eventseer.Publication, _ url.Values) (sheet, error) {
	self, home := webURL(p.Self), webURL(p.Home)
	id := cmp.Or(self, "tag:"+hostOf(p.Base, p.Self, p.Home)+",2026:feed/"+slugOf(p.Title))
	head := []any{
		textElement("id", id), textElement("title", titleOf(p)), textElement("updated", feedTime(p).Format(time.RFC3339)),
		author{Name: "EventSeer"}, textElement("generator", "EventSeer"),
	}
	if self != "" {
		head = append(head, linkElement{xml.Name{Local: "link"}, atomLink{"self", self, "application/atom+xml"}})
	}
	if home != "" {
		head = append(head, linkElement{xml.Name{Local: "link"}, atomLink{"alternate", home, "text/html"}})
	}
	s, err := newXMLSheet(w, p, `<feed xmlns="http://www.w3.org/2005/Atom">`, head...)
	if err != nil {
		return nil, err
	}
	s.foot = "\n</feed>\n"
	s.element = func(it feedItem) any {
		en := atomEntry{
			ID: it.id, Title: it.title, Updated: it.updated.Format(time.RFC3339), Published: it.found.Format(time.RFC3339),
			Summary: atomText{"html", it.html},
		}
		if it.link != "" {
			en.Links = append(en.Links, atomLink{Rel: "alternate", Href: it.link, Type: "text/html"})
		}
		if it.related != "" {
			en.Links = append(en.Links, atomLink{Rel: "related", Href: it.related})
		}
		for _, c := range it.categories {
			en.Categories = append(en.Categories, atomCategory{c})
		}
		return en
	}
	return s, nil
}

type author struct {
	XMLName xml.Name `xml:"author"`
	Name    string   `xml:"name"`
}

type rssGUID struct {
	PermaLink bool   `xml:"isPermaLink,attr"`
	ID        string `xml:",chardata"`
}

type rssItem struct {
	XMLName     xml.Name `xml:"item"`
	Title       string   `xml:"title"`
	Link        string   `xml:"link,omitempty"`
	GUID        rssGUID  `xml:"guid"`
	PubDate     string   `xml:"pubDate"`
	Categories  []string `xml:"category"`
	Description string   `xml:"description"`
}

// rssTime is the time of RFC 822 with a four-digit year, as in RSS 2.0.
const rssTime = "Mon, 02 Jan 2006 15:04:05 +0000"

func openRSS(w *bufio.Writer, p eventseer.Publication, _ url.Values) (sheet, error) {
	self, home := webURL(p.Self), cmp.Or(webURL(p.Home), webURL(p.Base))
	head := []any{
		textElement("title", titleOf(p)), textElement("link", home),
		textElement("description", "Calls for papers that EventSeer found: "+titleOf(p)),
		textElement("lastBuildDate", feedTime(p).Format(rssTime)), textElement("generator", "EventSeer"),
	}
	if self != "" {
		head = append(head, linkElement{xml.Name{Local: "atom:link"}, atomLink{"self", self, "application/rss+xml"}})
	}
	if p.Refresh >= time.Minute {
		head = append(head, textElement("ttl", strconv.Itoa(int(p.Refresh/time.Minute))))
	}
	s, err := newXMLSheet(w, p, `<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom"><channel>`, head...)
	if err != nil {
		return nil, err
	}
	s.foot = "\n</channel></rss>\n"
	s.element = func(it feedItem) any {
		return rssItem{
			Title: it.title, Link: it.link, GUID: rssGUID{ID: it.id}, PubDate: it.updated.Format(rssTime),
			Categories: it.categories, Description: it.html,
		}
	}
	return s, nil
}
