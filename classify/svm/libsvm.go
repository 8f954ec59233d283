package svm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/features"

	libSvm "github.com/ewalker544/libsvm-go"
)

// LIBSVM trains C-SVC through libsvm-go, for sets of up to a few thousand examples. Its time and memory
// grow with the square of their number. It has no randomness. On processors that fuse multiplication and
// addition the last digits of the library's sums, and so of the classifier, may differ. Trainings in one
// process run one after the other, because the library sets GOMAXPROCS; no other code may change
// GOMAXPROCS during a training.
type LIBSVM struct {
	// Kernel is the kernel function; the zero value is LinearKernel.
	Kernel classify.KernelType
	// C is the cost of a training error, above 0. Zero means 1.
	C float64
	// Gamma is the γ of the kernel, above 0; the linear kernel has none. Zero means one divided by the
	// largest index of the examples, counted from 1.
	Gamma float64
	// Coef0 is the constant of the polynomial and the sigmoid kernel.
	Coef0 float64
	// Degree is the degree of the polynomial kernel, up to 100. Zero means 3.
	Degree int
	// Balanced multiplies C for the examples of each side of a classifier by n / sides·n(side), so that
	// all sides have the same weight. The sides of pairwise classifiers are all classes.
	Balanced bool
	// Eps is the tolerance of the stopping criterion. Zero means 0.001.
	Eps float64
	// Pairwise trains linear classifiers for more than two classes per pair of classes, as LIBSVM does,
	// instead of one per class against all others. For other kernels this is always so.
	Pairwise bool
}

var _ classify.Trainer = LIBSVM{}

// Train returns a *classify.Linear for the linear kernel without Pairwise, with support vectors summed to
// weights, which is exact except for rounding. Otherwise it returns a *classify.Kernel. Examples with
// empty vectors are left out. Train checks ctx before each call of the library, not during a call.
func (t LIBSVM) Train(ctx context.Context, classes []string, examples []classify.Example) (classify.Classifier, error) {
	m, err := newMatrix(classes, examples)
	if err != nil {
		return nil, err
	}
	t, err = t.withDefaults(m.dims)
	if err != nil {
		return nil, err
	}
	switch {
	case t.Kernel != classify.LinearKernel || t.Pairwise && len(classes) > 2:
		return t.trainKernel(ctx, m, m.class, len(classes))
	case len(classes) == 2:
		return t.trainCollapsed(ctx, m, m.class)
	}
	model := &classify.Linear{}
	for k, class := range classes {
		against := make([]int, m.numRows())
		for i, c := range m.class {
			if c == k {
				against[i] = 1
			}
		}
		machine, err := t.trainCollapsed(ctx, m, against)
		if err != nil {
			return nil, fmt.Errorf("train: class %q: %w", class, err)
		}
		model.Weights = append(model.Weights, machine.Weights...)
		model.Bias = append(model.Bias, machine.Bias...)
	}
	return model, nil
}

// trainCollapsed trains one linear classifier on sides 0 and 1 and sums its support vectors to weights.
func (t LIBSVM) trainCollapsed(ctx context.Context, m *matrix, side []int) (*classify.Linear, error) {
	k, err := t.trainKernel(ctx, m, side, 2)
	if err != nil {
		return nil, err
	}
	return k.Linear(), nil
}

func (t LIBSVM) withDefaults(dims int) (LIBSVM, error) {
	if t.C == 0 {
		t.C = 1
	}
	if t.Eps == 0 {
		t.Eps = 1e-3
	}
	if t.Gamma == 0 {
		t.Gamma = 1 / float64(max(1, dims))
	}
	if t.Degree == 0 {
		t.Degree = 3
	}
	if err := errors.Join(checkPositive("C", t.C), checkPositive("Eps", t.Eps), checkPositive("Gamma", t.Gamma)); err != nil {
		return t, err
	}
	switch {
	case t.Kernel < classify.LinearKernel || t.Kernel > classify.SigmoidKernel:
		return t, fmt.Errorf("svm: unknown kernel %v", t.Kernel)
	case t.Degree < 1 || t.Degree > maxDegree:
		return t, fmt.Errorf("svm: Degree is %d, must be 1 to %d", t.Degree, maxDegree)
	case math.IsNaN(t.Coef0) || math.IsInf(t.Coef0, 0):
		return t, fmt.Errorf("svm: Coef0 is %v", t.Coef0)
	}
	return t, nil
}

// maxDegree is the largest degree of a polynomial kernel for training.
const maxDegree = 100

// The library only reads files, hides errors, prints to stdout, sets GOMAXPROCS, remembers parameters,
// panics on blank lines and rounds what it writes. The code below keeps all this from affecting the rest
// of the program.

// libsvm must be held during a training, because every training calls runtime.GOMAXPROCS.
var libsvm sync.Mutex

// digits is the number of digits of the data written for the library. It writes support vectors with as
// many digits, so they are exactly the vectors that it was trained on.
const digits = 8

// maxCacheMB is the largest size of the kernel cache. A smaller one is used if there are few examples,
// because the library allocates the whole cache at once for each pair of classes.
const maxCacheMB = 200

// trainKernel trains on m; label holds the label of each row, 0 to labels-1.
func (t LIBSVM) trainKernel(ctx context.Context, m *matrix, label []int, labels int) (k *classify.Kernel, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "eventseer-svm-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	model, err := t.runLibrary(m, label, labels, filepath.Join(dir, "data"))
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "model")
	if err := model.Dump(file); err != nil {
		return nil, err
	}
	dump, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return t.parseDump(model, dump)
}

// parseDump reads a model that the library wrote and restores the values that were rounded to six digits.
// These are the parameters, and rho, which is computed from the decision values of an empty vector.
func (t LIBSVM) parseDump(model *libSvm.Model, dump []byte) (*classify.Kernel, error) {
	raw := classify.Kernel{Type: t.Kernel, Gamma: t.Gamma, Coef0: t.Coef0, Degree: t.Degree}
	_, decisions := model.PredictValues(nil)
	raw.Rho = make([]float64, len(decisions))
	if err := addSupportVectors(&raw, dump, model.NrClass()); err != nil {
		return nil, fmt.Errorf("libsvm: %w: is the temporary folder full?", err)
	}
	k, err := classify.NewKernel(raw)
	if err != nil {
		return nil, fmt.Errorf("libsvm: %w: is the temporary folder full?", err)
	}
	raw.Rho = k.PairDecisions(features.Vector{})
	for p, d := range decisions {
		raw.Rho[p] -= d
	}
	return classify.NewKernel(raw)
}

// addSupportVectors reads the support vectors of each class and their coefficients from a dump. It reads
// the line nr_sv and the lines after SV, each of which has coefficients and then index:value pairs.
func addSupportVectors(k *classify.Kernel, dump []byte, classes int) error {
	head, vectors, _ := strings.Cut(string(dump), "\nSV\n")
	_, counts, _ := strings.Cut(head, "\nnr_sv ")
	for count := range strings.FieldsSeq(counts) {
		n, err := strconv.Atoi(count)
		if err != nil {
			return err
		}
		k.Counts = append(k.Counts, n)
	}
	k.Coef = make([][]float64, classes-1)
	for line := range strings.Lines(vectors) {
		fields := strings.Fields(line)
		if len(fields) < len(k.Coef) || !strings.HasSuffix(line, "\n") {
			return errors.New("the dump is truncated")
		}
		for i, field := range fields[:len(k.Coef)] {
			c, err := strconv.ParseFloat(field, 64)
			if err != nil {
				return err
			}
			k.Coef[i] = append(k.Coef[i], c)
		}
		var v features.Vector
		for _, field := range fields[len(k.Coef):] {
			index, value, _ := strings.Cut(field, ":")
			ix, err := strconv.ParseUint(index, 10, 32)
			if err != nil {
				return err
			}
			x, err := strconv.ParseFloat(value, 64)
			if err != nil {
				return err
			}
			v.Index, v.Value = append(v.Index, uint32(ix)-1), append(v.Value, x)
		}
		k.Vectors = append(k.Vectors, v)
	}
	return nil
}

// runLibrary writes the rows to file and trains the library on it. It restores GOMAXPROCS afterwards.
func (t LIBSVM) runLibrary(m *matrix, label []int, labels int, file string) (*libSvm.Model, error) {
	if err := os.WriteFile(file, formatRows(m, label, labels), 0o600); err != nil {
		return nil, err
	}
	libsvm.Lock()
	defer libsvm.Unlock()
	procs := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(procs)

	param := t.trainingParameter(label, labels, procs)
	data, err := libSvm.NewProblem(file, param)
	if err != nil {
		return nil, err
	}
	if data.ProblemSize() != m.numRows() {
		return nil, fmt.Errorf("libsvm: only %d of %d examples could be read", data.ProblemSize(), m.numRows())
	}
	model := libSvm.NewModel(param)
	if err := model.Train(data); err != nil {
		return nil, err
	}
	if model.NrClass() != labels { // a failed training prints only a warning
		return nil, fmt.Errorf("libsvm: the model has %d classes instead of %d", model.NrClass(), labels)
	}
	return model, nil
}

// trainingParameter sets every parameter that the library would otherwise guess or keep from the previous
// training.
func (t LIBSVM) trainingParameter(label []int, labels, procs int) *libSvm.Parameter {
	n := len(label)
	param := libSvm.NewParameter()
	param.SvmType = libSvm.C_SVC
	param.KernelType = int(t.Kernel) // the numbers are LIBSVM's
	param.Gamma = t.Gamma
	param.Coef0 = t.Coef0
	param.Degree = t.Degree
	param.C = t.C
	param.Eps = t.Eps
	param.CacheSize = min(maxCacheMB, n*n*4/1e6+1)
	param.QuietMode = true
	param.NumCPU = procs
	if t.Balanced {
		count := make([]int, labels)
		for _, l := range label {
			count[l]++
		}
		param.NrWeight = labels
		for l, in := range count {
			param.WeightLabel = append(param.WeightLabel, l)
			param.Weight = append(param.Weight, float64(n)/float64(labels*in))
		}
	}
	return param
}

// formatRows returns the rows in the library's file format, one line per example: the label and then
// index:value pairs with indexes from 1. It groups them by label, so that the library keeps the labels in
// order. No line is blank, because the library panics on a blank line.
func formatRows(m *matrix, label []int, labels int) []byte {
	var b []byte
	for l := range labels {
		for i := range m.numRows() {
			if label[i] != l {
				continue
			}
			b = strconv.AppendInt(b, int64(l), 10)
			for k := m.start[i]; k < m.start[i+1]; k++ {
				b = strconv.AppendUint(append(b, ' '), uint64(m.index[k])+1, 10)
				b = strconv.AppendFloat(append(b, ':'), m.value[k], 'g', digits, 64)
			}
			b = append(b, '\n')
		}
	}
	return b
}
