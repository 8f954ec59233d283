package crawler

import (
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/webgraph"
)

// Limits on lists, which are sitemaps and feeds.
const (
	maxListed   = 200 // links followed from one list, the best by score
	maxSitemaps = 20  // sitemaps of one host, including those named by an index
	maxFeeds    = 10  // feeds named by the pages of one host; repeated ones count again

	maxUsual = 16 // usual addresses requested from one host
	fewLinks = 2  // a page without a menu has fewer links to pages of its own folder

	// afterLinks is the difference in score between a list and the last link of the page.
	afterLinks = 0.01
)

// isList reports whether the page is a sitemap or a feed.
func (a Arrival) isList() bool { return a.Tree != nil && a.Tree.Page.Entries != nil }

// allowsFeeds reports whether the page was relevant enough to follow its feeds and sitemaps.
func (v *Verdict) allowsFeeds() bool { return v.Target || v.Relevance > yields }

// listVerdict returns the verdict for a sitemap or feed; other verdicts are unchanged. A list is
// not a target, and its backlinks are not queried. Its best links are followed, of equal ones the
// last changed first. Sitemaps named by a sitemap are lists too.
func (s *linkSelection) listVerdict(v Verdict) Verdict {
	if !s.page.isList() {
		return v
	}
	v.Target, v.Related, v.Back, v.Backward = false, false, 0, nil
	page := s.page.Tree.Page
	changed, nested, known := map[string]time.Time{}, map[string]bool{}, map[webgraph.Host]bool{}
	var sitemaps []string
	for _, e := range page.Entries {
		switch {
		case e.Sitemap:
			nested[e.URL] = true
			sitemaps = append(sitemaps, e.URL)
		case e.Title == "" && e.Summary == "" && !s.mayList(e.URL, known):
			nested[e.URL] = true
			s.skips.count("out of scope: the entry of a sitemap leads to another host", e.URL)
		default:
			changed[e.URL] = e.Changed
		}
	}
	own := slices.DeleteFunc(slices.Clone(v.Forward), func(c Candidate) bool { return nested[c.URL] })
	slices.SortStableFunc(own, func(a, b Candidate) int { return changed[b.URL].Compare(changed[a.URL]) })
	v.Forward = s.keepBest(own, maxListed, "not among the best links of its list")
	s.proposeLists("sitemaps", maxSitemaps, sitemaps, s.page.Lease.Score)
	return v
}

// mayList reports whether the current sitemap may list a page. Such a page is of its own host, or
// of a host whose robots.txt names the sitemap ("cross submits", sitemaps.org). The rule that a
// sitemap lists only URLs below its own folder is rarely followed, so it is not required. Results
// are cached in known.
func (s *linkSelection) mayList(url string, known map[webgraph.Host]bool) bool {
	host := webgraph.HostOf(url)
	if host == hostOf(s.page) {
		return true
	}
	named, asked := known[host]
	if l, ok := s.o.Fetcher.(Lister); ok && !asked {
		named = slices.ContainsFunc(l.Sitemaps(url), func(u string) bool { return u == s.page.Lease.URL || u == s.page.URL() })
		known[host] = named
	}
	return named
}

// addLists adds the feeds of a relevant page and the sitemaps of its site as links. They come after
// the links of the page itself.
func (s *linkSelection) addLists(v Verdict) {
	if !s.o.Lists || s.page.Tree == nil || s.page.isList() || !v.allowsFeeds() {
		return
	}
	score := s.scoreAfterOwnLinks()
	s.proposeLists("feeds", maxFeeds, s.page.Tree.Feeds(), score)
	l, ok := s.o.Fetcher.(Lister)
	if ok && s.memory.runOf(listKey("sitemaps", hostOf(s.page))).length == 0 {
		s.proposeLists("sitemaps", maxSitemaps, l.Sitemaps(s.page.URL()), score)
	}
}

// usualPages are common file names of pages with calls, dates and committees. At least 6 of the 132 work sites
// of ../shared/corpora/sites use each, or at least 2 as a folder; important-dates.html was added by
// analogy.
var usualPages = [maxUsual]string{
	"submission.html", "cfp.html", "call_for_papers.html", "callforpapers.html", "importantdates.html", "important_dates.html",
	"callforpaper.html", "call-for-papers.html", "call-for-papers/", "dates.html", "cfp/", "important-dates.html",
	"committee.html", "committees.html", "organizers.html", "organization.html",
}

// addUsualAddresses adds the usual addresses of calls, dates and committees for a page whose menu is made by a script. The
// page must be about an event or be a seed, link to fewer than fewLinks pages of its own folder,
// and load a script from its host. On 10 of the 132 work sites the home page is of this kind.
func (s *linkSelection) addUsualAddresses(v Verdict) {
	t := s.page.Tree
	if !s.o.UsualPages || t == nil || s.page.isList() || !v.Target && v.PageType != "conference" && s.page.Lease.How != Seed {
		return
	}
	page := s.page.URL()
	folder := page[:strings.LastIndexByte(page, '/')+1]
	own := map[string]bool{}
	for _, l := range t.Links() {
		if strings.HasPrefix(l.Target, folder) && l.Target != page && l.Target != folder {
			own[l.Target] = true
		}
	}
	if len(own) >= fewLinks || !t.RunsOwnScript() {
		return
	}
	urls := make([]string, len(usualPages))
	for i, name := range usualPages {
		urls[i] = folder + name
	}
	s.proposeLists("usual pages", maxUsual, urls, s.scoreAfterOwnLinks())
}

// scoreAfterOwnLinks returns the score of links that come after the page's own.
func (s *linkSelection) scoreAfterOwnLinks() float64 {
	score := min(s.page.Lease.Score, 0)
	for i, c := range s.pushed {
		if i == 0 || c.Score < score {
			score = c.Score
		}
	}
	return ClampScore(score - afterLinks)
}

// proposeLists makes candidates of lists, up to the limit for their host.
func (s *linkSelection) proposeLists(kind string, most uint32, urls []string, score float64) {
	key := listKey(kind, hostOf(s.page))
	room := int(most) - int(s.memory.runOf(key).length)
	for i, url := range urls {
		if i >= room {
			s.skips.count("beyond the "+kind+" of a host", url)
			continue
		}
		s.push([]Candidate{{URL: url, Score: score, Anchor: strings.TrimSuffix(kind, "s")}}, Forward)
	}
	if n := min(room, len(urls)); n > 0 {
		s.listed = append(s.listed, run{key: key, length: uint32(n)})
	}
}

// listKey returns the key of the number of a host's lists.
func listKey(kind string, host webgraph.Host) uint64 { return runKey(kind, string(host)) }

// keepBest keeps the best links and records why the others are dropped.
func (s *linkSelection) keepBest(cs []Candidate, limit int, reason string) []Candidate {
	kept := bestLinks(cs, limit)
	next := 0
	for _, c := range cs {
		if next < len(kept) && kept[next].URL == c.URL {
			next++
		} else {
			s.skips.count(reason, c.URL)
		}
	}
	return kept
}
