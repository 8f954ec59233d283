package svm

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/features"
)

// The readers of model files of C LIBSVM and C LIBLINEAR. Tests compare what their programs train
// with what ours do, and read our files again.

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

// ReadLIBSVM reads a model file of C LIBSVM (C-SVC or nu-SVC) to its end. It
// returns a *classify.Linear for two classes and the linear kernel, else a
// *classify.Kernel, and the labels of the classes in the order of the file.
// Probabilities (-b 1) are passed over. Files of other machines, truncated files
// and values that are not finite are errors that name the line.
func ReadLIBSVM(r io.Reader) (classify.Classifier, []string, error) {
	b, err := readText(r, maxTextBytes)
	if err != nil {
		return nil, nil, fmt.Errorf("libsvm model: %w", err)
	}
	f, err := parseLIBSVM(b)
	if err != nil {
		return nil, nil, err
	}
	k, err := classify.NewKernel(f.kernel)
	if err != nil {
		return nil, nil, fmt.Errorf("libsvm model: %w", err)
	}
	if l := k.Linear(); l != nil {
		return l, f.labels, nil
	}
	return k, f.labels, nil
}

// libsvmFile is a model file being read.
type libsvmFile struct {
	text
	seen   map[string]bool // header lines
	labels []string
	total  int // support vectors
	kernel classify.Kernel
}

func parseLIBSVM(b []byte) (*libsvmFile, error) {
	f := &libsvmFile{text: text{what: "libsvm", rest: b}, seen: map[string]bool{}}
	for !f.seen["SV"] {
		fields, err := f.next()
		if err != nil {
			return nil, err
		}
		if len(fields) == 0 {
			return nil, f.errorf("an empty line in the header")
		}
		if err := f.header(string(fields[0]), fields[1:]); err != nil {
			return nil, f.errorf("%.40s: %w", fields[0], err)
		}
	}
	if err := f.complete(); err != nil {
		return nil, f.errorf("%w", err)
	}
	for range f.total {
		fields, err := f.next()
		if err != nil {
			return nil, err
		}
		if err := f.vector(fields); err != nil {
			return nil, f.errorf("%w", err)
		}
	}
	return f, f.end()
}

// kernelNames are LIBSVM's, in the order of classify.KernelType.
var kernelNames = []string{"linear", "polynomial", "rbf", "sigmoid"}

// header takes one line of the header.
func (f *libsvmFile) header(key string, fields [][]byte) error {
	if f.seen[key] {
		return fmt.Errorf("it comes twice")
	}
	f.seen[key] = true
	switch key {
	case "SV":
		return nil
	case "rho", "label", "probA", "probB", "nr_sv":
		if !f.seen["nr_class"] {
			return fmt.Errorf("it comes before nr_class")
		}
		return f.list(key, fields)
	}
	if len(fields) != 1 {
		return fmt.Errorf("%d values instead of 1", len(fields))
	}
	return f.value(key, fields[0])
}

// list takes a line with a value a class or a pair of classes.
func (f *libsvmFile) list(key string, fields [][]byte) (err error) {
	k, classes := &f.kernel, len(f.kernel.Coef)+1
	pairs := classes * (classes - 1) / 2
	switch key {
	case "rho":
		k.Rho, err = numbers(fields, pairs)
	case "probA", "probB":
		_, err = numbers(fields, pairs)
	case "label":
		f.labels, err = readLabels(fields, classes)
	case "nr_sv":
		k.Counts, err = counts(fields, classes)
	}
	return err
}

// value takes a line with one value.
func (f *libsvmFile) value(key string, field []byte) (err error) {
	k := &f.kernel
	switch key {
	case "svm_type":
		if t := string(field); t != "c_svc" && t != "nu_svc" {
			return fmt.Errorf("%.40q is no machine that tells classes apart, c_svc and nu_svc are", t)
		}
	case "kernel_type":
		k.Type = classify.KernelType(slices.Index(kernelNames, string(field)))
		if k.Type < 0 {
			return fmt.Errorf("%.40q is none of %s", field, strings.Join(kernelNames, ", "))
		}
	case "degree":
		k.Degree, err = integer(field, 0, maxDegree)
	case "gamma":
		k.Gamma, err = number(field)
	case "coef0":
		k.Coef0, err = number(field)
	case "nr_class":
		var classes int
		if classes, err = integer(field, 2, maxLabels); err == nil {
			k.Coef = make([][]float64, classes-1)
		}
	case "total_sv":
		f.total, err = integer(field, 0, maxVectors)
	default:
		return fmt.Errorf("no line of a LIBSVM model begins so")
	}
	return err
}

func counts(fields [][]byte, want int) ([]int, error) {
	if len(fields) != want {
		return nil, fmt.Errorf("%d numbers instead of %d", len(fields), want)
	}
	var list []int
	for _, field := range fields {
		n, err := integer(field, 0, maxVectors)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
	return list, nil
}

// complete returns an error unless the header says all that the vectors need.
func (f *libsvmFile) complete() error {
	needed := []string{"svm_type", "kernel_type", "nr_class", "total_sv", "rho", "label", "nr_sv"}
	switch f.kernel.Type {
	case classify.PolynomialKernel:
		needed = append(needed, "degree", "gamma", "coef0")
	case classify.RBFKernel:
		needed = append(needed, "gamma")
	case classify.SigmoidKernel:
		needed = append(needed, "gamma", "coef0")
	}
	for _, key := range needed {
		if !f.seen[key] {
			return fmt.Errorf("the header ends without %s", key)
		}
	}
	sum := 0
	for _, n := range f.kernel.Counts {
		sum += n
	}
	if sum != f.total {
		return fmt.Errorf("total_sv is %d, nr_sv says %d", f.total, sum)
	}
	return nil
}

// vector takes the line of a support vector: its coefficients, then index:value.
func (f *libsvmFile) vector(fields [][]byte) error {
	k := &f.kernel
	n := len(k.Coef)
	if len(fields) < n {
		return fmt.Errorf("%d coefficients instead of %d", len(fields), n)
	}
	coefs, err := numbers(fields[:n], n)
	if err != nil {
		return err
	}
	for r, c := range coefs {
		k.Coef[r] = append(k.Coef[r], c)
	}
	v := features.Vector{Index: make([]uint32, len(fields)-n), Value: make([]float64, len(fields)-n)}
	last := 0
	for i, field := range fields[n:] {
		index, value, ok := bytes.Cut(field, []byte(":"))
		if !ok {
			return fmt.Errorf("%.40q is no index:value", field)
		}
		ix, err := integer(index, last+1, maxDims)
		if err != nil {
			return fmt.Errorf("index %w: indices increase from 1", err)
		}
		if v.Value[i], err = number(value); err != nil {
			return err
		}
		v.Index[i], last = uint32(ix-1), ix
	}
	k.Vectors = append(k.Vectors, v)
	return nil
}

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
		columns, sign = 1, -1 // above 0 means the first class there, the second here
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
