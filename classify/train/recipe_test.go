package train

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/features"

	"github.com/google/go-cmp/cmp"
)

// vectorCorpus makes two classes of vectors, each row a group.
func vectorCorpus(n int) *corpus {
	c := &corpus{task: TaskVectors, classes: []string{"no", "yes"}, dims: 7}
	for i := range n {
		m := map[uint32]float64{uint32(i % 2): 1, 2: 1, uint32(3 + i%4): 0.5}
		if i%9 == 0 {
			m = map[uint32]float64{uint32(1 - i%2): 0.2, 2: 1}
		}
		c.rows = append(c.rows, features.NewVector(m))
		c.class = append(c.class, i%2)
		c.groups = append(c.groups, fmt.Sprint(i))
	}
	return c
}

func TestEveryAlgorithmLearns(t *testing.T) {
	c := vectorCorpus(60)
	for _, a := range algorithms {
		r, err := NewRecipe(a.name, TaskVectors, Parameters{Terms: -1})
		if err != nil {
			t.Fatal(err)
		}
		fit, err := r.fit(context.Background(), c, func(i int) bool { return i >= 20 })
		if err != nil {
			t.Errorf("%s: %v", a.name, err)
			continue
		}
		right := 0
		for i := range 20 {
			d := fit.classifier.Decide(fit.view.vectorOf(c, i))
			if (d[1] > d[0]) == (c.class[i] == 1) {
				right++
			}
		}
		if right < 16 {
			t.Errorf("%s judges %d of 20 right", a.name, right)
		}
	}
}

func TestFlagsGiveTheSameRecipe(t *testing.T) {
	for _, asked := range []Parameters{
		{Terms: -1},
		{Cost: 3, Terms: 0, Statistic: "ig"},
		{Terms: 70, Blocks: []string{"-url", "+title", "-url", "+body", "+title"}, Calibration: "isotonic"},
	} {
		first, err := NewRecipe("svm", classify.TaskCFP, asked)
		if err != nil {
			t.Fatal(err)
		}
		again, err := NewRecipe("svm", classify.TaskCFP, first.Parameters)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(first.options(), again.options()); diff != "" {
			t.Errorf("%+v (-first +again):\n%s", asked, diff)
		}
	}
}

func TestSwitchBlocks(t *testing.T) {
	r, err := NewRecipe("svm", classify.TaskCFP, Parameters{Terms: -1, Blocks: []string{"+title", "-structure", "+body"}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"+title", "-structure"}, r.Blocks); diff != "" {
		t.Errorf("switches in force (-want +got):\n%s", diff)
	}
	if got := strings.Join(r.features.Blocks, " "); strings.Contains(got, "structure") || !strings.Contains(got, "title") {
		t.Errorf("blocks read: %s", got)
	}
}

func TestNewRecipeRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		algo  string
		asked Parameters
		want  string
	}{
		"an unknown algorithm":        {"magic", Parameters{Terms: -1}, "the algorithms are svm"},
		"a cost that it has not":      {"nb-complement", Parameters{Cost: 1, Terms: -1}, "algorithm nb-complement has no such option"},
		"a smoothing that it has not": {"svm", Parameters{Alpha: 1, Terms: -1}, "--alpha: algorithm svm has no such option"},
		"a cost below 0":              {"svm", Parameters{Cost: -1, Terms: -1}, "not above 0"},
		"an unknown statistic":        {"svm", Parameters{Terms: -1, Statistic: "luck"}, `["chi2" "ig"]`},
		"an unknown calibration":      {"svm", Parameters{Terms: -1, Calibration: "hope"}, "platt, isotonic"},
		"an unknown block":            {"svm", Parameters{Terms: -1, Blocks: []string{"+footer"}}, "the blocks are body"},
		"a block without sign":        {"svm", Parameters{Terms: -1, Blocks: []string{"title"}}, "is not a block with + or -"},
		"no block":                    {"centroid", Parameters{Terms: -1, Blocks: []string{"-body"}}, "leaves no block"},
	} {
		_, err := NewRecipe(test.algo, classify.TaskCFP, test.asked)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q in it", name, err, test.want)
		}
	}
}

func TestFitRefusesAnEmptyVocabulary(t *testing.T) {
	c := &corpus{task: TaskVectors, classes: []string{"no", "yes"}, rows: make([]features.Vector, 4), class: []int{0, 1, 0, 1}, groups: make([]string, 4)}
	r, err := NewRecipe("svm", TaskVectors, Parameters{Terms: -1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.fit(context.Background(), c, func(int) bool { return true }); err == nil || !strings.Contains(err.Error(), "no term is left") {
		t.Errorf("error %v", err)
	}
}

func TestFoldsAtOnceAreTheSame(t *testing.T) {
	c := vectorCorpus(60)
	folds, err := c.assignFolds(5, 1)
	if err != nil {
		t.Fatal(err)
	}
	var want [][]float64
	for _, serial := range []bool{true, false} {
		r, err := NewRecipe("svm", TaskVectors, Parameters{Terms: -1})
		if err != nil {
			t.Fatal(err)
		}
		r.algorithm.serial = serial
		last := 0
		cv, err := crossValidate(context.Background(), r, r.Calibration, c, folds, 5, func(done int) {
			if done != last+1 {
				t.Errorf("%d folds done after %d", done, last)
			}
			last = done
		})
		if err != nil {
			t.Fatal(err)
		}
		if serial {
			want = cv.decisions
		} else if diff := cmp.Diff(want, cv.decisions); diff != "" {
			t.Errorf("(-serial +at once):\n%s", diff)
		}
	}
}
