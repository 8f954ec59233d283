package svm

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"eventseer/classify"
	"eventseer/features"
)

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

// WriteLIBSVM writes c, a *classify.Linear or *classify.Kernel that tells the
// classes apart, as a model file that svm-predict reads. Labels are those of
// Labels. A Linear becomes a machine a pair of classes, see its method Kernel.
func WriteLIBSVM(w io.Writer, c classify.Classifier, classes []string) error {
	var k *classify.Kernel
	var err error
	switch c := c.(type) {
	case *classify.Linear:
		k, err = c.Kernel()
	case *classify.Kernel:
		k, err = classify.NewKernel(*c)
	default:
		err = fmt.Errorf("a %T is no machine LIBSVM knows", c)
	}
	if err == nil && len(k.Counts) != len(classes) {
		err = fmt.Errorf("a machine for %d classes, %d names", len(k.Counts), len(classes))
	}
	if err != nil {
		return fmt.Errorf("write libsvm model: %w", err)
	}
	_, err = w.Write(formatLIBSVM(k, Labels(classes)))
	return err
}

func formatLIBSVM(k *classify.Kernel, labels []string) []byte {
	b := fmt.Appendf(nil, "svm_type c_svc\nkernel_type %s\n", kernelNames[k.Type])
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
