package datasets

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/features"
)

// ReadTable reads vectors from a CSV file (RFC 4180), or with comma '\t' from a TSV file. All columns
// except class, group and ID are numbers.
//
// The first line names the columns, unless all its fields except the last are numbers; then they are
// named 1, 2, …. Missing values are empty, "?", "NA" or "NaN". Reading ends at the first wrong line with
// an error that wraps one of this package's errors. Errors contain name as the name of the file.
func ReadTable(r io.Reader, name string, comma rune, o ColumnOptions) (*Vectors, error) {
	t := newTableReader(r, name, comma)
	first, err := t.next()
	if err != nil {
		return nil, t.asEmptyError(err)
	}
	header := slices.Clone(first)
	headless := allNumbers(first[:len(first)-1])
	if headless {
		for i := range header {
			header[i] = strconv.Itoa(i + 1)
		}
	}
	roles, err := o.findColumns(t.at, header)
	if err != nil {
		return nil, err
	}
	v := &Vectors{}
	p := &tablePlan{v: v, o: o, roles: roles, header: header, rows: rowWriter{v: v}}
	for i, column := range header {
		if i != roles.class && i != roles.group && i != roles.id {
			p.v.Names = append(p.v.Names, column)
		}
	}
	if headless {
		err = p.addRow(t.at, first)
	}
	for err == nil {
		var fields []string
		if fields, err = t.next(); err == nil {
			err = p.addRow(t.at, fields)
		}
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	if len(p.v.Rows) == 0 {
		return nil, t.asEmptyError(io.EOF)
	}
	p.classes.sortClasses(p.v)
	return p.v, nil
}

// allNumbers reports whether fields is not empty and all of them are numbers.
func allNumbers(fields []string) bool {
	return len(fields) > 0 && !slices.ContainsFunc(fields, func(s string) bool {
		_, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
		return err != nil
	})
}

// A tablePlan converts the fields of rows to components.
type tablePlan struct {
	v       *Vectors
	o       ColumnOptions
	roles   columnRoles
	header  []string
	classes classList
	rows    rowWriter
}

func (p *tablePlan) addRow(at filePosition, fields []string) (err error) {
	var row Row
	component := uint32(0)
	for i, field := range fields {
		switch i {
		case p.roles.class:
			if field == "" {
				return at.errorf(ErrMissing, "the row has no class: give it one or remove the row")
			}
			if row.Class, err = p.classes.numberOf(at, []byte(field)); err != nil {
				return err
			}
		case p.roles.group:
			row.Group = field
		case p.roles.id:
			row.ID = field
		default:
			x, err := p.parseNumber(at, i, strings.TrimSpace(field))
			if err != nil {
				return err
			}
			p.rows.putComponent(component, x)
			component++
		}
	}
	return p.rows.addRow(at, row)
}

// parseNumber parses the field of column i.
func (p *tablePlan) parseNumber(at filePosition, i int, field string) (float64, error) {
	switch strings.ToLower(field) {
	case "", "?", "na", "nan":
		if !p.o.MissingZero {
			return 0, at.errorf(ErrMissing, "column %q is %q: impute it, or count missing values as 0", p.header[i], field)
		}
		p.v.Missing++
		return 0, nil
	}
	x, err := strconv.ParseFloat(field, 64)
	switch {
	case err != nil && !errors.Is(err, strconv.ErrRange):
		return 0, at.errorf(ErrFormat, "column %q is %.60q, which is not a number: name text columns to read the file as text, or remove the column", p.header[i], field)
	case !isFinite(x):
		return 0, at.errorf(ErrNotFinite, "column %q is %s: impute it, or leave the field empty", p.header[i], field)
	}
	return x, nil
}

// readBuffer is the size of the read buffer, in bytes.
const readBuffer = 256 << 10

// WriteTable writes v in the format of ReadTable: components first, then the columns IDColumn and
// GroupColumn if a row has them, and the class last. If all names are numbers, each is prefixed with x.
func WriteTable(w io.Writer, v *Vectors, comma rune) error {
	names, err := columnNames(v)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, readBuffer)
	line := csv.NewWriter(out)
	line.Comma = comma
	if err := line.Write(slices.Concat(names.components, names.strings, []string{names.class})); err != nil {
		return err
	}
	zeros := slices.Repeat([]string{"0"}, len(names.components))
	fields := slices.Clone(zeros)
	for _, row := range v.Rows {
		fields = append(fields[:0], zeros...)
		for i, ix := range row.X.Index {
			fields[ix] = strconv.FormatFloat(row.X.Value[i], 'g', -1, 64)
		}
		fields = append(append(fields, names.idAndGroup(row)...), v.Classes[row.Class])
		if err := line.Write(fields); err != nil {
			return err
		}
	}
	line.Flush()
	return errors.Join(line.Error(), out.Flush())
}

// appendDense appends all dims components of x.
func appendDense(b []byte, x features.Vector, dims int, comma byte) []byte {
	for i, at := 0, 0; i < dims; i++ {
		if i > 0 {
			b = append(b, comma)
		}
		if at < x.Len() && int(x.Index[at]) == i {
			b = strconv.AppendFloat(b, x.Value[at], 'g', -1, 64)
			at++
		} else {
			b = append(b, '0')
		}
	}
	return b
}

// A headerNames holds the columns with which a set is written.
type headerNames struct {
	components, strings []string
	class               string
	ids, groups         bool
}

func columnNames(v *Vectors) (headerNames, error) {
	var h headerNames
	dims := v.NumComponents()
	if dims > maxAttributes {
		return h, fmt.Errorf("there are %d components, but at most %d columns can be written: write svmlight", dims, maxAttributes)
	}
	seen := map[string]bool{IDColumn: true, GroupColumn: true}
	names := make([]string, dims)
	for i := range dims {
		names[i] = v.Name(i)
	}
	prefix := ""
	if allNumbers(names) {
		prefix = "x" // without it the header would be read as a row
	}
	for _, name := range names {
		name = prefix + name
		if seen[name] {
			return h, fmt.Errorf("two components are named %q: rename one in the file of names", name)
		}
		seen[name] = true
		h.components = append(h.components, name)
	}
	for h.class = "class"; seen[h.class]; {
		h.class = "_" + h.class
	}
	h.ids = slices.ContainsFunc(v.Rows, func(r Row) bool { return r.ID != "" })
	h.groups = slices.ContainsFunc(v.Rows, func(r Row) bool { return r.Group != "" })
	if h.ids {
		h.strings = append(h.strings, IDColumn)
	}
	if h.groups {
		h.strings = append(h.strings, GroupColumn)
	}
	return h, nil
}

// idAndGroup returns the ID and the group of a row, if they are written.
func (h headerNames) idAndGroup(row Row) []string {
	var fields []string
	if h.ids {
		fields = append(fields, row.ID)
	}
	if h.groups {
		fields = append(fields, row.Group)
	}
	return fields
}

// A tableReader reads the records of a CSV or TSV file.
type tableReader struct {
	csv *csv.Reader
	in  *limitedReader
	at  filePosition
}

func newTableReader(r io.Reader, name string, comma rune) *tableReader {
	in := &limitedReader{r: bufio.NewReaderSize(r, readBuffer)}
	if b, err := in.r.Peek(3); err == nil && bytes.Equal(b, []byte("\ufeff")) {
		_, _ = in.r.Discard(3) // just peeked
	}
	t := &tableReader{csv: csv.NewReader(in), in: in, at: filePosition{file: name, line: 1}}
	t.csv.Comma, t.csv.ReuseRecord = comma, true
	return t
}

// next returns the next record, valid until the next call. It returns an error if the number of fields
// differs from that of the first record.
func (t *tableReader) next() ([]string, error) {
	t.in.left = maxVectorLine
	fields, err := t.csv.Read()
	var wrong *csv.ParseError
	switch {
	case errors.As(err, &wrong):
		t.at.line = wrong.Line
		return nil, fmt.Errorf("%s:%d: %w: %w: each line needs as many fields as the first, and quotes inside a field must be doubled",
			t.at.file, t.at.line, ErrFormat, wrong.Err)
	case errors.Is(err, ErrTooLarge):
		return nil, t.at.errorf(err, "the record after this line has more than %d bytes: is a quote not closed?", maxVectorLine)
	case err != nil:
		return nil, err
	}
	t.at.line, _ = t.csv.FieldPos(0)
	return fields, nil
}

func (t *tableReader) asEmptyError(err error) error {
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %w: no line contains a row", t.at.file, ErrFormat)
	}
	return err
}

// A limitedReader is a reader that fails after left bytes.
type limitedReader struct {
	r    *bufio.Reader
	left int
}

func (b *limitedReader) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, ErrTooLarge
	}
	n, err := b.r.Read(p)
	b.left -= n
	return n, err
}
