package simweb

import (
	"strings"
	"unicode/utf8"

	"github.com/eventseer/eventseer/webgraph"
)

// A site is one host.
type site struct {
	host  string
	name  string
	style style
	order []*page
	pages map[string]*page  // by path with query
	moved map[string]string // path → URL it redirects to
	// robots is the text of /robots.txt; empty means there is none.
	robots string
	// soft404 answers 200 for paths the site does not have.
	soft404 bool
	// calendar serves /calendar for every month there ever was.
	calendar bool
}

// A page is one document of the web.
type page struct {
	site  *site
	path  string
	title string
	menu  string // its name in the site's menu; "" leaves it out
	// section separates menus within a host: "" or a directory such as "/~ann/".
	section string
	plain   bool // text/plain
	latin1  bool // sent in ISO 8859-1
	// write writes the page's content.
	write func(*doc)
	// mentions are the events of other sites that the page links.
	mentions []*event
	// near are off-topic or institutional pages of other sites that it links.
	near []*page

	truth PageTruth
	body  []byte
	links []webgraph.Link
}

func (p *page) url() string { return "http://" + p.site.host + p.path }

// contentType is the page's Content-Type header.
func (p *page) contentType() string {
	switch {
	case p.plain:
		return "text/plain; charset=utf-8"
	case p.latin1:
		return "text/html; charset=ISO-8859-1"
	case p.site.style == nineties:
		return "text/html"
	}
	return "text/html; charset=utf-8"
}

// render writes body, links and truth of the page.
func (p *page) render(pl *plan) {
	d := newDoc(pl, p)
	p.truth.URL = p.url()
	p.write(d)
	d.elsewhere()
	if p.plain {
		p.body = []byte(d.b.String())
		return
	}
	text := d.wrap()
	if p.site.style == nineties {
		text = asciiOnly.Replace(text)
	}
	p.body = []byte(text)
	if p.latin1 {
		p.body = toLatin1(p.body)
	}
}

// asciiOnly rewrites what a page that declares no charset had better not say.
var asciiOnly = strings.NewReplacer("–", "-", "©", "(c)")

// elsewhere links the pages of other sites that the plan wants linked here.
func (d *doc) elsewhere() {
	if len(d.near) == 0 || d.plain {
		return
	}
	items := make([]string, len(d.near))
	for i, p := range d.near {
		items[i] = d.to(p, pick(d.r, []string{p.site.name, p.title, p.site.host}))
	}
	d.h(3, pick(d.r, []string{"Links", "See also", "Friends and neighbours", "Elsewhere"}))
	d.list(items)
}

// toLatin1 encodes UTF-8 in ISO 8859-1, with - for what it cannot say.
func toLatin1(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		text = text[n:]
		if r > 0xff {
			r = '-' // the only others are dashes
		}
		out = append(out, byte(r))
	}
	return out
}

// slug makes a path element of a text: lower-case words joined by hyphens.
func slug(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	return strings.Join(words[:min(len(words), 6)], "-")
}
