package simweb

import (
	"fmt"
	"strings"
)

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
