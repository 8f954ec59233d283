package features

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"
)

var linkNames = [...]string{
	"links", "links_per_word", "outlink_hosts", "internal_share", "deeper_links",
	"anchor_years", "target_years", "year_anchors", "year_anchor_share", "event_anchors", "event_anchor_share",
	"dated_links", "dated_link_share", "tag_links", "submission_links",
	"path_depth", "is_root", "has_tilde", "has_query", "host_year", "path_year", "path_date", "host_edu", "host_blog", "host_event", "host_lab",
}

// submissionHosts are parts of the URLs of submission systems.
var submissionHosts = [...]string{
	"easychair", "openreview", "hotcrp", "cmt", "softconf", "edas.", "conftool", "linklings", "forms.gle", "google.com/forms",
	"manuscriptcentral", "precisionconference", "oxfordabstracts", "cfp.", "pretalx", "papercall", "indico",
}

var submissionParts = text.NewParts(submissionHosts[:]...)

// tagPaths are parts of the URLs of pages on which weblogs group their posts.
var tagPaths = text.NewParts("/tag/", "/category/", "/author/", "feed", "?p=")

// linkCounts collects features of the links of a page.
type linkCounts struct {
	hosts                        map[string]bool // other than the page's
	last                         string          // the last one of them
	internal, deeper             int
	anchorYears, targetYears     uint64
	yearAnchors, eventAnchors    int
	dated, tags, submissionLinks int
}

// linkFeatures returns the features of a page's links and of its own URL. For a text without either, t is
// nil.
func linkFeatures(t *tagtree.Tree, words int) []float64 {
	if t == nil {
		return make([]float64, len(linkNames))
	}
	host, path := splitAddress(t.Page.URL)
	c := linkCounts{hosts: make(map[string]bool)}
	for _, l := range t.Links() {
		c.addLink(l, host, path)
	}
	n := len(t.Links())
	out := []float64{
		scaledCount(n, 200), math.Min(1, fraction(n, words)), scaledCount(len(c.hosts), 50), fraction(c.internal, n), scaledCount(c.deeper, 100),
		scaledCount(bits.OnesCount64(c.anchorYears), 15), scaledCount(bits.OnesCount64(c.targetYears), 15),
		scaledCount(c.yearAnchors, 20), fraction(c.yearAnchors, n), scaledCount(c.eventAnchors, 50), fraction(c.eventAnchors, n),
		scaledCount(c.dated, 50), fraction(c.dated, n), scaledCount(c.tags, 50), scaledCount(c.submissionLinks, 5),
	}
	return append(out, addressFeatures(host, path)...)
}

func (c *linkCounts) addLink(l webgraph.Link, host, path string) {
	h, p := splitAddress(l.Target)
	if h == host {
		c.internal++
		if strings.HasPrefix(p, path) {
			c.deeper++
		}
	} else if h != c.last || h == "" {
		c.last, c.hosts[h] = h, true
	}
	years := yearsIn(l.Anchor)
	c.anchorYears |= years
	c.targetYears |= yearsIn(l.Target)
	if years != 0 {
		if strings.Trim(l.Anchor, " 0123456789()'’.") == "" {
			c.yearAnchors++
		}
		if startsWithAcronym(l.Anchor) {
			c.eventAnchors++
		}
	}
	if hasDate(p) {
		c.dated++
	}
	if tagPaths.FindIn(p) != 0 {
		c.tags++
	}
	if submissionParts.FindInLower(l.Target) != 0 {
		c.submissionLinks++
	}
}

func startsWithAcronym(s string) bool {
	first, _, _ := strings.Cut(strings.TrimLeft(s, " ("), " ")
	return isAcronym(first)
}

func addressFeatures(host, path string) []float64 {
	dir, query, _ := strings.Cut(path, "?")
	trimmed := strings.Trim(dir, "/")
	if i := strings.LastIndexByte(trimmed, '/') + 1; strings.HasPrefix(strings.ToLower(trimmed[i:]), "index.") {
		trimmed = strings.Trim(trimmed[:i], "/")
	}
	depth := 0
	if trimmed != "" {
		depth = 1 + strings.Count(trimmed, "/")
	}
	return []float64{
		scaledCount(depth, 5), oneIfTrue(trimmed == ""), oneIfTrue(strings.Contains(path, "~")), oneIfTrue(query != ""),
		oneIfTrue(yearsIn(host) != 0), oneIfTrue(yearsIn(path) != 0), oneIfTrue(hasDate(path)),
		oneIfTrue(strings.Contains(host, ".edu") || strings.Contains(host, ".ac.")),
		oneIfTrue(containsAny(host, []string{"blog", "wordpress"})),
		oneIfTrue(containsAny(host, []string{"conf", "workshop", "symposium"})),
		oneIfTrue(containsAny(host, []string{"lab", "group", "research", "cs."})),
	}
}

func oneIfTrue(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func containsAny(s string, parts []string) bool {
	return slices.ContainsFunc(parts, func(p string) bool { return strings.Contains(s, p) })
}

// splitAddress returns the host of a web address and the rest.
func splitAddress(raw string) (host, path string) {
	_, rest, ok := strings.Cut(raw, "://")
	if !ok {
		return "", raw
	}
	for i := range len(rest) {
		if c := rest[i]; c == '/' || c == '?' || c == '#' {
			return rest[:i], rest[i:]
		}
	}
	return rest, ""
}

// yearsIn returns the years a text mentions, firstYear as bit 0.
func yearsIn(s string) uint64 {
	var years uint64
	for i := 0; i+4 <= len(s); i++ {
		if c := s[i+3] - '0'; c > 9 { // so no number of four digits begins here or at the next three bytes
			i += 3
			continue
		}
		end := i
		for end < len(s) && s[end]-'0' <= 9 {
			end++
		}
		if end == i+4 {
			if y := valueOf(s[i:end]); isYear(y) {
				years |= 1 << (y - firstYear)
			}
		}
		i = max(i, end-1)
	}
	return years
}

// hasDate reports whether a path contains a year and a month, like addresses of posts: /2027/05/.
func hasDate(path string) bool {
	for i := 0; i+8 <= len(path); i++ {
		if path[i] == '/' && (path[i+1] == '1' || path[i+1] == '2') && isDigits(path[i+1:i+5]) && path[i+5] == '/' &&
			isDigits(path[i+6:i+7]) && (path[i+7] == '/' || i+9 <= len(path) && isDigits(path[i+7:i+8]) && path[i+8] == '/') {
			return isYear(valueOf(path[i+1 : i+5]))
		}
	}
	return false
}

// A Reach is the predictions of trained models for a page and its links.
type Reach struct {
	// Call is the probability that the page is a call for papers.
	Call float64
	// Types are the probabilities of its page types, by name.
	Types map[string]float64
	// Within and Away are the probabilities that the page's links lead to a call, for links within
	// its site and for links that leave it.
	Within, Away []float64
}

// pageTypes are the page types in the order of their features.
var pageTypes = [...]string{"cfp", "cfp_list", "conference", "homepage", "institution_topic", "mail_announcement", "weblog", "other"}

// linkSums name the statistics of a group of links. They are the best score, the second, the mean
// of the best three, how many are above 0.5 and 0.2, the sum, the mean, and the number of links.
var linkSums = [...]string{"best", "second", "best_three", "likely", "possible", "sum", "mean", "links"}

// contextNames are the dense features of a Reach, in vector order.
var contextNames = nameContext()

func nameContext() []string {
	names := []string{"call"}
	for _, t := range pageTypes {
		names = append(names, "type_"+t)
	}
	for _, scope := range []string{"within", "away"} {
		for _, sum := range linkSums {
			names = append(names, scope+"_"+sum)
		}
	}
	return names
}

// WithReach returns d with the features of the block Context, computed from r.
func (d *Document) WithReach(r Reach) *Document {
	values := []float64{r.Call}
	for _, t := range pageTypes {
		values = append(values, r.Types[t])
	}
	values = append(values, sumsOf(r.Within)...)
	values = append(values, sumsOf(r.Away)...)
	with := *d
	with.dense[contextBlock] = nonZeroVector(values)
	return &with
}

// sumsOf returns the features of the scores of a group of links.
func sumsOf(scores []float64) []float64 {
	best := slices.Clone(scores)
	slices.SortFunc(best, func(a, b float64) int { return cmp.Compare(b, a) })
	at := func(i int) float64 {
		if i < len(best) {
			return best[i]
		}
		return 0
	}
	likely, possible, sum := 0, 0, 0.0
	for _, s := range best {
		sum += s
		if s > 0.5 {
			likely++
		}
		if s > 0.2 {
			possible++
		}
	}
	return []float64{
		at(0), at(1), (at(0) + at(1) + at(2)) / 3, scaledCount(likely, 50), scaledCount(possible, 50),
		math.Log1p(sum) / math.Log1p(50), sum / math.Max(1, float64(len(best))), scaledCount(len(best), 200),
	}
}
