package wrapper

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/eventseer"
)

// Limits on a template.
const (
	maxTemplateNodes = 50_000
	maxSlots         = 1_000 // slots of a node
	maxAlternatives  = 24    // nodes of a slot
	maxFeatures      = 128   // keys of each count of a node
	maxTexts         = 8     // different texts of a node
	forgetAfter      = 50    // pages after which a node that only one page had is removed
)

// A templateNode describes one position in the pages of a template. It is stored in the wrapper's file.
type templateNode struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
	Path string `json:"path"` // tag path in the first page that had it
	// Items is the number of occurrences, Pages the number of pages with one, and Last the number of the
	// newest such page.
	Items   int            `json:"items"`
	Pages   int            `json:"pages"`
	Last    int            `json:"last"`
	Repeats bool           `json:"repeats,omitempty"`
	Says    bool           `json:"says,omitempty"`  // true if it was a label
	Least   int            `json:"least,omitempty"` // minimum and maximum number of items in one parent that had any
	Most    int            `json:"most,omitempty"`
	Hash    uint64         `json:"hash"` // hash of the last subtree matched
	Classes counts[string] `json:"classes,omitempty"`
	Labels  counts[string] `json:"labels,omitempty"` // labels before the first item of each page
	Sketch  counts[uint64] `json:"sketch,omitempty"`
	Words   counts[uint64] `json:"words,omitempty"` // short texts of the first item of each page
	// Texts are the first maxTexts different texts of a text node.
	Texts counts[string] `json:"texts,omitempty"`
	Core  *commonAffixes `json:"core,omitempty"` // common beginning and end of the texts of a text node
	// Slots contain the children in order.
	Slots []*childSlot `json:"slots,omitempty"`
}

// A childSlot is a position among the children of a node. It contains one node, or several alternatives. The order
// of alternatives is unknown so far (the possible nodes of paper 004, figure 6), or differs between pages
// (Free).
type childSlot struct {
	Nodes []*templateNode `json:"nodes"`
	// Before has pairs of node IDs. The first node of a pair was seen before the second.
	Before [][2]int `json:"before,omitempty"`
	Free   bool     `json:"free,omitempty"`
}

// counts has the number of items with each key, in order of the keys.
type counts[K cmp.Ordered] []keyCount[K]

type keyCount[K cmp.Ordered] struct {
	Key K   `json:"key"`
	N   int `json:"n"`
}

// add counts one more item with the key. A new key is ignored if there are limit keys already.
func (c *counts[K]) add(key K, limit int) {
	i, found := c.search(key)
	switch {
	case found:
		(*c)[i].N++
	case len(*c) < limit:
		*c = slices.Insert(*c, i, keyCount[K]{key, 1})
	}
}

func (c counts[K]) search(key K) (int, bool) {
	return slices.BinarySearchFunc(c, key, func(have keyCount[K], key K) int { return cmp.Compare(have.Key, key) })
}

func (c counts[K]) countOf(key K) int {
	if i, found := c.search(key); found {
		return c[i].N
	}
	return 0
}

// mostFrequent returns the most frequent key, the first of equally frequent ones.
func (c counts[K]) mostFrequent() (key K, n int) {
	for _, have := range c {
		if have.N > n {
			key, n = have.Key, have.N
		}
	}
	return key, n
}

// children returns the nodes of all slots in order.
func (t *templateNode) children() (out []*templateNode) {
	for _, s := range t.Slots {
		out = append(out, s.Nodes...)
	}
	return out
}

// constantText returns the text of the node if all items have the same one.
func (t *templateNode) constantText() (string, bool) {
	if len(t.Texts) == 1 && t.Texts[0].N == t.Items {
		return t.Texts[0].Key, true
	}
	return "", false
}

// countItem counts one item on a page. Pages is increased only for the first item of a page.
func (t *templateNode) countItem(p *pageNode, page int) {
	t.Items++
	if label, _ := p.asLabel(); label != "" {
		t.Says = true
	}
	t.Hash = p.hash
	for _, c := range p.classes {
		t.Classes.add(c, maxFeatures)
	}
	if t.Last != page {
		t.Pages++
		t.Last = page
		if p.label != "" {
			t.Labels.add(p.label, maxFeatures)
		}
		for _, h := range p.words {
			t.Words.add(h, maxFeatures)
		}
	}
	for _, h := range p.sketch {
		t.Sketch.add(h, maxFeatures)
	}
	if p.name == textName {
		t.Texts.add(textKey(p.text), maxTexts)
		if t.Core == nil {
			t.Core = newCommonAffixes(p.text)
		} else if len(t.Texts) > 1 {
			t.Core.reduceTo(p.text)
		}
	}
}

// textKey returns the text itself if it is short and contains no mail address or telephone number. Otherwise
// it returns a part of its beginning and a hash.
func textKey(text string) string {
	if short := StoredText(text, maxLabel); short != text {
		text = fmt.Sprintf("%s#%016x", cutToBytes(short, maxLabel/2), hashString(text))
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// maxAffix is the maximum number of words compared at the beginning and at the end of a text.
const maxAffix = 12

// A commonAffixes has the words with which all texts of a node begin and end. The rest of a text is its value: "Room
// 5" of "Where: Room 5".
type commonAffixes struct {
	Prefix []string `json:"prefix,omitempty"`
	Suffix []string `json:"suffix,omitempty"`
}

// keptWords returns the words of a text without mail addresses and telephone numbers.
func keptWords(text string) []string { return strings.Fields(eventseer.Redact(text)) }

func newCommonAffixes(text string) *commonAffixes {
	words := keptWords(text)
	return &commonAffixes{Prefix: words[:min(len(words), maxAffix)], Suffix: words[max(0, len(words)-maxAffix):]}
}

// reduceTo reduces prefix and suffix to the words that a further text shares.
func (c *commonAffixes) reduceTo(text string) {
	words := keptWords(text)
	n := 0
	for n < len(c.Prefix) && n < len(words) && c.Prefix[n] == words[n] {
		n++
	}
	c.Prefix = c.Prefix[:n]
	s := 0
	for s < len(c.Suffix) && s < len(words)-n && c.Suffix[len(c.Suffix)-1-s] == words[len(words)-1-s] {
		s++
	}
	c.Suffix = c.Suffix[len(c.Suffix)-s:]
}

// withoutAffixes returns a text without prefix and suffix. It returns "" if there are none, or if the text does not have
// them with words between.
func (c *commonAffixes) withoutAffixes(text string) string {
	if c == nil || len(c.Prefix)+len(c.Suffix) == 0 {
		return ""
	}
	words := keptWords(text)
	from, to := len(c.Prefix), len(words)-len(c.Suffix)
	if from >= to || strings.Join(words[:from], " ") != strings.Join(c.Prefix, " ") ||
		strings.Join(words[to:], " ") != strings.Join(c.Suffix, " ") {
		return ""
	}
	return strings.Join(words[from:to], " ")
}

// Limits on pieces of a text.
const (
	maxPieced = 200 // bytes of a text that is split
	maxPieces = 8
)

// separators are the strings between pieces of a text, as in "Room 5 | 10:00" and "Ada (Oslo)".
var separators = []string{" | ", " · ", " • ", " – ", " — ", " - ", ", ", "; ", ": ", " / ", " @ ", " (", ". "}

// observePieces observes the parts of a text. These are the value after a label in the text, and the pieces between
// separators, each by its position and all as a list.d all as a list.d all as a list.
func (o *observer) observePieces(t *templateNode, p *pageNode) {
	if len(p.text) > maxPieced {
		return
	}
	if label, value := splitLabel(p.text); label != "" {
		o.addValue(viewKey{Node: t.ID, Part: Core, By: byLabel + StoredText(label, maxLabel)}, p, value)
	}
	for _, sep := range separators {
		parts := strings.Split(p.text, sep)
		if len(parts) < 2 || len(parts) > maxPieces {
			continue
		}
		for i, part := range parts {
			part = trimPiece(part, sep)
			o.addValue(viewKey{Node: t.ID, Part: Piece, By: byPlace + strconv.Itoa(i+1) + " of " + strconv.Itoa(len(parts)) + " by " + sep}, p, part)
			if sep == ", " || sep == "; " {
				o.addValue(viewKey{Node: t.ID, Part: Pieces, By: byPlace + "by " + sep}, p, part)
			}
		}
	}
}

func trimPiece(s, sep string) string {
	s = strings.TrimSpace(s)
	if sep == " (" {
		s = strings.TrimSuffix(s, ")")
	}
	return s
}

// splitLabel splits a text such as "Room: 5" into label "room:", in lower case with its colon, and value "5".
// It returns "" if the text has no label.
func splitLabel(text string) (label, value string) {
	label, value, found := strings.Cut(text, ":")
	if !found || len(label) > maxLabel || len(strings.Fields(label)) > labelWords || strings.ContainsFunc(label, unicode.IsDigit) ||
		!strings.ContainsFunc(label, unicode.IsLetter) || !strings.HasPrefix(value, " ") {
		return "", ""
	}
	return strings.ToLower(strings.TrimSpace(label)) + ":", strings.TrimSpace(value)
}
