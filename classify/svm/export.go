package svm

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/classify"
)

// WriteLIBLINEAR writes l, a classifier for classes, as a model file for liblinear-predict. The labels
// are those of Labels. The file names liblinear's default solver, whatever trained l.
func WriteLIBLINEAR(w io.Writer, l *classify.Linear, classes []string) error {
	rows, bias := l.Weights, l.Bias
	if len(rows) != len(classes) && (len(rows) != 1 || len(classes) != 2) || len(rows) != len(bias) || len(classes) < 2 {
		return fmt.Errorf("write liblinear model: %d rows of weights and %d biases for %d classes", len(rows), len(bias), len(classes))
	}
	if len(classes) == 2 {
		row, b := firstClassRow(l)
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
		len(classes), strings.Join(ClassLabels(classes), " "), dims)
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

// firstClassRow returns the weights and bias of the decision value for the first of two classes.
func firstClassRow(l *classify.Linear) (row []float64, bias float64) {
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

// WriteLIBSVM writes c, a *classify.Linear or *classify.Kernel for classes, as a model file for
// svm-predict. The labels are those of Labels. A Linear is first converted by its method Kernel to one
// classifier per pair of classes.
func WriteLIBSVM(w io.Writer, c classify.Classifier, classes []string) error {
	var k *classify.Kernel
	var err error
	switch c := c.(type) {
	case *classify.Linear:
		k, err = c.Kernel()
	case *classify.Kernel:
		k, err = classify.NewKernel(*c)
	default:
		err = fmt.Errorf("LIBSVM has no format for a %T", c)
	}
	if err == nil && len(k.Counts) != len(classes) {
		err = fmt.Errorf("the classifier has %d classes, but there are %d names", len(k.Counts), len(classes))
	}
	if err != nil {
		return fmt.Errorf("write libsvm model: %w", err)
	}
	_, err = w.Write(formatLIBSVM(k, ClassLabels(classes)))
	return err
}

func formatLIBSVM(k *classify.Kernel, labels []string) []byte {
	b := fmt.Appendf(nil, "svm_type c_svc\nkernel_type %s\n", k.Type)
	if k.Type == classify.PolynomialKernel {
		b = fmt.Appendf(b, "degree %d\n", k.Degree)
	}
	if k.Type != classify.LinearKernel {
		b = append(appendNumber(append(b, "gamma "...), k.Gamma), '\n')
	}
	if k.Type == classify.PolynomialKernel || k.Type == classify.SigmoidKernel {
		b = append(appendNumber(append(b, "coef0 "...), k.Coef0), '\n')
	}
	b = fmt.Appendf(b, "nr_class %d\ntotal_sv %d\nrho", len(k.Counts), len(k.Vectors))
	for _, rho := range k.Rho {
		b = appendNumber(append(b, ' '), rho)
	}
	b = fmt.Appendf(b, "\nlabel %s\nnr_sv", strings.Join(labels, " "))
	for _, n := range k.Counts {
		b = strconv.AppendInt(append(b, ' '), int64(n), 10)
	}
	b = append(b, "\nSV\n"...)
	for s, v := range k.Vectors {
		for _, row := range k.Coef {
			b = append(appendNumber(b, row[s]), ' ')
		}
		for i, ix := range v.Index {
			b = append(strconv.AppendUint(b, uint64(ix)+1, 10), ':')
			b = append(appendNumber(b, v.Value[i]), ' ')
		}
		b = append(b, '\n')
	}
	return b
}

// ClassLabels returns the number that represents each class in files of LIBSVM and LIBLINEAR, which have no
// class names. If the class names are distinct whole numbers, these are used; otherwise -1 and 1 for two
// classes, and 1, 2, … for more.
func ClassLabels(classes []string) []string {
	numeric := true
	seen := map[string]bool{}
	for _, c := range classes {
		n, err := strconv.ParseInt(c, 10, 32)
		if err != nil || strconv.FormatInt(n, 10) != c || seen[c] {
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

// appendNumber appends v in a form that parses to the same bits.
func appendNumber(b []byte, v float64) []byte {
	return strconv.AppendFloat(b, v, 'g', -1, 64)
}
