package simweb

import (
	"fmt"
	"html"
	"math/rand/v2"
	"strings"

	"eventseer/webgraph"
)

// A doc is a page while it is written. Its methods append markup in the style
// of the page's site; what they take is text, or markup where the name says so.
type doc struct {
	*page
	plan  *plan
	r     *rand.Rand
	slots map[string]string // what {name} stands for in say
	used  map[string]bool   // variants said already
	b     strings.Builder
	items int // how this page writes lists
	dates dateFormat
	text  bool // no markup: a mail or a .txt file
}

// newDoc starts a page. Its random numbers depend on seed and URL only.
func newDoc(p *plan, pg *page) *doc {
	r := random(p.seed, pg.url())
	return &doc{
		page: pg, plan: p, r: r, slots: map[string]string{}, used: map[string]bool{},
		items: r.IntN(5), dates: dateFormat(r.IntN(int(numDateFormat))), text: pg.plain,
	}
}

// about fills the slots that every text on a field may use.
func (d *doc) about(f field) {
	d.slots["field"] = strings.ToLower(f.name)
	d.slots["Field"] = f.name
	d.slots["Dept"] = f.department()
	topics := sample(d.r, f.topics, 2)
	d.slots["topic"], d.slots["topic2"] = topics[0], topics[1]
	d.slots["person"] = d.plan.person(d.r).name
	unis := sample(d.r, d.plan.unis, 3)
	d.slots["uni"], d.slots["uni2"], d.slots["uni3"] = university(unis[0]), university(unis[1]), university(unis[2])
	d.slots["oldyear"] = fmt.Sprint(1968 + d.r.IntN(40))
	d.slots["Tool"] = upperFirst(pick(d.r, strings.Fields("quillmark tangleweed gridloom sandpiper oakparse rivulet"))) + "Kit"
}

// retopic draws new topics for the next sentences.
func (d *doc) retopic(f field) {
	topics := sample(d.r, f.topics, 2)
	d.slots["topic"], d.slots["topic2"] = topics[0], topics[1]
}

// say expands one variant of a rule, one not yet used on this page if there is.
func (d *doc) say(rule string) string {
	variants := d.plan.words[rule]
	at := d.r.IntN(len(variants))
	for i := range variants {
		if v := variants[(at+i)%len(variants)]; !d.used[v] {
			at = (at + i) % len(variants)
			break
		}
	}
	d.used[variants[at]] = true
	return upperFirst(tidy.Replace(d.plan.words.expand(d.r, d.slots, variants[at])))
}

// tidy mends the seams of alternatives that are empty or begin with a comma.
var tidy = strings.NewReplacer(" ,", ",", " .", ".", "  ", " ")

// sayAll joins n sentences of a rule, in the order of the file.
func (d *doc) sayAll(rule string, n int) string {
	said := make([]string, 0, n)
	for range n {
		said = append(said, d.say(rule))
	}
	return strings.Join(said, " ")
}

// esc makes text safe as markup.
func esc(s string) string { return html.EscapeString(s) }

// raw appends markup.
func (d *doc) raw(format string, args ...any) { fmt.Fprintf(&d.b, format+"\n", args...) }

// h appends a heading.
func (d *doc) h(level int, text string) {
	switch {
	case d.site.style == nineties && level == 1:
		d.raw("<CENTER><FONT SIZE=\"+3\"><B>%s</B></FONT></CENTER>", esc(text))
	case d.site.style == nineties && d.items > 2:
		d.raw("<P><FONT COLOR=\"#993300\" SIZE=\"+1\"><B>%s</B></FONT><BR>", esc(text))
	case d.site.style == tables && level > 1 && d.items > 2:
		d.raw("<p class=\"head\"><b>%s</b></p>", esc(text))
	default:
		d.raw("<h%d>%s</h%d>", level, esc(text), level)
	}
}

// p appends a paragraph of text, pm one of markup.
func (d *doc) p(text string) { d.pm(esc(text)) }

func (d *doc) pm(markup string) {
	if d.site.style == nineties {
		d.raw("<P>%s", markup)
		return
	}
	d.raw("<p>%s</p>", markup)
}

// list appends items, each markup, the way this page writes lists.
func (d *doc) list(items []string) {
	switch d.items {
	case 0:
		d.raw("<p>%s</p>", strings.Join(items, "<br>\n"))
	case 1:
		d.raw("<table>")
		for i := 0; i < len(items); i += 2 {
			second := ""
			if i+1 < len(items) {
				second = items[i+1]
			}
			d.raw("<tr><td>%s</td><td>%s</td></tr>", items[i], second)
		}
		d.raw("</table>")
	case 2:
		d.raw("<ol>\n<li>%s</li>\n</ol>", strings.Join(items, "</li>\n<li>"))
	default:
		d.raw("<ul>\n<li>%s</li>\n</ul>", strings.Join(items, "</li>\n<li>"))
	}
}

// texts makes markup of each text.
func texts(in []string) []string {
	out := make([]string, len(in))
	for i, s := range in {
		out[i] = esc(s)
	}
	return out
}

// link returns the markup of a link and notes it. Links within a site are
// written relative to its root or in full, links to other sites in full.
func (d *doc) link(target, anchor string) string {
	host, path := splitURL(target)
	href := target
	if host == d.site.host && d.r.IntN(4) > 0 {
		href = path
	}
	d.links = append(d.links, webgraph.Link{Source: d.url(), Target: target, Anchor: anchor})
	return fmt.Sprintf("<a href=\"%s\">%s</a>", esc(href), esc(anchor))
}

// to links a page of the web.
func (d *doc) to(p *page, anchor string) string { return d.link(p.url(), anchor) }

// mention links an event from another site, in one of the usual ways.
func (d *doc) mention(e *event) string {
	if moved := e.home.site.moved["/callforpapers"]; moved != "" && d.r.IntN(4) == 0 {
		return d.link("http://"+e.home.site.host+"/callforpapers", "Call for Papers "+e.short())
	}
	target := e.home
	if e.call != nil && d.r.IntN(5) < 2 {
		target = e.call
	}
	if target == e.call && target != e.home && d.r.IntN(2) == 0 {
		return esc(e.short()) + " (" + d.to(target, "call for papers") + ")"
	}
	return d.to(target, pick(d.r, []string{e.short(), e.short(), e.title, e.title + " (" + e.acronym + ")"}))
}

// splitURL splits an http URL of the web into host and path with query.
func splitURL(url string) (host, path string) {
	rest, _ := strings.CutPrefix(url, "http://")
	i := strings.IndexByte(rest, '/')
	if i < 0 {
		return rest, "/"
	}
	return rest[:i], rest[i:]
}
