package wrapper

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Limits on fields.
const (
	maxLabels = 12 // labelled views of one node
	maxParts  = 16 // texts of an element whose whole text may be a field
	amidFrom  = 20 // number of pages from which constant text between data is not a field
	maxPlaced = 30 // children of a node whose constant texts may be fields
	maxBeside = 3  // texts in a neighbour with data
)

// maxExample is the maximum length of an example, in bytes.
const maxExample = 300

func (w *Wrapper) newNode(p *pageNode) *templateNode {
	w.nodes++
	return &templateNode{ID: w.nodes, Name: p.name, Path: p.node.Path()}
}

// learnViews adds the values found on a page to the views.
func (w *Wrapper) learnViews(o *observer, url string) {
	for _, key := range o.keys {
		got := o.found[key]
		v := w.views[key]
		if v == nil {
			if len(w.views) >= maxViews {
				continue
			}
			v = &view{Field: &Field{
				Path: got.values[0].Node.Path(), Attr: key.Attr, Part: key.Part, Label: strings.TrimPrefix(key.By, byLabel),
			}}
			if !strings.HasPrefix(key.By, byLabel) {
				v.Field.Label = ""
			}
			w.addView(key, v)
		}
		v.addObservation(got, w.Pages, url)
	}
}

func (w *Wrapper) addView(key viewKey, v *view) {
	w.views[key] = v
	keys := w.byNode[key.Node]
	i, _ := slices.BinarySearchFunc(keys, key, compareKeys)
	w.byNode[key.Node] = slices.Insert(keys, i, key)
}

func (v *view) addObservation(got *observation, page int, url string) {
	var texts strings.Builder
	for _, value := range got.values {
		texts.WriteString(value.Text)
		texts.WriteByte(0)
	}
	h := hashString(texts.String())
	if v.Pages == 0 {
		v.First = h
	}
	v.Pages++
	v.Last = page
	v.Most = max(v.Most, len(got.values))
	v.Varied = v.Varied || h != v.First
	v.Term = v.Term || got.term
	v.Label = v.Label || got.label
	v.Sum += hashString(strconv.FormatUint(h, 36) + " " + strconv.Itoa(page))
	f := v.Field
	f.Seen = v.Pages
	f.Repeats = f.Repeats || len(got.values) > 1
	f.Examples = slices.Insert(f.Examples, 0, Example{URL: url, Value: StoredText(got.values[0].Text, maxExample)})
	f.Examples = f.Examples[:min(len(f.Examples), MaxExamples)]
}

// listFields sets w.Fields to the views that carry data, in the order of the template.
func (w *Wrapper) listFields() {
	var candidates []viewKey
	amid := w.nodesAmidData()
	w.forEachNode(func(t, parent *templateNode) {
		var labelled []viewKey
		for _, key := range w.byNode[t.ID] {
			v := w.views[key]
			v.Field.Optional, v.Listed = v.Pages < w.Pages, false
			switch {
			case !w.carriesData(t, parent, key, v, amid):
			case key.isLabelled():
				labelled = append(labelled, key)
			default:
				candidates = append(candidates, key)
			}
		}
		if len(labelled) <= maxLabels { // more labels are the entries of a menu
			candidates = append(candidates, labelled...)
		}
	})
	best := make(map[uint64]viewKey) // for each list of values, the best view that has it, by view.Sum
	for _, key := range candidates {
		v := w.views[key]
		have, found := best[v.Sum]
		if !found || w.viewRank(key) < w.viewRank(have) {
			best[v.Sum] = key
		}
	}
	w.Fields = w.Fields[:0:0]
	for _, key := range candidates {
		v := w.views[key]
		if best[v.Sum] != key && v.Field.Meaning == "" {
			continue
		}
		if v.Field.ID == "" {
			w.named++
			v.Field.ID = fmt.Sprintf("f%d", w.named)
		}
		v.Listed = true
		w.Fields = append(w.Fields, v.Field)
	}
}

// isLabelled reports whether a view has the values after a label. In the list of fields these come after other
// views of the node.
func (k viewKey) isLabelled() bool { return strings.HasPrefix(k.By, byLabel) && k.Part != Section }

// forEachNode calls f with each node of the template, in order, and its parent. The parent of the root is nil.
func (w *Wrapper) forEachNode(f func(t, parent *templateNode)) {
	var walk func(t, parent *templateNode)
	walk = func(t, parent *templateNode) {
		f(t, parent)
		for _, c := range t.children() {
			walk(c, t)
		}
	}
	if w.root != nil {
		walk(w.root, nil)
	}
}

// carriesData reports whether a view may be a field: pages differ in its values, or in whether they have it.
func (w *Wrapper) carriesData(t, parent *templateNode, key viewKey, v *view, amid map[*templateNode]bool) bool {
	switch {
	case v.Field.Meaning != "":
		return true
	case v.Label && !v.Varied:
		return false
	case key.Part == Item && (t.Least != t.Most || t.Most < 2 || t.Most > maxPlaces):
		return false
	case key.Part == Piece && v.Pages < t.Pages: // the number of pieces varies between pages
		return false
	case (key.Part == Family || key.Part == Deep && key.Attr == "" || key.Part == Pieces) && v.Most < 2:
		return false
	case v.Pages < 2 && w.Pages > constFrom && (key.Part != Whole || !parent.isTemplatePart(w.Pages)):
		return false
	case (key.Part == Whole || key.Part == Rest) && key.Attr == "" && t.countTexts() > maxParts:
		return false
	case strings.HasPrefix(key.By, byLabel) && v.Pages < 2:
		return false
	case w.Pages < constFrom:
		return true
	}
	if v.Varied || v.Pages < w.Pages {
		return true
	}
	return key.Part == Whole && key.Attr == "" && key.By == "" && !v.Label && (v.Term || w.Pages < amidFrom && amid[t])
}

// nodesAmidData returns the nodes with constant text that have siblings whose values differ. Text between data may
// be a value that has not changed yet, unlike text in a menu.
func (w *Wrapper) nodesAmidData() map[*templateNode]bool {
	varied := make(map[*templateNode]bool)
	amid := make(map[*templateNode]bool)
	var walk func(t *templateNode)
	walk = func(t *templateNode) {
		children := t.children()
		differ := 0
		for _, c := range children {
			walk(c)
			if varied[c] && c.countTexts() <= maxBeside {
				differ++
			}
		}
		v := w.views[viewKey{Node: t.ID}]
		varied[t] = slices.ContainsFunc(children, func(c *templateNode) bool { return varied[c] }) ||
			t.Name == textName && v != nil && v.Varied
		if differ == 0 || len(children) > maxPlaced || t.Name == "body" {
			return
		}
		for _, c := range children {
			for !varied[c] && !c.Repeats && !c.Says {
				amid[c] = true
				below := c.children()
				if len(below) != 1 {
					break
				}
				c = below[0]
			}
		}
	}
	if w.root != nil {
		walk(w.root)
	}
	return amid
}

// isTemplatePart reports whether the node consists of parts of the template rather than of a sentence. Then content
// of a single page may be a rare field.
func (t *templateNode) isTemplatePart(pages int) bool {
	return t != nil && 2*t.Pages > pages && !slices.ContainsFunc(t.children(), func(c *templateNode) bool { return c.Name == textName })
}

// countTexts returns the number of text nodes below that at least half of the items have. It stops counting above
// maxParts.
func (t *templateNode) countTexts() int {
	if t.Name == textName {
		return 1
	}
	n := 0
	for _, c := range t.children() {
		if 2*c.Items >= t.Items {
			n += c.countTexts()
		}
		if n > maxParts {
			break
		}
	}
	return n
}

// viewRank orders views with the same values. The lowest rank is the easiest to understand.
func (w *Wrapper) viewRank(key viewKey) int {
	rank := 0
	if strings.Contains(w.views[key].Field.Path, "/head/") {
		rank += 4
	}
	if key.Part != Whole {
		rank += 2
	}
	if key.By != "" {
		rank++
	}
	return rank
}
