// Package template finds which pages of a site were made by one template. It compares the shapes of
// their trees (papers 000 and 004) and the patterns of their URLs.
package template

import (
	"cmp"
	"math"
	"slices"
)

// ClusterOptions say how far apart the pages of one cluster may be. The zero value
// takes the defaults.
type ClusterOptions struct {
	// Same is the greatest distance of a page from a cluster whose URL pattern it
	// has, between 0 and 1; 0 means DefaultSame.
	Same float64
	// Other is that from a cluster of another pattern; 0 means DefaultOther.
	Other float64
	// Max is the number of clusters of the host; 0 means MaxClusters.
	Max int
}

// The defaults, measured on the pages of the wrapper corpus among those of their sites
// (TestClustersOfCorpus). The pages of one template are at most 0.13 apart, half a page if markup
// is left open; the nearest of another template are 0.16 apart.
const (
	DefaultSame  = 0.3
	DefaultOther = 0.14
	MaxClusters  = 200
)

const (
	// maxExemplars bounds the shapes that stand for a cluster.
	maxExemplars = 4
	// newExemplar is the share of the greatest distance from which a page that joins a cluster
	// becomes a new exemplar. It is then unlike all others.
	newExemplar = 0.5
	// MaxClusterURLs bounds Cluster.URLs.
	MaxClusterURLs = 64
)

// Clusters groups the pages of one host by template, page by page. It goes by URL pattern first,
// then by the distance of their shapes (paper 004, section 4.2). A page joins the cluster that is
// nearest in proportion to what its URL allows, or opens one: so does a page of an old pattern
// whose template has changed. The zero value is ready. It is for one goroutine.
type Clusters struct {
	Options  ClusterOptions
	list     []*Cluster
	patterns URLPatterns
	next     int
}

// A Cluster holds the pages of one template.
type Cluster struct {
	// ID is the cluster's for as long as Clusters live, from 1.
	ID int `json:"id"`
	// Exemplars stand for the pages, the first page's first.
	Exemplars []*Shape `json:"exemplars"`
	// URLs are the newest pages, the newest last, at most MaxClusterURLs.
	URLs []string `json:"urls"`
	// Pages is the number of pages that joined.
	Pages int `json:"pages"`
	// Used counts up with each page of the host: it says when one joined last.
	Used int `json:"used"`
}

// All returns the clusters by ID. They are read-only.
func (c *Clusters) All() []*Cluster { return c.list }

// Restore makes clusters of those that All returned before: the order is of no
// matter, what has no ID, URL or exemplar is left out.
func (c *Clusters) Restore(list []*Cluster) {
	for _, k := range list {
		if k == nil || k.ID <= 0 || len(k.URLs) == 0 || len(k.Exemplars) == 0 || slices.Contains(k.Exemplars, nil) {
			continue
		}
		c.list = append(c.list, k)
		c.next = max(c.next, k.ID)
		for _, u := range k.URLs {
			c.patterns.Add(u)
		}
	}
	slices.SortFunc(c.list, func(a, b *Cluster) int { return cmp.Compare(a.ID, b.ID) })
	c.list = slices.CompactFunc(c.list, func(a, b *Cluster) bool { return a.ID == b.ID })
}

// After reports that the IDs up to id are taken.
func (c *Clusters) After(id int) { c.next = max(c.next, id) }

// Learn takes note of a URL of the host, such as a link's, for its pattern.
func (c *Clusters) Learn(url string) { c.patterns.Add(url) }

// Pattern returns the pattern of a cluster's URLs as it is known now.
func (c *Clusters) Pattern(k *Cluster) string {
	return c.patterns.Pattern(k.URLs[len(k.URLs)-1])
}

// Find returns the cluster that a page belongs to and its distance from it, nil
// and 1 if there is none.
func (c *Clusters) Find(url string, s *Shape) (*Cluster, float64) {
	k, d, _ := c.nearest(url, s)
	return k, d
}

// Add puts a page into its cluster, which it returns, with whether it was opened for
// the page. A host that has as many clusters as it may have gives up the smallest
// of them, of the smallest that without a page for the longest.
func (c *Clusters) Add(url string, s *Shape) (k *Cluster, opened bool) {
	c.patterns.Add(url)
	k, d, limit := c.nearest(url, s)
	if opened = k == nil; opened {
		k = c.open()
	}
	if opened || d >= newExemplar*limit && len(k.Exemplars) < maxExemplars {
		k.Exemplars = append(k.Exemplars, s)
	}
	k.addURL(url)
	k.Used = c.clock() + 1
	return k, opened
}

func (c *Clusters) clock() int {
	used := 0
	for _, k := range c.list {
		used = max(used, k.Used)
	}
	return used
}

func (k *Cluster) addURL(url string) {
	if i := slices.Index(k.URLs, url); i >= 0 {
		k.URLs = append(slices.Delete(k.URLs, i, i+1), url)
		return
	}
	k.Pages++
	if k.URLs = append(k.URLs, url); len(k.URLs) > MaxClusterURLs {
		k.URLs = slices.Delete(k.URLs, 0, 1)
	}
}

func (c *Clusters) open() *Cluster {
	if len(c.list) >= cmp.Or(c.Options.Max, MaxClusters) {
		least := slices.MinFunc(c.list, func(a, b *Cluster) int {
			return cmp.Or(cmp.Compare(a.Pages, b.Pages), cmp.Compare(a.Used, b.Used))
		})
		c.list = slices.DeleteFunc(c.list, func(k *Cluster) bool { return k == least })
	}
	c.next++
	k := &Cluster{ID: c.next}
	c.list = append(c.list, k)
	return k
}

// nearest returns the cluster that a page is nearest to, in proportion to the
// greatest distance that their URLs allow, which it returns too.
func (c *Clusters) nearest(url string, s *Shape) (best *Cluster, distance, limit float64) {
	pattern := c.patterns.Pattern(url)
	share := math.Inf(1)
	distance = 1
	for _, k := range c.list {
		l := c.limit(c.Pattern(k) == pattern)
		if d := k.distance(s, l*min(1, share)); d <= l && d/l < share {
			best, distance, limit, share = k, d, l, d/l
		}
	}
	return best, distance, limit
}

func (c *Clusters) limit(samePattern bool) float64 {
	if samePattern {
		return cmp.Or(c.Options.Same, DefaultSame)
	}
	return cmp.Or(c.Options.Other, DefaultOther)
}

// distance returns that from the nearest exemplar, 1 if none is as near as wanted.
func (k *Cluster) distance(s *Shape, wanted float64) float64 {
	least := 1.0
	for _, e := range k.Exemplars {
		if e.atLeast(s) <= wanted {
			least = min(least, e.Distance(s))
		}
	}
	return least
}
