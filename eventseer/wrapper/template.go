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

// Bounds on a template.
const (
	maxTemplateNodes = 50_000
	maxSlots         = 1_000 // places among the children of a node
	maxAlternatives  = 24    // of one place
	maxFeatures      = 128   // of a node, of each sort
	maxTexts         = 8     // texts of a node that are distinguished
	forgetAfter      = 50    // pages after which a node that one page had is dropped
)

// A templateNode is what is known of one place of the pages, as the file of a wrapper
// has it.
type templateNode struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
	Path string `json:"path"` // on the page that had it first
	// Items counts how often it was there, Pages on how many pages; Last is the newest.
	Items   int            `json:"items"`
	Pages   int            `json:"pages"`
	Last    int            `json:"last"`
	Repeats bool           `json:"repeats,omitempty"`
	Says    bool           `json:"says,omitempty"`  // it was a label
	Least   int            `json:"least,omitempty"` // items within one parent, where there was one
	Most    int            `json:"most,omitempty"`
	Hash    uint64         `json:"hash"` // of the subtree it matched last
	Classes counts[string] `json:"classes,omitempty"`
	Labels  counts[string] `json:"labels,omitempty"` // before its first item of a page
	Sketch  counts[uint64] `json:"sketch,omitempty"`
	Words   counts[uint64] `json:"words,omitempty"` // of its first item of a page
	// Texts are the different texts of a text node, the first maxTexts.
	Texts counts[string] `json:"texts,omitempty"`
	Core  *core          `json:"core,omitempty"` // of a text node
	// Slots are the children in order; see slot.
	Slots []*slot `json:"slots,omitempty"`
}

// A slot is a place among the children of a node. It holds one node, or as
// alternatives several whose order no page has shown yet (the possible nodes of
// paper 004, figure 6), or whose order pages contradict (Free).
type slot struct {
	Nodes []*templateNode `json:"nodes"`
	// Before holds the pairs of IDs of which the first was seen before the second.
	Before [][2]int `json:"before,omitempty"`
	Free   bool     `json:"free,omitempty"`
}

// counts are the numbers of items that had a key, in the order of the keys.
type counts[K cmp.Ordered] []count[K]

type count[K cmp.Ordered] struct {
	Key K   `json:"key"`
	N   int `json:"n"`
}

// add counts one more item with the key, unless there are limit keys already.
func (c *counts[K]) add(key K, limit int) {
	i, found := c.search(key)
	switch {
	case found:
		(*c)[i].N++
	case len(*c) < limit:
		*c = slices.Insert(*c, i, count[K]{key, 1})
	}
}

func (c counts[K]) search(key K) (int, bool) {
	return slices.BinarySearchFunc(c, key, func(have count[K], key K) int { return cmp.Compare(have.Key, key) })
}

func (c counts[K]) of(key K) int {
	if i, found := c.search(key); found {
		return c[i].N
	}
	return 0
}

// top returns the most frequent key, the first of equals.
func (c counts[K]) top() (key K, n int) {
	for _, have := range c {
		if have.N > n {
			key, n = have.Key, have.N
		}
	}
	return key, n
}

// children yields the nodes of all slots in order.
func (t *templateNode) children() (out []*templateNode) {
	for _, s := range t.Slots {
		out = append(out, s.Nodes...)
	}
	return out
}

// constant reports whether all items had the one text, and what it is.
func (t *templateNode) constant() (string, bool) {
	if len(t.Texts) == 1 && t.Texts[0].N == t.Items {
		return t.Texts[0].Key, true
	}
	return "", false
}

// count counts one item of a page, and the page once however many items it has.
func (t *templateNode) count(p *pageNode, page int) {
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
			t.Core = newCore(p.text)
		} else if len(t.Texts) > 1 {
			t.Core.narrow(p.text)
		}
	}
}

// textKey returns the text itself if it is short and may be kept, else its beginning and hash.
func textKey(text string) string {
	if short := Kept(text, maxLabel); short != text {
		text = fmt.Sprintf("%s#%016x", clip(short, maxLabel/2), hashString(text))
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// maxAffix bounds the words at the beginning and end of a text that are looked at.
const maxAffix = 12

// A core is a text without the words with which all texts of a place begin and end:
// "Room 5" of "Where: Room 5".
type core struct {
	Prefix []string `json:"prefix,omitempty"`
	Suffix []string `json:"suffix,omitempty"`
}

// keptWords returns the words of a text without how to reach people.
func keptWords(text string) []string { return strings.Fields(eventseer.Redact(text)) }

func newCore(text string) *core {
	words := keptWords(text)
	return &core{Prefix: words[:min(len(words), maxAffix)], Suffix: words[max(0, len(words)-maxAffix):]}
}

// narrow keeps what of the beginning and end a different text has too.
func (c *core) narrow(text string) {
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

// of returns the core of a text, "" if the place has none or the text is all constant.
func (c *core) of(text string) string {
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

// Bounds on what is looked for within a text.
const (
	maxPieced = 200 // bytes of a text
	maxPieces = 8
)

// separators part the pieces of a text: "Room 5 | 10:00", "Ada (Oslo)".
var separators = []string{" | ", " · ", " • ", " – ", " — ", " - ", ", ", "; ", ": ", " / ", " @ ", " (", ". "}

// pieces observes the parts of a text: the value after a label of its own, and what
// separators part, by place and as a list.
func (o *observer) pieces(t *templateNode, p *pageNode) {
	if len(p.text) > maxPieced {
		return
	}
	if label, value := ownLabel(p.text); label != "" {
		o.add(viewKey{Node: t.ID, Part: Core, By: byLabel + Kept(label, maxLabel)}, p, value)
	}
	for _, sep := range separators {
		parts := strings.Split(p.text, sep)
		if len(parts) < 2 || len(parts) > maxPieces {
			continue
		}
		for i, part := range parts {
			part = trimPiece(part, sep)
			o.add(viewKey{Node: t.ID, Part: Piece, By: byPlace + strconv.Itoa(i+1) + " of " + strconv.Itoa(len(parts)) + " by " + sep}, p, part)
			if sep == ", " || sep == "; " {
				o.add(viewKey{Node: t.ID, Part: Pieces, By: byPlace + "by " + sep}, p, part)
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

// ownLabel returns the label with which a text begins, in lower case and with its
// colon, and what follows: "room:" and "5" of "Room: 5". It is "" if there is none.
func ownLabel(text string) (label, value string) {
	label, value, found := strings.Cut(text, ":")
	if !found || len(label) > maxLabel || len(strings.Fields(label)) > labelWords || strings.ContainsFunc(label, unicode.IsDigit) ||
		!strings.ContainsFunc(label, unicode.IsLetter) || !strings.HasPrefix(value, " ") {
		return "", ""
	}
	return strings.ToLower(strings.TrimSpace(label)) + ":", strings.TrimSpace(value)
}
