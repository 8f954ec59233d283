package webtest

import (
	"net/http"
	"net/url"
	"strings"
	"time"
)

// A robots is one kind of robots.txt with its rules as path prefixes, so that a test does not have to parse
// the file.
type robots struct {
	kind    string
	denied  []string
	allowed []string // exceptions to denied
	pause   time.Duration
}

// denyAll denies all paths.
var denyAll = []string{"/"}

// robotsKinds returns the kinds of robots.txt, assigned to the sites in turn. Common kinds are repeated.
func robotsKinds() []robots {
	private := []string{"/private/"}
	return []robots{
		{kind: "none"},
		{kind: "plain", denied: private},
		{kind: "named", denied: []string{"/members/"}},
		{kind: "longest", denied: private, allowed: []string{"/private/open/"}},
		{kind: "none"},
		{kind: "plain", denied: private},
		{kind: "slow", denied: private, pause: time.Second},
		{kind: "forbidden"},
		{kind: "moved", denied: private},
		{kind: "html"},
		{kind: "dirty", denied: private},
		{kind: "broken", denied: denyAll},
		{kind: "plain", denied: private},
		{kind: "busy", denied: denyAll},
		{kind: "loop"},
		{kind: "none"},
		{kind: "longest", denied: private, allowed: []string{"/private/open/"}},
		{kind: "garbled", denied: denyAll},
		{kind: "plain", denied: private},
		{kind: "rare"},
	}
}

// rareKinds returns kinds of robots.txt that cost a crawler several seconds or megabytes each.
func rareKinds() []robots {
	return []robots{
		{kind: "huge", denied: []string{"/private/"}},
		{kind: "silent", denied: denyAll},
		{kind: "drip", denied: []string{"/private/"}},
		{kind: "flood", denied: denyAll},
	}
}

func robotsOf(site int) robots {
	kinds, rare := robotsKinds(), rareKinds()
	k := kinds[site%len(kinds)]
	if k.kind == "rare" {
		k = rare[site/len(kinds)%len(rare)]
	}
	return k
}

// handler returns the handler of a site's robots.txt, nil for 404.
func (k robots) handler() http.Handler {
	text := func(s string) http.Handler { return Body("text/plain", s) }
	const plain = "User-agent: *\nDisallow: /private/\n"
	switch k.kind {
	case "plain":
		return text(plain)
	case "named":
		return text("User-agent: *\nDisallow: /\n\nUser-agent: EventSeer\nDisallow: /members/\n")
	case "longest":
		return text(plain + "Allow: /private/open/\n")
	case "slow":
		return text(plain + "Crawl-delay: 1\n")
	case "forbidden":
		return Status(http.StatusForbidden)
	case "moved":
		return Redirect(301, "http://rules.example/shared.txt")
	case "html":
		return Body("text/html", "<!doctype html><p>User-agent: nobody</p>")
	case "dirty":
		return text("\ufeff# \x00 comment\r\nUSER-AGENT : *\rdisallow:/private/ # no\r\nDisallow\r\n\x00\x00\n")
	case "broken":
		return Status(http.StatusInternalServerError)
	case "busy":
		return Status(http.StatusServiceUnavailable, "Retry-After", "1")
	case "loop":
		return Redirect(302, "/robots.txt")
	case "garbled":
		return Raw("220 mail.example ESMTP\r\n")
	case "huge":
		return text(plain + strings.Repeat("Disallow: /filler/of/a/robots/file/\n", 5<<20/36))
	case "silent":
		return Silent()
	case "drip":
		return Endless(plain, 100*time.Millisecond)
	case "flood":
		return HeaderFlood(5 << 20)
	}
	return nil
}

// Denied reports whether the robots.txt of a URL's host forbids the URL. It uses the known rules and does not
// parse a robots.txt.
func (w *World) Denied(rawURL string) bool {
	u, err := url.Parse(rawURL)
	if err != nil || u.Path == "/robots.txt" {
		return false
	}
	k := w.rules(u.Hostname())
	begins := func(prefixes []string) bool {
		for _, p := range prefixes {
			if strings.HasPrefix(u.Path, p) {
				return true
			}
		}
		return false
	}
	return begins(k.denied) && !begins(k.allowed)
}

// Pause returns the Crawl-delay of a host, 0 if it has none.
func (w *World) Pause(host string) time.Duration { return w.rules(host).pause }

func (w *World) rules(host string) robots {
	for i := range w.Sites {
		if siteHost(i) == host {
			return w.robots(i)
		}
	}
	return robots{}
}
