package features

import (
	"math"
	"math/bits"
	"path"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/features/tagtree"
)

// A linkScope is a text related to a link in which cues are counted separately.
type linkScope uint8

const (
	inAnchor  linkScope = iota // the link's own text
	nearLink                   // the text on either side
	aboveLink                  // the heading above
	inTarget                   // the path of the address it leads to
	numLinkScopes
)

var linkScopeNames = [numLinkScopes]string{"anchor", "near", "above", "target"}

var (
	areaFeatureNames = [...]string{
		"area_informational", "area_hub", "area_navigation", "area_hub_value", "area_link_share", "area_link_length", "area_text",
		"area_links_of_page", "page_links", "page_hub", "page_mixed", "order", "offset",
	}
	blockFeatureNames = [...]string{
		"in_heading", "in_item", "in_cell", "in_head_cell", "in_definition", "in_line", "in_no_block",
		"block_length", "block_links", "block_link_share", "path_length",
		"picture", "rel_nofollow", "rel_tag", "rel_author", "rel_external", "rel_next",
	}
	linkWordNames = [...]string{
		"anchor_words", "words_before", "words_after", "beside_date", "beside_due", "years",
		"anchor_years", "anchor_is_year", "anchor_is_event", "anchor_is_address",
	}
	targetFeatureNames = [...]string{
		"to_same_host", "to_same_site", "to_deeper", "to_tag", "to_submission", "to_pdf", "to_file",
		"to_depth", "to_root", "to_tilde", "to_query", "to_host_year", "to_path_year", "to_path_date", "to_host_edu", "to_host_blog",
		"to_host_event", "to_host_lab", "near_topic",
	}
)

// linkFeatureNames are the dense features of links in vector order. They are those of their area, their
// block and their URL, and then the cues scope by scope. As for structureNames, all values lie in [0, 1]
// or little above.
var linkFeatureNames = nameLinkFeatures()

func nameLinkFeatures() []string {
	names := slices.Concat(areaFeatureNames[:], blockFeatureNames[:], linkWordNames[:], targetFeatureNames[:])
	for _, s := range linkScopeNames {
		for _, c := range cues {
			names = append(names, s+"_"+c.name)
		}
	}
	return names
}

// Compile-time check: a mask has 64 bits, one per cue.
var _ [64 - len(cues)]struct{}

// setFeatures sets the dense features of a link.
func (r *linkReader) setFeatures(p tagtree.LinkPlace, words linkWords, found [numLinkScopes]uint64, near float64) {
	r.values = r.values[:0]
	r.addArea(p)
	r.addBlock(p)
	r.addWords(p, words)
	r.addTarget(p)
	r.values = append(r.values, near)
	for _, mask := range found {
		for c := range cues {
			r.values = append(r.values, float64(mask>>c&1))
		}
	}
}

// addArea adds the features of the area and the position in the page. The hub value, LTR and LAR of
// papers 000/001, section 4.2, enter as log(1+HV), 1/(1+LTR) and log(1+1/LAR).
func (r *linkReader) addArea(p tagtree.LinkPlace) {
	var a tagtree.Area
	if p.Area != nil {
		a = *p.Area
	}
	page, links := r.tree.Analysis(), len(r.tree.Links())
	r.values = append(r.values,
		oneIfTrue(p.Area != nil && a.Kind == tagtree.Info), oneIfTrue(a.Kind == tagtree.Hub), oneIfTrue(a.Kind == tagtree.Navigation),
		math.Log1p(a.HV)/math.Log1p(200), fraction(a.LinkText, a.Values.Text()), scaledCount(a.LinkText/max(1, a.NumLinks), 100),
		scaledCount(a.CleanText, 5000), fraction(a.NumLinks, links),
		scaledCount(links, 200), oneIfTrue(page.Kind == tagtree.HubPage), oneIfTrue(page.Kind == tagtree.MixedPage), p.Order, p.Offset,
	)
}

// addBlock adds the features of the block and of the element.
func (r *linkReader) addBlock(p tagtree.LinkPlace) {
	var b tagtree.Block
	if p.Block != nil {
		b = *p.Block
	}
	is := func(kinds ...tagtree.Kind) float64 {
		return oneIfTrue(p.Block != nil && slices.Contains(kinds, b.Kind))
	}
	has := func(tokens ...string) float64 {
		return oneIfTrue(slices.ContainsFunc(p.Rel, func(rel string) bool { return slices.Contains(tokens, rel) }))
	}
	r.values = append(r.values,
		is(tagtree.Heading), is(tagtree.Item), is(tagtree.Cell), is(tagtree.HeadCell), is(tagtree.Term, tagtree.Definition),
		is(tagtree.Line), oneIfTrue(p.Block == nil), scaledCount(len(b.Text), 500), scaledCount(p.BlockLinks, 20), fraction(b.Linked, len(b.Text)),
		scaledCount(strings.Count(p.Path, "/"), 30), oneIfTrue(p.Picture),
		oneIfTrue(p.NoFollow), has("tag", "category"), has("author", "me"), has("external", "noopener", "noreferrer"), has("next", "prev"),
	)
}

// addWords adds the features of the words of the link and around it.
func (r *linkReader) addWords(p tagtree.LinkPlace, words linkWords) {
	anchorYears := yearsIn(p.Anchor)
	bare := strings.Trim(p.Anchor, " 0123456789()'’.") == ""
	r.values = append(r.values,
		scaledCount(words.anchor, 15), scaledCount(words.before, 20), scaledCount(words.after, 20), oneIfTrue(words.dated), oneIfTrue(words.due),
		scaledCount(bits.OnesCount64(words.years), 5), scaledCount(bits.OnesCount64(anchorYears), 2),
		oneIfTrue(anchorYears != 0 && bare), oneIfTrue(anchorYears != 0 && startsWithAcronym(p.Anchor)),
		oneIfTrue(strings.Contains(p.Anchor, "://") || strings.HasPrefix(p.Anchor, "www.")),
	)
}

// files are the extensions of URLs that do not lead to a page.
var files = [...]string{".ps", ".gz", ".zip", ".doc", ".docx", ".ppt", ".pptx", ".ics", ".jpg", ".jpeg", ".png", ".gif", ".bib", ".xml", ".rss"}

// addTarget adds the features of the address of the link.
func (r *linkReader) addTarget(p tagtree.LinkPlace) {
	host, rest := splitAddress(p.Target)
	file, _, _ := strings.Cut(rest, "?")
	ending := strings.ToLower(path.Ext(file))
	r.values = append(r.values,
		oneIfTrue(host == r.host), oneIfTrue(host == r.host || siteOf(host) == r.site), oneIfTrue(host == r.host && strings.HasPrefix(rest, r.folder)),
		oneIfTrue(tagPaths.FindIn(rest) != 0), oneIfTrue(submissionParts.FindInLower(p.Target) != 0),
		oneIfTrue(ending == ".pdf"), oneIfTrue(slices.Contains(files[:], ending)),
	)
	r.values = append(r.values, addressFeatures(host, rest)...)
}
