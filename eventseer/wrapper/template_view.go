package wrapper

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// Limits on the views of a template.
const (
	maxViews    = 100_000
	maxComposed = 4_000 // nodes of a subtree whose whole text may be a value
	maxPlaces   = 6     // items of a list that have a view for their position
	constFrom   = 5     // number of pages from which constant text is not a field
	staleAfter  = 20    // pages after which a label that only one page had is removed
)

// A viewKey identifies one kind of values at a template node. A node has several, of different granularity.
type viewKey struct {
	Node int    `json:"node"`
	Part Part   `json:"part,omitempty"`
	Attr string `json:"attr,omitempty"`
	// By restricts the values: by the label before them, the kind of the children, or the position.
	By string `json:"by,omitempty"`
}

func compareKeys(a, b viewKey) int {
	return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Part, b.Part), strings.Compare(a.Attr, b.Attr), strings.Compare(a.By, b.By))
}

// A view is a possible field with the values that pages had so far.
type view struct {
	Field  *Field `json:"field"`
	Listed bool   `json:"listed,omitempty"` // true if it is one of Wrapper.Fields
	Pages  int    `json:"pages"`
	Last   int    `json:"last"` // number of the newest page with a value
	Most   int    `json:"most"` // maximum number of values on a page
	// Sum is a hash of the values on all pages. Views with the same sum have the same values.
	Sum    uint64 `json:"sum"`
	First  uint64 `json:"first"`            // hash of the values on the first page
	Varied bool   `json:"varied,omitempty"` // true if values differ between pages
	Term   bool   `json:"term,omitempty"`   // true if a label precedes the value
	Label  bool   `json:"label,omitempty"`  // true if the value is itself a label
}

// An observation is the list of values of a view on one page.
type observation struct {
	values []Value
	term   bool
	label  bool
}

// An observer collects the values of views on a matched page.
type observer struct {
	views  map[viewKey]*view // known views
	learn  bool              // true to collect values of all views, false for those of fields only
	found  map[viewKey]*observation
	keys   []viewKey       // keys of found, in order of the page
	levels map[string]int  // level by kind of element, -1 if on several levels
	around []*templateNode // template nodes of the elements around the current one

	matched, unmatched int
}

func newObserver(w *Wrapper, learn bool) *observer {
	return &observer{views: w.views, learn: learn, found: make(map[viewKey]*observation), levels: make(map[string]int)}
}

// addValue adds a value to a view and returns the view's observation. It returns nil if the text is empty or the
// view is not collected.
func (o *observer) addValue(key viewKey, p *pageNode, text string) *observation {
	if v := o.views[key]; text == "" || !o.learn && (v == nil || !v.Listed) {
		return nil
	}
	got := o.found[key]
	if got == nil {
		got = &observation{}
		o.found[key] = got
		o.keys = append(o.keys, key)
	}
	got.values = append(got.values, Value{Text: text, Node: p.node})
	return got
}

// addLabelled adds a value to a view, and to the view of values with the same label.
func (o *observer) addLabelled(key viewKey, p *pageNode, text, label string, term bool) {
	if got := o.addValue(key, p, text); got != nil {
		got.term = got.term || term
	}
	if label != "" {
		key.By = byLabel + StoredText(label, maxLabel)
		o.addValue(key, p, text)
	}
}

// Prefixes of viewKey.By.
const (
	byLabel = "label:"
	byKind  = "kind:"
	byPlace = "place:"
)

// observeTree observes p and everything inside.
func (o *observer) observeTree(p *pageNode) {
	t := p.match
	counts := p.name == textName || p.name == "a" && p.node.Attr("href") != "" // counted as matched or unmatched
	switch {
	case t != nil && counts:
		o.matched++
	case counts:
		o.unmatched++
	}
	if t != nil {
		o.observeNode(t, p)
	}
	o.around = append(o.around, t)
	for _, c := range p.children {
		o.observeTree(c)
	}
	o.around = o.around[:len(o.around)-1]
}

// recordLevel records the level of each kind of element with text.
func (o *observer) recordLevel(p *pageNode, depth int) {
	if p.hasOwnText() {
		if have, found := o.levels[p.kind()]; found && have != depth {
			depth = -1
		}
		o.levels[p.kind()] = depth
	}
	for _, c := range p.children {
		o.recordLevel(c, depth+1)
	}
}

// hasOwnText reports whether p is an element with text of its own.
func (p *pageNode) hasOwnText() bool {
	return p.name != textName && slices.ContainsFunc(p.children, func(c *pageNode) bool { return c.name == textName })
}

// observeDeep observes p for each of the template nodes around it, as one of the elements of its kind below. It does
// so for kinds that are on several levels, as in nested lists or with unclosed elements.
func (o *observer) observeDeep(p *pageNode, text string) {
	if !p.hasOwnText() || p.isConstant() {
		return
	}
	several := o.levels[p.kind()] < 0
	for _, t := range o.around[max(0, len(o.around)-maxDisplaced):] {
		if t == nil {
			continue
		}
		key := viewKey{Node: t.ID, Part: Deep, By: byKind + p.kind()}
		if several || o.views[key] != nil {
			o.addValue(key, p, text)
		}
	}
}

func (o *observer) observeNode(t *templateNode, p *pageNode) {
	key := viewKey{Node: t.ID}
	if p.name == textName {
		label, _ := p.asLabel()
		term := p.term || p.parent != nil && p.parent.term
		if got := o.addValue(key, p, p.text); got != nil {
			got.term, got.label = got.term || term, got.label || label != "" && endsWithColon(p.text)
		}
		if p.scope != "" {
			key.By = byLabel + StoredText(p.scope, maxLabel)
			o.addValue(key, p, p.text)
		}
		o.addValue(viewKey{Node: t.ID, Part: Core}, p, t.Core.withoutAffixes(p.text))
		o.observePieces(t, p)
		return
	}
	if p.name != lineName {
		o.observeAttributes(t, p)
	}
	if p.size > maxComposed {
		return
	}
	text := p.textContent()
	if p.hasText() {
		o.addLabelled(key, p, text, p.scope, p.term)
		if rest := p.withoutConstants(); rest != text {
			key.Part = Rest
			o.addLabelled(key, p, rest, p.scope, p.term)
		}
		o.observeDeep(p, text)
	}
	o.observeLines(t, p)
	o.observeFamilies(t, p)
	o.observeSections(t, p)
}

func (o *observer) observeAttributes(t *templateNode, p *pageNode) {
	for name, value := range p.dataOf() {
		label := strings.ToLower(p.shortContent())
		o.addLabelled(viewKey{Node: t.ID, Attr: name}, p, value, cmp.Or(label, p.scope), false)
		o.observeAddress(p, name, value)
	}
}

// observeAddress observes the address of a link or picture for each of the template nodes around it. Links in
// sentences have no position of their own in the template.
func (o *observer) observeAddress(p *pageNode, name, value string) {
	if name != "href" && name != "src" {
		return
	}
	for _, t := range o.around[max(0, len(o.around)-maxDisplaced):] {
		if t != nil {
			o.addValue(viewKey{Node: t.ID, Part: Deep, Attr: name, By: byKind + p.name}, p, value)
		}
	}
}

// dataOf returns an iterator over attributes that may be data, with their values as written. For a style, the
// value is the address of its picture.
func (p *pageNode) dataOf() iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		if p.name == textName || p.name == lineName {
			return
		}
		for _, a := range p.node.Attrs {
			value := strings.TrimSpace(a.Value)
			if a.Name == styleAttr {
				value = pictureOf(value)
			}
			if value != "" && len(value) <= maxValue && slices.Contains(dataAttrs, a.Name) && !yield(a.Name, value) {
				return
			}
		}
	}
}

// pictureOf returns the address in a style, or "".
func pictureOf(style string) string {
	_, rest, found := strings.Cut(style, "url(")
	address, _, closed := strings.Cut(rest, ")")
	if !found || !closed {
		return ""
	}
	return strings.Trim(address, `"' `)
}

// hasText reports whether the subtree contains a text.
func (p *pageNode) hasText() bool {
	return p.name == textName || slices.ContainsFunc(p.children, (*pageNode).hasText)
}

// withoutConstants returns the content without texts that are the same on all pages.
func (p *pageNode) withoutConstants() string {
	var b strings.Builder
	if !p.appendVaryingTexts(&b) {
		return p.textContent()
	}
	return cutToBytes(strings.Join(strings.Fields(b.String()), " "), maxValue)
}

// appendVaryingTexts appends the texts that are not constant, and reports whether it omitted one.
func (p *pageNode) appendVaryingTexts(b *strings.Builder) (left bool) {
	if p.name == textName {
		if p.isConstant() {
			return true
		}
		b.WriteByte(' ')
		b.WriteString(p.text)
		return false
	}
	for _, c := range p.children {
		left = c.appendVaryingTexts(b) || left
	}
	return left
}

// observeLines observes the lines of an element: the first, the last, and the others.
func (o *observer) observeLines(t *templateNode, p *pageNode) {
	var lines []*pageNode
	for _, c := range p.children {
		if c.name == lineName && c.hasText() {
			lines = append(lines, c)
		}
	}
	if len(lines) < 2 {
		return
	}
	for i, l := range lines {
		text := l.textContent()
		if i == 0 {
			o.addValue(viewKey{Node: t.ID, Part: First}, l, text)
		} else {
			o.addValue(viewKey{Node: t.ID, Part: ButFirst}, l, text)
		}
		if i == len(lines)-1 {
			o.addValue(viewKey{Node: t.ID, Part: Last}, l, text)
		} else {
			o.addValue(viewKey{Node: t.ID, Part: ButLast}, l, text)
		}
	}
}

// observeFamilies observes the children of one kind as a list, wherever they are in the template. It also observes
// the items of a list by position, and joined.
func (o *observer) observeFamilies(t *templateNode, p *pageNode) {
	run := make(map[*templateNode]int)
	var joined []*templateNode
	texts := make(map[*templateNode][]string)
	for _, c := range p.children {
		for name, value := range c.dataOf() {
			o.addValue(viewKey{Node: t.ID, Part: Family, Attr: name, By: byKind + c.name}, c, value)
		}
		if c.name == textName || c.size > maxComposed || !c.hasText() {
			continue
		}
		text := c.textContent()
		if !c.isConstant() {
			o.addValue(viewKey{Node: t.ID, Part: Family, By: byKind + c.kind()}, c, text)
		}
		if m := c.match; m != nil {
			if run[m]++; run[m] <= maxPlaces {
				o.addValue(viewKey{Node: m.ID, Part: Item, By: byPlace + strconv.Itoa(run[m])}, c, text)
			}
			if texts[m] == nil {
				joined = append(joined, m)
			}
			texts[m] = append(texts[m], text)
		}
	}
	for _, m := range joined {
		if m.Repeats {
			o.addValue(viewKey{Node: m.ID, Part: Joined}, p, cutToBytes(strings.Join(texts[m], " "), maxValue))
		}
	}
}

func (p *pageNode) kind() string {
	if len(p.classes) > 0 {
		return p.name + p.classes[0]
	}
	return p.name
}

// isConstant reports whether all texts of the subtree are constant in the template.
func (p *pageNode) isConstant() bool {
	if p.name == textName {
		if p.match == nil || p.match.Pages < constFrom-1 {
			return false
		}
		_, constant := p.match.constantText()
		return constant
	}
	return !slices.ContainsFunc(p.children, func(c *pageNode) bool { return !c.isConstant() })
}

// observeSections observes the content between two headings as one value, by the text of the heading. It then
// calls observeProse.
func (o *observer) observeSections(t *templateNode, p *pageNode) {
	for i := 0; i < len(p.children); {
		label := p.children[i].label
		end := i + 1
		for end < len(p.children) && p.children[end].label == label {
			end++
		}
		if label != "" {
			o.addValue(viewKey{Node: t.ID, Part: Section, By: byLabel + cutToBytes(label, maxLabel)}, p, joinedContent(p.children[i:end]))
		}
		i = end
	}
	o.observeProse(t, p)
}

// observeProse observes the sentences and lists that follow a heading or block as one value, by the node that they
// follow.
func (o *observer) observeProse(t *templateNode, p *pageNode) {
	key := viewKey{Node: t.ID, Part: Section, By: byPlace + "begin"}
	for i := 0; i < len(p.children); {
		if c := p.children[i]; !isProse(c) {
			key = viewKey{Part: Section}
			if c.match != nil {
				key.Node = c.match.ID
			}
			i++
			continue
		}
		end := i + 1
		for end < len(p.children) && isProse(p.children[end]) {
			end++
		}
		if key.Node > 0 {
			o.addValue(key, p.children[i], joinedContent(p.children[i:end]))
		}
		i = end
	}
}

// isProse reports whether p may continue the text before it: a paragraph, a list or an inline element.
func isProse(p *pageNode) bool {
	switch p.name {
	case "p", "ul", "ol", "pre", "blockquote":
		return true
	}
	return !blockNames[p.name]
}

// joinedContent returns the contents of siblings in one line, at most maxValue bytes.
func joinedContent(siblings []*pageNode) string {
	var texts []string
	for _, c := range siblings {
		if c.size <= maxComposed && c.hasText() {
			texts = append(texts, c.textContent())
		}
	}
	return cutToBytes(strings.Join(texts, " "), maxValue)
}
