package strategy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/tagtree"
)

// intelligentCrawler is intelligent crawling after Aggarwal, Al-Garawi and Yu (2001), "Intelligent crawling
// on the World Wide Web with arbitrary predicates", which paper 002 cites. It begins without knowledge and
// learns from the fetched pages how much each feature known before a fetch raises the odds of a target, its
// interest ratio:
//
//   - the words of the pages that link to it (section 3.1),
//   - the words of its address (section 3.2),
//   - whether the pages that link to it are targets (section 3.3),
//   - whether other links of those pages led to targets (section 3.4).
//
// A link's score is the product of the four, each the product of its parts (section 3.5, with equal
// weights), brought to the range from 0 to 1: r/(1+r). It differs in these points: only the first
// maxInlinks linking pages count, and maxContentWords words of each; words are hashed; waiting
// links are scored when they are found and when another page links to them, not after every page.
type intelligentCrawler struct {
	part.Parts

	mu      sync.Mutex                 // guards below
	pages   *part.Recent[*fetchedPage] // fetched pages whose links may be siblings
	waiting *part.Recent[[]string]     // link → the pages that link to it, the first maxInlinks
	words   map[uint32]featureCounts   // for words of pages and of addresses
	pairs   [2]featureCounts           // for links of pages that are not targets, and of those that are
	all     featureCounts
}

// featureCounts count how often a feature was known before the fetch of a page, and how many of these pages
// were targets.
type featureCounts struct{ Seen, Hits int }

// A fetchedPage is a page that was fetched.
type fetchedPage struct {
	Call  bool
	Words []uint32      // hashed, distinct
	Links featureCounts // those that were fetched
}

var _ crawler.Rememberer = (*intelligentCrawler)(nil)

const (
	maxContentWords = 100
	maxInlinks      = 4
	maxSources      = 20_000
	maxInterest     = 200_000 // words and links remembered
	leastSeen       = 5       // minimum occurrences of a word before it counts
	significance    = 2       // standard errors by which its ratio must differ from 1 (section 3.1)
	mostInterest    = 3       // limit on the logarithm of a factor
)

func newIntelligent(p part.Parts) (crawler.Strategy, error) {
	return &intelligentCrawler{
		Parts: p, pages: part.NewRecent[*fetchedPage](maxSources), waiting: part.NewRecent[[]string](maxInterest), words: map[uint32]featureCounts{},
	}, nil
}

// Visit learns from the page, given its links, words and siblings, and scores its links.
func (s *intelligentCrawler) Visit(_ context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	v, call := s.Judged(a)
	if a.Tree == nil {
		return v, nil
	}
	words := contentWords(a.Tree)
	s.mu.Lock()
	defer s.mu.Unlock()
	call = s.IsSuccess(s.Value(a, &v, call)) // the predicate: what the experiment counts
	s.countFeatures(a, call, &v)
	url := a.URL()
	s.setPage(url, &fetchedPage{Call: call, Words: words}, &v)
	for _, l := range a.Tree.Links() {
		from, _ := s.waiting.Get(l.Target)
		if !slices.Contains(from, url) && len(from) < maxInlinks {
			from = append(slices.Clone(from), url)
			s.setWaiting(l.Target, from, &v)
		}
		ratio := math.Exp(s.logInterestRatio(l.Target, from))
		// A score is above 0, so that the factor for the topic lowers it.
		v.Forward = append(v.Forward, part.Candidate(l, ratio/(1+ratio), part.FormatWhy("interest ratio %.2f of its address, the pages that link to it and their other links", ratio)))
	}
	s.WeightByTopic(&v)
	return v, nil
}

// countFeatures counts the features known before the fetch of a page, and whether it is a target.
func (s *intelligentCrawler) countFeatures(a crawler.Arrival, call bool, v *crawler.Verdict) {
	from, ok := s.waiting.Get(a.Lease.URL)
	if !ok {
		return
	}
	s.setWaiting(a.Lease.URL, nil, v)
	s.all = s.all.addOutcome(call)
	v.Notes = append(v.Notes, part.NoteOf("odds/all", s.all))
	var words []uint32
	for _, url := range from {
		p, ok := s.pages.Get(url)
		if !ok {
			continue
		}
		words = append(words, p.Words...)
		k := indexOf(p.Call)
		s.pairs[k] = s.pairs[k].addOutcome(call)
		v.Notes = append(v.Notes, part.NoteOf([]string{"odds/other", "odds/call"}[k], s.pairs[k]))
		next := *p
		next.Links = p.Links.addOutcome(call)
		s.setPage(url, &next, v)
	}
	slices.Sort(words)
	for _, w := range slices.Concat(slices.Compact(words), addressWords(a.Lease.URL)) {
		if o, ok := s.words[w]; ok || len(s.words) < maxInterest {
			s.words[w] = o.addOutcome(call)
			v.Notes = append(v.Notes, part.NoteOf(fmt.Sprintf("word/%08x", w), s.words[w]))
		}
	}
}

// logInterestRatio returns the logarithm of the product of the interest ratios of a link. It is 0 if the link has
// no significant feature.
func (s *intelligentCrawler) logInterestRatio(url string, from []string) float64 {
	base := s.all.targetShare()
	var content, link, sibling float64
	var words []uint32
	for _, u := range from {
		p, ok := s.pages.Get(u)
		if !ok {
			continue
		}
		words = append(words, p.Words...)
		link += s.pairs[indexOf(p.Call)].logRatio(base)
		sibling += p.Links.logRatio(base)
	}
	slices.Sort(words)
	for _, w := range slices.Compact(words) {
		content += s.words[w].logRatio(base)
	}
	address := 0.0
	for _, w := range addressWords(url) {
		address += s.words[w].logRatio(base)
	}
	sum := 0.0
	for _, x := range []float64{content, address, link, sibling} {
		sum += max(-mostInterest, min(x, mostInterest))
	}
	return sum
}

func (o featureCounts) addOutcome(hit bool) featureCounts {
	return featureCounts{o.Seen + 1, o.Hits + indexOf(hit)}
}

// indexOf returns 1 for true and 0 for false.
func indexOf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// targetShare returns the smoothed share of targets, with one target in two pages added.
func (o featureCounts) targetShare() float64 { return float64(o.Hits+1) / float64(o.Seen+2) }

// logRatio returns the logarithm of the interest ratio: how much more likely targets are with the
// feature than in general, base. It is 0 if the difference may be chance.
func (o featureCounts) logRatio(base float64) float64 {
	if o.Seen < leastSeen {
		return 0
	}
	n := float64(o.Seen)
	if math.Abs(float64(o.Hits)-n*base) < significance*math.Sqrt(n*base*(1-base)) {
		return 0
	}
	return math.Log(o.targetShare() / base)
}

// setPage remembers a page.
func (s *intelligentCrawler) setPage(url string, p *fetchedPage, v *crawler.Verdict) {
	if gone := s.pages.Put(url, p); gone != "" {
		v.Notes = append(v.Notes, crawler.Note{Key: "page/" + gone})
	}
	v.Notes = append(v.Notes, part.NoteOf("page/"+url, part.NumberedValue[*fetchedPage]{Name: url, Value: p, At: s.pages.Last}))
}

// setWaiting stores the pages that link to a waiting link, nil if it was fetched.
func (s *intelligentCrawler) setWaiting(url string, from []string, v *crawler.Verdict) {
	if gone := s.waiting.Put(url, from); gone != "" {
		v.Notes = append(v.Notes, crawler.Note{Key: "waiting/" + gone})
	}
	v.Notes = append(v.Notes, part.NoteOf("waiting/"+url, part.NumberedValue[[]string]{Name: url, Value: from, At: s.waiting.Last}))
}

// contentWords returns the words of a page, hashed, sorted, distinct. Beyond the limit it returns
// those with the lowest hashes, so that all pages omit the same words.
func contentWords(t *tagtree.Tree) []uint32 {
	var words []uint32
	for _, w := range features.Read(t).Terms(features.Body) {
		words = append(words, hashWord("body", w))
	}
	slices.Sort(words)
	words = slices.Compact(words)
	return words[:min(len(words), maxContentWords)]
}

// addressWords returns the distinct words of an address, hashed.
func addressWords(url string) []uint32 {
	var words []uint32
	for _, w := range part.SplitWords(url) {
		words = append(words, hashWord("url", w))
	}
	slices.Sort(words)
	return slices.Compact(words)
}

func hashWord(where, word string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(where + ":" + word))
	return h.Sum32()
}

// RestoreNotes restores the state of an interrupted crawl.
func (s *intelligentCrawler) RestoreNotes(notes []crawler.Note) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var pages []part.NumberedValue[*fetchedPage]
	var waiting []part.NumberedValue[[]string]
	err := s.RecallNotes(notes, func(kind, name string, value []byte) error {
		switch kind {
		case "page":
			var p part.NumberedValue[*fetchedPage]
			if err := json.Unmarshal(value, &p); err != nil {
				return err
			}
			if p.Value == nil {
				return errors.New("a stored page has no value")
			}
			pages = append(pages, p)
		case "waiting":
			var w part.NumberedValue[[]string]
			if err := json.Unmarshal(value, &w); err != nil {
				return err
			}
			waiting = append(waiting, w)
		case "word", "odds":
			return s.restoreOdds(kind, name, value)
		}
		return nil
	})
	s.pages.Restore(pages)
	s.waiting.Restore(waiting)
	return err
}

// restoreOdds restores counts of an earlier part of the crawl.
func (s *intelligentCrawler) restoreOdds(kind, name string, value []byte) error {
	var o featureCounts
	if err := json.Unmarshal(value, &o); err != nil {
		return err
	}
	if o.Hits < 0 || o.Hits > o.Seen {
		return fmt.Errorf("%d targets are counted among %d pages", o.Hits, o.Seen)
	}
	if kind == "word" {
		w, err := strconv.ParseUint(name, 16, 32)
		s.words[uint32(w)] = o
		return err
	}
	switch name {
	case "all":
		s.all = o
	case "other":
		s.pairs[0] = o
	case "call":
		s.pairs[1] = o
	}
	return nil
}
