package svm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"

	"eventseer/classify"
	"eventseer/features"

	libSvm "github.com/ewalker544/libsvm-go"
)

// The library reads files only, swallows errors, prints to stdout, sets
// GOMAXPROCS, remembers parameters, panics on blank lines and rounds what it
// writes. All that keeps these habits from the rest of the program is here.

// libsvm serialises the library: every training calls runtime.GOMAXPROCS.
var libsvm sync.Mutex

// digits is the precision of the data written for the library. It dumps support
// vectors with as many digits, so what it dumps is exactly what it trained on.
const digits = 8

// maxCacheMB bounds the kernel cache; a smaller one is enough for few examples,
// and the library allocates all of it at once, for each pair of classes.
const maxCacheMB = 200

// solve trains on m with the given label, 0 to labels-1, of each row.
func (t LIBSVM) solve(ctx context.Context, m *matrix, label []int, labels int) (k *classify.Kernel, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "eventseer-svm-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	model, err := t.train(m, label, labels, filepath.Join(dir, "data"))
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
	return t.undump(model, dump)
}

// undump reads a dumped model and puts back what the dump rounds to six digits:
// the parameters, and rho, which follows from the answers to an empty vector.
func (t LIBSVM) undump(model *libSvm.Model, dump []byte) (*classify.Kernel, error) {
	f, err := parseLIBSVM(dump)
	if err != nil {
		return nil, fmt.Errorf("%w: is the temporary folder full?", err)
	}
	raw := f.kernel
	raw.Type, raw.Gamma, raw.Coef0, raw.Degree = t.Kernel, t.Gamma, t.Coef0, t.Degree
	clear(raw.Rho)
	k, err := classify.NewKernel(raw)
	if err != nil {
		return nil, err
	}
	_, decisions := model.PredictValues(nil)
	if len(decisions) != len(raw.Rho) {
		return nil, fmt.Errorf("libsvm: %d decision values for %d pairs of classes", len(decisions), len(raw.Rho))
	}
	rho := k.Pairs(features.Vector{})
	for p, d := range decisions {
		rho[p] -= d
	}
	raw.Rho = rho
	return classify.NewKernel(raw)
}

// train writes the rows to file and lets the library train on it, with
// GOMAXPROCS as it was before and after.
func (t LIBSVM) train(m *matrix, label []int, labels int, file string) (*libSvm.Model, error) {
	if err := os.WriteFile(file, format(m, label, labels), 0o600); err != nil {
		return nil, err
	}
	libsvm.Lock()
	defer libsvm.Unlock()
	procs := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(procs)

	param := t.parameter(label, labels, procs)
	data, err := libSvm.NewProblem(file, param)
	if err != nil {
		return nil, err
	}
	if data.ProblemSize() != m.rows() {
		return nil, fmt.Errorf("libsvm: read %d of %d examples", data.ProblemSize(), m.rows())
	}
	model := libSvm.NewModel(param)
	if err := model.Train(data); err != nil {
		return nil, err
	}
	if model.NrClass() != labels { // a failed training only prints a warning
		return nil, fmt.Errorf("libsvm: a model of %d classes instead of %d", model.NrClass(), labels)
	}
	return model, nil
}

// parameter sets every field the library would otherwise guess or remember.
func (t LIBSVM) parameter(label []int, labels, procs int) *libSvm.Parameter {
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

// format writes the rows as the library reads them: a line an example, the label
// and then index:value with indices from 1, label after label, so that the
// library keeps the labels in order. No line is blank: the library panics on one.
func format(m *matrix, label []int, labels int) []byte {
	var b []byte
	for l := range labels {
		for i := range m.rows() {
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
