package svm

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"

	libSvm "github.com/ewalker544/libsvm-go"
)

// libsvm serialises the library: every training calls runtime.GOMAXPROCS.
var libsvm sync.Mutex

// digits is the precision of the data written for the library. It dumps support
// vectors with as many digits, so what it dumps is exactly what it trained on.
const digits = 8

// maxCacheMB bounds the kernel cache; a smaller one is enough for few examples,
// and the library allocates all of it at once.
const maxCacheMB = 200

// solve trains on p and returns the machine as weights and bias.
func (t Trainer) solve(p problem) (weights []float64, bias float64, err error) {
	dir, err := os.MkdirTemp("", "eventseer-svm-")
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()

	model, err := t.train(p, filepath.Join(dir, "data"))
	if err != nil {
		return nil, 0, err
	}
	dump := filepath.Join(dir, "model")
	if err := model.Dump(dump); err != nil {
		return nil, 0, err
	}
	data, err := os.ReadFile(dump)
	if err != nil {
		return nil, 0, err
	}
	// The dump rounds rho to six digits; the answer to nothing is -rho in full.
	_, decision := model.PredictValues(nil)
	if len(decision) != 1 {
		return nil, 0, fmt.Errorf("libsvm: %d decision values of a two-class machine", len(decision))
	}
	weights, err = collapse(data, p.dims)
	if err != nil {
		return nil, 0, err
	}
	return weights, decision[0], checkFinite(weights, decision[0])
}

// train writes p to file and lets the library train on it, with GOMAXPROCS as
// it was before and after.
func (t Trainer) train(p problem, file string) (*libSvm.Model, error) {
	if err := os.WriteFile(file, format(p), 0o600); err != nil {
		return nil, err
	}
	libsvm.Lock()
	defer libsvm.Unlock()
	procs := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(procs)

	param := t.parameter(p, procs)
	data, err := libSvm.NewProblem(file, param)
	if err != nil {
		return nil, err
	}
	if data.ProblemSize() != len(p.label) {
		return nil, fmt.Errorf("libsvm: read %d of %d examples", data.ProblemSize(), len(p.label))
	}
	model := libSvm.NewModel(param)
	if err := model.Train(data); err != nil {
		return nil, err
	}
	if model.NrClass() != 2 { // a failed training only prints a warning
		return nil, fmt.Errorf("libsvm: a model of %d classes instead of 2", model.NrClass())
	}
	return model, nil
}

// parameter sets every field the library would otherwise guess or remember.
func (t Trainer) parameter(p problem, procs int) *libSvm.Parameter {
	n := len(p.label)
	param := libSvm.NewParameter()
	param.SvmType = libSvm.C_SVC
	param.KernelType = libSvm.LINEAR
	param.Gamma = 1
	param.C = t.C
	param.Eps = t.Eps
	param.CacheSize = min(maxCacheMB, n*n*4/1e6+1)
	param.QuietMode = true
	param.NumCPU = procs
	if t.Balanced {
		param.NrWeight = 2
		param.WeightLabel = []int{+1, -1}
		param.Weight = []float64{
			float64(n) / float64(2*p.positive),
			float64(n) / float64(2*p.negative),
		}
	}
	return param
}

// format writes p as the library reads it: a line an example, the label and
// then index:value with indices from 1. No line is blank: the library panics on one.
func format(p problem) []byte {
	var b bytes.Buffer
	var num []byte
	for n, e := range p.examples {
		b.WriteString(strconv.Itoa(p.label[n]))
		for i, ix := range e.X.Index {
			num = append(num[:0], ' ')
			num = strconv.AppendUint(num, uint64(ix)+1, 10)
			num = append(num, ':')
			num = strconv.AppendFloat(num, e.X.Value[i], 'g', digits, 64)
			b.Write(num)
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// collapse sums coefficient times support vector over a dumped model. It
// returns an error unless every announced support vector is there.
func collapse(dump []byte, dims int) ([]float64, error) {
	weights := make([]float64, dims)
	lines := bufio.NewScanner(bytes.NewReader(dump))
	lines.Buffer(nil, len(dump)+1)
	total, found, inBody := -1, 0, false
	for lines.Scan() {
		fields := bytes.Fields(lines.Bytes())
		switch {
		case inBody:
			if err := addScaled(weights, fields); err != nil {
				return nil, fmt.Errorf("libsvm: support vector %d: %w", found+1, err)
			}
			found++
		case len(fields) == 2 && string(fields[0]) == "total_sv":
			n, err := strconv.Atoi(string(fields[1]))
			if err != nil {
				return nil, fmt.Errorf("libsvm: number of support vectors: %w", err)
			}
			total = n
		case len(fields) == 1 && string(fields[0]) == "SV":
			inBody = true
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if found != total || !bytes.HasSuffix(dump, []byte("\n")) {
		return nil, fmt.Errorf("libsvm: %d of %d support vectors were written, is the temporary folder full?", found, total)
	}
	return weights, nil
}

// addScaled adds one dumped line, a coefficient and index:value pairs, to weights.
func addScaled(weights []float64, fields [][]byte) error {
	if len(fields) < 2 {
		return errors.New("no component")
	}
	coef, err := strconv.ParseFloat(string(fields[0]), 64)
	if err != nil {
		return err
	}
	for _, f := range fields[1:] {
		index, value, _ := bytes.Cut(f, []byte(":"))
		i, err := strconv.Atoi(string(index))
		if err != nil {
			return err
		}
		v, err := strconv.ParseFloat(string(value), 64)
		if err != nil {
			return err
		}
		if i < 1 || i > len(weights) {
			return fmt.Errorf("index %d of %d", i, len(weights))
		}
		weights[i-1] += float64(coef * v)
	}
	return nil
}

func checkFinite(weights []float64, bias float64) error {
	for _, w := range append([]float64{bias}, weights...) {
		if math.IsNaN(w) || math.IsInf(w, 0) {
			return errors.New("libsvm: the solution holds a value that is not finite")
		}
	}
	return nil
}
