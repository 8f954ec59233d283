// Package template finds the pages of a site that were made by the same template. It compares the shapes of
// the pages' trees (papers 000 and 004) and the patterns of their URLs.
package template

import (
	"cmp"
	"math"
	"slices"
)

// ClusterOptions are limits on the distances between pages of one cluster and on the number of clusters. The
// zero value means the defaults.
type ClusterOptions struct {
	// Same is the maximum distance of a page from a cluster with the same URL pattern, between 0 and 1. 0
	// means DefaultSame.
	Same float64
	// Other is the maximum distance of a page from a cluster with another URL pattern, between 0 and 1. 0
	// means DefaultOther.
	Other float64
	// Max is the maximum number of clusters of the host. 0 means MaxClusters.
	Max int
}

// The default distances were measured on the pages of the wrapper corpus and on other pages of their sites
// (TestClustersOfCorpus). Pages of one template are at most 0.13 apart, up to 0.5 if a page has unclosed
// markup. The nearest pages of another template are 0.16 apart.
const (
	DefaultSame  = 0.3
	DefaultOther = 0.14
	MaxClusters  = 200
)

const (
	// maxExemplars is the maximum number of shapes that represent a cluster.
	maxExemplars = 4
	// newExemplar is a share of the maximum distance. A page that joins a cluster from at least this far
	// becomes a further exemplar.
	newExemplar = 0.5
	// MaxClusterURLs is the maximum length of Cluster.URLs.
	MaxClusterURLs = 64
)

// Clusters groups the pages of one host by template, one page at a time. Pages are compared by URL pattern
// and by the distance of their shapes (paper 004, section 4.2). A page joins the nearest cluster, where the
// distance is relative to the maximum that its URL pattern allows. If no cluster is near enough, the page
// opens a new one; this also happens if the template behind a known URL pattern has changed. The zero value
// is ready to use. It is not safe for concurrent use.
type Clusters struct {
	Options  ClusterOptions
	list     []*Cluster
	patterns URLPatterns
	next     int
}

// A Cluster holds the pages of one template.
type Cluster struct {
	// ID is the cluster's number, from 1. It is never used again.
	ID int `json:"id"`
	// Exemplars are the shapes that represent the cluster, first that of the first page.
	Exemplars []*Shape `json:"exemplars"`
	// URLs are the URLs of the newest pages, the newest last, at most MaxClusterURLs.
	URLs []string `json:"urls"`
	// Pages is the number of pages that joined, where URLs in the list count once.
	Pages int `json:"pages"`
	// Used orders clusters by the time when a page last joined: the larger, the later.
	Used int `json:"used"`
}

// All returns the clusters in order of ID. Callers must not change them.
func (c *Clusters) All() []*Cluster { return c.list }

// Restore adds clusters that All returned earlier, in any order. It ignores clusters without ID, URL or
// exemplar.
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

// StartIDsAfter makes new clusters get IDs above id.
func (c *Clusters) StartIDsAfter(id int) { c.next = max(c.next, id) }

// LearnURL adds a URL of the host, such as a link's target, to the statistics behind URL patterns.
func (c *Clusters) LearnURL(url string) { c.patterns.Add(url) }

// PatternOf returns the current pattern of a cluster's URLs. It may change as more URLs are learned.
func (c *Clusters) PatternOf(k *Cluster) string {
	return c.patterns.Pattern(k.URLs[len(k.URLs)-1])
}

// Find returns the cluster that a page belongs to and its distance from the page. It returns nil and 1 if no
// cluster is near enough.
func (c *Clusters) Find(url string, s *Shape) (*Cluster, float64) {
	k, d, _ := c.nearestCluster(url, s)
	return k, d
}

// Add adds a page to the nearest cluster, or to a new one, and returns the cluster. opened is true if the
// cluster is new. If the host already has the maximum number of clusters, the new one replaces the cluster
// with the fewest pages, among equals the one unused for longest.
func (c *Clusters) Add(url string, s *Shape) (k *Cluster, opened bool) {
	c.patterns.Add(url)
	k, d, limit := c.nearestCluster(url, s)
	if opened = k == nil; opened {
		k = c.openCluster()
	}
	if opened || d >= newExemplar*limit && len(k.Exemplars) < maxExemplars {
		k.Exemplars = append(k.Exemplars, s)
	}
	k.addURL(url)
	k.Used = c.nextTime() + 1
	return k, opened
}

func (c *Clusters) nextTime() int {
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

func (c *Clusters) openCluster() *Cluster {
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

// nearestCluster returns the cluster with the smallest distance from a page relative to limit, the maximum distance
// that their URL patterns allow. It returns nil, 1 and 0 if no cluster is within its limit.
func (c *Clusters) nearestCluster(url string, s *Shape) (best *Cluster, distance, limit float64) {
	pattern := c.patterns.Pattern(url)
	share := math.Inf(1)
	distance = 1
	for _, k := range c.list {
		l := c.distanceLimit(c.PatternOf(k) == pattern)
		if d := k.distance(s, l*min(1, share)); d <= l && d/l < share {
			best, distance, limit, share = k, d, l, d/l
		}
	}
	return best, distance, limit
}

func (c *Clusters) distanceLimit(samePattern bool) float64 {
	if samePattern {
		return cmp.Or(c.Options.Same, DefaultSame)
	}
	return cmp.Or(c.Options.Other, DefaultOther)
}

// distance returns the distance of s from the nearest exemplar, or 1 if none is within wanted.
func (k *Cluster) distance(s *Shape, wanted float64) float64 {
	least := 1.0
	for _, e := range k.Exemplars {
		if e.minDistance(s) <= wanted {
			least = min(least, e.Distance(s))
		}
	}
	return least
}
