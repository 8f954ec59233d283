//go:build !race

package train

import (
	"compress/gzip"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/eventseer/mailbox"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/warc"
	"github.com/eventseer/eventseer/models"
	"github.com/eventseer/eventseer/webgraph"
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
			folded := crossFitted(t, task)
			c := corpora[task]
			ps, err := Contender{Name: task, Model: folded.For(""), For: folded.For}.judge(c)
			if err != nil {
				t.Fatal(err)
			}
			report, err := c.measureReport(task, ps, 1)
			if err != nil {
				t.Fatal(err)
			}
			checkCard(t, task, report.Figures)
		})
	}
}

// crossFitted reads the shipped model of a task with those of its folds.
func crossFitted(t *testing.T, task string) *classify.Folded[*classify.Model] {
	t.Helper()
	f, err := models.Files().Open(task + ".model")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	full, err := classify.ReadModel(f)
	if err != nil {
		t.Fatal(err)
	}
	folded, err := classify.ReadFolded(models.Files(), "crossfit", full)
	if err != nil {
		t.Fatal(err)
	}
	return folded
}

// checkCard demands that the card of a shipped model has these figures.
func checkCard(t *testing.T, name string, figures []classify.Figure) {
	t.Helper()
	card, err := fs.ReadFile(models.Files(), name+".md")
	if err != nil {
		t.Fatal(err)
	}
	var rows strings.Builder
	for _, f := range figures {
		fmt.Fprintf(&rows, "| %s | %.3f | %.3f to %.3f |\n", f.Name, f.Value, f.Low, f.High)
	}
	if rows.Len() == 0 || !strings.Contains(string(card), rows.String()) {
		t.Errorf("the cross-fitted models of %s give\n%s, the card says\n%s", name, &rows, card)
	}
}

// sharedPages yields the pages of a file of the shared corpora.
func sharedPages(t *testing.T, name string) iter.Seq2[*webgraph.Page, error] {
	t.Helper()
	path := golden.SharedPath(t, "corpora/"+name)
	if strings.HasSuffix(path, ".warc.gz") {
		return warc.Pages(path)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() }) // read only: nothing to lose
	mails, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	return mailbox.Reader{}.Messages(mails, path)
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
	for _, file := range []struct{ labels, pages, only string }{
		{golden.SharedPath(t, "corpora/pages/labels.tsv"), "pages/pages.warc.gz", ""}, {golden.SharedPath(t, "corpora/mails/labels.tsv"), "mails/mails.mbox.gz", ""},
		{"../../datasets/sitepages.tsv", "sites/sites.warc.gz", classify.TaskCFP},
	} {
		data, err := datasets.Open(file.labels)
		if err != nil {
			t.Fatal(err)
		}
		if file.only == "" {
			links.addTargets(data.Labels())
		}
		sizes := map[string]int{}
		for e := range data.Examples(sharedPages(t, file.pages)) {
			tree, err := tagtree.Parse(e.Page)
			if err != nil {
				continue
			}
			for task, c := range corpora {
				if hasClass(e.Label, task) && (file.only == "" || file.only == task) {
					c.addPage(e.Label, tree)
					sizes[task]++
				}
			}
		}
		for task, c := range corpora { // 0 for a task that does not read the file
			c.sizes = append(c.sizes, sizes[task])
		}
	}
	for _, c := range corpora {
		c.threads.joinGroups(c.groups)
	}
	ofLinks, err := links.asCorpus(corpora[classify.TaskLink])
	if err != nil {
		t.Fatal(err)
	}
	corpora[classify.TaskLink] = ofLinks
	return corpora
}
