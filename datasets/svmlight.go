package datasets

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
)

// ReadSVMLight reads the format of svmlight and LIBSVM, one row per line:
//
//	label [qid:group] index:value … [# id]
//
// Labels are numbers; "+1" and "1" are the same. Classes are ordered by their labels, so that of -1 and
// +1 the second is the positive one. Indexes count from 1 and increase strictly; components with value 0
// are dropped. Lines that are empty or hold only a comment are skipped. Reading ends at the first wrong
// line with an error that wraps one of this package's errors. Errors contain name as the name of the
// file.
func ReadSVMLight(r io.Reader, name string) (*Vectors, error) {
	s := svmlightReader{lineReader: newLineReader(r, name, maxVectorLine), rows: rowWriter{v: &Vectors{}}, groups: map[string]string{}}
	for {
		line, err := s.next()
		if errors.Is(err, io.EOF) {
			return s.sortedVectors()
		}
		if err == nil {
			err = s.readLine(line)
		}
		if err != nil {
			return nil, err
		}
	}
}

// An svmlightReader is the state of reading a file.
type svmlightReader struct {
	lineReader
	labels []float64         // distinct, in order of appearance
	rows   rowWriter         // their Class is an index into labels
	groups map[string]string // each name once
}

// readLine takes one line.
func (s *svmlightReader) readLine(b []byte) error {
	b, comment, _ := bytes.Cut(b, []byte("#"))
	b = skipSpace(b)
	if len(b) == 0 {
		return nil
	}
	label, width := parseFloat(b)
	if width == 0 || !isFinite(label) {
		return s.at.errorf(ErrFormat, "the line begins with %q, but a label is one number such as -1 or 3", firstWord(b))
	}
	class, err := s.classIndex(label)
	if err != nil {
		return err
	}
	row := Row{Class: class}
	b = skipSpace(b[width:])
	if rest, ok := bytes.CutPrefix(b, []byte("qid:")); ok {
		qid := firstWord(rest)
		if row.Group, err = s.groupName(qid); err != nil {
			return err
		}
		b = skipSpace(rest[len(qid):])
	}
	if err := s.readComponents(b); err != nil {
		return err
	}
	if comment = bytes.TrimSpace(comment); len(comment) > maxNameBytes {
		return s.at.errorf(ErrTooLarge, "the comment has %d bytes, but a name may have %d", len(comment), maxNameBytes)
	}
	row.ID = string(comment)
	return s.rows.addRow(s.at, row)
}

// readComponents reads index:value pairs.
func (s *svmlightReader) readComponents(b []byte) error {
	last := 0
	for len(b) > 0 {
		ix, i := 0, 0
		for i < len(b) && '0' <= b[i] && b[i] <= '9' && ix <= MaxIndex {
			ix = ix*10 + int(b[i]-'0')
			i++
		}
		switch {
		case ix > MaxIndex:
			return s.at.errorf(ErrTooLarge, "index %s… is too large, the largest is %d", b[:i], MaxIndex)
		case i == 0 || i == len(b) || b[i] != ':':
			return s.at.errorf(ErrFormat, "%q is no index:value", firstWord(b))
		case ix == 0:
			return s.at.errorf(ErrOrder, "index 0: indices count from 1; write the file with 1 added to each (scikit-learn: zero_based=False)")
		case ix <= last:
			return s.at.errorf(ErrOrder, "index %d follows %d: sort the pairs of a line by index, each index once", ix, last)
		}
		value, width := parseFloat(b[i+1:])
		switch {
		case width == 0:
			return s.at.errorf(ErrFormat, "%q is no index:value", firstWord(b))
		case !isFinite(value):
			return s.at.errorf(ErrNotFinite, "%s: leave the component out, or impute it before writing the file", firstWord(b))
		}
		s.rows.putComponent(uint32(ix-1), value)
		last = ix
		b = skipSpace(b[i+1+width:])
	}
	return nil
}

// classIndex returns the index of a label, and adds a new label.
func (s *svmlightReader) classIndex(label float64) (int, error) {
	if i := slices.Index(s.labels, label); i >= 0 {
		return i, nil
	}
	if len(s.labels) == MaxClasses {
		return 0, s.at.errorf(ErrTooLarge, "more than %d different labels: are these targets of a regression?", MaxClasses)
	}
	s.labels = append(s.labels, label)
	return len(s.labels) - 1, nil
}

func (s *svmlightReader) groupName(name []byte) (string, error) {
	if len(name) == 0 || len(name) > maxNameBytes {
		return "", s.at.errorf(ErrFormat, "qid: needs a name of 1 to %d bytes", maxNameBytes)
	}
	if g, ok := s.groups[string(name)]; ok {
		return g, nil
	}
	g := string(name)
	s.groups[g] = g
	return g, nil
}

// sortedVectors sorts the classes.
func (s *svmlightReader) sortedVectors() (*Vectors, error) {
	v := s.rows.v
	if len(v.Rows) == 0 {
		return nil, fmt.Errorf("%s: %w: no line contains a row", s.at.file, ErrFormat)
	}
	sorted := slices.Sorted(slices.Values(s.labels))
	for _, label := range sorted {
		v.Classes = append(v.Classes, strconv.FormatFloat(label, 'g', -1, 64))
	}
	rank := make([]int, len(s.labels))
	for i, label := range s.labels {
		rank[i], _ = slices.BinarySearch(sorted, label)
	}
	for i := range v.Rows {
		v.Rows[i].Class = rank[v.Rows[i].Class]
	}
	return v, nil
}

func skipSpace(b []byte) []byte {
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	return b
}

// firstWord returns b up to its first space.
func firstWord(b []byte) []byte {
	if i := slices.IndexFunc(b, isSpace); i >= 0 {
		return b[:i]
	}
	return b
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// WriteSVMLight writes v in the format of ReadSVMLight. Classes that are not numbers become -1 and 1 if
// there are two, else 1, 2, …, see SVMLightLabels. Groups become numbers from 1 in order of appearance
// unless all of them are numbers. Values are written so that reading them gives the same bits. A plain
// file has no groups and IDs, which the programs of LIBSVM and LIBLINEAR cannot read.
func WriteSVMLight(w io.Writer, v *Vectors, plain bool) error {
	out := bufio.NewWriterSize(w, readBuffer)
	labels, groups := SVMLightLabels(v.Classes), queryIDs(v.Rows)
	var b []byte
	for _, row := range v.Rows {
		b = append(b[:0], labels[row.Class]...)
		if !plain && row.Group != "" {
			b = append(append(b, " qid:"...), groups[row.Group]...)
		}
		for i, ix := range row.X.Index {
			b = strconv.AppendUint(append(b, ' '), uint64(ix)+1, 10)
			b = strconv.AppendFloat(append(b, ':'), row.X.Value[i], 'g', -1, 64)
		}
		if !plain && row.ID != "" {
			b = append(append(b, " # "...), withoutLineBreaks(row.ID)...)
		}
		if _, err := out.Write(append(b, '\n')); err != nil {
			return err
		}
	}
	return out.Flush()
}

// SVMLightLabels returns the number that represents each class in svmlight files.
func SVMLightLabels(classes []string) []string {
	numeric, last := true, math.Inf(-1)
	for _, c := range classes {
		x, err := strconv.ParseFloat(c, 64)
		if err != nil || !isFinite(x) || x <= last {
			numeric = false
		}
		last = x
	}
	switch {
	case numeric:
		return classes
	case len(classes) == 2:
		return []string{"-1", "1"}
	}
	labels := make([]string, len(classes))
	for i := range classes {
		labels[i] = strconv.Itoa(i + 1)
	}
	return labels
}

// queryIDs returns the query ID that represents each group.
func queryIDs(rows []Row) map[string]string {
	ids, numeric := map[string]string{}, true
	for _, row := range rows {
		if row.Group == "" || ids[row.Group] != "" {
			continue
		}
		if _, err := strconv.ParseUint(row.Group, 10, 31); err != nil {
			numeric = false
		}
		ids[row.Group] = strconv.Itoa(len(ids) + 1)
	}
	if numeric {
		for g := range ids {
			ids[g] = g
		}
	}
	return ids
}

// withoutLineBreaks replaces line breaks in s by spaces.
func withoutLineBreaks(s string) string {
	return string(bytes.Join(bytes.Fields([]byte(s)), []byte(" ")))
}

// powers are the powers of ten that a float64 represents exactly.
var powers = [...]float64{
	1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
}

// maxMantissa is the limit below which a float64 represents every integer.
const maxMantissa = 1 << 53

// parseFloat parses a number at the start of b like strconv.ParseFloat. It returns the number and its
// length in bytes, 0 if b does not start with a number. If the digits and the power of ten of a plain
// decimal are both exact, one division is enough (Clinger 1990); other numbers are passed to strconv, up
// to the next space.
func parseFloat(b []byte) (value float64, width int) {
	i, negative := 0, false
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		negative, i = b[i] == '-', i+1
	}
	var mantissa uint64
	start, point := i, -1
	for ; i < len(b); i++ {
		switch c := b[i]; {
		case '0' <= c && c <= '9' && mantissa < maxMantissa/10:
			mantissa = mantissa*10 + uint64(c-'0')
			continue
		case c == '.' && point < 0:
			point = i
			continue
		}
		break
	}
	if i < len(b) && !isSpace(b[i]) || i-start == 0 || point >= 0 && i-start == 1 {
		return parseWithStrconv(b)
	}
	value = float64(mantissa)
	if point >= 0 {
		decimals := i - point - 1
		if decimals >= len(powers) {
			return parseWithStrconv(b)
		}
		value /= powers[decimals]
	}
	if negative {
		value = -value
	}
	return value, i
}

func parseWithStrconv(b []byte) (float64, int) {
	n := len(firstWord(b))
	value, err := strconv.ParseFloat(string(b[:n]), 64)
	if err != nil && value == 0 { // out of range gives an infinity, which the caller refuses
		return 0, 0
	}
	return value, n
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' }
