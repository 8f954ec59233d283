package contextgraph

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/webgraph"
)

// Dedup says which pages count as one. Each value includes those before it.
type Dedup uint8

// What is taken for a copy of a page that was found before. A copy's links are
// taken for the first one's; of pages of one site nothing is taken over.
const (
	None  Dedup = iota // every URL is a page, as in paper 002, section 3.3
	Exact              // other spellings of a URL; pages of one body or one address
	Near               // pages that say nearly the same, where they are fetched
	Site               // one page of a site in each layer
)

var dedupNames = [...]string{"none", "exact", "near", "site"}

// UnmarshalText reads none, exact, near or site.
func (d *Dedup) UnmarshalText(text []byte) error {
	n := slices.Index(dedupNames[:], string(text))
	if n < 0 {
		return fmt.Errorf("%.40q is none of %s", text, strings.Join(dedupNames[:], ", "))
	}
	*d = Dedup(n)
	return nil
}

// What copies knows of URLs that are no nodes.
const (
	leftOut = -1 // of a site that has its page
	gone    = -2 // could not be fetched
)

// minNearWords is how many words make a fingerprint mean something.
const minNearWords = 50

// copies knows the pages of a graph, and which others are copies of them.
type copies struct {
	dedup  Dedup
	byURL  map[string]int // URL, or its spelling from Exact on → node, leftOut or gone
	byBody map[webgraph.Digest]int
	sites  map[layerSite]bool
	prints webgraph.NearIndex
	nodes  []int // by number in prints
}

type layerSite struct {
	layer int
	site  string
}

func (c *copies) key(url string) string {
	if c.dedup == None {
		return url
	}
	return spelling(url)
}

// find returns the node of a URL, leftOut or gone, and whether it was seen.
func (c *copies) find(url string) (node int, known bool) {
	node, known = c.byURL[c.key(url)]
	return node, known
}

// same returns the node of which a page seen first in a layer is a copy, or
// leftOut, and remembers it.
func (c *copies) same(url string, p Page, layer int) (node int, isCopy bool) {
	if node, isCopy = c.copyOf(p); !isCopy && c.dedup >= Site && layer > 0 && c.sites[layerSite{layer, siteOf(url)}] {
		node, isCopy = leftOut, true
	}
	if isCopy {
		c.byURL[c.key(url)] = node
	}
	return node, isCopy
}

func (c *copies) copyOf(p Page) (node int, isCopy bool) {
	if c.dedup == None {
		return 0, false
	}
	if node, known := c.byURL[c.key(p.URL)]; known && p.URL != "" && node >= 0 {
		return node, true
	}
	if node, known := c.byBody[p.Digest]; known && p.Digest != "" {
		return node, true
	}
	if c.dedup >= Near && p.Words >= minNearWords {
		if n, _ := c.prints.Nearest(p.Fingerprint, func(int) bool { return true }); n >= 0 {
			return c.nodes[n], true
		}
	}
	return 0, false
}

// add makes a page known as a node.
func (c *copies) add(url string, p Page, layer, node int) {
	c.byURL[c.key(url)] = node
	if c.dedup >= Site {
		c.sites[layerSite{layer, siteOf(url)}] = true
	}
	if c.dedup == None || p.Digest == "" {
		return
	}
	if p.URL != "" {
		c.byURL[c.key(p.URL)] = node
	}
	c.byBody[p.Digest] = node
	if c.dedup >= Near && p.Words >= minNearWords {
		c.prints.Add(p.Fingerprint)
		c.nodes = append(c.nodes, node)
	}
}

func siteOf(url string) string { return webgraph.RegisteredDomain(webgraph.HostOf(url)) }

// spelling returns a canonical URL without scheme, www., index page and final slash. Servers mostly
// respond alike to all URLs that share it.
func spelling(url string) string {
	_, rest, _ := strings.Cut(url, "://")
	rest = strings.TrimPrefix(rest, "www.")
	path, query, hasQuery := strings.Cut(rest, "?")
	for _, index := range []string{"/index.html", "/index.htm", "/index.php", "/default.htm", "/default.asp"} {
		if cut, ok := strings.CutSuffix(path, index); ok {
			path = cut
			break
		}
	}
	path = strings.TrimSuffix(path, "/")
	if hasQuery {
		return path + "?" + query
	}
	return path
}
