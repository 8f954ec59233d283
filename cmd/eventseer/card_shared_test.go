//go:build !race

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"eventseer/classify"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/datasets"
	"eventseer/features/tagtree"
	"eventseer/internal/golden"
	"eventseer/internal/nightly"
)

// cardTasks are the tasks whose cards are held to the shared corpora.
var cardTasks = []string{classify.TaskCFP, classify.TaskPageType, classify.TaskLink}

// TestCardsOfShippedModels has the models of each fold judge the pages they have not
// seen, which are all. The corpora are read once, for all tasks; nothing of it runs at
// once, so the race detector would find nothing and take a minute. EVENTSEER_CORPUS is a
// digest of the corpora, which are outside of the module: go test repeats the test when
// the digest is another.
func TestCardsOfShippedModels(t *testing.T) {
	t.Parallel()
	t.Logf("digest of the corpora: %q", os.Getenv("EVENTSEER_CORPUS"))
	corpora := sharedCorpora(t)
	for _, task := range cardTasks {
		t.Run(task, func(t *testing.T) {
			t.Parallel()
			model, judging, err := openJudging(task, "cross-fitted")
			if err != nil {
				t.Fatal(err)
			}
			c := corpora[task]
			ps, err := judgeCorpus(task, model, func(i int) *classify.Model { return judging(c.pageURL(i)) }, c)
			if err != nil {
				t.Fatal(err)
			}
			report, err := c.report(task, ps, 1)
			if err != nil {
				t.Fatal(err)
			}
			checkCard(t, task, figureRows(report.Figures))
		})
	}
}

// checkCard demands that the card of a shipped model has these rows.
func checkCard(t *testing.T, name, rows string) {
	t.Helper()
	card, err := cardOf(name)
	if err != nil {
		t.Fatal(err)
	}
	if rows == "" || !strings.Contains(card, rows) {
		t.Errorf("the cross-fitted models of %s give\n%s, the card says\n%s", name, rows, card)
	}
}

// sharedCorpora reads the labelled pages and mails once, as readCorpus does for one task.
func sharedCorpora(t *testing.T) map[string]*corpus {
	t.Helper()
	corpora := map[string]*corpus{}
	for _, task := range cardTasks {
		classes, err := classify.Classes(task)
		if err != nil {
			t.Fatal(err)
		}
		corpora[task] = &corpus{task: task, classes: classes}
	}
	links := &linkSet{targets: map[string]datasets.Label{}}
	corpora[classify.TaskLink].links = links
	a := newTestApp(t)
	a.Config.Quiet = true
	for _, file := range []struct{ labels, pages string }{{"pages/labels.tsv", "pages/pages.warc.gz"}, {"mails/labels.tsv", "mails/mails.mbox.gz"}} {
		data, err := datasets.Open(golden.Shared(t, "corpora/"+file.labels))
		if err != nil {
			t.Fatal(err)
		}
		links.know(data.Labels())
		sizes := map[string]int{}
		for e := range data.Examples(engine.PagesOfInputs(t.Context(), a, []string{golden.Shared(t, "corpora/"+file.pages)}, "")) {
			tree, err := tagtree.Parse(e.Page)
			if err != nil {
				continue
			}
			for task, c := range corpora {
				if tells(e.Label, task) {
					c.add(e.Label, tree)
					sizes[task]++
				}
			}
		}
		for task, c := range corpora {
			c.sizes = append(c.sizes, sizes[task])
		}
	}
	for _, c := range corpora {
		c.threads.join(c.groups)
	}
	ofLinks, err := links.corpus(corpora[classify.TaskLink])
	if err != nil {
		t.Fatal(err)
	}
	corpora[classify.TaskLink] = ofLinks
	return corpora
}

// TestEvalReproducesShippedCards runs the command that a card names for its figures.
func TestEvalReproducesShippedCards(t *testing.T) {
	nightly.Only(t)
	pages, mails := filepath.Dir(golden.Shared(t, "corpora/pages/labels.tsv")), filepath.Dir(golden.Shared(t, "corpora/mails/labels.tsv"))
	for _, name := range cardTasks {
		code, stdout, stderr := runCaptured(t, "eval", name, "--models", "cross-fitted", "--format", "json",
			"--data", pages+"/labels.tsv", "--data", mails+"/labels.tsv", "--pages", pages+"/pages.warc.gz", "--pages", mails+"/mails.mbox.gz")
		if code != 0 {
			t.Fatal(stderr)
		}
		checkCard(t, name, cardRows(t, stdout))
	}
}
