// Package backlink answers who links to a page: from the reversed links of our
// own crawl, and from services that know more of the web.
//
// A question has a scope, as with services that sell such answers: the pages of
// a directory, or else of a host. Only links from other sites count; what a
// site says of itself recommends nothing. The sources that link to the most
// pages of the scope come first, equals in order of URL.
package backlink

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"eventseer/webgraph"
)

// A Prefix is the common beginning of the pages asked about, without the URL's
// scheme: "example.org/2027/" or, for a host, "example.org/".
type Prefix string

// A Service knows links. It is safe for concurrent use.
type Service interface {
	// Links returns at most limit links to pages of the scope from distinct
	// sources on other sites, best first. It is one call.
	Links(ctx context.Context, s Prefix, limit int) ([]webgraph.Link, error)
}

// Prefixes returns what is asked about url, one after the other until there is
// an answer: its directory, which includes the page, then its host. There are
// at most crawler.MaxCalls of them.
func Prefixes(url string) []Prefix {
	k := key(url)
	k, _, _ = strings.Cut(k, "?")
	host := k[:strings.IndexByte(k+"/", '/')] + "/"
	if dir := k[:strings.LastIndexByte(k, '/')+1]; dir != "" && dir != host {
		return []Prefix{Prefix(dir), Prefix(host)}
	}
	return []Prefix{Prefix(host)}
}

// key is a URL without its scheme: both schemes lead to one page.
func key(url string) string {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		return rest
	}
	return url
}

// bySource makes an answer of all links to a scope: one link a source, its
// first, those first that link to the most pages of the scope.
func bySource(links []webgraph.Link, limit int) []webgraph.Link {
	slices.SortStableFunc(links, func(a, b webgraph.Link) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.Target, b.Target))
	})
	type source struct{ first, targets int }
	var sources []source
	for i, l := range links {
		switch {
		case i == 0 || l.Source != links[i-1].Source:
			sources = append(sources, source{i, 1})
		case l.Target != links[i-1].Target:
			sources[len(sources)-1].targets++
		}
	}
	slices.SortStableFunc(sources, func(a, b source) int { return cmp.Compare(b.targets, a.targets) })
	answer := make([]webgraph.Link, 0, min(limit, len(sources)))
	for _, s := range sources[:min(limit, len(sources))] {
		answer = append(answer, links[s.first])
	}
	return answer
}

// merge appends to answer the links of more whose source it has not, up to limit.
func merge(answer, more []webgraph.Link, limit int) []webgraph.Link {
	seen := make(map[string]bool, len(answer))
	for _, l := range answer {
		seen[l.Source] = true
	}
	for _, l := range more {
		if len(answer) >= limit {
			break
		}
		if !seen[l.Source] {
			seen[l.Source] = true
			answer = append(answer, l)
		}
	}
	return answer
}
