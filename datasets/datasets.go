// Package datasets reads labelled pages: a labels file and the pages it names.
// Dirty lines and missing pages are problems that are collected with file and
// line; reading goes on. It also holds the document frequencies that shipped
// features refer to.
package datasets

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"eventseer/webgraph"
)

// An Example is a labelled page.
type Example struct {
	Label
	Page *webgraph.Page
}

// A Problem is one thing wrong with a dataset.
type Problem struct {
	File string
	Line int // 0 where no line is to blame
	Text string
}

func (p Problem) String() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s", p.File, p.Text)
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text)
}

// A Dataset is a labels file that pages are matched with. It is not safe for
// concurrent use.
type Dataset struct {
	// Problems grows while Examples is read.
	Problems []Problem

	file   string
	labels []Label
	byURL  map[string]int // index into labels
	bodies map[string]webgraph.Digest
}

// Examples yields the labelled pages in the order of pages. Pages without a
// label are passed over; unreadable pages, pages that come twice and, at the
// end, labels without a page are added to d.Problems.
func (d *Dataset) Examples(pages iter.Seq2[*webgraph.Page, error]) iter.Seq[Example] {
	return func(yield func(Example) bool) {
		d.bodies = make(map[string]webgraph.Digest, len(d.labels))
		for page, err := range pages {
			if err != nil {
				d.problem(0, "a page cannot be read: %v", err)
				continue
			}
			i, ok := d.byURL[page.URL]
			if !ok {
				continue
			}
			label := d.labels[i]
			if _, twice := d.bodies[page.URL]; twice {
				d.problem(label.Line, "page %s comes twice, the first is used", page.URL)
				continue
			}
			d.bodies[page.URL] = page.Digest()
			if !yield(Example{Label: label, Page: page}) {
				return
			}
		}
		for _, label := range d.labels {
			if _, ok := d.bodies[label.URL]; !ok {
				d.problem(label.Line, "no page %s", label.URL)
			}
		}
	}
}

// Digest names the examples that were read: the same labels with the same
// bodies give the same digest, in whatever order they come.
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

func (d *Dataset) problem(line int, format string, args ...any) {
	d.Problems = append(d.Problems, Problem{File: d.file, Line: line, Text: fmt.Sprintf(format, args...)})
}

// WriteProblems writes the first n problems, a line each, and how many more there are.
func (d *Dataset) WriteProblems(w io.Writer, n int) error {
	for i, p := range d.Problems {
		if i == n {
			_, err := fmt.Fprintf(w, "… and %d more problems\n", len(d.Problems)-n)
			return err
		}
		if _, err := fmt.Fprintln(w, p); err != nil {
			return err
		}
	}
	return nil
}
