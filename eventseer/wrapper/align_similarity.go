package wrapper

import (
	"math"
	"slices"
	"strings"
)

// Two nodes may be one place of the template if their similarity, 0 to 1, is at least
// minSimilar; a node that repeats, or comes in another order, must be like the one it
// is taken for by minAlike.
const (
	minSimilar = .5
	minAlike   = .75
)

// What the kinds of evidence weigh.
const (
	structureWeight = 2
	classWeight     = 3
	labelWeight     = 3
	wordsWeight     = 3
)

// similarity says how like a place of the template a node of a page is, from 0 to 1.
// What most items of the place have weighs most: classes, labels and texts that all
// pages have tell places apart, values that differ do not.
func (t *templateNode) similarity(p *pageNode) float64 {
	switch {
	case t.Name != p.name:
		return 0
	case t.Hash == p.hash:
		return 1
	case t.Name == textName:
		return t.textSimilarity(p)
	case t.contradicts(p):
		return 0
	}
	sum, weight := structureWeight*dice(t.Sketch, p.sketch, t.Items), float64(structureWeight)
	if len(t.Classes)+len(p.classes) > 0 {
		sum += classWeight * dice(t.Classes, p.classes, t.Items)
		weight += classWeight
	}
	if agree, known := t.labelAgrees(p); known {
		sum += labelWeight * agree
		weight += labelWeight
	}
	if share, known := t.wordsAgree(p); known {
		sum += wordsWeight * share
		weight += wordsWeight
	}
	return sum / weight
}

// dice is Dice's coefficient of the keys of p and those of the place, which count by
// the share of items that have them; 1 if neither has any.
func dice[K string | uint64](have counts[K], keys []K, items int) float64 {
	var all, both float64
	for _, c := range have {
		all += float64(c.N)
	}
	all /= float64(items)
	for _, k := range keys {
		both += min(1, float64(have.of(k))/float64(items))
	}
	if all+float64(len(keys)) == 0 {
		return 1
	}
	return min(1, 2*both/(all+float64(len(keys))))
}

// labelAgrees compares the label before the node. Labels that change from page to
// page, such as a title above, say nothing.
func (t *templateNode) labelAgrees(p *pageNode) (agree float64, known bool) {
	top, n := t.Labels.top()
	switch {
	case n == 0 && p.label == "":
		return 0, false
	case n == 0:
		return 0, isColoned(p.label)
	case p.label == "":
		return 0, isColoned(top) && 2*n > t.Pages
	case p.label == top:
		return 1, true
	case t.Labels.of(p.label) > 0:
		return .8, true
	}
	return 0, 2*n > t.Pages && (t.Pages > 1 || isColoned(top))
}

// wordsAgree compares the short texts: those that most pages have are part of the
// template. Of one page alone any common text is welcome, and a missing one no
// evidence.
func (t *templateNode) wordsAgree(p *pageNode) (share float64, known bool) {
	var usual, both int
	for _, c := range t.Words {
		if t.Pages > 1 && 2*c.N <= t.Pages {
			continue
		}
		usual++
		if _, found := slices.BinarySearch(p.words, c.Key); found {
			both++
		}
	}
	if usual == 0 || t.Pages == 1 && both == 0 {
		return 0, false
	}
	return float64(both) / float64(usual), true
}

// contradicts reports whether both are labels, terms of a list or texts with a colon,
// that say different things.
func (t *templateNode) contradicts(p *pageNode) bool {
	text := p.shortContent()
	if text == "" || len(t.Words) != 1 || t.Words[0].N < t.Pages || len(p.words) == 0 {
		return false
	}
	same := slices.Contains(p.words, t.Words[0].Key)
	return !same && (t.Name == "dt" || t.Name == "th" || isColoned(text))
}

func isColoned(s string) bool { return strings.HasSuffix(s, ":") || strings.HasSuffix(s, "：") }

func (t *templateNode) textSimilarity(p *pageNode) float64 {
	if t.Texts.of(textKey(p.text)) > 0 {
		return 1
	}
	if text, constant := t.constant(); constant && isColoned(text) && isColoned(p.text) {
		return 0
	}
	sim := minSimilar + .1
	if agree, known := t.labelAgrees(p); known {
		sim = .4 + .5*agree
	}
	if t.Core != nil && len(t.Core.Prefix) > 0 {
		words := strings.Fields(p.text)
		if len(words) > 0 && words[0] == t.Core.Prefix[0] {
			sim = max(sim, .8)
		}
	}
	return sim
}

// alike says how alike two nodes of a page are, from 0 to 1: whether they are items of
// one repeated attribute (sibling matching, paper 004, section 5.1).
func alike(a, b *pageNode) float64 {
	if a.name != b.name || !repeatable(a) {
		return 0
	}
	structure := jaccard(a.sketch, b.sketch)
	if len(a.classes)+len(b.classes) == 0 {
		if structure < .5 && isItem(a) {
			return minAlike
		}
		return math.Sqrt(structure)
	}
	return (structureWeight*structure + 2*classWeight*jaccard(a.classes, b.classes)) / (structureWeight + 2*classWeight)
}

// repeatable reports whether siblings of the kind may be items: the cells of a row
// and the terms of a list never are.
func repeatable(p *pageNode) bool {
	switch p.name {
	case textName, "td", "th", "dt", "head", "body", "br", "hr", "thead", "tbody", "tfoot", "h1", "html", "meta", "link", "title":
		return false
	}
	return true
}

// isItem reports whether the kind is made to repeat.
func isItem(p *pageNode) bool {
	return p.name == "li" || p.name == "tr" || p.name == "option" || p.name == "dd"
}

func jaccard[K string | uint64](a, b []K) float64 {
	both := 0
	for _, k := range a {
		if _, found := slices.BinarySearch(b, k); found {
			both++
		}
	}
	if either := len(a) + len(b) - both; either > 0 {
		return float64(both) / float64(either)
	}
	return 1
}
