package tagtree

import "strings"

// anchors are the links of a run of blocks, in sum.
type anchors struct {
	links    int32
	external int32 // that leave the site
	bytes    int32 // of their text
	words    int32 // of the blocks
	numbered int32 // in blocks with a digit
}

func (a *anchors) add(b anchors) {
	a.links += b.links
	a.external += b.external
	a.bytes += b.bytes
	a.words += b.words
	a.numbered += b.numbered
}

// anchors returns the links of each block, and of what lies behind the last.
func (t *Tree) anchors() []anchors {
	of := make([]anchors, len(t.blocks)+1)
	site, file := t.site(), !isAddress(t.docs[0].url)
	for i := range t.spots {
		a := &of[t.spots[i].block]
		a.links++
		if hostOf(t.links[i].Target) != site {
			a.external++
		}
	}
	for i := range t.blocks {
		b := &t.blocks[i]
		if b.Linked == 0 {
			continue
		}
		if of[i].links == 0 && file && !strings.Contains(b.Text, "@") {
			of[i].links = 1 // relative, leading nowhere
		}
		of[i].bytes, of[i].words = int32(b.Linked), int32(strings.Count(b.Text, " ")+1)
		if hasDigit(b.Text) {
			of[i].numbered = of[i].links
		}
	}
	return of
}

// site returns the page's host; of a page read from a file that does not say
// its address the one that most of its links lead to.
func (t *Tree) site() string {
	if url := t.docs[0].url; isAddress(url) {
		return hostOf(url)
	}
	count := make(map[string]int)
	best := ""
	for i := range t.links {
		host := hostOf(t.links[i].Target)
		count[host]++
		if count[host] > count[best] {
			best = host
		}
	}
	return best
}

// isAddress reports whether a page's URL is more than the name of a file.
func isAddress(url string) bool { return strings.Contains(url, "://") }

// hostOf returns the host of an address, without "www.".
func hostOf(url string) string {
	_, host, _ := strings.Cut(url, "://")
	if i := strings.IndexByte(host, '/'); i >= 0 {
		host = host[:i]
	}
	return strings.TrimPrefix(host, "www.")
}

// What an anchor of a hub and a name have: a menu's words are shorter.
const (
	minRun       = 3   // links of a list
	maxBetween   = 8   // bytes between the links of a list
	hubAnchor    = 30  // bytes of an anchor that says what it leads to
	nameWords    = 1.7 // words of a person's name, in the mean
	hubNumbered  = 3   // one in so many anchors has a digit: a year
	menuFragment = 40  // bytes of a text in a menu that may be more than a label
)

// kind tells what a run of blocks that are links is for. matter tells that it
// lies in the page's body, late that prose comes before it.
func (a anchors) kind(matter, late bool) AreaKind {
	away := 2*a.external > a.links
	switch {
	case a.links == 0:
		return Info
	case a.links < minRun && (matter && late || away || a.bytes >= hubAnchor*a.links):
		return Info // a title that is a link, "submit here"
	case a.links < minRun:
		return Navigation
	case a.bytes > hubAnchor*a.links || away && hubNumbered*a.numbered > a.links:
		return Hub
	case away || matter && late && float64(a.words) > nameWords*float64(a.links):
		return Info // people, each with a home page
	}
	return Navigation
}

func hasDigit(s string) bool { return strings.ContainsAny(s, "0123456789") }
