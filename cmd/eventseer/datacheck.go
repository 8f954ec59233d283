package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/datasets"
	"eventseer/features/tagtree"
	"eventseer/webgraph"

	"github.com/spf13/cobra"
)

// What data check takes for too little, or too much.
const (
	tinyClass   = 20      // examples; with fewer no figure is worth printing
	emptyWords  = 5       // of a text
	hugeText    = 1 << 20 // bytes
	nearWords   = 50      // from which the fingerprint of a text means something
	maxFindings = 10_000  // of a kind that are shown
)

func newDataCheckCommand(a *app.App) *cobra.Command {
	var labels, test string
	var pages []string
	cmd := &cobra.Command{
		Use: "check --data LABELS --pages INPUT", Short: "Look for leaks, conflicts and other faults of labelled pages",
		Example: `  eventseer data check --data labels.tsv --pages pages.warc.gz
  eventseer data check --data train.tsv --test test.tsv --pages pages.warc.gz --format jsonl
  eventseer data check --data mails.tsv --pages mails.mbox --quiet && echo sound`,
		Long: `Look for leaks, conflicts and other faults of labelled pages.

Errors, with exit 4: leak_url, leak_group, leak_body (on both sides of --data and
--test), conflict_url, conflict_body (one page or body, two labels).
Warnings: duplicate_body and near_duplicate (in two groups), near_conflict (two
labels; near is a 64-bit simhash over word triples at most 3 bits apart, of texts
of 50 words or more), tiny_class (under 20), empty_text, huge_text (over 1 MiB),
no_page, bad_input.`,
		Args: args(cobra.NoArgs),
	}
	flags := cmd.Flags()
	flags.StringVar(&labels, "data", "", "labels file")
	flags.StringVar(&test, "test", "", "labels file of the other side of a split")
	flags.StringArrayVar(&pages, "pages", nil, "INPUT that holds the labelled pages, may be repeated")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if labels == "" || len(pages) == 0 {
			return app.Usagef("--data LABELS and --pages INPUT are needed")
		}
		files := []string{labels}
		if test != "" {
			files = append(files, test)
		}
		return checkData(cmd.Context(), a, files, pages)
	}
	return cmd
}

func checkData(ctx context.Context, a *app.App, files, inputs []string) error {
	format, err := a.Format("table", "jsonl", "json")
	if err != nil {
		return err
	}
	c := newDataChecker()
	if err := c.read(ctx, a, files, inputs); err != nil {
		return err
	}
	c.tiny(files)
	findings := c.sorted()
	if err := a.WithOutput(func(w io.Writer) error { return writeFindings(w, format, findings) }); err != nil {
		return err
	}
	return summarize(a, c, files)
}

// summarize says how many findings there are, and is the error of those that
// are errors.
func summarize(a *app.App, c *dataChecker, files []string) error {
	var kinds []string
	errors := 0
	for _, kind := range findingKinds {
		if n := c.counts[kind]; n > 0 {
			kinds = append(kinds, fmt.Sprintf("%d %s", n, kind))
			if severityOf(kind) == "error" {
				errors += n
			}
		}
	}
	if len(kinds) == 0 {
		kinds = []string{"nothing found"}
	}
	a.Logf("%d pages of %s: %s", len(c.seen), strings.Join(files, " and "), strings.Join(kinds, ", "))
	if errors > 0 {
		return fmt.Errorf("%w: %d leaks or conflicts", app.ErrGate, errors)
	}
	return nil
}

// A checkedPage is what is kept of a page.
type checkedPage struct {
	datasets.Label
	file string
}

func (p checkedPage) String() string { return fmt.Sprintf("%s:%d", p.file, p.Line) }

// A dataChecker compares each page with those before it.
type dataChecker struct {
	findings []finding
	counts   map[string]int
	seen     []checkedPage
	labels   map[string]checkedPage    // by URL
	groups   map[string]checkedPage    // the first of each
	bodies   map[webgraph.Digest]int   // index into seen of the first with a body
	leaked   map[string]bool           // groups said to leak
	near     webgraph.NearIndex        // of the texts
	texts    []int                     // index into seen by number in near
	classes  map[string]map[string]int // file → class → labels
}

func newDataChecker() *dataChecker {
	return &dataChecker{
		counts: map[string]int{}, labels: map[string]checkedPage{}, groups: map[string]checkedPage{},
		bodies: map[webgraph.Digest]int{}, leaked: map[string]bool{}, classes: map[string]map[string]int{},
	}
}

// found notes a finding about p.
func (c *dataChecker) found(kind string, p checkedPage, format string, args ...any) {
	c.counts[kind]++
	if c.counts[kind] <= maxFindings {
		c.findings = append(c.findings, finding{kind, severityOf(kind), p.file, p.Line, p.URL, fmt.Sprintf(format, args...)})
	}
}

// read reads the labels files and looks at their pages.
func (c *dataChecker) read(ctx context.Context, a *app.App, files, inputs []string) error {
	for _, file := range files {
		data, err := datasets.Open(file)
		if err != nil {
			return err
		}
		c.classes[file] = map[string]int{}
		for _, l := range data.Labels() {
			c.label(checkedPage{l, file})
		}
		for e := range data.Examples(engine.PagesOfInputs(ctx, a, inputs, "")) {
			c.page(checkedPage{e.Label, file}, e.Page)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		for _, p := range data.Problems.First() {
			kind := badInput
			switch p.Kind {
			case datasets.Conflict:
				kind = conflictURL
			case datasets.NoPage:
				kind = noPage
			}
			c.found(kind, checkedPage{datasets.Label{Line: p.Line}, p.File}, "%s", p.Text)
		}
	}
	return nil
}

// label looks at a label without its page.
func (c *dataChecker) label(p checkedPage) {
	for _, class := range classesOf(p.Label) {
		c.classes[p.file][class]++
	}
	if first, ok := c.labels[p.URL]; !ok {
		c.labels[p.URL] = p
	} else if first.file != p.file {
		c.found(leakURL, p, "also at %v", first)
		if !sameClass(first.Label, p.Label) {
			c.found(conflictURL, p, "is %s, but %s at %v", className(p.Label), className(first.Label), first)
		}
	}
	if first, ok := c.groups[p.Group]; !ok {
		c.groups[p.Group] = p
	} else if first.file != p.file && !c.leaked[p.Group] {
		c.leaked[p.Group] = true
		c.found(leakGroup, p, "group %s also at %v", p.Group, first)
	}
}

// page looks at a label's page.
func (c *dataChecker) page(p checkedPage, page *webgraph.Page) {
	n := len(c.seen)
	c.seen = append(c.seen, p)
	digest := page.Digest()
	if i, ok := c.bodies[digest]; ok && len(page.Body) > 0 {
		c.sameBody(p, c.seen[i])
		return // and the same text
	}
	c.bodies[digest] = n
	tree, err := tagtree.Parse(page)
	if err != nil {
		c.found(badInput, p, "%v", err)
		return
	}
	text := tree.Text()
	fingerprint, words := webgraph.Simhash(text)
	switch {
	case words < emptyWords:
		c.found(emptyText, p, "%d words", words)
	case len(text) > hugeText:
		c.found(hugeTexts, p, "%d bytes of text", len(text))
	}
	if words < nearWords {
		return
	}
	c.nearTo(p, nearDuplicate, "is in another group", fingerprint, func(q checkedPage) bool { return q.Group != p.Group })
	c.nearTo(p, nearConflict, "is "+className(p.Label), fingerprint, func(q checkedPage) bool { return !sameClass(q.Label, p.Label) })
	c.near.Add(fingerprint)
	c.texts = append(c.texts, n)
}

// nearTo notes the text nearest to that of p among those before that keep accepts.
func (c *dataChecker) nearTo(p checkedPage, kind, why string, f webgraph.Fingerprint, keep func(q checkedPage) bool) {
	i, distance := c.near.Nearest(f, func(i int) bool { return keep(c.seen[c.texts[i]]) })
	if i < 0 {
		return
	}
	q := c.seen[c.texts[i]]
	c.found(kind, p, "%s; %d of 64 bits from %s at %v, which is %s in group %s", why, distance, q.URL, q, className(q.Label), q.Group)
}

func (c *dataChecker) sameBody(p, first checkedPage) {
	switch {
	case p.URL == first.URL: // said already
		return
	case p.file != first.file:
		c.found(leakBody, p, "same body as %s at %v", first.URL, first)
	case p.Group != first.Group:
		c.found(duplicateBody, p, "same body as %s at %v, which is in another group", first.URL, first)
	}
	if !sameClass(first.Label, p.Label) {
		c.found(conflictBody, p, "is %s, but %s with the same body at %v: %s", className(p.Label), className(first.Label), first, first.URL)
	}
}

// tiny looks at the number of examples of each class.
func (c *dataChecker) tiny(files []string) {
	for _, file := range files {
		for class, n := range c.classes[file] { // sorted at the end
			if n < tinyClass {
				c.found(tinyClasses, checkedPage{file: file}, "%d labels of class %s, no figure of it is worth printing under %d", n, class, tinyClass)
			}
		}
	}
}

// sorted returns the findings by kind, file, line and text.
func (c *dataChecker) sorted() []finding {
	slices.SortStableFunc(c.findings, func(a, b finding) int {
		return cmp.Or(
			cmp.Compare(slices.Index(findingKinds, a.Kind), slices.Index(findingKinds, b.Kind)),
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Text, b.Text),
		)
	})
	return c.findings
}

func sameClass(a, b datasets.Label) bool {
	return a.IsCFP == b.IsCFP && (a.PageType == b.PageType || a.PageType == "" || b.PageType == "")
}

// classesOf are the classes of a label, for counting.
func classesOf(l datasets.Label) []string {
	e := datasets.Example{Label: l}
	classes := []string{"is_cfp " + e.ClassBy("is_cfp")}
	if l.PageType != "" {
		classes = append(classes, "page_type "+l.PageType)
	}
	return classes
}

// className is a label for people.
func className(l datasets.Label) string {
	return strings.TrimSpace(fmt.Sprintf("%s %s", l.PageType, datasets.Example{Label: l}.ClassBy("is_cfp")))
}
