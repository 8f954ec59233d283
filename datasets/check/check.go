package check

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// Limits for sizes that are reported as too small or too large.
const (
	tinyClass   = 20      // number of examples below which figures are meaningless
	emptyWords  = 5       // of a text
	hugeText    = 1 << 20 // bytes
	nearWords   = 50      // minimum number of words for which a fingerprint is reliable
	maxFindings = 10_000  // largest number of findings that are stored per kind
)

// A page is the stored data of a labelled page.
type page struct {
	datasets.Label
	file string
}

func (p page) String() string { return fmt.Sprintf("%s:%d", p.file, p.Line) }

// A Checker compares each page with the previous ones.
type Checker struct {
	findings []Finding
	counts   map[string]int // of findings, by kind
	seen     []page
	labels   map[string]page           // by URL
	groups   map[string]page           // the first of each
	bodies   map[webgraph.Digest]int   // by body: index in seen of the first page with it
	leaked   map[string]bool           // groups said to leak
	near     webgraph.NearIndex        // of the texts
	texts    []int                     // by number in near: index in seen
	classes  map[string]map[string]int // number of labels by file and class
}

// New returns a checker that has not read any page.
func New() *Checker {
	return &Checker{
		counts: map[string]int{}, labels: map[string]page{}, groups: map[string]page{},
		bodies: map[webgraph.Digest]int{}, leaked: map[string]bool{}, classes: map[string]map[string]int{},
	}
}

// addFinding records a finding about p.
func (c *Checker) addFinding(kind string, p page, format string, args ...any) {
	c.counts[kind]++
	if c.counts[kind] <= maxFindings {
		c.findings = append(c.findings, Finding{kind, severityOf(kind), p.file, p.Line, p.URL, fmt.Sprintf(format, args...)})
	}
}

// Read reads the labels files and checks their pages. It calls pages once per file.
func (c *Checker) Read(ctx context.Context, files []string, pages func() iter.Seq2[*webgraph.Page, error]) error {
	for _, file := range files {
		data, err := datasets.Open(file)
		if err != nil {
			return err
		}
		c.classes[file] = map[string]int{}
		for _, l := range data.Labels() {
			c.checkLabel(page{l, file})
		}
		for e := range data.Examples(pages()) {
			c.checkPage(page{e.Label, file}, e.Page)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, p := range data.Problems.First() {
			kind := BadInput
			switch p.Kind {
			case datasets.Conflict:
				kind = ConflictURL
			case datasets.NoPage:
				kind = NoPage
			}
			c.addFinding(kind, page{datasets.Label{Line: p.Line}, p.File}, "%s", p.Text)
		}
	}
	return nil
}

// checkLabel checks a label without its page.
func (c *Checker) checkLabel(p page) {
	for _, class := range classesOf(p.Label) {
		c.classes[p.file][class]++
	}
	if first, ok := c.labels[p.URL]; !ok {
		c.labels[p.URL] = p
	} else if first.file != p.file {
		c.addFinding(LeakURL, p, "also at %v", first)
		if !sameClass(first.Label, p.Label) {
			c.addFinding(ConflictURL, p, "its label is %s, but %s at %v", className(p.Label), className(first.Label), first)
		}
	}
	if first, ok := c.groups[p.Group]; !ok {
		c.groups[p.Group] = p
	} else if first.file != p.file && !c.leaked[p.Group] {
		c.leaked[p.Group] = true
		c.addFinding(LeakGroup, p, "its group %s is also at %v", p.Group, first)
	}
}

// checkPage checks the page of a label.
func (c *Checker) checkPage(p page, body *webgraph.Page) {
	n := len(c.seen)
	c.seen = append(c.seen, p)
	digest := body.Digest()
	if i, ok := c.bodies[digest]; ok && len(body.Body) > 0 {
		c.reportSameBody(p, c.seen[i])
		return // and the same text
	}
	c.bodies[digest] = n
	tree, err := tagtree.Parse(body)
	if err != nil {
		c.addFinding(BadInput, p, "%v", err)
		return
	}
	text := tree.Text()
	fingerprint, words := webgraph.Simhash(text)
	switch {
	case words < emptyWords:
		c.addFinding(EmptyText, p, "%d words", words)
	case len(text) > hugeText:
		c.addFinding(HugeText, p, "%d bytes of text", len(text))
	}
	if words < nearWords {
		return
	}
	c.checkSimilar(p, NearDuplicate, "is in another group", fingerprint, func(q page) bool { return q.Group != p.Group })
	c.checkSimilar(p, NearConflict, "is "+className(p.Label), fingerprint, func(q page) bool { return !sameClass(q.Label, p.Label) })
	c.near.Add(fingerprint)
	c.texts = append(c.texts, n)
}

// checkSimilar records a finding about the earlier page with the text most similar to that of p, among those
// that keep accepts.
func (c *Checker) checkSimilar(p page, kind, why string, f webgraph.Fingerprint, keep func(q page) bool) {
	i, distance := c.near.Nearest(f, func(i int) bool { return keep(c.seen[c.texts[i]]) })
	if i < 0 {
		return
	}
	q := c.seen[c.texts[i]]
	c.addFinding(kind, p, "%s; %d of 64 bits differ from %s at %v, which is %s in group %s", why, distance, q.URL, q, className(q.Label), q.Group)
}

func (c *Checker) reportSameBody(p, first page) {
	switch {
	case p.URL == first.URL: // said already
		return
	case p.file != first.file:
		c.addFinding(LeakBody, p, "it has the same body as %s at %v", first.URL, first)
	case p.Group != first.Group:
		c.addFinding(DuplicateBody, p, "it has the same body as %s at %v, which is in another group", first.URL, first)
	}
	if !sameClass(first.Label, p.Label) {
		c.addFinding(ConflictBody, p, "its label is %s, but %s with the same body at %v: %s", className(p.Label), className(first.Label), first, first.URL)
	}
}

// CheckClassSizes checks the number of examples of each class.
func (c *Checker) CheckClassSizes(files []string) {
	for _, file := range files {
		for class, n := range c.classes[file] { // sorted at the end
			if n < tinyClass {
				c.addFinding(TinyClass, page{file: file}, "there are %d labels of class %s; figures from fewer than %d are not reliable", n, class, tinyClass)
			}
		}
	}
}

// Findings returns the findings sorted by kind, file, line and text.
func (c *Checker) Findings() []Finding {
	slices.SortStableFunc(c.findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(slices.Index(Kinds, a.Kind), slices.Index(Kinds, b.Kind)),
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Text, b.Text),
		)
	})
	return c.findings
}

func sameClass(a, b datasets.Label) bool {
	return a.IsCFP == b.IsCFP && (a.PageType == b.PageType || a.PageType == "" || b.PageType == "")
}

// classesOf returns the classes of a label, for counting.
func classesOf(l datasets.Label) []string {
	e := datasets.Example{Label: l}
	classes := []string{"is_cfp " + e.ClassBy("is_cfp")}
	if l.PageType != "" {
		classes = append(classes, "page_type "+l.PageType)
	}
	return classes
}

// className returns a label's class as text for readers.
func className(l datasets.Label) string {
	return strings.TrimSpace(fmt.Sprintf("%s %s", l.PageType, datasets.Example{Label: l}.ClassBy("is_cfp")))
}

// Pages returns the number of labelled pages that were checked.
func (c *Checker) Pages() int { return len(c.seen) }

// Count returns the number of findings of a kind, including those not stored.
func (c *Checker) Count(kind string) int { return c.counts[kind] }

// Errors returns the number of findings that are errors.
func (c *Checker) Errors() int {
	n := 0
	for _, kind := range Kinds {
		if severityOf(kind) == Error {
			n += c.counts[kind]
		}
	}
	return n
}
