package main

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"eventseer/classify"
	"eventseer/classify/svm"
	"eventseer/datasets"
	"eventseer/features"
	"eventseer/features/tagtree"
	"eventseer/internal/golden"
)

// linearModel trains linear machines to say of docs what the shipped model of
// the task says.
func linearModel(t *testing.T, task string, docs []*features.Document) *classify.Model {
	t.Helper()
	shipped, err := openModel(task)
	if err != nil {
		t.Fatal(err)
	}
	v, err := features.Fit(features.Default(), nil, docs)
	if err != nil {
		t.Fatal(err)
	}
	examples := make([]classify.Example, len(docs))
	for i, d := range docs {
		examples[i] = classify.Example{X: v.Vector(d), Class: shipped.Class(shipped.Scores(d))}
	}
	linear, err := svm.Linear{C: 0.3}.Train(t.Context(), shipped.Classes, examples)
	if err != nil {
		t.Fatal(err)
	}
	m := *shipped
	m.Vectorizer, m.Classifier, m.Algo = v, linear, "svm"
	made, err := classify.NewModel(m)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// TestExportedModelsDecideAsOurs holds linear models, exported, against the
// programs of LIBSVM and LIBLINEAR on real pages.
func TestExportedModelsDecideAsOurs(t *testing.T) {
	docs := corpusDocuments(t, 400)
	for _, task := range []string{"cfp", "page-type"} {
		m := linearModel(t, task, docs)
		dir := t.TempDir()
		file := filepath.Join(dir, "linear.model")
		if err := writeModel(file, m); err != nil {
			t.Fatal(err)
		}
		vectors := filepath.Join(dir, "pages.svm")
		want := writeVectorsOf(t, m, docs, vectors)
		for to, program := range map[string]string{toLIBSVM: "svm-predict", toLIBLINEAR: "liblinear-predict"} {
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
		labels = append(labels, svm.Labels(m.Classes)[class])
	}
	var b bytes.Buffer
	if err := datasets.WriteSVMLight(&b, v, datasets.SVMLightOptions{Plain: true}); err != nil {
		t.Fatal(err)
	}
	writeFile(t, path, b.String())
	return labels
}

// corpusDocuments reads about n pages, spread over the shared corpus.
func corpusDocuments(t *testing.T, n int) []*features.Document {
	t.Helper()
	path := golden.Shared(t, "corpora/pages/pages.warc.gz")
	var docs []*features.Document
	i := 0
	for page, err := range newTestApp(t).pages(t.Context(), []string{path}, "") {
		if i++; err != nil || i%(3457/n) != 0 {
			continue
		}
		tree, err := tagtree.Parse(page)
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, features.Read(tree))
	}
	return docs
}

func TestLogOddsDecideAsTheModel(t *testing.T) {
	docs := corpusDocuments(t, 400)
	for _, task := range []string{"cfp", "page-type"} {
		m := linearModel(t, task, docs)
		l, err := logOdds(m)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"call for papers on gardens", "Submission deadline 1 May 2027. Authors submit papers.", "home page of a student", "we walked to the river"} {
			d := features.ReadText(text)
			x, scores := m.Vectorizer.Vector(d), m.Scores(d)
			odds := l.Decide(x)
			if m.Binary() {
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
