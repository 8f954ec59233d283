package simweb

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// LargePage is the truth about a URL of a large web.
type LargePage struct {
	URL string
	// Kind is CFP, CFPList, Conference, Homepage, InstitutionTopic or Other; "" for
	// what is not a page, such as a redirect.
	Kind PageType
	// Topic is the field of research, or what an off-topic site is about.
	Topic string
	// OffTopic says that the site has nothing to do with research.
	OffTopic bool
	// IsCFP says that the page is a target; Event is then its event's ID.
	IsCFP bool
	Event string
	// Status is the server's response when the host is up: 200, 301, 404 or 410, and 0 if the host
	// does not resolve.
	Status int
	// Location is where a redirect leads.
	Location string
	// Disallowed says that robots.txt keeps robots out.
	Disallowed bool
}

// A largePlace is one page of a host.
type largePlace struct {
	host largeHost
	i    int // number within the host
	n    int // number within the web
	kind PageType
}

func (w *Large) placeOfPage(n int) largePlace {
	h := w.host(w.hostOf(n))
	return largePlace{h, n - h.start, n, h.pageKind(n - h.start)}
}

// pageKind returns what page i of the host is.
func (h largeHost) pageKind(i int) PageType {
	switch {
	case h.past:
	case h.kind == conferenceHost && i%callEvery == 1, h.kind == listHost && i%ownEvery == ownFirst:
		return CFP
	case h.kind == institutionHost && i%150 == 13, h.kind == journalHost && i%100 == 3:
		if i*h.branch+1 >= h.size { // no page hangs on it
			return CFP
		}
	}
	switch {
	case h.kind == conferenceHost:
		return Conference
	case h.kind == institutionHost && i%3 == 2:
		return Other
	case h.kind == institutionHost && (i == 0 || i%6 == 1):
		return InstitutionTopic
	case h.kind == institutionHost:
		return Homepage
	case h.kind == listHost:
		return CFPList
	}
	return Other
}

// callEvery is how many pages a conference has for each of its calls.
const callEvery = 8

// A host of lists also holds calls itself: page ownFirst of each ownEvery. A list links to ownLinked of them.
const (
	ownEvery  = 20
	ownFirst  = 7
	ownLinked = 2
)

// call returns the page of the host that links about its event lead to. It is its first call, or
// its front page if it has none.
func (h largeHost) call() int {
	i := [...]int{conferenceHost: 1, institutionHost: 13, listHost: 0, journalHost: 3, offHost: 0}[h.kind]
	if i >= h.size || h.past {
		return 0
	}
	return i
}

// disallowed says that page i lies in the part that robots are kept out of. No
// page hangs on it in the tree, and no target lies there.
func (h largeHost) disallowed(i int) bool {
	return h.fenced() && i > 2 && i%11 == 4 && i*h.branch+1 >= h.size && h.pageKind(i) != CFP
}

// dirs are the directories of pages by kind.
var dirs = map[PageType][]string{
	CFP:              {"cfp", "call", "calls", "events"},
	CFPList:          {"list", "deadlines", "upcoming", "area"},
	Conference:       {"info", "venue", "committee", "news", "program", "past"},
	Homepage:         {"people", "staff", "members", "group"},
	InstitutionTopic: {"research", "department", "lab", "projects"},
	Other:            {"archive", "notes", "items", "stories", "articles", "topics", "pages", "view"},
}

// url returns the page's URL.
func (w *Large) url(p largePlace) string { return "http://" + w.name(p.host.n) + p.path() }

func (p largePlace) path() string {
	switch number := strconv.Itoa(p.i); {
	case p.i == 0:
		return "/"
	case p.host.disallowed(p.i):
		return "/internal/" + number + ".html"
	default:
		words := dirs[p.kind]
		b := mix64(p.host.bits + uint64(p.i))
		tail := ".html"
		if b>>32%4 == 0 {
			tail = "/"
		}
		return "/" + words[b%uint64(len(words))] + "/" + number + tail
	}
}

// Aliases of pages and pages that are gone.
const (
	oldPath  = "/old/"  // + number within the host → the page
	outPath  = "/out/"  // + number within the web → the page on another host
	gonePath = "/gone/" // + number: 404, for odd numbers 410
)

// parse returns what host and path say: ok is false for hosts that do not exist.
func (w *Large) parse(host, path string) (h largeHost, n, status int, ok bool) {
	at, ok := w.hostNumber(host)
	if !ok {
		return h, 0, 0, false
	}
	h = w.host(at)
	if path == "/" {
		return h, h.start, http.StatusOK, true
	}
	slash := strings.LastIndexByte(strings.TrimSuffix(path, "/"), '/')
	number, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSuffix(path[slash+1:], "/"), ".html"))
	if err != nil || number < 0 {
		return h, 0, http.StatusNotFound, true
	}
	dir := path[:slash+1]
	exact := path[len(dir):] == strconv.Itoa(number)
	switch {
	case dir == oldPath && exact && number < h.size:
		return h, h.start + number, http.StatusMovedPermanently, true
	case dir == outPath && exact && number < w.o.Pages:
		return h, number, http.StatusMovedPermanently, true
	case dir == gonePath && exact && number%2 == 1:
		return h, 0, http.StatusGone, true
	case number < h.size && (largePlace{host: h, i: number, kind: h.pageKind(number)}).path() == path:
		return h, h.start + number, http.StatusOK, true
	}
	return h, 0, http.StatusNotFound, true
}

// Page returns what a URL is. ok is false if the web has no page and no redirect there; Status is
// then 404 or 410 on known hosts.
func (w *Large) Page(url string) (page LargePage, ok bool) {
	page.URL = url
	if !strings.HasPrefix(url, "http://") {
		return page, false
	}
	host, path := splitURL(url)
	h, n, status, ok := w.parse(host, path)
	if !ok {
		return page, false
	}
	page.Topic, page.OffTopic = w.words.topics[h.topic].name, w.words.topics[h.topic].off
	if !w.dead(h) {
		page.Status = status
	}
	switch status {
	case http.StatusOK:
		p := w.placeOfPage(n)
		page.Kind, page.IsCFP, page.Disallowed = p.kind, p.kind == CFP, h.disallowed(p.i)
		if page.IsCFP {
			page.Event = fmt.Sprintf("event-%d", p.n)
		}
		return page, true
	case http.StatusMovedPermanently:
		page.Location = w.url(w.placeOfPage(n))
		return page, true
	}
	return page, false
}

// Calls calls each with every call on a host that resolves, in the order of hosts. It returns ctx's error when
// that ends. It takes about a microsecond for each page of the web.
func (w *Large) Calls(ctx context.Context, each func(LargePage)) error {
	for at := range w.o.Hosts {
		if err := ctx.Err(); err != nil {
			return err
		}
		h := w.host(at)
		if w.dead(h) {
			continue
		}
		for i := range h.size {
			if h.pageKind(i) == CFP {
				page, _ := w.Page(w.url(w.placeOfPage(h.start + i)))
				each(page)
			}
		}
	}
	return nil
}

// Seeds returns the URLs of a few known calls of different topics: those of the first draw.
func (w *Large) Seeds() []string { return w.seedsOfDraw(0) }

// Draws returns the seeds of each draw that the options ask for, in each the URLs of a few known calls of
// different topics. The first are Seeds.
func (w *Large) Draws() [][]string {
	draws := make([][]string, max(1, w.o.Draws))
	for i := range draws {
		draws[i] = w.seedsOfDraw(i)
	}
	return draws
}

// seedsOfDraw looks through the topics in the order of the draw, and in each through its hosts.
func (w *Large) seedsOfDraw(draw int) []string {
	var out []string
	order := newPermutation(len(w.topics), keyed(w.seed, 12, uint64(draw)))
	for i := 0; i < len(w.topics) && len(out) < maxSeeds; i++ {
		t := i
		if draw > 0 {
			t = order.forward(i)
		}
		hosts := w.topics[t].hosts
		first := int(keyed(w.seed, 13, uint64(draw), uint64(t)) % uint64(hosts))
		if draw == 0 {
			first = 0
		}
		for k := range min(hosts, 50) {
			h := w.host(w.topics[t].host + w.topics[t].ranks.forward((first+k)%hosts))
			if i := h.call(); h.pageKind(i) == CFP && !w.dead(h) {
				out = append(out, w.url(w.placeOfPage(h.start+i)))
				break
			}
		}
	}
	if len(out) == 0 { // a tiny web without a call
		out = append(out, w.url(w.placeOfPage(0)))
	}
	return out
}

const maxSeeds = 5
