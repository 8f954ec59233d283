package svm

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// Limits on a model file of LIBSVM or LIBLINEAR.
const (
	maxTextBytes = 256 << 20
	maxLabels    = 256
	maxVectors   = 1 << 20
)

// text is a model file in lines.
type text struct {
	what string // libsvm or liblinear
	rest []byte
	line int // of the last line read, from 1
}

// readText reads all of r.
func readText(r io.Reader, limit int64) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(b)) > limit {
		return nil, fmt.Errorf("the model file has more than %d bytes", limit)
	}
	return b, nil
}

var errCut = errors.New("the file is truncated: copy or train it again")

// next returns the next line, split at white space, or an error where the file
// ends before or within it.
func (t *text) next() ([][]byte, error) {
	t.line++
	line, rest, ok := bytes.Cut(t.rest, []byte("\n"))
	if !ok {
		return nil, t.errorf("%w", errCut)
	}
	t.rest = rest
	return bytes.Fields(line), nil
}

func (t *text) errorf(format string, args ...any) error {
	return fmt.Errorf("%s model, line %d: %w", t.what, t.line, fmt.Errorf(format, args...))
}

// end returns an error if anything but white space is left.
func (t *text) end() error {
	if len(bytes.TrimSpace(t.rest)) == 0 {
		return nil
	}
	t.line++
	return t.errorf("more lines than the file announces")
}

// integer reads a whole number from low to high.
func integer(field []byte, low, high int) (int, error) {
	n, err := strconv.Atoi(string(field))
	if err != nil {
		return 0, fmt.Errorf("%.40q is no whole number", field)
	}
	if n < low || n > high {
		return 0, fmt.Errorf("%d, it is %d to %d", n, low, high)
	}
	return n, nil
}

// number reads a finite number.
func number(field []byte) (float64, error) {
	v, err := strconv.ParseFloat(string(field), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, fmt.Errorf("%.40q is no finite number", field)
	}
	return v, nil
}

// numbers reads as many finite numbers as there must be.
func numbers(fields [][]byte, want int) ([]float64, error) {
	if len(fields) != want {
		return nil, fmt.Errorf("%d numbers instead of %d", len(fields), want)
	}
	values := make([]float64, len(fields))
	for i, f := range fields {
		v, err := number(f)
		if err != nil {
			return nil, err
		}
		values[i] = v
	}
	return values, nil
}

// readLabels reads as many different whole numbers as there must be.
func readLabels(fields [][]byte, want int) ([]string, error) {
	if len(fields) != want {
		return nil, fmt.Errorf("%d labels for %d classes", len(fields), want)
	}
	seen := map[int]bool{}
	var labels []string
	for _, f := range fields {
		n, err := integer(f, math.MinInt32, math.MaxInt32)
		if err != nil {
			return nil, err
		}
		if seen[n] {
			return nil, fmt.Errorf("label %d twice", n)
		}
		seen[n] = true
		labels = append(labels, strconv.Itoa(n))
	}
	return labels, nil
}

// Labels returns the number that stands for each class in files of LIBSVM and
// LIBLINEAR, which know no names: the class names where they are different whole
// numbers, else -1 and 1 for two classes, and 1, 2, … for more.
func Labels(classes []string) []string {
	numeric := true
	seen := map[string]bool{}
	for _, c := range classes {
		n, err := integer([]byte(c), math.MinInt32, math.MaxInt32)
		if err != nil || strconv.Itoa(n) != c || seen[c] {
			numeric = false
		}
		seen[c] = true
	}
	switch {
	case numeric:
		return classes
	case len(classes) == 2:
		return []string{"-1", "1"}
	}
	labels := make([]string, len(classes))
	for k := range classes {
		labels[k] = strconv.Itoa(k + 1)
	}
	return labels
}

// appendNumber appends v so that reading it gives the same bits.
func appendNumber(b []byte, v float64) []byte {
	return strconv.AppendFloat(b, v, 'g', -1, 64)
}
