//go:build !race

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"eventseer/internal/golden"
)

// TestEvalReproducesShippedCards has the models of each fold judge the pages they
// have not seen, which are all: under the race detector that takes a minute.
func TestEvalReproducesShippedCards(t *testing.T) {
	pages, mails := filepath.Dir(golden.Shared(t, "corpora/pages/labels.tsv")), filepath.Dir(golden.Shared(t, "corpora/mails/labels.tsv"))
	for _, name := range []string{"cfp", "page-type", "link"} {
		code, stdout, stderr := runCaptured(t, "eval", name, "--models", "cross-fitted", "--format", "json",
			"--data", pages+"/labels.tsv", "--data", mails+"/labels.tsv", "--pages", pages+"/pages.warc.gz", "--pages", mails+"/mails.mbox.gz")
		if code != 0 {
			t.Fatal(stderr)
		}
		card, err := cardOf(name)
		if err != nil {
			t.Fatal(err)
		}
		if rows := cardRows(t, stdout); !strings.Contains(card, rows) {
			t.Errorf("eval %s --models cross-fitted prints\n%s, the card says\n%s", name, rows, card)
		}
	}
}
