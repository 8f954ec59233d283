package simweb

import (
	"fmt"
	"html"
	"math/rand/v2"
	"strings"

	"github.com/eventseer/eventseer/webgraph"
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

// page is what write writes of the field.
func (f field) page(write func(*doc, field)) func(*doc) {
	return func(d *doc) {
		d.about(f)
		write(d, f)
	}
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

// listOf appends a list with an item, markup, for each of in.
func listOf[T any](d *doc, in []T, item func(T) string) {
	items := make([]string, len(in))
	for i, v := range in {
		items[i] = item(v)
	}
	d.list(items)
}

// listNew appends a list of n items, markup.
func (d *doc) listNew(n int, item func() string) {
	items := make([]string, n)
	for i := range items {
		items[i] = item()
	}
	d.list(items)
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

// A style is how a site's pages are laid out.
type style int

// The styles, from the oldest web to the newest.
const (
	nineties style = iota // upper-case tags, CENTER and FONT, a line of links
	tables                // a table with the links in its left cell
	blocks                // div elements with ids, links as a list
	modern                // header, nav, main, footer
	cards                 // a grid of div elements with scripts and classes
	numStyle
)

// wrap puts the page's frame around what was written.
func (d *doc) wrap() string {
	content, title := d.b.String(), esc(d.title)
	nav := d.nav()
	switch d.site.style {
	case nineties:
		return fmt.Sprintf("<HTML>\n<HEAD><TITLE>%s</TITLE></HEAD>\n<BODY BGCOLOR=\"#FFFFFF\" TEXT=\"#000000\">\n"+
			"%s\n<HR>\n<CENTER>[ %s ]</CENTER>\n<ADDRESS>%s</ADDRESS>\n</BODY>\n</HTML>\n",
			title, content, strings.Join(nav, " | "), esc(d.footer()))
	case tables:
		return fmt.Sprintf("<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01 Transitional//EN\">\n<html>\n<head>\n%s<title>%s</title>\n</head>\n"+
			"<body>\n<table width=\"100%%\" cellpadding=\"6\"><tr><td colspan=\"2\" bgcolor=\"#dde4ee\"><b>%s</b></td></tr>\n"+
			"<tr><td valign=\"top\" width=\"150\">%s</td>\n<td valign=\"top\">\n%s</td></tr></table>\n<hr><small>%s</small>\n</body>\n</html>\n",
			d.meta(), title, esc(d.site.name), strings.Join(nav, "<br>\n"), content, esc(d.footer()))
	case blocks:
		return fmt.Sprintf("<!DOCTYPE html PUBLIC \"-//W3C//DTD XHTML 1.0 Strict//EN\" \"http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd\">\n"+
			"<html xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>%s<title>%s</title><link rel=\"stylesheet\" href=\"/style.css\" /></head>\n"+
			"<body>\n<div id=\"header\"><span class=\"logo\">%s</span></div>\n<div id=\"menu\"><ul>%s</ul></div>\n<div id=\"content\">\n%s</div>\n"+
			"<div id=\"footer\">%s</div>\n</body>\n</html>\n",
			d.meta(), title, esc(d.site.name), listItems(nav, ""), content, esc(d.footer()))
	case modern:
		return fmt.Sprintf("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n%s<meta name=\"viewport\" content=\"width=device-width\">\n<title>%s</title>\n"+
			"<style>main{max-width:46rem;margin:auto}</style>\n</head>\n<body>\n<header><nav><ul>%s</ul></nav></header>\n<main>\n%s</main>\n"+
			"<footer><p>%s</p></footer>\n</body>\n</html>\n",
			d.meta(), title, listItems(nav, ""), content, esc(d.footer()))
	default:
		return fmt.Sprintf("<!doctype html>\n<html lang=\"en\"><head>%s<title>%s</title>\n<script>document.documentElement.className='js';</script></head>\n"+
			"<body class=\"page\"><div class=\"navbar\"><div class=\"container\"><span class=\"brand\">%s</span><ul class=\"nav navbar-nav\">%s</ul></div></div>\n"+
			"<div class=\"container\"><div class=\"row\"><div class=\"col-md-9\">\n%s</div></div></div>\n<div class=\"footer text-muted\">%s</div></body></html>\n",
			d.meta(), title, esc(d.site.name), listItems(nav, " class=\"nav-item\""), content, esc(d.footer()))
	}
}

// meta declares the charset.
func (d *doc) meta() string {
	if d.latin1 {
		return "<meta http-equiv=\"Content-Type\" content=\"text/html; charset=iso-8859-1\">\n"
	}
	return "<meta charset=\"utf-8\">\n"
}

func listItems(items []string, attr string) string {
	var b strings.Builder
	for _, it := range items {
		fmt.Fprintf(&b, "<li%s>%s</li>\n", attr, it)
	}
	return b.String()
}

// maxNav is how many pages of a site its menu names at most.
const maxNav = 14

// nav returns the menu: links to the site's pages that have a menu name.
func (d *doc) nav() []string {
	var out []string
	for _, p := range d.site.order {
		if p.menu != "" && p.section == d.section && len(out) < maxNav {
			if p == d.page {
				out = append(out, esc(p.menu))
			} else {
				out = append(out, d.to(p, p.menu))
			}
		}
	}
	if d.section != "" {
		out = append(out, d.to(d.site.order[0], "Home"))
	}
	return out
}

// footer is the small print below the page.
func (d *doc) footer() string {
	return pick(d.r, []string{
		fmt.Sprintf("© %d %s", d.plan.now.Year(), d.site.name),
		"Comments to webmaster@" + d.site.host,
		"Last modified: " + dayMonthYear.day(d.plan.now.AddDate(0, 0, -3-d.r.IntN(60))),
		d.site.name + ". All rights reserved.",
	})
}
