package tagtree

import (
	"fmt"
	"path"
	"testing"

	"eventseer/internal/nightly"
	"eventseer/webgraph"
)

// A clustering gives each page of the corpus its cluster.
type clustering struct {
	name string
	of   func(pages []groupPage) []string
}

// ours clusters site by site, page by page.
func ours(name string, o ClusterOptions) clustering {
	return clustering{name, func(pages []groupPage) []string {
		sites := make(map[webgraph.Host]*Clusters)
		ids := make([]string, len(pages))
		for i, p := range pages {
			host := webgraph.HostOf(p.url)
			if sites[host] == nil {
				sites[host] = &Clusters{Options: o}
			}
			k, _ := sites[host].Add(p.url, p.shape)
			ids[i] = fmt.Sprint(host, k.ID)
		}
		return ids
	}}
}

// byURL clusters by a pattern of the URL alone.
func byURL(name string, pattern func(url string) string) clustering {
	return clustering{name, func(pages []groupPage) []string {
		ids := make([]string, len(pages))
		for i, p := range pages {
			ids[i] = pattern(p.url)
		}
		return ids
	}}
}

// thorOf clusters site by site, all pages at once.
func thorOf(name string, thor THOR) clustering {
	return clustering{name, func(pages []groupPage) []string {
		bySite := make(map[webgraph.Host][]int)
		for i, p := range pages {
			bySite[webgraph.HostOf(p.url)] = append(bySite[webgraph.HostOf(p.url)], i)
		}
		ids := make([]string, len(pages))
		for host, site := range bySite {
			nodes := make([]*Node, len(site))
			for j, i := range site {
				nodes[j] = pages[i].tree.Outline()
			}
			for j, of := range thor.Cluster(nodes) {
				ids[site[j]] = fmt.Sprint(host, of)
			}
		}
		return ids
	}}
}

// TestClustersOfCorpus clusters the pages of the wrapper corpus among the other pages
// of their sites. The ways to do it that we do not use are measured by .ci/nightly.
func TestClustersOfCorpus(t *testing.T) {
	pages := groupPages(t)
	groups := make([]string, len(pages))
	noise := 0
	for i, p := range pages {
		if groups[i] = p.group; p.group == "" {
			noise++
		}
	}
	t.Logf("%d pages of groups among %d others", len(pages)-noise, noise)
	measure := func(c clustering) clusterScore {
		s := scoreClusters(groups, c.of(pages))
		t.Logf("%-27s adjusted Rand %.3f, V-measure %.3f, purity %.3f, %d clusters", c.name, s.rand, s.v, s.purity, s.clusters)
		return s
	}
	both := measure(ours("URL pattern, then distance", ClusterOptions{}))
	if both.rand < 0.95 || both.v < 0.95 || both.purity < 0.95 {
		t.Errorf("%+v", both)
	}
	if !nightly.Enabled() {
		return
	}
	measure(byURL("common URL prefix", path.Dir))
	measure(byURL("URL pattern", URLPattern))
	measure(ours("distance", ClusterOptions{Same: DefaultOther}))
	measure(thorOf("THOR", THOR{Seed: 1}))
	// Without their URLs, and all sites as one, shapes alone must tell the groups.
	for i := range pages {
		pages[i].url = fmt.Sprintf("https://all.example/%d", i)
	}
	measure(ours("all in one: distance", ClusterOptions{Same: DefaultOther}))
	measure(thorOf("all in one: THOR", THOR{Seed: 1, MaxClusters: 40}))
}
