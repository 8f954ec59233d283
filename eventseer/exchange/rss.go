package exchange

import (
	"bufio"
	"encoding/xml"
	"net/url"
	"strconv"
	"time"

	"eventseer/eventseer"
)

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

// rssTime is the time of RFC 822 with four digits of year, as RSS 2.0 has it.
const rssTime = "Mon, 02 Jan 2006 15:04:05 +0000"

func openRSS(w *bufio.Writer, p eventseer.Publication, _ url.Values) (sheet, error) {
	self, home := webURL(p.Self), webURL(p.Home)
	if home == "" {
		home = webURL(p.Base)
	}
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
	s.element = func(it item) any {
		return rssItem{
			Title: it.title, Link: it.link, GUID: rssGUID{ID: it.id}, PubDate: it.updated.Format(rssTime),
			Categories: it.categories, Description: it.html,
		}
	}
	return s, nil
}
