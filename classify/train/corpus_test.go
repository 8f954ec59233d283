package train

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

func TestSubjectKeys(t *testing.T) {
	for _, tt := range []struct {
		subject string
		want    []string
	}{
		{"Call for papers: Gardens 2027", []string{"callforpapersgardens"}},
		{"[list] Re: AW: [other] Call for Papers: Gardens '28 (fwd)", []string{"callforpapersgardens"}},
		{"1999-02-03 - Fwd: Call for papers: Gardens", []string{"callforpapersgardens"}},
		{"Lunch on Monday (was: Re: Call for papers: Gardens 2027)", []string{"lunchonmonday", "callforpapersgardens"}},
		{"CFP", nil},
		{"", nil},
	} {
		if diff := cmp.Diff(tt.want, subjectKeys(tt.subject)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.subject, diff)
		}
	}
}

func TestThreadsDoNotLeak(t *testing.T) {
	prose := func(topic string) string {
		var b strings.Builder
		for i := range 40 {
			fmt.Fprintf(&b, "sentence %s about %s and %s\n", strings.Repeat("x", i), topic, strings.Repeat("y", i%7))
		}
		return b.String()
	}
	foot := "\n--\n" + strings.Repeat("the same signature of all messages and the footer of the list\n", 5)
	var all messageThreads
	var groups []string
	for i, m := range []struct{ subject, text string }{
		{"Gardens workshop", prose("gardens")},                        // 0
		{"Re: Gardens workshop", "Is it late?" + foot},                // 0: thread
		{"Invitation to authors", "please note\n" + prose("gardens")}, // 0: near copy
		{"Bridges workshop", "Short." + foot},                         // 3: only the footer is shared
		{"Harbour seminar", prose("harbours") + foot},                 // 4
		{"Nothing at all", ""},                                        // 5
	} {
		groups = append(groups, all.groupMessage(fmt.Sprint(i), m.subject, m.text))
	}
	all.joinGroups(groups)
	if diff := cmp.Diff([]string{"0", "0", "0", "3", "4", "5"}, groups); diff != "" {
		t.Error(diff)
	}
}

func TestSplitIsNotMovedByAnotherFile(t *testing.T) {
	one := &corpus{sizes: []int{100}}
	for i := range 100 {
		one.labels = append(one.labels, datasets.Label{PageType: "cfp", IsCFP: i%3 == 0})
		one.groups = append(one.groups, fmt.Sprint("page", i/3))
	}
	two := &corpus{labels: slices.Clone(one.labels), groups: slices.Clone(one.groups), sizes: []int{100, 0, 50}}
	for i := range 50 {
		two.labels = append(two.labels, datasets.Label{IsCFP: i%2 == 0})
		two.groups = append(two.groups, fmt.Sprint("mail", i/2))
	}
	two.groups[149] = "page0" // a group of both files
	alone, err := one.splitIntoFolds(5, 1)
	if err != nil {
		t.Fatal(err)
	}
	both, err := two.splitIntoFolds(5, 1)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(alone, both[:100]); diff != "" {
		t.Errorf("folds of the first file (-alone +both):\n%s", diff)
	}
	foldOf := map[string]int{}
	for i, g := range two.groups {
		if first, ok := foldOf[g]; ok && first != both[i] {
			t.Errorf("group %s is in folds %d and %d", g, first, both[i])
		}
		foldOf[g] = both[i]
	}
	counts := make([]int, 5)
	for _, f := range both[100:] {
		counts[f]++
	}
	if slices.Min(counts) < 6 {
		t.Errorf("the second file has %v documents in the folds", counts)
	}
}

// TestCorrectionsAreLearntNotMeasured demands that learning sees corrected labels, and that folds and
// figures are those of the labels as they are.
func TestCorrectionsAreLearntNotMeasured(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var labels, corrections strings.Builder
	labels.WriteString("url\tpage_type\tis_cfp\n")
	corrections.WriteString("digest\tcolumn\tlabel\tcorrected\treason\n")
	var pages []*webgraph.Page
	for i := range 40 {
		url := fmt.Sprintf("https://site%d.example/", i)
		body := "We study gardens and rivers."
		if i%2 == 0 {
			body = "Call for papers: submit by the deadline."
		}
		fmt.Fprintf(&labels, "%s\tconference\t%t\n", url, i%2 == 0 && i != 20)
		pages = append(pages, &webgraph.Page{URL: url, Status: 200, Body: []byte("<p>" + body + "</p>")})
	}
	fmt.Fprintf(&corrections, "%s\tis_cfp\tfalse\ttrue\tasks for papers\n", datasets.LabelDigest("https://site20.example/"))
	o := Options{Task: classify.TaskCFP, Labels: []string{filepath.Join(dir, "labels.tsv")}, Pages: []string{"pages"}, Algorithm: "svm"}
	for name, text := range map[string]string{"labels.tsv": labels.String(), "corrections.tsv": corrections.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := Environment{ReadPages: func(context.Context, []string) iter.Seq2[*webgraph.Page, error] {
		return func(yield func(*webgraph.Page, error) bool) {
			for _, p := range pages {
				if !yield(p, nil) {
					return
				}
			}
		}
	}}
	plain, err := readExamples(t.Context(), o, env)
	if err != nil {
		t.Fatal(err)
	}
	o.Corrections = filepath.Join(dir, "corrections.tsv")
	r, c, err := prepareTraining(t.Context(), o, env)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(plain.class, c.class); diff != "" || plain.digest == c.digest {
		t.Errorf("corrections changed the labels that are measured, or not the digest %s:\n%s", c.digest, diff)
	}
	use := func(i int) bool { return i != 0 }
	part := c.subset(use)
	for i, learnt := range map[int]int{19: 1, 18: 0} {
		if k := part.learntClass(i); k != learnt {
			t.Errorf("class %d is learnt of document %d of the part, want %d", k, i, learnt)
		}
	}
	folds, err := c.assignFolds(Folds, 1)
	if err != nil {
		t.Fatal(err)
	}
	cv, err := crossValidate(t.Context(), r, r.Calibration, c, folds, Folds, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	ps, err := cv.predictions()
	if err != nil {
		t.Fatal(err)
	}
	if ps[20].Truth != 0 {
		t.Error("the figures are not of the labels as they are")
	}
	o.Task = classify.TaskDiscipline
	if _, err := readExamples(t.Context(), o, env); err == nil {
		t.Error("a task without corrections takes them")
	}
}
