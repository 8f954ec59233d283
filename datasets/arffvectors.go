package datasets

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// ReadARFF reads the vectors of a dense or sparse ARFF file.
//
// A numeric attribute is a component. A nominal attribute is a component if its values are numbers, as in
// {0,1}; otherwise each value is a component, named "attribute=value", which is 1 for rows with that
// value. In a sparse row a missing value is 0, and for a nominal attribute its first value, as in Weka.
// String attributes can only be class, group or ID. Reading ends at the first wrong line, with an error
// that wraps one of this package's errors. Errors contain name as the name of the file.
func ReadARFF(r io.Reader, name string, o ColumnOptions) (*Vectors, error) {
	a := &arffReader{lineReader: newLineReader(r, name, maxVectorLine)}
	if err := a.readHeader(); err != nil {
		return nil, err
	}
	p, err := newARFFPlan(a, o)
	if err != nil {
		return nil, err
	}
	for {
		cells, sparse, err := a.readRow()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = p.addRow(a.at, cells, sparse)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(p.v.Rows) == 0 {
		return nil, fmt.Errorf("%s: %w: no row after @data", name, ErrFormat)
	}
	if p.classes != nil {
		p.classes.sortClasses(p.v)
	}
	return p.v, nil
}

// An arffPlan converts the cells of rows to components.
type arffPlan struct {
	v       *Vectors
	o       ColumnOptions
	roles   columnRoles
	columns []arffColumn
	classes *classList // classes, if the class attribute is not nominal
	absent  []vectorComponent
	rows    rowWriter
	row     []vectorComponent
}

type vectorComponent struct {
	index uint32
	value float64
}

// An arffColumn determines how an attribute is converted.
type arffColumn struct {
	arffAttribute
	first   uint32             // component; for a one-hot column that of its first value
	number  map[string]float64 // nominal values as numbers; nil if one is not a number
	ordinal map[string]int     // of a nominal value
}

func newARFFPlan(a *arffReader, o ColumnOptions) (*arffPlan, error) {
	names := make([]string, len(a.attributes))
	for i, attr := range a.attributes {
		names[i] = attr.name
	}
	roles, err := o.findColumns(a.at, names)
	if err != nil {
		return nil, err
	}
	v := &Vectors{}
	p := &arffPlan{v: v, o: o, roles: roles, rows: rowWriter{v: v}}
	for i, attr := range a.attributes {
		c := newARFFColumn(attr)
		switch {
		case i == roles.class && attr.kind == nominal:
			if len(attr.values) > MaxClasses {
				return nil, a.at.errorf(ErrTooLarge, "%d classes, at most %d are supported", len(attr.values), MaxClasses)
			}
			p.v.Classes = attr.values
		case i == roles.class:
			p.classes = &classList{}
		case i == roles.group || i == roles.id:
		case attr.kind == text:
			return nil, a.at.errorf(ErrFormat, "attribute %q is a string, which cannot be part of a vector: name it as group or id, remove it, or read the file as text", attr.name)
		default:
			p.assignComponents(&c)
		}
		p.columns = append(p.columns, c)
	}
	if len(p.v.Names) > MaxIndex {
		return nil, a.at.errorf(ErrTooLarge, "%d components, at most %d are supported", len(p.v.Names), MaxIndex)
	}
	return p, nil
}

func newARFFColumn(attr arffAttribute) arffColumn {
	c := arffColumn{arffAttribute: attr}
	if attr.kind != nominal {
		return c
	}
	c.number, c.ordinal = map[string]float64{}, map[string]int{}
	for i, value := range attr.values {
		c.ordinal[value] = i
		x, err := strconv.ParseFloat(value, 64)
		if err != nil || !isFinite(x) {
			c.number = nil
		}
		if c.number != nil {
			c.number[value] = x
		}
	}
	return c
}

// assignComponents assigns components to c and records what a missing value means.
func (p *arffPlan) assignComponents(c *arffColumn) {
	c.first = uint32(len(p.v.Names))
	switch {
	case c.kind == numeric:
		p.v.Names = append(p.v.Names, c.name)
	case c.number != nil:
		p.v.Names = append(p.v.Names, c.name)
		if x := c.number[c.values[0]]; x != 0 {
			p.absent = append(p.absent, vectorComponent{c.first, x})
		}
	default:
		for _, value := range c.values {
			p.v.Names = append(p.v.Names, c.name+"="+value)
		}
		p.absent = append(p.absent, vectorComponent{c.first, 1})
	}
}

// addRow takes one row.
func (p *arffPlan) addRow(at filePosition, cells []arffCell, sparse bool) error {
	row := Row{Class: -1}
	p.row = p.row[:0]
	for _, c := range cells {
		if err := p.addCell(at, c, &row); err != nil {
			return err
		}
	}
	if sparse {
		p.addImplied(cells)
		if row.Class < 0 && p.classes == nil {
			row.Class = 0
		}
	}
	if row.Class < 0 {
		return at.errorf(ErrMissing, "the row has no class: give it one or remove the row")
	}
	slices.SortFunc(p.row, func(a, b vectorComponent) int { return int(a.index) - int(b.index) })
	for _, c := range p.row {
		p.rows.putComponent(c.index, c.value)
	}
	return p.rows.addRow(at, row)
}

// addCell takes one value.
func (p *arffPlan) addCell(at filePosition, c arffCell, row *Row) (err error) {
	column := &p.columns[c.attribute]
	switch {
	case c.missing && c.attribute == p.roles.class:
		return at.errorf(ErrMissing, "the row has no class: give it one or remove the row")
	case c.attribute == p.roles.group || c.attribute == p.roles.id:
		if c.missing {
			return nil
		}
		if c.attribute == p.roles.group {
			row.Group = string(c.text)
		} else {
			row.ID = string(c.text)
		}
	case c.missing && !p.o.MissingZero:
		return at.errorf(ErrMissing, "attribute %q is ?: impute it, or count missing values as 0", column.name)
	case c.missing:
		p.v.Missing++
		p.row = append(p.row, vectorComponent{column.first, 0})
	case c.attribute == p.roles.class && p.classes != nil:
		row.Class, err = p.classes.numberOf(at, c.text)
	case column.kind == nominal:
		return p.addNominal(at, c, column, row)
	default:
		x, width := parseFloat(c.text)
		if width == 0 || width != len(c.text) {
			return at.errorf(ErrFormat, "attribute %q is %.60q, which is not a number", column.name, c.text)
		}
		if !isFinite(x) {
			return at.errorf(ErrNotFinite, "attribute %q is %s: impute it, or write ? for a missing value", column.name, c.text)
		}
		p.row = append(p.row, vectorComponent{column.first, x})
	}
	return err
}

func (p *arffPlan) addNominal(at filePosition, c arffCell, column *arffColumn, row *Row) error {
	i, ok := column.ordinal[string(c.text)]
	switch {
	case !ok:
		return at.errorf(ErrFormat, "attribute %q is %.60q, not one of %s", column.name, c.text, listNames(column.values))
	case c.attribute == p.roles.class:
		row.Class = i
	case column.number != nil:
		p.row = append(p.row, vectorComponent{column.first, column.number[string(c.text)]})
	default:
		p.row = append(p.row, vectorComponent{column.first + uint32(i), 1})
	}
	return nil
}

// addImplied adds the values that a sparse row implies by omitting attributes.
func (p *arffPlan) addImplied(cells []arffCell) {
	if len(p.absent) == 0 {
		return
	}
	given := map[uint32]bool{}
	for _, c := range cells {
		if c.attribute != p.roles.class && c.attribute != p.roles.group && c.attribute != p.roles.id {
			given[p.columns[c.attribute].first] = true
		}
	}
	for _, c := range p.absent {
		if !given[c.index] {
			p.row = append(p.row, c)
		}
	}
}

// WriteARFF writes v with numeric attributes. The attributes IDColumn and GroupColumn follow if a row has
// them, and the class is last. It returns an error if two components have the same name. A dense file has
// all components of a row, a sparse one those that are not 0.
func WriteARFF(w io.Writer, v *Vectors, dense bool) error {
	names, err := columnNames(v)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, readBuffer)
	out.WriteString("@relation 'eventseer'\n\n")
	for _, name := range names.components {
		fmt.Fprintf(out, "@attribute %s numeric\n", quoteARFF(name))
	}
	for _, name := range names.strings {
		fmt.Fprintf(out, "@attribute %s string\n", quoteARFF(name))
	}
	quoted := make([]string, len(v.Classes))
	for i, c := range v.Classes {
		quoted[i] = quoteARFF(c)
	}
	fmt.Fprintf(out, "@attribute %s {%s}\n\n@data\n", quoteARFF(names.class), strings.Join(quoted, ","))
	var b []byte
	for _, row := range v.Rows {
		fields := make([]string, 0, 3)
		for _, s := range names.idAndGroup(row) {
			fields = append(fields, quoteARFF(s))
		}
		fields = append(fields, quoted[row.Class])
		b = appendARFFRow(b[:0], row, len(names.components), fields, dense)
		if _, err := out.Write(b); err != nil {
			return err
		}
	}
	return out.Flush()
}

// appendARFFRow appends a row with dims components and then fields.
func appendARFFRow(b []byte, row Row, dims int, fields []string, dense bool) []byte {
	if dense {
		b = appendDense(b, row.X, dims, ',')
		for i, f := range fields {
			if i > 0 || dims > 0 {
				b = append(b, ',')
			}
			b = append(b, f...)
		}
		return append(b, '\n')
	}
	b = append(b, '{')
	for i, ix := range row.X.Index {
		b = append(strconv.AppendUint(b, uint64(ix), 10), ' ')
		b = append(strconv.AppendFloat(b, row.X.Value[i], 'g', -1, 64), ", "...)
	}
	for i, f := range fields {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = append(strconv.AppendInt(b, int64(dims+i), 10), ' ')
		b = append(b, f...)
	}
	return append(b, "}\n"...)
}
