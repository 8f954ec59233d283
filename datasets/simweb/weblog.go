package simweb

import (
	"fmt"
	"strings"
)

const (
	weblogs     = 4 // the last of them nobody links
	weblogPosts = 4
)

// weblogs opens the weblogs of researchers.
func (p *plan) weblogs() {
	for i := range weblogs {
		f := pick(p.r, p.fields)
		name := pick(p.r, []string{"Margin Notes", "Half a Theorem", "The Slow Compiler", "Bench and Blackboard", "Loose Ends", "Second Draft"})
		s := p.site(slug(name)+pick(p.r, []string{"-blog", "", ".weblog"}), name)
		home := s.add("/", name, "Home", Weblog, weblogHome(f))
		p.sources.blogHomes = append(p.sources.blogHomes, home)
		for n := range weblogPosts {
			day := p.now.AddDate(0, 0, -3-9*n-p.r.IntN(8))
			post := s.add(day.Format("/2006/01/")+pick(p.r, []string{"note", "entry", "post"})+fmt.Sprintf("-%02d.html", day.Day()), "", "", Weblog, weblogPost(f, dayMonthYear.day(day)))
			d := newDoc(p, post)
			d.about(f)
			post.title = titleCase(d.say("blog.title"))
			if i == weblogs-1 {
				p.sources.unlistedBlogs = append(p.sources.unlistedBlogs, post)
			} else {
				p.sources.blogs = append(p.sources.blogs, post)
			}
		}
	}
}

func weblogHome(f field) func(*doc) {
	return func(d *doc) {
		d.about(f)
		d.h(1, d.site.name)
		for _, post := range d.site.order[1:] {
			d.retopic(f)
			d.raw("<div class=\"post\"><h2>%s</h2>", d.to(post, post.title))
			d.p(d.say("blog.open") + " " + d.say("blog.mid"))
			d.raw("</div>")
		}
	}
}

func weblogPost(f field, posted string) func(*doc) {
	return func(d *doc) {
		d.about(f)
		d.h(1, d.title)
		d.p("Posted on " + posted + " by " + d.slots["person"])
		d.p(d.say("blog.open") + " " + d.sayAll("blog.mid", 2))
		for _, e := range d.mentions {
			d.retopic(e.field)
			d.slots["LINK"] = "LINK"
			before, after, _ := strings.Cut(d.say("blog.event"), "LINK")
			d.pm(esc(before) + d.mention(e) + esc(after))
		}
		d.retopic(f)
		d.p(d.sayAll("blog.mid", 2))
		d.pm(pick(d.r, []string{"Tags: ", "Filed under: "}) + esc(d.slots["field"]) + ", misc. " + esc(fmt.Sprintf("%d comments", d.r.IntN(12))))
	}
}
