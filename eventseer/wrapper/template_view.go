package wrapper

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// Bounds on the views of a template.
const (
	maxViews    = 100_000
	maxComposed = 4_000 // nodes of a subtree whose whole text is a value
	maxPlaces   = 6     // items of a run that are views of their own by their place
	constFrom   = 5     // pages after which text that all have is no field
	staleAfter  = 20    // pages after which a label that one page had is dropped
)

// A viewKey names one way to read values at a node of the template: one node gives
// several, of different granularity.
type viewKey struct {
	Node int    `json:"node"`
	Part Part   `json:"part,omitempty"`
	Attr string `json:"attr,omitempty"`
	// By narrows it: the label before the value, the kind of the children, the place.
	By string `json:"by,omitempty"`
}

func compareKeys(a, b viewKey) int {
	return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Part, b.Part), strings.Compare(a.Attr, b.Attr), strings.Compare(a.By, b.By))
}

// A view is a possible field, with what pages gave for it so far.
type view struct {
	Field  *Field `json:"field"`
	Listed bool   `json:"listed,omitempty"` // it is one of Wrapper.Fields
	Pages  int    `json:"pages"`
	Last   int    `json:"last"` // newest page with a value
	Most   int    `json:"most"` // the greatest number of values of a page
	// Sum tells views apart: two with the same sum gave the same values on all pages.
	Sum    uint64 `json:"sum"`
	First  uint64 `json:"first"`            // hash of the values of the first page
	Varied bool   `json:"varied,omitempty"` // pages gave different values
	Term   bool   `json:"term,omitempty"`   // a label is before
	Label  bool   `json:"label,omitempty"`  // it is itself what says what the next is
}

// An observation is the values that a page has for a view.
type observation struct {
	values []Value
	term   bool
	label  bool
}

// observe collects the values of all views of a matched page.
type observer struct {
	views  map[viewKey]*view // those there are already
	learn  bool              // any view is wanted, not only those of fields
	found  map[viewKey]*observation
	keys   []viewKey       // in order of the page
	levels map[string]int  // of the page's kinds of elements: -1 if on several
	around []*templateNode // of the elements around the one observed

	matched, unmatched int
}

func newObserver(w *Wrapper, learn bool) *observer {
	return &observer{views: w.views, learn: learn, found: make(map[viewKey]*observation), levels: make(map[string]int)}
}

// add adds a value, if anyone wants the view.
func (o *observer) add(key viewKey, p *pageNode, text string) *observation {
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

// labelled adds a value to the view, and to that of its label.
func (o *observer) labelled(key viewKey, p *pageNode, text, label string, term bool) {
	if got := o.add(key, p, text); got != nil {
		got.term = got.term || term
	}
	if label != "" {
		key.By = byLabel + Kept(label, maxLabel)
		o.add(key, p, text)
	}
}

// What viewKey.By begins with.
const (
	byLabel = "label:"
	byKind  = "kind:"
	byPlace = "place:"
)

// walk observes p and what is below it.
func (o *observer) walk(p *pageNode) {
	t := p.match
	counts := p.name == textName || p.name == "a" && p.node.Attr("href") != "" // in what the template has a place for
	switch {
	case t != nil && counts:
		o.matched++
	case counts:
		o.unmatched++
	}
	if t != nil {
		o.node(t, p)
	}
	o.around = append(o.around, t)
	for _, c := range p.children {
		o.walk(c)
	}
	o.around = o.around[:len(o.around)-1]
}

// level records on which levels of the page the kinds of elements with text are.
func (o *observer) level(p *pageNode, depth int) {
	if p.speaks() {
		if have, found := o.levels[p.kind()]; found && have != depth {
			depth = -1
		}
		o.levels[p.kind()] = depth
	}
	for _, c := range p.children {
		o.level(c, depth+1)
	}
}

// speaks reports whether p is an element with text of its own.
func (p *pageNode) speaks() bool {
	return p.name != textName && slices.ContainsFunc(p.children, func(c *pageNode) bool { return c.name == textName })
}

// deep observes the elements of one kind below each of those around it. It is for kinds on several
// levels of a page: in nested lists, and where elements are not closed.
func (o *observer) deep(p *pageNode, text string) {
	if !p.speaks() || p.isConstant() {
		return
	}
	several := o.levels[p.kind()] < 0
	for _, t := range o.around[max(0, len(o.around)-maxDisplaced):] {
		if t == nil {
			continue
		}
		key := viewKey{Node: t.ID, Part: Deep, By: byKind + p.kind()}
		if several || o.views[key] != nil {
			o.add(key, p, text)
		}
	}
}

func (o *observer) node(t *templateNode, p *pageNode) {
	key := viewKey{Node: t.ID}
	if p.name == textName {
		label, _ := p.asLabel()
		term := p.term || p.parent != nil && p.parent.term
		if got := o.add(key, p, p.text); got != nil {
			got.term, got.label = got.term || term, got.label || label != "" && isColoned(p.text)
		}
		if p.scope != "" {
			key.By = byLabel + Kept(p.scope, maxLabel)
			o.add(key, p, p.text)
		}
		o.add(viewKey{Node: t.ID, Part: Core}, p, t.Core.of(p.text))
		o.pieces(t, p)
		return
	}
	if p.name != lineName {
		o.attrs(t, p)
	}
	if p.size > maxComposed {
		return
	}
	text := p.content()
	if p.hasText() {
		o.labelled(key, p, text, p.scope, p.term)
		if rest := p.withoutConstants(); rest != text {
			key.Part = Rest
			o.labelled(key, p, rest, p.scope, p.term)
		}
		o.deep(p, text)
	}
	o.lines(t, p)
	o.families(t, p)
	o.sections(t, p)
}

func (o *observer) attrs(t *templateNode, p *pageNode) {
	for name, value := range p.dataOf() {
		label := strings.ToLower(p.shortContent())
		o.labelled(viewKey{Node: t.ID, Attr: name}, p, value, cmp.Or(label, p.scope), false)
		o.deepAddress(p, name, value)
	}
}

// deepAddress observes the addresses of all links or pictures below each of the elements around
// them. Those in sentences have no place of their own.
func (o *observer) deepAddress(p *pageNode, name, value string) {
	if name != "href" && name != "src" {
		return
	}
	for _, t := range o.around[max(0, len(o.around)-maxDisplaced):] {
		if t != nil {
			o.add(viewKey{Node: t.ID, Part: Deep, Attr: name, By: byKind + p.name}, p, value)
		}
	}
}

// dataOf yields the attributes that may be data, with their values as written; of a
// style the address of its picture.
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

// pictureOf returns the address that a style names, "" if it names none.
func pictureOf(style string) string {
	_, rest, found := strings.Cut(style, "url(")
	address, _, closed := strings.Cut(rest, ")")
	if !found || !closed {
		return ""
	}
	return strings.Trim(address, `"' `)
}

// hasText reports whether there is a text in the subtree.
func (p *pageNode) hasText() bool {
	return p.name == textName || slices.ContainsFunc(p.children, (*pageNode).hasText)
}

// withoutConstants returns the content without the texts that all pages have.
func (p *pageNode) withoutConstants() string {
	var b strings.Builder
	if !p.appendVaried(&b) {
		return p.content()
	}
	return clip(strings.Join(strings.Fields(b.String()), " "), maxValue)
}

// appendVaried appends the texts that are no constants, and reports whether it left
// one out.
func (p *pageNode) appendVaried(b *strings.Builder) (left bool) {
	if p.name == textName {
		if p.isConstant() {
			return true
		}
		b.WriteByte(' ')
		b.WriteString(p.text)
		return false
	}
	for _, c := range p.children {
		left = c.appendVaried(b) || left
	}
	return left
}

// lines observes the first, the last and the other lines of an element that has some.
func (o *observer) lines(t *templateNode, p *pageNode) {
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
		text := l.content()
		if i == 0 {
			o.add(viewKey{Node: t.ID, Part: First}, l, text)
		} else {
			o.add(viewKey{Node: t.ID, Part: ButFirst}, l, text)
		}
		if i == len(lines)-1 {
			o.add(viewKey{Node: t.ID, Part: Last}, l, text)
		} else {
			o.add(viewKey{Node: t.ID, Part: ButLast}, l, text)
		}
	}
}

// families observes children of one kind as one list, wherever the template has
// them, and the items of a run by their place.
func (o *observer) families(t *templateNode, p *pageNode) {
	run := make(map[*templateNode]int)
	var joined []*templateNode
	texts := make(map[*templateNode][]string)
	for _, c := range p.children {
		for name, value := range c.dataOf() {
			o.add(viewKey{Node: t.ID, Part: Family, Attr: name, By: byKind + c.name}, c, value)
		}
		if c.name == textName || c.size > maxComposed || !c.hasText() {
			continue
		}
		text := c.content()
		if !c.isConstant() {
			o.add(viewKey{Node: t.ID, Part: Family, By: byKind + c.kind()}, c, text)
		}
		if m := c.match; m != nil {
			if run[m]++; run[m] <= maxPlaces {
				o.add(viewKey{Node: m.ID, Part: Item, By: byPlace + strconv.Itoa(run[m])}, c, text)
			}
			if texts[m] == nil {
				joined = append(joined, m)
			}
			texts[m] = append(texts[m], text)
		}
	}
	for _, m := range joined {
		if m.Repeats {
			o.add(viewKey{Node: m.ID, Part: Joined}, p, clip(strings.Join(texts[m], " "), maxValue))
		}
	}
}

func (p *pageNode) kind() string {
	if len(p.classes) > 0 {
		return p.name + p.classes[0]
	}
	return p.name
}

// isConstant reports whether all texts of the subtree are the template's.
func (p *pageNode) isConstant() bool {
	if p.name == textName {
		if p.match == nil || p.match.Pages < constFrom-1 {
			return false
		}
		_, constant := p.match.constant()
		return constant
	}
	return !slices.ContainsFunc(p.children, func(c *pageNode) bool { return !c.isConstant() })
}

// sections observes what is under a heading up to the next as one value, by the text of the heading
// and by its place.
func (o *observer) sections(t *templateNode, p *pageNode) {
	for i := 0; i < len(p.children); {
		label := p.children[i].label
		end := i + 1
		for end < len(p.children) && p.children[end].label == label {
			end++
		}
		if label != "" {
			o.add(viewKey{Node: t.ID, Part: Section, By: byLabel + clip(label, maxLabel)}, p, joinedContent(p.children[i:end]))
		}
		i = end
	}
	o.prose(t, p)
}

// prose observes the sentences and lists that follow a heading or block as one value.
func (o *observer) prose(t *templateNode, p *pageNode) {
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
			o.add(key, p.children[i], joinedContent(p.children[i:end]))
		}
		i = end
	}
}

// isProse reports whether p continues the text before it. Such a paragraph, list or part of a
// sentence is no heading and no separate block.
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
			texts = append(texts, c.content())
		}
	}
	return clip(strings.Join(texts, " "), maxValue)
}
