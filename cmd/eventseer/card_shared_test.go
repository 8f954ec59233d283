//go:build !race

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/nightly"
)

// cardTasks are the tasks whose cards are held to the shared corpora.
var cardTasks = []string{classify.TaskCFP, classify.TaskPageType, classify.TaskLink}

// checkCard demands that the card of a shipped model has these rows.
func checkCard(t *testing.T, name, rows string) {
	t.Helper()
	card, err := judges.ModelCardOf(name)
	if err != nil {
		t.Fatal(err)
	}
	if rows == "" || !strings.Contains(card, rows) {
		t.Errorf("the cross-fitted models of %s give\n%s, the card says\n%s", name, rows, card)
	}
}

// TestEvalReproducesShippedCards runs the command that a card names for its figures.
func TestEvalReproducesShippedCards(t *testing.T) {
	nightly.SkipUnlessNightly(t)
	pages, mails := filepath.Dir(golden.SharedPath(t, "corpora/pages/labels.tsv")), filepath.Dir(golden.SharedPath(t, "corpora/mails/labels.tsv"))
	for _, name := range cardTasks {
		args := []string{"eval", name, "--models", "cross-fitted", "--format", "json",
			"--data", pages + "/labels.tsv", "--data", mails + "/labels.tsv", "--pages", pages + "/pages.warc.gz", "--pages", mails + "/mails.mbox.gz"}
		if name == classify.TaskCFP {
			args = append(args, "--data", "../../datasets/sitepages.tsv", "--pages", golden.SharedPath(t, "corpora/sites/sites.warc.gz"))
		}
		code, stdout, stderr := runCaptured(t, args...)
		if code != 0 {
			t.Fatal(stderr)
		}
		checkCard(t, name, cardRows(t, stdout))
	}
}
