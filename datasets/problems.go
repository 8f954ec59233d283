package datasets

import (
	"fmt"
	"io"
	"strings"
)

// MaxProblems is how many problems of a dataset are kept; the rest is counted.
const MaxProblems = 1000

// A ProblemKind says what sort of thing is wrong.
type ProblemKind int

// The kinds of problems.
const (
	BadLine    ProblemKind = iota // a line of the labels file cannot be used
	Conflict                      // a URL has two labels
	NoPage                        // a label's page is not in the input
	TwicePage                     // a labelled page comes twice
	Unreadable                    // a page cannot be read
	numKinds   int         = iota
)

var kindNames = [numKinds]string{"bad lines", "conflicting labels", "labels without page", "pages that come twice", "unreadable pages"}

// String says the kind in the plural.
func (k ProblemKind) String() string { return kindNames[k] }

// A Problem is one thing wrong with a dataset.
type Problem struct {
	Kind ProblemKind
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

// Problems are what is wrong with a dataset. The zero value holds none. They are
// not safe for concurrent use.
type Problems struct {
	first  []Problem
	counts [numKinds]int
}

// Add notes p.
func (ps *Problems) Add(p Problem) {
	ps.counts[p.Kind]++
	if len(ps.first) < MaxProblems {
		ps.first = append(ps.first, p)
	}
}

// First returns the first problems, at most MaxProblems.
func (ps *Problems) First() []Problem { return ps.first }

// Len returns how many problems were noted.
func (ps *Problems) Len() int {
	sum := 0
	for _, n := range ps.counts {
		sum += n
	}
	return sum
}

// Write writes the first n problems, a line each, and if there are more, how
// many of each kind there are.
func (ps *Problems) Write(w io.Writer, n int) error {
	for _, p := range ps.first[:min(n, len(ps.first))] {
		if _, err := fmt.Fprintln(w, p); err != nil {
			return err
		}
	}
	if ps.Len() <= n {
		return nil
	}
	var kinds []string
	for k, count := range ps.counts {
		if count > 0 {
			kinds = append(kinds, fmt.Sprintf("%d %s", count, ProblemKind(k)))
		}
	}
	_, err := fmt.Fprintf(w, "… and %d more problems, in all %s\n", ps.Len()-n, strings.Join(kinds, ", "))
	return err
}

// ShownProblems is how many problems of a dataset are printed for people.
const ShownProblems = 10
