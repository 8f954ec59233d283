// Package datasets reads and writes labelled pages, texts and vectors.
//
// A Dataset is a labels file whose labels are matched with pages. Bad lines and missing pages are
// collected as Problems with file and line, and reading continues. An Example is one labelled page or
// text; JSONL, tables, fastText and mbox files hold them too. Vectors is a set of labelled vectors from
// an svmlight file, an ARFF file or a numeric table; there reading ends at the first wrong line.
// Everything that a file controls is limited.
//
// The package also provides the document frequencies and cities that the shipped features and extractors
// use.
package datasets

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/webgraph"
)

// An Example is a labelled page.
type Example struct {
	Label
	Page *webgraph.Page
	// Class is the name of the page's class in a dataset with its own classes, such as the name of the
	// page's folder. It is empty if Label has all information.
	Class string
	// Untyped means that the dataset has neither page types nor is_cfp.
	Untyped bool
}

// Columns are the columns of a labels file that may hold the class. "label" is the class of a dataset
// with its own classes.
var Columns = []string{"label", "page_type", "is_cfp", "subtype", "lang", "discipline", "source"}

// ClassBy returns the class of e in one of Columns, "" if it has none there; is_cfp gives "cfp" or
// "not_cfp". If column is empty, it uses the first that e has of label, page_type and is_cfp.
func (e Example) ClassBy(column string) string {
	switch column {
	case "":
		for _, column := range Columns[:3] {
			if class := e.ClassBy(column); class != "" {
				return class
			}
		}
	case "label":
		return e.Class
	case "is_cfp":
		switch {
		case e.IsCFP:
			return "cfp"
		case !e.Untyped:
			return "not_cfp"
		}
	default:
		if field := e.text(column); field != nil {
			return *field
		}
	}
	return ""
}

// A Dataset is a labels file whose labels are matched with pages. It is not safe for concurrent use.
type Dataset struct {
	// Problems are the problems found so far. Examples adds to them.
	Problems Problems

	file            string
	typed, messages bool // the labels have page types (typed), and identify messages by ID (messages)
	labels          []Label
	unlabelled      []int          // lines without is_cfp
	byURL           map[string]int // index into labels
	bodies          map[string]webgraph.Digest
}

// Examples returns the labelled pages in the order of pages. It skips pages without a label. It adds
// unreadable pages, repeated pages and, at the end, labels without a page to d.Problems.
func (d *Dataset) Examples(pages iter.Seq2[*webgraph.Page, error]) iter.Seq[Example] {
	return func(yield func(Example) bool) {
		d.bodies = make(map[string]webgraph.Digest, len(d.labels))
		for page, err := range pages {
			if err != nil {
				d.addProblem(Unreadable, 0, "a page cannot be read: %v", err)
				continue
			}
			i, ok := d.byURL[page.URL]
			if !ok {
				continue
			}
			label := d.labels[i]
			if _, twice := d.bodies[page.URL]; twice {
				d.addProblem(TwicePage, label.Line, "page %s occurs twice, the first one is used", page.URL)
				continue
			}
			d.bodies[page.URL] = page.Digest()
			if !yield(Example{Label: label, Page: page}) {
				return
			}
		}
		for _, label := range d.labels {
			if _, ok := d.bodies[label.URL]; !ok {
				d.addProblem(NoPage, label.Line, "page %s is not in the input: add the page or remove the line", label.URL)
			}
		}
	}
}

// Digest returns a digest of the examples that were read. The same labels with the same bodies give the
// same digest in any order.
func (d *Dataset) Digest() string {
	labels := slices.Clone(d.labels)
	slices.SortFunc(labels, func(a, b Label) int { return strings.Compare(a.URL, b.URL) })
	h := sha256.New()
	for _, l := range labels {
		if body, ok := d.bodies[l.URL]; ok {
			_, _ = fmt.Fprintf(h, "%s\t%s\t%t\t%s\t%s\n", l.URL, l.PageType, l.IsCFP, l.Group, body) // a hash takes all
		}
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// Len returns the number of labels.
func (d *Dataset) Len() int { return len(d.labels) }

// Labels returns the usable labels in the order of the file. Callers must not
// change them.
func (d *Dataset) Labels() []Label { return d.labels }

func (d *Dataset) addProblem(kind ProblemKind, line int, format string, args ...any) {
	d.Problems.Add(Problem{Kind: kind, File: d.file, Line: line, Text: fmt.Sprintf(format, args...)})
}
