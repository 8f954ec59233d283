package datasets

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eventseer/eventseer/internal/lines"
	"github.com/eventseer/eventseer/webgraph"
)

// Limits of a labels file.
const (
	maxLineBytes = 64 << 10
	maxLabels    = 10_000_000
)

// pageTypes are the page types a label may name.
var pageTypes = []string{
	"cfp", "cfp_list", "conference", "homepage", "institution_topic",
	mailAnnouncement, "weblog", "other",
}

// mailAnnouncement is the page type of all messages, whatever their text.
const mailAnnouncement = "mail_announcement"

// A Label is one line of a labels file.
type Label struct {
	URL string
	// PageType is cfp, cfp_list, conference, homepage, institution_topic, mail_announcement, weblog
	// or other. If the file has no such column it is empty, or mail_announcement if the file names
	// messages by id.
	PageType string
	// IsCFP means that a reader could learn from the page what is called for, and the deadline or how to
	// submit.
	IsCFP bool
	// Group names pages that a split must keep together. If the file has no groups it is the URL's host,
	// or the URL itself.
	Group string
	// Subtype, Lang, Discipline, How and Source are the values in the file, or empty.
	Subtype, Lang, Discipline, How, Source string
	// Line is the label's line number in the file, from 1.
	Line int
}

// text returns a pointer to the field of l for a text column, nil for any other column.
func (l *Label) text(column string) *string {
	switch column {
	case "url":
		return &l.URL
	case "page_type":
		return &l.PageType
	case "group":
		return &l.Group
	case "subtype":
		return &l.Subtype
	case "lang":
		return &l.Lang
	case "discipline":
		return &l.Discipline
	case "how":
		return &l.How
	case "source":
		return &l.Source
	}
	return nil
}

// Open reads the tab-separated labels file at path. Its header line names the columns. It must have the
// columns url, or id for messages, and is_cfp (true or false). Bad lines become Problems; if no line is
// good, Open returns an error.
func Open(path string) (*Dataset, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading: an error on closing loses nothing
	return Read(f, path)
}

// Read is like Open for a reader. Problems and errors contain name as the name of the file.
func Read(r io.Reader, name string) (*Dataset, error) {
	d := &Dataset{file: name, byURL: map[string]int{}}
	in := lines.NewReader(r, maxLineBytes)
	header, err := in.Next()
	if err != nil {
		return nil, fmt.Errorf("%s: no header line: %w", name, err)
	}
	columns := strings.Split(strings.TrimPrefix(string(header), "\ufeff"), "\t")
	d.typed = slices.Contains(columns, "page_type")
	if i := slices.Index(columns, "id"); i >= 0 && !slices.Contains(columns, "url") {
		columns[i], d.messages = "url", true
	}
	for _, need := range []string{"url", "is_cfp"} {
		if !slices.Contains(columns, need) {
			return nil, fmt.Errorf("%s:1: the header names no column %q, it must name url (or id) and is_cfp, tab-separated", name, need)
		}
	}
	for len(d.labels) < maxLabels {
		line, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		switch {
		case errors.Is(err, lines.ErrLong):
			d.addProblem(BadLine, in.N, "%v", err)
		case err != nil:
			return nil, fmt.Errorf("%s:%d: %w", name, in.N, err)
		case len(bytes.TrimSpace(line)) > 0:
			d.addLine(in.N, columns, string(line))
		}
	}
	switch n := len(d.unlabelled); {
	case n == 1:
		d.addProblem(BadLine, d.unlabelled[0], "is_cfp is empty; the line is left out")
	case n > 1:
		d.addProblem(BadLine, d.unlabelled[0], "is_cfp is empty, also in %d more lines; they are left out", n-1)
	}
	if len(d.labels) == 0 {
		return nil, fmt.Errorf("%s: no usable line%s", name, d.firstProblem())
	}
	return d, nil
}

// addLine adds the label of a line, or a problem if the line is bad.
func (d *Dataset) addLine(n int, columns []string, line string) {
	fields := strings.Split(line, "\t")
	if len(fields) != len(columns) {
		d.addProblem(BadLine, n, "%d columns, the header has %d", len(fields), len(columns))
		return
	}
	if !utf8.ValidString(line) {
		d.addProblem(BadLine, n, "the line is not UTF-8")
		return
	}
	label := Label{Line: n}
	for i, column := range columns {
		if column == "is_cfp" {
			if fields[i] == "" {
				d.unlabelled = append(d.unlabelled, n)
				return
			}
			if fields[i] != "true" && fields[i] != "false" {
				d.addProblem(BadLine, n, "is_cfp is %q, must be true or false", fields[i])
				return
			}
			label.IsCFP = fields[i] == "true"
		} else if field := label.text(column); field != nil {
			*field = fields[i]
		}
	}
	d.addLabel(label)
}

func (d *Dataset) addLabel(label Label) {
	switch {
	case label.URL == "":
		d.addProblem(BadLine, label.Line, "the url is empty")
		return
	case d.typed && !slices.Contains(pageTypes, label.PageType):
		d.addProblem(BadLine, label.Line, "unknown page_type %q, the types are %s", label.PageType, strings.Join(pageTypes, ", "))
		return
	}
	if d.messages && !d.typed {
		label.PageType = mailAnnouncement
	}
	if label.Group == "" {
		label.Group = webgraph.HostKey(label.URL)
	}
	if i, ok := d.byURL[label.URL]; ok {
		first := d.labels[i]
		if first.PageType != label.PageType || first.IsCFP != label.IsCFP {
			d.addProblem(Conflict, label.Line, "url %s has another label in line %d, the first is used: remove the wrong line", label.URL, first.Line)
		}
		return
	}
	d.byURL[label.URL] = len(d.labels)
	d.labels = append(d.labels, label)
}

func (d *Dataset) firstProblem() string {
	if d.Problems.Len() == 0 {
		return ""
	}
	return ", first problem: " + d.Problems.First()[0].String()
}

// MaxProblems is the largest number of problems that are stored; further ones are only counted.
const MaxProblems = 1000

// A ProblemKind is the kind of a problem.
type ProblemKind int

// The kinds of problems.
const (
	BadLine    ProblemKind = iota // a line of the labels file cannot be used
	Conflict                      // a URL has two labels
	NoPage                        // a label's page is not in the input
	TwicePage                     // a labelled page occurs twice
	Unreadable                    // a page cannot be read
	numKinds   int         = iota
)

var kindNames = [numKinds]string{"bad lines", "conflicting labels", "labels without page", "pages that come twice", "unreadable pages"}

// String returns the name of the kind in the plural.
func (k ProblemKind) String() string { return kindNames[k] }

// A Problem is one thing wrong with a dataset.
type Problem struct {
	Kind ProblemKind
	File string
	Line int // 0 if the problem is not in a line
	Text string
}

func (p Problem) String() string {
	if p.Line == 0 {
		return fmt.Sprintf("%s: %s", p.File, p.Text)
	}
	return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.Text)
}

// Problems are the problems of a dataset. The zero value is empty. It is not safe for concurrent use.
type Problems struct {
	first  []Problem
	counts [numKinds]int
}

// Add records p.
func (ps *Problems) Add(p Problem) {
	ps.counts[p.Kind]++
	if len(ps.first) < MaxProblems {
		ps.first = append(ps.first, p)
	}
}

// First returns the first problems, at most MaxProblems.
func (ps *Problems) First() []Problem { return ps.first }

// Len returns the number of problems, including those not stored.
func (ps *Problems) Len() int {
	sum := 0
	for _, n := range ps.counts {
		sum += n
	}
	return sum
}

// Write writes the first n problems, one per line. If there are more, it also writes their number by
// kind.
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

// ShownProblems is the number of problems of a dataset that commands print.
const ShownProblems = 10
