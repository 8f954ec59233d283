package webtest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// A World is a large hostile web, which depends only on its number of sites. Its plain sites have
// PagesPerSite pages each and robots.txt files of every kind. Their pages link to each other, to paths
// forbidden by robots.txt, to private addresses, and to servers that misbehave in every way of this package.
// A crawl of it never runs out of links.
type World struct {
	Sites   int
	trouble []string // URLs that a crawler should survive or not request
	robots  func(site int) robots

	mu       sync.Mutex // guards asked
	resolved map[string]int
}

// PagesPerSite is the number of plain pages of a site.
const PagesPerSite = 100

// NewWorld returns a world of the given number of sites.
func NewWorld(sites int) *World {
	return &World{Sites: sites, trouble: troubleURLs(), robots: robotsOf, resolved: map[string]int{}}
}

// NewPeacefulWorld returns a world of sites that behave well. Each has a short robots.txt, and all its pages
// can be reached from the seeds.
func NewPeacefulWorld(sites int) *World {
	plain := func(int) robots { return robotsKinds()[1] }
	return &World{Sites: sites, robots: plain, resolved: map[string]int{}}
}

// Seeds returns pages from which all others can be reached, and all URLs of misbehaving hosts and private
// addresses.
func (w *World) Seeds() []string {
	seeds := slices.Clone(w.trouble)
	for i := range min(10, w.Sites) {
		seeds = append(seeds, pageURL(i, 0))
	}
	return seeds
}

// Trouble returns the hosts that misbehave.
func (w *World) Trouble() []string {
	var hosts []string
	if len(w.trouble) > 0 {
		for _, m := range misbehaviours() {
			hosts = append(hosts, m.name+".example")
		}
	}
	return hosts
}

// Serve starts the servers of the world.
func (w *World) Serve(t testing.TB) *Web {
	t.Helper()
	web := Serve(t, nil)
	for i := range w.Sites {
		origin := "http://" + siteHost(i)
		web.Handle(origin+"/*", w.site(i))
		if robots := w.robots(i).handler(); robots != nil {
			web.Handle(origin+"/robots.txt", robots)
		}
	}
	web.Handle("http://rules.example/shared.txt", Body("text/plain", "User-agent: *\nDisallow: /private/\n"))
	for _, m := range misbehaviours() {
		web.Handle("http://"+m.name+".example/*", m.handler)
	}
	for i, to := range privateURLs() {
		web.Handle("http://chain.example/private/"+strconv.Itoa(i), Redirect(302, "/hop/"+strconv.Itoa(i)))
		web.Handle("http://chain.example/hop/"+strconv.Itoa(i), Redirect(307, to))
	}
	web.Handle("http://*.wild.example/*", Wildcard("wild.example", 20))
	return web
}

func siteHost(i int) string { return fmt.Sprintf("www.site%d.example", i) }

func pageURL(site, page int) string {
	return fmt.Sprintf("http://%s/p/%d.html", siteHost(site), page)
}

// site returns the handler of a site's pages. They have their own text and links to pages of the site, to
// other sites, to paths that robots.txt may forbid, and to misbehaving hosts.
func (w *World) site(i int) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		page, err := strconv.Atoi(strings.TrimSuffix(r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:], ".html"))
		if err != nil || page < 0 || page >= PagesPerSite {
			http.NotFound(rw, r)
			return
		}
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		random := rand.New(rand.NewPCG(uint64(i), uint64(page)))
		fmt.Fprintf(rw, "<!doctype html><title>Page %d of site %d</title><main><h1>On %s</h1>", page, i, sentence(random, 3))
		link := func(to string) { fmt.Fprintf(rw, "<li><a href=\"%s\">%s</a></li>\n", to, sentence(random, 3)) }
		for n := range 3 {
			fmt.Fprintf(rw, "<p>%s</p><ul>", sentence(random, 60))
			link(fmt.Sprintf("/p/%d.html", (3*page+n+1)%PagesPerSite))
			link(pageURL(random.IntN(w.Sites), 0))
			link(pageURL(random.IntN(w.Sites), random.IntN(PagesPerSite)))
			fmt.Fprint(rw, "</ul>")
		}
		link(fmt.Sprintf("/private/%d.html", page))
		link(fmt.Sprintf("/private/open/%d.html", page))
		link(fmt.Sprintf("/members/%d.html", page))
		if len(w.trouble) > 0 {
			link(w.trouble[random.IntN(len(w.trouble))])
		}
		fmt.Fprint(rw, "</main>")
	})
}

// sentence returns the given number of invented words.
func sentence(r *rand.Rand, words int) string {
	var b strings.Builder
	for range words {
		for range 2 + r.IntN(3) {
			b.WriteByte("bcdfghklmnprstvw"[r.IntN(16)])
			b.WriteByte("aeiou"[r.IntN(5)])
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// troubleURLs returns URLs of misbehaving hosts and of private addresses.
func troubleURLs() []string {
	urls := privateURLs()
	for i := range privateURLs() {
		urls = append(urls, fmt.Sprintf("http://chain.example/private/%d", i))
	}
	for _, m := range misbehaviours() {
		for n := range 3 {
			urls = append(urls, fmt.Sprintf("http://%s.example/x/%d", m.name, n))
		}
	}
	return append(urls, "http://w1.wild.example/", "http://w2.wild.example/", "http://unknown.example/", "http://dead.example/",
		"http://rebinding.example/", "http://rebinding.example/again", "https://selfsigned.example/", "https://www.site1.example/p/0.html")
}

// privateURLs returns URLs of addresses that are not public, in many spellings.
func privateURLs() []string {
	return []string{
		"http://127.0.0.1/", "http://127.1/x", "http://2130706433/", "http://0177.0.0.1/", "http://0x7f.0.0.1/", "http://0x7f000001/",
		"http://10.1.2.3/", "http://192.168.0.1:8080/admin", "http://172.16.0.1/", "http://169.254.169.254/latest/meta-data/",
		"http://0.0.0.0/", "http://100.64.0.1/", "http://224.0.0.1/", "http://[::1]/", "http://[::ffff:127.0.0.1]/", "http://[::ffff:a00:1]/",
		"http://[fe80::1]/", "http://[fd00::1]/", "http://[64:ff9b::7f00:1]/", "http://www.site1.example@127.0.0.1/",
		"http://inside.example/", "http://metadata.example/", "http://mapped.example/", "http://loopback.example/",
	}
}

// Addrs resolves the names of the world. Sites share about two hundred addresses. rebinding.example has a
// public address the first time and a private one afterwards.
func (w *World) Addrs(host string) ([]netip.Addr, error) {
	addr := func(s string) ([]netip.Addr, error) { return []netip.Addr{netip.MustParseAddr(s)}, nil }
	switch host {
	case "unknown.example":
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	case "inside.example":
		return addr("10.20.30.40")
	case "metadata.example":
		return addr("169.254.169.254")
	case "mapped.example":
		return addr("::ffff:127.0.0.1")
	case "loopback.example":
		return addr("127.0.0.1")
	case "dead.example":
		return []netip.Addr{DeadAddr}, nil
	case "rebinding.example":
		w.mu.Lock()
		defer w.mu.Unlock()
		w.resolved[host]++
		if w.resolved[host] > 1 {
			return addr("127.0.0.1")
		}
	}
	sum := 0
	for _, c := range []byte(host) {
		sum = (sum*31 + int(c)) % 200
	}
	return addr(fmt.Sprintf("9.9.9.%d", sum+1))
}

// DeadAddr is a public address without a server.
var DeadAddr = netip.MustParseAddr("9.9.8.1")
