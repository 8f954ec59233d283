package exchange

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/url"
	"path"
	"strings"

	"github.com/eventseer/eventseer/eventseer"

	"golang.org/x/text/encoding/htmlindex"
)

// A Feed is one line of an OPML file.
type Feed struct {
	Title string
	URL   string // of the feed
	Home  string // of the page for people, "" if there is none
}

type outline struct {
	Text     string    `xml:"text,attr"`
	Title    string    `xml:"title,attr,omitempty"`
	Type     string    `xml:"type,attr,omitempty"`
	Feed     string    `xml:"xmlUrl,attr,omitempty"`
	Home     string    `xml:"htmlUrl,attr,omitempty"`
	URL      string    `xml:"url,attr,omitempty"`
	Outlines []outline `xml:"outline"`
}

type opml struct {
	XMLName  xml.Name  `xml:"opml"`
	Version  string    `xml:"version,attr"`
	Title    string    `xml:"head>title"`
	Outlines []outline `xml:"body>outline"`
}

// WriteOPML writes a list of feeds.
func WriteOPML(w io.Writer, title string, feeds []Feed) error {
	doc := opml{Version: "2.0", Title: singleLine(title, maxName)}
	for _, f := range feeds {
		if u := webURL(f.URL); u != "" {
			t := singleLine(f.Title, maxName)
			doc.Outlines = append(doc.Outlines, outline{Text: t, Title: t, Type: "rss", Feed: u, Home: webURL(f.Home)})
		}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// Bounds on an OPML file that is read.
const (
	MaxOPML      = 4 << 20 // bytes
	maxOutlines  = 20_000
	maxOPMLDepth = 20
)

// ReadOPML returns the feeds and pages that an OPML file names, each URL once, in its order.
// Outlines that are not an http or https URL are left out and counted.
func ReadOPML(text []byte) (feeds []Feed, left int, err error) {
	if len(text) > MaxOPML {
		return nil, 0, fmt.Errorf("the file is longer than %d bytes", MaxOPML)
	}
	dec := xml.NewDecoder(bytes.NewReader(text))
	dec.CharsetReader = func(label string, r io.Reader) (io.Reader, error) {
		enc, err := htmlindex.Get(label)
		if err != nil {
			return nil, err
		}
		return enc.NewDecoder().Reader(r), nil
	}
	dec.Strict = false
	seen := map[string]bool{}
	inOPML, depth := false, 0
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return feeds, left, fmt.Errorf("no OPML: %w", err)
		}
		switch x := token.(type) {
		case xml.EndElement:
			depth--
		case xml.StartElement:
			if depth++; depth > maxOPMLDepth || len(seen)+left > maxOutlines {
				return feeds, left, fmt.Errorf("the file has more than %d lines, or they are nested more than %d deep", maxOutlines, maxOPMLDepth)
			}
			inOPML = inOPML || strings.EqualFold(x.Name.Local, "opml")
			if !inOPML || !strings.EqualFold(x.Name.Local, "outline") {
				continue
			}
			if f, ok, named := feedOf(x.Attr); ok && !seen[f.URL] {
				seen[f.URL] = true
				feeds = append(feeds, f)
			} else if named && !ok {
				left++
			}
		}
	}
	if !inOPML {
		return nil, 0, errors.New("the file is not OPML: it has no element opml")
	}
	return feeds, left, nil
}

// feedOf reads an outline; named means that it has a URL, ok that the URL is valid.
func feedOf(attrs []xml.Attr) (f Feed, ok, named bool) {
	values := map[string]string{}
	for _, a := range attrs {
		values[strings.ToLower(a.Name.Local)] = a.Value
	}
	given := cmp.Or(values["xmlurl"], values["url"], values["htmlurl"])
	title := cmp.Or(singleLine(values["title"], maxName), singleLine(values["text"], maxName))
	f = Feed{Title: title, URL: webURL(given), Home: webURL(values["htmlurl"])}
	return f, f.URL != "", given != ""
}

// openOPML lists the feeds of the publication's own search, one for each feed format.
func openOPML(w *bufio.Writer, p eventseer.Publication, _ url.Values) (sheet, error) {
	var feeds []Feed
	for _, f := range []struct{ name, ending string }{{"Atom", ".atom"}, {"RSS", ".rss"}, {"JSON Feed", ".jsonfeed"}} {
		if u := withEnding(p.Self, f.ending); u != "" {
			feeds = append(feeds, Feed{Title: titleOf(p) + " (" + f.name + ")", URL: u, Home: p.Home})
		}
	}
	return opmlSheet{}, WriteOPML(w, titleOf(p), feeds)
}

type opmlSheet struct{}

func (opmlSheet) writeEntry(eventseer.Entry) error { return nil }
func (opmlSheet) close() error                     { return nil }

// withEnding returns the path of a URL another ending.
func withEnding(s, ending string) string {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" {
		return ""
	}
	u.Path = strings.TrimSuffix(u.Path, path.Ext(u.Path)) + ending
	return u.String()
}
