package svm

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"eventseer/classify"
)

// Solvers of LIBLINEAR that tell classes apart, as its model files name them.
var liblinearSolvers = []string{
	"L2R_LR", "L2R_L2LOSS_SVC_DUAL", "L2R_L2LOSS_SVC", "L2R_L1LOSS_SVC_DUAL",
	"MCSVM_CS", "L1R_L2LOSS_SVC", "L1R_LR", "L2R_LR_DUAL",
}

// ReadLIBLINEAR reads a model file of C LIBLINEAR to its end. It returns a
// *classify.Linear, with one row where the file has one column for two classes,
// and the labels of the classes in the order of the file. Files of regressions,
// truncated files and values that are not finite are errors that name the line.
func ReadLIBLINEAR(r io.Reader) (classify.Classifier, []string, error) {
	b, err := readText(r, maxTextBytes)
	if err != nil {
		return nil, nil, fmt.Errorf("liblinear model: %w", err)
	}
	f := &liblinearFile{text: text{what: "liblinear", rest: b}, seen: map[string]bool{}}
	for !f.seen["w"] {
		fields, err := f.next()
		if err != nil {
			return nil, nil, err
		}
		if len(fields) == 0 {
			return nil, nil, f.errorf("an empty line in the header")
		}
		if err := f.header(string(fields[0]), fields[1:]); err != nil {
			return nil, nil, f.errorf("%.40s: %w", fields[0], err)
		}
	}
	l, err := f.weights()
	if err != nil {
		return nil, nil, err
	}
	return l, f.labels, nil
}

// liblinearFile is a model file being read.
type liblinearFile struct {
	text
	seen              map[string]bool // header lines
	solver            string
	classes, features int
	labels            []string
	bias              float64
}

// header takes one line of the header.
func (f *liblinearFile) header(key string, fields [][]byte) (err error) {
	if f.seen[key] {
		return fmt.Errorf("it comes twice")
	}
	f.seen[key] = true
	if key != "label" && key != "w" && len(fields) != 1 {
		return fmt.Errorf("%d values instead of 1", len(fields))
	}
	switch key {
	case "solver_type":
		f.solver = string(fields[0])
		if !slices.Contains(liblinearSolvers, f.solver) {
			return fmt.Errorf("%.40q does not tell classes apart: train with -s 0 to 7", f.solver)
		}
	case "nr_class":
		f.classes, err = integer(fields[0], 2, maxLabels)
	case "label":
		f.labels, err = readLabels(fields, f.classes)
	case "nr_feature":
		f.features, err = integer(fields[0], 0, maxDims)
	case "bias":
		f.bias, err = number(fields[0])
	case "w":
		for _, key := range []string{"solver_type", "nr_class", "label", "nr_feature", "bias"} {
			if !f.seen[key] {
				return fmt.Errorf("the header ends without %s", key)
			}
		}
	default:
		return fmt.Errorf("no line of a LIBLINEAR model begins so")
	}
	return err
}

// weights reads a line a component, with a column a machine, and the line of
// the constant component if there is one.
func (f *liblinearFile) weights() (*classify.Linear, error) {
	columns, sign := f.classes, 1.0
	if f.classes == 2 && f.solver != "MCSVM_CS" {
		columns, sign = 1, -1 // above 0 speaks for the first class there, for the second here
	}
	l := &classify.Linear{Weights: make([][]float64, columns), Bias: make([]float64, columns)}
	lines := f.features
	if f.bias >= 0 {
		lines++
	}
	for line := range lines {
		fields, err := f.next()
		if err != nil {
			return nil, err
		}
		row, err := numbers(fields, columns)
		if err != nil {
			return nil, f.errorf("%w", err)
		}
		for k, w := range row {
			if line < f.features {
				l.Weights[k] = append(l.Weights[k], sign*w)
				continue
			}
			if l.Bias[k] = sign * w * f.bias; checkFinite(nil, l.Bias[k]) != nil {
				return nil, f.errorf("the bias is %v", l.Bias[k])
			}
		}
	}
	return l, f.end()
}

// WriteLIBLINEAR writes l, which tells the classes apart, as a model file that
// liblinear-predict reads. Labels are those of Labels; the solver the file
// names is liblinear's default, whatever trained l.
func WriteLIBLINEAR(w io.Writer, l *classify.Linear, classes []string) error {
	rows, bias := l.Weights, l.Bias
	if len(rows) != len(classes) && (len(rows) != 1 || len(classes) != 2) || len(rows) != len(bias) || len(classes) < 2 {
		return fmt.Errorf("write liblinear model: %d rows of weights and %d biases for %d classes", len(rows), len(bias), len(classes))
	}
	if len(classes) == 2 {
		row, b := against(l)
		rows, bias = [][]float64{row}, []float64{b}
	}
	dims := 1
	for k, row := range rows {
		dims = max(dims, len(row))
		if err := checkFinite(row, bias[k]); err != nil {
			return fmt.Errorf("write liblinear model: row %d: %w", k, err)
		}
	}
	b := fmt.Appendf(nil, "solver_type L2R_L2LOSS_SVC_DUAL\nnr_class %d\nlabel %s\nnr_feature %d\nbias 1\nw\n",
		len(classes), strings.Join(Labels(classes), " "), dims)
	for i := range dims {
		for _, row := range rows {
			v := 0.0
			if i < len(row) {
				v = row[i]
			}
			b = append(appendNumber(b, v), ' ')
		}
		b = append(b, '\n')
	}
	for _, v := range bias {
		b = append(appendNumber(b, v), ' ')
	}
	_, err := w.Write(append(b, '\n'))
	return err
}

// against returns what speaks for the first of two classes.
func against(l *classify.Linear) (row []float64, bias float64) {
	second, b := l.Weights[len(l.Weights)-1], l.Bias[len(l.Bias)-1]
	var first []float64
	if len(l.Weights) == 2 {
		first, bias = l.Weights[0], l.Bias[0]
	}
	row = make([]float64, max(len(first), len(second)))
	copy(row, first)
	for i, w := range second {
		row[i] -= w
	}
	return row, bias - b
}
