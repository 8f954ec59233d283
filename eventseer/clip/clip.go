// Package clip cuts clips from the informational areas of pages: a keyword, a title and a summary
// (paper 000, sections 4.1 and 5.2, algorithm 2).
//
// A summary is the sentence before the keyword, the one with it and the one after, within the area.
// The title is the nearest heading before, else a short block near by in a style that is rare on
// the page, else the first sentence of the area.
//
// Where the paper is ambiguous or inconsistent:
//   - Algorithm 2 only follows the links of an area that has any, and never clips it; in section 4.2 such areas are clipped and their links followed
//     (figure 4), and nearly every area of today's pages has a link. Both are
//     done: the links in a clip's passage and in the heading right above it are
//     followed.
//   - "When a link (containing a keyword) points to an article, the user should
//     be notified about the article": a keyword in the text of a link that is
//     alone, or anywhere in a hub area, makes a Follow instead of a clip, with the
//     teaser beside the link for the article's clip (figure 3).
//   - Several keywords in one sentence make one clip, which names them all, and
//     a keyword makes no clip of a sentence that its last clip contains: one in
//     every sentence does not give every sentence three times.
//   - A word that excludes does so where it is in the passage, which is what
//     the reader sees of the page.
package clip

import (
	"cmp"
	"fmt"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/dictionary"
	"github.com/eventseer/eventseer/features/tagtree"
	"sync"
)

// Limits on the results for one page.
const (
	maxHits      = 50_000 // occurrences of keywords that are examined
	maxFollow    = 200    // links to follow
	maxLinkTerms = 20     // keywords stored for a link
)

// Options are the options of New.
type Options struct {
	// Lists are the keywords to look for, at most MaxLists with MaxTerms.
	Lists []List
	// Dictionary provides synonyms. Nil means none.
	Dictionary *dictionary.Dictionary
	// MaxClips is the maximum number of clips of a page. Zero means 50.
	MaxClips int
	// PerArea is the maximum number of clips of a keyword in one area. Zero means 3: a reader
	// should find areas worth reading, not every mention.
	PerArea int
	// MaxSummary bounds a summary, in runes: whole sentences are omitted, and a longer sentence is
	// cut around the keyword. Zero means 800.
	MaxSummary int
}

// An Extractor cuts clips. It is safe for concurrent use.
type Extractor struct {
	o         Options
	sentences *splitter
	matchers  sync.Map // language → *matcher, created when first needed
}

// New returns an extractor. It returns an error if a term is invalid.
func New(o Options) (*Extractor, error) {
	if err := checkLists(o.Lists); err != nil {
		return nil, err
	}
	o.MaxClips = cmp.Or(max(o.MaxClips, 0), 50)
	o.PerArea = cmp.Or(max(o.PerArea, 0), 3)
	o.MaxSummary = cmp.Or(max(o.MaxSummary, 0), 800)
	s, err := loadSplitter()
	if err != nil {
		return nil, fmt.Errorf("load the sentence model: %w", err)
	}
	return &Extractor{o: o, sentences: s}, nil
}

// A Match is an occurrence of a keyword.
type Match struct {
	// List is the name of the list, Term the keyword in the list. The page may contain another form
	// or a synonym.
	List, Term string
	// Start and End are byte offsets into Tree.Text.
	Start, End int
}

// A Clip is a passage that contains keywords.
type Clip struct {
	// Keywords are in the order of the page, never empty.
	Keywords []Match
	Title    string
	// Summary is the passage, white space folded; sentences that are cut off
	// are marked with "…".
	Summary string
	// Path is the tag path of the block with the first keyword.
	Path string
	// Start and End are the byte offsets of the passage in Tree.Text; both are 0 for a clip made
	// from only the teaser.
	Start, End int
	// Context is the teaser that led to the page, if any.
	Context string
}

// DistinctMatches returns the first match of each term of each list.
func (c Clip) DistinctMatches() (first []Match) {
	seen := make(map[[2]string]bool)
	for _, m := range c.Keywords {
		if name := [2]string{m.List, m.Term}; !seen[name] {
			seen[name] = true
			first = append(first, m)
		}
	}
	return first
}

// A FollowedLink is a link that probably leads to a page on the keywords.
type FollowedLink struct {
	Link int // index into Tree.Links
	// Teaser is the text belonging to the link, see Teaser. It is passed to Extract with the target
	// page.
	Teaser string
	Terms  []string // the keywords found for it, at most 20
}

// A Context is the data on a page from the link that led to it.
type Context struct {
	Anchor string // the link's text
	Teaser string // Follow.Teaser
}

// A Result is the result for a page.
type Result struct {
	Clips  []Clip         // in document order
	Follow []FollowedLink // in the order of Tree.Links, one for each target
}

// Extract returns the clips of a page and the links to follow for more. Without keywords it returns
// nothing.
func (x *Extractor) Extract(t *tagtree.Tree, c Context) Result {
	if len(x.o.Lists) == 0 {
		return Result{}
	}
	p := x.readPage(t)
	for i, area := range p.areas.Areas {
		switch area.Kind {
		case tagtree.Info:
			p.cutClips(i)
		case tagtree.Hub:
			p.followHub(i)
		}
	}
	p.useTeaserOf(c)
	return Result{Clips: p.clips, Follow: p.followedLinks()}
}

// Passage returns the summary around a byte offset of t's text, as for clips, and the tag path of
// the block there. It returns "" and "" outside the text.
func (x *Extractor) Passage(t *tagtree.Tree, offset int) (summary, path string) {
	p := x.readPage(t)
	block := p.blockAt(offset)
	if block < 0 {
		return "", ""
	}
	area := p.areas.AreaOfBlock(block)
	s := p.splitIntoSentences(area, []int{block})
	at := s.sentenceAt(offset, offset+1)
	if at < 0 {
		return "", ""
	}
	w := s.passageAround(at)
	return p.summarize(s, w, tagtree.Span{Start: offset, End: offset + 1}), t.Blocks()[block].Path
}

func (x *Extractor) readPage(t *tagtree.Tree) *page {
	return &page{
		Extractor: x, tree: t, blocks: t.Blocks(), areas: t.Analysis(), seen: make(map[string]bool), follow: make(map[int][]string),
		match: x.matcherFor(features.LanguageOf(t.Text(), t.Lang())),
	}
}

func (x *Extractor) matcherFor(lang string) *matcher {
	if m, ok := x.matchers.Load(lang); ok {
		return m.(*matcher)
	}
	m, _ := x.matchers.LoadOrStore(lang, newMatcher(x.o.Lists, x.o.Dictionary, lang))
	return m.(*matcher)
}

var _ eventseer.Clipper = (*Extractor)(nil)

// Clips returns the clips of a page in the form for the store, with summaries of at most
// eventseer.MaxSnippet runes.
func (x *Extractor) Clips(t *tagtree.Tree) (clips []eventseer.Clip) {
	for _, c := range x.Extract(t, Context{}).Clips {
		stored := eventseer.Clip{Title: c.Title, Summary: shortenToRunes(c.Summary, eventseer.MaxSnippet), Path: c.Path}
		for _, m := range c.DistinctMatches() {
			stored.Keywords = append(stored.Keywords, eventseer.Keyword{List: m.List, Term: m.Term})
		}
		clips = append(clips, stored)
	}
	return clips
}
