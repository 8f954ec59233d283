package svm_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/svm"
	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/features"
)

var compare = flag.Bool("compare", false, "TestComparison: all sizes; svm-train alone takes half an hour for the largest")

// TestMain lets the test binary act as the program under comparison. With solverEnv set it reads a
// svmlight file, trains and writes a model of LIBLINEAR.
func TestMain(m *testing.M) {
	flag.Parse()
	if os.Getenv(solverEnv) == "" {
		os.Exit(m.Run())
	}
	if err := solver(flag.Arg(0), flag.Arg(1), flag.Arg(2)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const solverEnv = "EVENTSEER_TEST_SOLVER"

// solver trains on data and prints the seconds for training alone, and for reading, training and writing
// together.
func solver(loss, data, model string) error {
	begin := time.Now()
	examples, classes, err := readExamples(data)
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(loss)
	if err != nil {
		return err
	}
	start := time.Now()
	c, err := svm.Linear{Loss: svm.Loss(n), Eps: tolerance}.Train(context.Background(), classes, examples)
	if err != nil {
		return err
	}
	train := time.Since(start)
	f, err := os.Create(model)
	if err != nil {
		return err
	}
	err = errors.Join(svm.WriteLIBLINEAR(f, c.(*classify.Linear), classes), f.Close())
	fmt.Println(train.Seconds(), time.Since(begin).Seconds())
	return err
}

// tolerance is -e of all solvers compared.
const tolerance = 0.01

func readExamples(file string) ([]classify.Example, []string, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	v, err := datasets.ReadSVMLight(f, file)
	if err != nil {
		return nil, nil, err
	}
	examples := make([]classify.Example, len(v.Rows))
	for i, row := range v.Rows {
		examples[i] = classify.Example{X: row.X, Class: row.Class}
	}
	return examples, v.Classes, nil
}

// tools skips the test unless the programs of liblinear-tools and libsvm-tools
// are there, and fails it if CI=true.
func tools(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err != nil {
			lacking := t.Skipf
			if os.Getenv("CI") == "true" {
				lacking = t.Fatalf
			}
			lacking("%s is not installed: apt-get install liblinear-tools libsvm-tools", name)
		}
	}
}

// text makes n rows of 40 terms out of 20,000 at unit length. Some terms are more frequent, a third
// lean to one class, and 3 of 100 labels are wrong.
func text(n int, seed uint64) []classify.Example {
	const terms, row = 20_000, 40
	lean := rand.New(rand.NewPCG(1, 0)) // the same for training and test
	side := make([]float64, terms)
	for i := range side {
		if lean.IntN(3) == 0 {
			side[i] = lean.NormFloat64()
		}
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	examples := make([]classify.Example, n)
	for i := range examples {
		class := rng.IntN(2)
		x := map[uint32]float64{}
		for len(x) < row {
			term := uint32(math.Exp(rng.Float64()*math.Log(terms+1)) - 1)
			if keep := 1 / (1 + math.Exp(-side[term]*float64(2*class-1))); rng.Float64() < keep {
				x[term] = (1 + math.Log(1+rng.ExpFloat64())) * math.Log(2+float64(term))
			}
		}
		if rng.IntN(100) < 3 {
			class = 1 - class
		}
		examples[i] = classify.Example{X: unit(features.NewVector(x)), Class: class}
	}
	return examples
}

func unit(v features.Vector) features.Vector {
	var sum float64
	for _, x := range v.Value {
		sum += x * x
	}
	for i := range v.Value {
		v.Value[i] /= math.Sqrt(sum)
	}
	return v
}

// write writes examples as svmlight with six digits and returns the name and the contents of the file.
func write(t *testing.T, examples []classify.Example, labels []string) (string, []classify.Example) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "data")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	w := bufio.NewWriter(f)
	for _, e := range examples {
		fmt.Fprint(w, labels[e.Class])
		for i, ix := range e.X.Index {
			fmt.Fprintf(w, " %d:%.6g", ix+1, e.X.Value[i])
		}
		fmt.Fprintln(w)
	}
	if err := errors.Join(w.Flush(), f.Close()); err != nil {
		t.Fatal(err)
	}
	read, _, err := readExamples(file)
	if err != nil {
		t.Fatal(err)
	}
	return file, read
}

var signs = []string{"-1", "1"}

// An outcome is the result of one program for one file.
type outcome struct {
	model       *classify.Linear // one row, for class 1
	wall        float64          // seconds, with the start of the process
	work, train float64          // seconds without it, and in training alone; 0 if unknown
}

// run runs a program with one more environment variable, or "", and returns its
// output and seconds.
func run(t *testing.T, env, name string, args ...string) (string, float64) {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1", env) // one thread, as the others
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	start := time.Now()
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, stderr.Bytes())
	}
	return string(out), time.Since(start).Seconds()
}

func ours(t *testing.T, loss svm.Loss, data string) outcome {
	model := filepath.Join(t.TempDir(), "ours")
	out, wall := run(t, solverEnv+"=1", os.Args[0], strconv.Itoa(int(loss)), data, model)
	o := outcome{model: readModel(t, model, svm.ReadLIBLINEAR), wall: wall}
	if _, err := fmt.Sscan(out, &o.train, &o.work); err != nil {
		t.Fatal(err)
	}
	return o
}

// liblinear estimates the time of training alone: a whole run minus a run of one pass.
func liblinear(t *testing.T, loss svm.Loss, data string) outcome {
	model := filepath.Join(t.TempDir(), "liblinear")
	args := []string{"-s", map[svm.Loss]string{svm.Hinge: "3", svm.SquaredHinge: "1"}[loss], "-B", "1", "-q", "-e"}
	_, onePass := run(t, "", "liblinear-train", append(slices.Clone(args), "1e30", data, model)...)
	_, wall := run(t, "", "liblinear-train", append(args, fmt.Sprint(tolerance), data, model)...)
	return outcome{model: readModel(t, model, svm.ReadLIBLINEAR), wall: wall, train: max(0, wall-onePass)}
}

func libsvm(t *testing.T, data string) outcome {
	model := filepath.Join(t.TempDir(), "libsvm")
	_, wall := run(t, "", "svm-train", "-t", "0", "-q", data, model)
	return outcome{model: readModel(t, model, svm.ReadLIBSVM), wall: wall}
}

// readModel reads a model of two classes with its row for label 1.
func readModel(t *testing.T, file string, read reader) *classify.Linear {
	t.Helper()
	c, labels := readClassifier(t, file, read)
	l := c.(*classify.Linear)
	if labels[0] == "1" {
		l.Bias[0] = -l.Bias[0]
		for i, w := range l.Weights[0] {
			l.Weights[0][i] = -w
		}
	}
	return l
}

type reader func(io.Reader) (classify.Classifier, []string, error)

func readClassifier(t *testing.T, file string, read reader) (classify.Classifier, []string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	c, labels, err := read(f)
	if err != nil {
		t.Fatal(err)
	}
	return c, labels
}

// objective is the primal objective at C = 1; bias means that the bias is regularised.
func objective(l *classify.Linear, examples []classify.Example, loss svm.Loss, bias bool) float64 {
	var sum float64
	for _, w := range l.Weights[0] {
		sum += w * w / 2
	}
	if bias {
		sum += l.Bias[0] * l.Bias[0] / 2
	}
	for _, e := range examples {
		slack := max(0, 1-float64(2*e.Class-1)*l.Decide(e.X)[1])
		if loss == svm.SquaredHinge {
			slack *= slack
		}
		sum += slack
	}
	return sum
}

func accuracy(c classify.Classifier, examples []classify.Example) float64 {
	right := 0
	for _, e := range examples {
		if best(c.Decide(e.X)) == e.Class {
			right++
		}
	}
	return float64(right) / float64(len(examples))
}

func best(values []float64) int {
	b := 0
	for k, v := range values {
		if v > values[b] {
			b = k
		}
	}
	return b
}

// A duel is two programs on one file.
type duel struct{ ours, theirs outcome }

// judge compares objectives and accuracies, and prints a line of the table.
func (d duel) judge(t *testing.T, name string, train, test []classify.Example, loss svm.Loss, bias bool) {
	t.Helper()
	a, b := objective(d.ours.model, train, loss, bias), objective(d.theirs.model, train, loss, bias)
	p, q := accuracy(d.ours.model, test), accuracy(d.theirs.model, test)
	difference := math.Abs(a-b) / b
	t.Logf("%-24s objective %9.3f %9.3f (%.0e)  accuracy %.4f %.4f  wall %.4f %.4f s (%.2f; without our start %.4f s)  training %.4f %.4f s",
		name, a, b, difference, p, q, d.ours.wall, d.theirs.wall, d.ours.wall/d.theirs.wall, d.ours.work, d.ours.train, d.theirs.train)
	if difference > 1e-3 {
		t.Errorf("%s: objective %v, theirs %v", name, a, b)
	}
	if math.Abs(p-q) > 0.003 {
		t.Errorf("%s: accuracy %v, theirs %v", name, p, q)
	}
}

// TestComparison compares our linear solver with liblinear-train and svm-train
// on the same files: always the answers on small sets, with -compare all sizes
// and times. Times are medians, ours before theirs; wall is all of a program,
// from its start through reading, training and writing. Only answers are asserted.
func TestComparison(t *testing.T) {
	tools(t, "liblinear-train", "svm-train")
	sizes, kernel := []int{500, 2000}, 500
	if *compare {
		sizes, kernel = []int{500, 2000, 8000, 50_000}, 50_000
	}
	test := text(4000, 99)
	for i, n := range sizes {
		data, train := write(t, text(n, uint64(i)), signs)
		for _, loss := range []svm.Loss{svm.SquaredHinge, svm.Hinge} {
			duels := make([]duel, runs(n))
			for r := range duels {
				duels[r] = duel{ours(t, loss, data), liblinear(t, loss, data)}
			}
			median(duels).judge(t, fmt.Sprintf("n=%d liblinear -s %d", n, 3-2*int(loss)), train, test, loss, true)
		}
	}
	for i, n := range sizes {
		if n > kernel {
			break
		}
		data, train := write(t, text(n, uint64(i)), signs)
		duel{ours(t, svm.Hinge, data), libsvm(t, data)}.judge(t, fmt.Sprintf("n=%d svm-train -t 0", n), train, test, svm.Hinge, false)
	}
}

// runs returns the number of runs of the programs on n rows.
func runs(n int) int {
	switch {
	case !*compare:
		return 1
	case n <= 2000:
		return 21
	}
	return 7
}

// median returns the medians of the times and the first models.
func median(duels []duel) duel {
	of := func(get func(duel) float64) float64 {
		var values []float64
		for _, d := range duels {
			values = append(values, get(d))
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	d := duels[0]
	d.ours.wall, d.theirs.wall = of(func(d duel) float64 { return d.ours.wall }), of(func(d duel) float64 { return d.theirs.wall })
	d.ours.train, d.theirs.train = of(func(d duel) float64 { return d.ours.train }), of(func(d duel) float64 { return d.theirs.train })
	d.ours.work = of(func(d duel) float64 { return d.ours.work })
	return d
}
