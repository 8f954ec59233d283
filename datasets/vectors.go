package datasets

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/internal/lines"
)

// Limits of a file of vectors.
const (
	// MaxIndex is the largest index of a component, counted from 1.
	MaxIndex = 1 << 24
	// MaxClasses is the largest number of classes.
	MaxClasses = 256

	maxRows        = 10_000_000
	maxValues      = 200_000_000 // in a file
	maxVectorLine  = 16 << 20    // bytes
	maxNameBytes   = 4 << 10     // length of the name of a component, a class, a group or an ID
	slabComponents = 64 << 10
)

// Reasons for refusing a file of vectors. Errors that wrap them name the file, the line and the remedy.
var (
	// ErrFormat means that a line does not have the file's format.
	ErrFormat = errors.New("not in the format")
	// ErrOrder means that indexes do not increase.
	ErrOrder = errors.New("index out of order")
	// ErrNotFinite means that a value is NaN or infinite, or too large for a float64.
	ErrNotFinite = errors.New("value not finite")
	// ErrMissing means that a value is missing without ColumnOptions.MissingZero, or that a class is
	// missing.
	ErrMissing = errors.New("missing value")
	// ErrTooLarge means that a file exceeds a limit of this package.
	ErrTooLarge = errors.New("too large")
)

// Vectors is a set of labelled vectors from an svmlight file, an ARFF file or a numeric table.
type Vectors struct {
	// Names are the names of the components, nil if the file has none.
	Names []string
	// Classes are the names of the classes. In svmlight files they are the labels, ascending; in ARFF
	// files they are in the order declared; in tables they are sorted.
	Classes []string
	Rows    []Row
	// Missing is the number of missing values that were read as 0.
	Missing int
}

// A Row is one labelled vector.
type Row struct {
	X     features.Vector
	Class int    // index into Classes
	Group string // rows with the same group must be kept together in a split; "" if unknown
	ID    string // identifies the row's source, "" if unknown
	Line  int    // line number in the file, from 1; 0 if the row is not from a file
}

// NumComponents returns the number of components: the number of names, or the largest index.
func (v *Vectors) NumComponents() int {
	dims := len(v.Names)
	for _, row := range v.Rows {
		if n := row.X.Len(); n > 0 {
			dims = max(dims, int(row.X.Index[n-1])+1)
		}
	}
	return dims
}

// Name returns the name of component i, counted from 0. If the set has no names, it is the number i+1.
func (v *Vectors) Name(i int) string {
	if i < len(v.Names) {
		return v.Names[i]
	}
	return strconv.Itoa(i + 1)
}

// A filePosition is a line of a file, for error messages.
type filePosition struct {
	file string
	line int
}

// errorf returns an error that wraps kind, with the place before it and the message after it.
func (p filePosition) errorf(kind error, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w: %s", p.file, p.line, kind, fmt.Sprintf(format, args...))
}

// A lineReader reads the lines of a file and counts them.
type lineReader struct {
	lines *lines.Reader
	at    filePosition
}

// newLineReader returns a reader of lines with at most longest bytes. Errors contain name as the name of
// the file.
func newLineReader(r io.Reader, name string, longest int) lineReader {
	return lineReader{lines.NewReader(r, longest), filePosition{file: name}}
}

// next returns the next line, the first one without a byte order mark. It returns io.EOF at the end and
// ErrTooLarge for a line that is too long, which it skips.
func (l *lineReader) next() ([]byte, error) {
	line, err := l.lines.Next()
	l.at.line = l.lines.N
	switch {
	case errors.Is(err, io.EOF):
		return nil, err
	case errors.Is(err, lines.ErrLong):
		return nil, l.at.errorf(ErrTooLarge, "%v", err)
	case err != nil:
		return nil, fmt.Errorf("%s:%d: %w", l.at.file, l.at.line, err)
	case l.at.line == 1:
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	return line, nil
}

// A rowWriter adds rows to vectors, within the limits of a file. It stores the components of many rows in
// few allocations.
type rowWriter struct {
	v     *Vectors
	index []uint32 // components for the next call of addRow, which empties it
	value []float64

	slabIndex []uint32
	slabValue []float64
	values    int // in all
}

// putComponent adds a component to the next row unless it is 0.
func (w *rowWriter) putComponent(index uint32, value float64) {
	if value != 0 {
		w.index, w.value = append(w.index, index), append(w.value, value)
	}
}

// addRow adds a row with the components from putComponent.
func (w *rowWriter) addRow(at filePosition, row Row) error {
	n := len(w.index)
	if w.values += n; w.values > maxValues || len(w.v.Rows) == maxRows {
		return at.errorf(ErrTooLarge, "more than %d rows or %d values: split the file", maxRows, maxValues)
	}
	if cap(w.slabIndex)-len(w.slabIndex) < n {
		w.slabIndex, w.slabValue = make([]uint32, 0, max(n, slabComponents)), make([]float64, 0, max(n, slabComponents))
	}
	from := len(w.slabIndex)
	w.slabIndex, w.slabValue = append(w.slabIndex, w.index...), append(w.slabValue, w.value...)
	row.X = features.Vector{Index: w.slabIndex[from : from+n : from+n], Value: w.slabValue[from : from+n : from+n]}
	row.Line = at.line
	w.v.Rows = append(w.v.Rows, row)
	w.index, w.value = w.index[:0], w.value[:0]
	return nil
}

// WriteNames writes the names of components and classes, which svmlight files cannot hold, one per line,
// tab-separated. Lines are "class", the label as WriteSVMLight writes it, and the name; or "term", the
// index from 1, and the name.
func WriteNames(w io.Writer, v *Vectors) error {
	out := bufio.NewWriter(w)
	for i, label := range SVMLightLabels(v.Classes) {
		fmt.Fprintf(out, "class\t%s\t%s\n", label, withoutLineBreaks(v.Classes[i]))
	}
	for i, name := range v.Names {
		fmt.Fprintf(out, "term\t%d\t%s\n", i+1, withoutLineBreaks(name))
	}
	return out.Flush()
}

// ReadNames sets the names of v to those in a file of WriteNames. Errors contain name as the name of the
// file. Classes keep their order, and a class that is not in the file keeps its number as its name. It
// returns an error if a line is wrong, or if a component of v has no name.
func (v *Vectors) ReadNames(r io.Reader, name string) error {
	in := newLineReader(r, name, 2*maxNameBytes)
	classes, dims := slices.Clone(v.Classes), v.NumComponents()
	var names []string
	for {
		line, err := in.next()
		switch {
		case errors.Is(err, io.EOF) && len(names) < dims:
			return in.at.errorf(ErrFormat, "there are %d terms for vectors of %d components: is it the file of another set?", len(names), dims)
		case errors.Is(err, io.EOF):
			v.Names, v.Classes = names, classes
			return nil
		case err != nil:
			return err
		}
		fields := bytes.Split(line, []byte("\t"))
		if len(fields) != 3 {
			return in.at.errorf(ErrFormat, "the line has %d fields; it must have class or term, a number and a name, tab-separated", len(fields))
		}
		key, number, text := string(fields[0]), string(fields[1]), string(fields[2])
		switch i := slices.Index(v.Classes, number); {
		case key == "class" && i >= 0:
			classes[i] = text
		case key == "class": // of no row
		case key != "term" || number != strconv.Itoa(len(names)+1) || len(names) == MaxIndex:
			return in.at.errorf(ErrFormat, "%.20q %.20q is found where term %d was expected: terms are counted from 1", key, number, len(names)+1)
		default:
			names = append(names, text)
		}
	}
}

// Names of the columns in ARFF files and tables that hold the ID and the group of a row.
const (
	IDColumn    = "_id"
	GroupColumn = "_group"
)

// ColumnOptions determine which columns of a table or attributes of an ARFF file are not components.
type ColumnOptions struct {
	// Class is the name of the class column. Empty means the last column.
	Class string
	// Group and ID are names of columns. Empty means GroupColumn and IDColumn, if the file has them.
	Group, ID string
	// MissingZero replaces missing values by 0 and counts them in Vectors.Missing. Otherwise they are
	// errors.
	MissingZero bool
}

// A columnRoles holds the indexes of the columns that are not components, -1 for none.
type columnRoles struct{ class, group, id int }

// findColumns looks up the columns by name.
func (o ColumnOptions) findColumns(at filePosition, names []string) (r columnRoles, err error) {
	look := func(name, standard string) int {
		if name == "" {
			return slices.Index(names, standard)
		}
		i := slices.Index(names, name)
		if i < 0 && err == nil {
			err = at.errorf(ErrFormat, "there is no column %q, the columns are %s", name, listNames(names))
		}
		return i
	}
	r = columnRoles{len(names) - 1, look(o.Group, GroupColumn), look(o.ID, IDColumn)}
	if o.Class != "" {
		r.class = look(o.Class, "")
	}
	if err == nil && (r.class == r.group || r.class == r.id || r.group >= 0 && r.group == r.id) {
		err = at.errorf(ErrFormat, "class, group and id must be different columns: name the class")
	}
	return r, err
}

// listNames returns the first and the last names as text.
func listNames(names []string) string {
	const shown = 8
	if len(names) > shown {
		return fmt.Sprintf("%s, … %s (%d)", strings.Join(names[:shown-1], ", "), names[len(names)-1], len(names))
	}
	return strings.Join(names, ", ")
}

// A classList numbers class names that are not declared in a header.
type classList struct {
	names []string
	index map[string]int
}

// numberOf returns the number of a class name, by order of appearance.
func (c *classList) numberOf(at filePosition, name []byte) (int, error) {
	if i, ok := c.index[string(name)]; ok {
		return i, nil
	}
	if len(c.names) == MaxClasses {
		return 0, at.errorf(ErrTooLarge, "more than %d different classes: is the class column the right one?", MaxClasses)
	}
	if c.index == nil {
		c.index = map[string]int{}
	}
	c.names = append(c.names, string(name))
	c.index[string(name)] = len(c.names) - 1
	return len(c.names) - 1, nil
}

// sortClasses sorts the classes of v by name and renumbers the rows.
func (c *classList) sortClasses(v *Vectors) {
	v.Classes = slices.Sorted(slices.Values(c.names))
	for i := range v.Rows {
		v.Rows[i].Class, _ = slices.BinarySearch(v.Classes, c.names[v.Rows[i].Class])
	}
}
