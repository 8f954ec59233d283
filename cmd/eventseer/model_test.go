package main

import (
	"bytes"
	"context"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/svm"
	"github.com/eventseer/eventseer/classify/train"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/warc"
)

// linearModels returns linear machines of two tasks, trained once for all tests, and the
// pages that they are trained on.
func linearModels(t *testing.T) (map[string]*classify.Model, []*features.Document) {
	t.Helper()
	golden.SharedPath(t, sampledPages)
	models, err := trainedModels()
	if err != nil {
		t.Fatal(err)
	}
	docs, err := sampledDocuments()
	if err != nil {
		t.Fatal(err)
	}
	return models, docs
}

var trainedModels = sync.OnceValues(func() (map[string]*classify.Model, error) {
	docs, err := sampledDocuments()
	if err != nil {
		return nil, err
	}
	models := map[string]*classify.Model{}
	for _, task := range []string{"cfp", "page-type"} {
		if models[task], err = trainLinear(task, docs); err != nil {
			return nil, err
		}
	}
	return models, nil
})

// trainLinear trains linear classifiers to give docs the same answers as the shipped model of the task.
func trainLinear(task string, docs []*features.Document) (*classify.Model, error) {
	shipped, err := judges.OpenModel(task)
	if err != nil {
		return nil, err
	}
	v, err := features.FitVectorizer(features.DefaultOptions(), nil, docs)
	if err != nil {
		return nil, err
	}
	examples := make([]classify.Example, len(docs))
	for i, d := range docs {
		examples[i] = classify.Example{X: v.Vector(d), Class: shipped.Class(shipped.Scores(d))}
	}
	linear, err := svm.Linear{C: 0.3}.Train(context.Background(), shipped.Classes, examples)
	if err != nil {
		return nil, err
	}
	m := *shipped
	m.Vectorizer, m.Classifier, m.Algo = v, linear, "svm"
	return classify.NewModel(m)
}

// TestExportedModelsDecideAsOurs holds linear models, exported, against the
// programs of LIBSVM and LIBLINEAR on real pages.
func TestExportedModelsDecideAsOurs(t *testing.T) {
	t.Parallel()
	models, docs := linearModels(t)
	for task, m := range models {
		dir := t.TempDir()
		file := filepath.Join(dir, "linear.model")
		if err := train.WriteModel(file, m); err != nil {
			t.Fatal(err)
		}
		vectors := filepath.Join(dir, "pages.svm")
		want := writeVectorsOf(t, m, docs, vectors)
		for to, program := range map[string]string{judges.ToLIBSVM: "svm-predict", judges.ToLIBLINEAR: "liblinear-predict"} {
			t.Run(task+" "+to, func(t *testing.T) {
				path, err := exec.LookPath(program)
				if err != nil {
					lacking := t.Skipf
					if os.Getenv("CI") == "true" {
						lacking = t.Fatalf
					}
					lacking("no %s: Debian has it in libsvm-tools and liblinear-tools", program)
				}
				model, answers := filepath.Join(dir, to), filepath.Join(dir, to+".answers")
				if code, _, stderr := runCaptured(t, "model", "export", file, "--to", to, "-o", model); code != 0 {
					t.Fatalf("export: exit %d\n%s", code, stderr)
				}
				if out, err := exec.Command(path, vectors, model, answers).CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s", program, err, out)
				}
				got := strings.Fields(readFile(t, answers))
				if len(got) != len(want) {
					t.Fatalf("%d answers, want %d", len(got), len(want))
				}
				for i := range got {
					if got[i] != want[i] {
						t.Errorf("page %d: %s says %s, we say %s", i, program, got[i], want[i])
					}
				}
			})
		}
	}
}

// writeVectorsOf writes the vectors of docs, and returns the labels m gives.
func writeVectorsOf(t *testing.T, m *classify.Model, docs []*features.Document, path string) []string {
	t.Helper()
	v := &datasets.Vectors{Classes: m.Classes}
	var labels []string
	for _, d := range docs {
		class := m.Class(m.Scores(d))
		v.Rows = append(v.Rows, datasets.Row{X: m.Vectorizer.Vector(d), Class: class})
		labels = append(labels, svm.ClassLabels(m.Classes)[class])
	}
	var b bytes.Buffer
	if err := datasets.WriteSVMLight(&b, v, true); err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, b.String())
	return labels
}

const sampledPages = "corpora/pages/pages.warc.gz"

// sampledDocuments reads one page in eight of the shared corpus, once for all tests.
var sampledDocuments = sync.OnceValues(func() ([]*features.Document, error) {
	var docs []*features.Document
	i := 0
	for page, err := range warc.Pages(filepath.Join("../../../shared", sampledPages)) {
		if i++; err != nil || i%8 != 0 {
			continue
		}
		tree, err := tagtree.Parse(page)
		if err != nil {
			return nil, err
		}
		docs = append(docs, features.Read(tree))
	}
	return docs, nil
})

func TestLogOddsDecideAsTheModel(t *testing.T) {
	t.Parallel()
	models, _ := linearModels(t)
	for task, m := range models {
		l, err := train.LogOdds(m)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"call for papers on gardens", "Submission deadline 1 May 2027. Authors submit papers.", "home page of a student", "we walked to the river"} {
			d := features.ReadText(text)
			x, scores := m.Vectorizer.Vector(d), m.Scores(d)
			odds := l.Decide(x)
			if m.IsBinary() {
				want := math.Log(scores[1]/scores[0]) - math.Log(m.Threshold/(1-m.Threshold))
				if math.Abs(odds[1]-want) > 1e-6*(1+math.Abs(want)) {
					t.Errorf("%s: log odds %v of %q, want %v", task, odds[1], text, want)
				}
			}
			best := 0
			for k := range odds {
				if odds[k] > odds[best] {
					best = k
				}
			}
			if got := m.Class(scores); got != best {
				t.Errorf("%s: %q is of class %d, its log odds say %d", task, text, got, best)
			}
		}
	}
}
