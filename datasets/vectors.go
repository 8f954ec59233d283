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
	maxValues      = 200_000_000 // of a file
	maxVectorLine  = 16 << 20    // bytes
	maxNameBytes   = 4 << 10     // of a component, a class, a group or an ID
	slabComponents = 64 << 10
)

// Errors that say why a file of vectors was refused. What wraps them names the
// file, the line and the remedy.
var (
	// ErrFormat is a line that is not of the format.
	ErrFormat = errors.New("not in the format")
	// ErrOrder is an index that does not increase.
	ErrOrder = errors.New("index out of order")
	// ErrNotFinite is a value NaN or infinite, or too large for a float64.
	ErrNotFinite = errors.New("value not finite")
	// ErrMissing is a missing value where MissingZero was not asked for, or a
	// missing class.
	ErrMissing = errors.New("missing value")
	// ErrTooLarge is a file past a limit of this package.
	ErrTooLarge = errors.New("too large")
)

// Vectors is a set of labelled vectors, as files of svmlight, ARFF and numeric
// tables hold them.
type Vectors struct {
	// Names are the names of the components, or nil where the file has none.
	Names []string
	// Classes are the names of the classes: of svmlight files the numbers they
	// stand for, ascending; of ARFF files in the order declared; of tables sorted.
	Classes []string
	Rows    []Row
	// Missing is how many missing values were taken for 0.
	Missing int
}

// A Row is one labelled vector.
type Row struct {
	X     features.Vector
	Class int    // index into Classes
	Group string // ties rows that must stay on one side of a split; "" where unknown
	ID    string // what the row is of, "" where unknown
	Line  int    // in its file, from 1; 0 where it is from none
}

// Dims returns the number of components: that of the names, or the largest index.
func (v *Vectors) Dims() int {
	dims := len(v.Names)
	for _, row := range v.Rows {
		if n := row.X.Len(); n > 0 {
			dims = max(dims, int(row.X.Index[n-1])+1)
		}
	}
	return dims
}

// Name returns the name of component i, counted from 0: its number from 1 where
// the set has no names.
func (v *Vectors) Name(i int) string {
	if i < len(v.Names) {
		return v.Names[i]
	}
	return strconv.Itoa(i + 1)
}

// A place is a line of a file, for errors.
type place struct {
	file string
	line int
}

// errorf returns kind with the place before and what it means after it.
func (p place) errorf(kind error, format string, args ...any) error {
	return fmt.Errorf("%s:%d: %w: %s", p.file, p.line, kind, fmt.Sprintf(format, args...))
}

// A lineReader reads the lines of a file, and knows where it is.
type lineReader struct {
	lines *lines.Reader
	at    place
}

// newLineReader reads lines of at most longest bytes; name stands for the file.
func newLineReader(r io.Reader, name string, longest int) lineReader {
	return lineReader{lines.NewReader(r, longest), place{file: name}}
}

// next returns the next line, the first without a byte order mark. Its error is
// io.EOF at the end, ErrTooLarge for a line that is too long, which is passed over.
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

// A rowWriter adds rows to vectors, within the limits of a file. It keeps the
// components of many rows in few allocations.
type rowWriter struct {
	v     *Vectors
	index []uint32 // components of the row to add, emptied by add
	value []float64

	slabIndex []uint32
	slabValue []float64
	values    int // in all
}

// put adds a component to the next row, unless it is 0.
func (w *rowWriter) put(index uint32, value float64) {
	if value != 0 {
		w.index, w.value = append(w.index, index), append(w.value, value)
	}
}

// add adds a row with the components that were put.
func (w *rowWriter) add(at place, row Row) error {
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

// WriteNames writes the names of components and classes that svmlight files cannot hold, one per
// line, tab-separated. Lines are "class", the label as WriteSVMLight writes it, and the name; or
// "term", the index from 1, and the name.
func WriteNames(w io.Writer, v *Vectors) error {
	out := bufio.NewWriter(w)
	for i, label := range SVMLightLabels(v.Classes) {
		fmt.Fprintf(out, "class\t%s\t%s\n", label, oneLine(v.Classes[i]))
	}
	for i, name := range v.Names {
		fmt.Fprintf(out, "term\t%d\t%s\n", i+1, oneLine(name))
	}
	return out.Flush()
}

// ReadNames gives v the names a file of WriteNames holds; name stands for the
// file in errors. Classes keep their order, and one the file does not name its
// number. It is an error if a line is wrong, or if v has a component without a
// name.
func (v *Vectors) ReadNames(r io.Reader, name string) error {
	in := newLineReader(r, name, 2*maxNameBytes)
	classes, dims := slices.Clone(v.Classes), v.Dims()
	var names []string
	for {
		line, err := in.next()
		switch {
		case errors.Is(err, io.EOF) && len(names) < dims:
			return in.at.errorf(ErrFormat, "%d terms for vectors of %d components: is it the file of another set?", len(names), dims)
		case errors.Is(err, io.EOF):
			v.Names, v.Classes = names, classes
			return nil
		case err != nil:
			return err
		}
		fields := bytes.Split(line, []byte("\t"))
		if len(fields) != 3 {
			return in.at.errorf(ErrFormat, "%d fields, a line is class or term, number and name, tab-separated", len(fields))
		}
		key, number, text := string(fields[0]), string(fields[1]), string(fields[2])
		switch i := slices.Index(v.Classes, number); {
		case key == "class" && i >= 0:
			classes[i] = text
		case key == "class": // of no row
		case key != "term" || number != strconv.Itoa(len(names)+1) || len(names) == MaxIndex:
			return in.at.errorf(ErrFormat, "%.20q %.20q where term %d is due: terms are counted from 1", key, number, len(names)+1)
		default:
			names = append(names, text)
		}
	}
}

// Columns that the writers of ARFF files and tables make for what is no
// component, and that readers take for it.
const (
	IDColumn    = "_id"
	GroupColumn = "_group"
)

// ColumnOptions say which columns of a table or attributes of an ARFF file are
// no components.
type ColumnOptions struct {
	// Class is the name of the class. Empty means the last column.
	Class string
	// Group and ID are names too. Empty means GroupColumn and IDColumn, where
	// the file has them.
	Group, ID string
	// MissingZero takes 0 for missing values and counts them, see Vectors.Missing;
	// else they are errors.
	MissingZero bool
}

// roles are the numbers of the columns that are no components, -1 for none.
type roles struct{ class, group, id int }

// find looks the columns up by name.
func (o ColumnOptions) find(at place, names []string) (r roles, err error) {
	look := func(name, standard string) int {
		if name == "" {
			return slices.Index(names, standard)
		}
		i := slices.Index(names, name)
		if i < 0 && err == nil {
			err = at.errorf(ErrFormat, "no column %q, the columns are %s", name, some(names))
		}
		return i
	}
	r = roles{len(names) - 1, look(o.Group, GroupColumn), look(o.ID, IDColumn)}
	if o.Class != "" {
		r.class = look(o.Class, "")
	}
	if err == nil && (r.class == r.group || r.class == r.id || r.group >= 0 && r.group == r.id) {
		err = at.errorf(ErrFormat, "class, group and id must be different columns: name the class")
	}
	return r, err
}

// some lists the first and the last names.
func some(names []string) string {
	const shown = 8
	if len(names) > shown {
		return fmt.Sprintf("%s, … %s (%d)", strings.Join(names[:shown-1], ", "), names[len(names)-1], len(names))
	}
	return strings.Join(names, ", ")
}

// A classList numbers class names that no header declares.
type classList struct {
	names []string
	index map[string]int
}

// add returns the number of a name, by order of appearance.
func (c *classList) add(at place, name []byte) (int, error) {
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

// sort puts the classes of v in order of their names and renumbers its rows.
func (c *classList) sort(v *Vectors) {
	v.Classes = slices.Sorted(slices.Values(c.names))
	for i := range v.Rows {
		v.Rows[i].Class, _ = slices.BinarySearch(v.Classes, c.names[v.Rows[i].Class])
	}
}
