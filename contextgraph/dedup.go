package contextgraph

import (
	"fmt"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/webgraph"
)

// Dedup determines which pages count as the same. Each value includes the previous ones.
type Dedup uint8

// Pages that count as a copy of an earlier page. The links of a copy count as those of the first page.
// For Site, the pages of a site are left out after the first.
const (
	None  Dedup = iota // every URL is a page, as in paper 002, section 3.3
	Exact              // other spellings of a URL; pages with the same body or the same final URL
	Near               // pages with nearly the same text, if they are fetched
	Site               // one page of a site in each layer
)

var dedupNames = [...]string{"none", "exact", "near", "site"}

// UnmarshalText accepts none, exact, near and site.
func (d *Dedup) UnmarshalText(text []byte) error {
	n := slices.Index(dedupNames[:], string(text))
	if n < 0 {
		return fmt.Errorf("%.40q is not one of %s", text, strings.Join(dedupNames[:], ", "))
	}
	*d = Dedup(n)
	return nil
}

// State of URLs that are not nodes.
const (
	excluded = -1 // its site already has a page in the layer
	gone     = -2 // could not be fetched
)

// minNearWords is the minimum number of words for which a fingerprint is reliable.
const minNearWords = 50

// A duplicates finds the page of a graph of which another page is a copy.
type duplicates struct {
	dedup  Dedup
	byURL  map[string]int // by URL, or from Exact on by its spelling: node, excluded or gone
	byBody map[webgraph.Digest]int
	sites  map[layerSite]bool
	prints webgraph.NearIndex
	nodes  []int // by number in prints
}

type layerSite struct {
	layer int
	site  string
}

func (c *duplicates) siteKey(url string) string {
	if c.dedup == None {
		return url
	}
	return urlWithoutVariants(url)
}

// findNode returns the node of a URL, excluded or gone, and whether the URL was seen before.
func (c *duplicates) findNode(url string) (node int, known bool) {
	node, known = c.byURL[c.siteKey(url)]
	return node, known
}

// duplicateOf returns the node of which a new page in a layer is a copy, or excluded, and stores the result.
func (c *duplicates) duplicateOf(url string, p Page, layer int) (node int, isCopy bool) {
	if node, isCopy = c.copyOf(p); !isCopy && c.dedup >= Site && layer > 0 && c.sites[layerSite{layer, siteOf(url)}] {
		node, isCopy = excluded, true
	}
	if isCopy {
		c.byURL[c.siteKey(url)] = node
	}
	return node, isCopy
}

func (c *duplicates) copyOf(p Page) (node int, isCopy bool) {
	if c.dedup == None {
		return 0, false
	}
	if node, known := c.byURL[c.siteKey(p.URL)]; known && p.URL != "" && node >= 0 {
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

// addNode stores that a page is a node.
func (c *duplicates) addNode(url string, p Page, layer, node int) {
	c.byURL[c.siteKey(url)] = node
	if c.dedup >= Site {
		c.sites[layerSite{layer, siteOf(url)}] = true
	}
	if c.dedup == None || p.Digest == "" {
		return
	}
	if p.URL != "" {
		c.byURL[c.siteKey(p.URL)] = node
	}
	c.byBody[p.Digest] = node
	if c.dedup >= Near && p.Words >= minNearWords {
		c.prints.Add(p.Fingerprint)
		c.nodes = append(c.nodes, node)
	}
}

func siteOf(url string) string { return webgraph.RegisteredDomain(webgraph.HostOf(url)) }

// urlWithoutVariants returns a canonical URL without scheme, www., index page and final slash. Servers usually
// respond alike to all URLs with the same spelling.
func urlWithoutVariants(url string) string {
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
