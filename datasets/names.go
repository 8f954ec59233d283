package datasets

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// WriteNames writes the names of components and classes that svmlight files
// cannot hold, a line each, tab-separated: "class", the label as WriteSVMLight
// writes it, and the name; "term", the index from 1, and the name.
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
