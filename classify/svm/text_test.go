package svm

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/features"

	"github.com/google/go-cmp/cmp"
)

const libsvmText = "svm_type c_svc\nkernel_type rbf\ngamma 0.5\nnr_class 3\ntotal_sv 3\nrho 0.1 -0.2 3e-1\nlabel 4 -1 7\nprobA 1 2 3\nprobB 1 2 3\nnr_sv 1 1 1\nSV\n" +
	"1 1 1:0.5 3:-2 \n-1 1 2:1 \n-1 -1 \n"

const liblinearText = "solver_type MCSVM_CS\nnr_class 3\nlabel 2 1 3\nnr_feature 2\nbias 2\nw\n1 2 3 \n-1 0 0.5 \n0.25 0.5 1 \n"

func readLIBSVM(s string) (classify.Classifier, error) {
	c, _, err := ReadLIBSVM(strings.NewReader(s))
	return c, err
}

func readLIBLINEAR(s string) (classify.Classifier, error) {
	c, _, err := ReadLIBLINEAR(strings.NewReader(s))
	return c, err
}

func TestTruncatedFilesAreRefused(t *testing.T) {
	for whole, read := range map[string]func(string) (classify.Classifier, error){libsvmText: readLIBSVM, liblinearText: readLIBLINEAR} {
		if _, err := read(whole); err != nil {
			t.Fatal(err)
		}
		for n := range whole {
			if _, err := read(whole[:n]); err == nil {
				t.Errorf("no error for %q", whole[:n])
			}
		}
	}
}

func TestDamagedFilesAreRefused(t *testing.T) {
	many := strings.Repeat(" 1", maxLabels*(maxLabels+1)/2)
	for _, test := range []struct {
		whole, old, new string // old is replaced
		want            string // in the error
	}{
		{libsvmText, "c_svc", "epsilon_svr", "line 1: svm_type: \"epsilon_svr\" is no machine that tells classes apart"},
		{libsvmText, "rbf", "precomputed", "line 2: kernel_type"},
		{libsvmText, "gamma 0.5", "gamma NaN", "line 3: gamma: \"NaN\" is no finite number"},
		{libsvmText, "gamma 0.5\n", "", "the header ends without gamma"},
		{libsvmText, "gamma 0.5", "gamma 0.5 1", "line 3"},
		{libsvmText, "gamma 0.5", "\n", "line 3: an empty line"},
		{libsvmText, "gamma", "delta", "line 3: delta: no line of a LIBSVM model begins so"},
		{libsvmText, "nr_class 3", "nr_class 1", "line 4: nr_class: 1, it is 2 to 256"},
		{libsvmText, "nr_class 3", "nr_class 257", "line 4"},
		{libsvmText, "total_sv 3", "total_sv 999999999999", "line 5"},
		{libsvmText, "total_sv 3", "total_sv 4", "total_sv is 4, nr_sv says 3"},
		{libsvmText, "total_sv 3", "nr_class 3", "line 5: nr_class: it comes twice"},
		{libsvmText, "rho 0.1 -0.2", "rho 0.1", "line 6: rho: 2 numbers instead of 3"},
		{libsvmText, "rho 0.1", "rho" + many, "line 6"},
		{libsvmText, "4 -1 7", "4 -1 4", "line 7: label: label 4 twice"},
		{libsvmText, "4 -1 7", "4 1.5 7", "line 7"},
		{libsvmText, "nr_sv 1 1 1", "nr_sv 4 -2 1", "line 10: nr_sv: -2"},
		{libsvmText, "1:0.5", "0:0.5", "line 12: index 0, it is 1 to 16777216: indices increase from 1"},
		{libsvmText, "3:-2", "1:-2", "line 12: index 1, it is 2"},
		{libsvmText, "3:-2", "16777217:-2", "line 12: index 16777217"},
		{libsvmText, "3:-2", "3", "line 12: \"3\" is no index:value"},
		{libsvmText, "3:-2", "3:1e999", "line 12: \"1e999\" is no finite number"},
		{libsvmText, "-1 1 2:1", "-1", "line 13: 1 coefficients instead of 2"},
		{libsvmText, "-1 1 2:1", "-1 inf 2:1", "line 13"},
		{libsvmText, "-1 -1 \n", "-1 -1 \n1 1\n", "line 15: more lines than the file announces"},
		{liblinearText, "MCSVM_CS", "L2R_L2LOSS_SVR", "line 1: solver_type: \"L2R_L2LOSS_SVR\" does not tell classes apart"},
		{liblinearText, "nr_class 3", "nr_class 0", "line 2"},
		{liblinearText, "label 2 1 3", "label 2 1", "line 3: label: 2 labels for 3 classes"},
		{liblinearText, "label 2 1 3\n", "", "the header ends without label"},
		{liblinearText, "nr_feature 2", "nr_feature 16777217", "line 4"},
		{liblinearText, "nr_feature 2", "nr_feature 3", "truncated"},
		{liblinearText, "nr_feature 2", "nr_feature 1", "more lines than the file announces"},
		{liblinearText, "bias 2", "bias inf", "line 5"},
		{liblinearText, "-1 0 0.5", "-1 0", "line 8: 2 numbers instead of 3"},
		{liblinearText, "0.25", "1e308", "line 9: the bias is +Inf"},
		{liblinearText, "1 2 3", "1 2 x", "line 7: \"x\" is no finite number"},
	} {
		read := readLIBSVM
		if test.whole == liblinearText {
			read = readLIBLINEAR
		}
		_, err := read(strings.Replace(test.whole, test.old, test.new, 1))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q for %q: error %v, want one with %q", test.new, test.old, err, test.want)
		}
	}
	if _, err := readText(strings.NewReader("12345"), 4); err == nil {
		t.Error("5 bytes where 4 can be had: no error")
	}
}

func FuzzReadLIBSVM(f *testing.F) {
	f.Add([]byte(libsvmText))
	f.Add([]byte("svm_type nu_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0\nlabel 1 -1\nnr_sv 1 1\nSV\n1 1:1 \n-1 2:1 \n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, labels, err := ReadLIBSVM(bytes.NewReader(b))
		checkRead(t, c, labels, err, WriteLIBSVM, ReadLIBSVM)
	})
}

func FuzzReadLIBLINEAR(f *testing.F) {
	f.Add([]byte(liblinearText))
	f.Add([]byte("solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 1\nbias -1\nw\n0.5 \n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, labels, err := ReadLIBLINEAR(bytes.NewReader(b))
		write := func(w io.Writer, c classify.Classifier, classes []string) error {
			return WriteLIBLINEAR(w, c.(*classify.Linear), classes)
		}
		checkRead(t, c, labels, err, write, ReadLIBLINEAR)
	})
}

// checkRead checks that a model that was read makes decisions, can be written, and can be read again.
func checkRead(t *testing.T, c classify.Classifier, labels []string, err error,
	write func(io.Writer, classify.Classifier, []string) error, read func(io.Reader) (classify.Classifier, []string, error)) {
	t.Helper()
	if err != nil {
		return
	}
	x := features.Vector{Index: []uint32{0, 2}, Value: []float64{1, 0.5}}
	if n := len(c.Decide(x)); n != len(labels) {
		t.Fatalf("%d decision values for labels %q", n, labels)
	}
	var b bytes.Buffer
	if err := write(&b, c, labels); err != nil {
		if strings.Contains(err.Error(), "finite") {
			return // a difference of two large weights
		}
		t.Fatal(err)
	}
	_, again, err := read(&b)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(labels, again); diff != "" {
		t.Errorf("labels (-read +read again):\n%s", diff)
	}
}
