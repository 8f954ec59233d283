package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/eval"

	"github.com/google/go-cmp/cmp"
)

// TestCardCommands runs the two command lines of a card exactly as printed: the first creates model and card
// again, the second prints the figures.
func TestCardCommands(t *testing.T) {
	dir := t.TempDir()
	writeTwoCorpora(t, dir)
	model, card := filepath.Join(t.TempDir(), "cfp.model"), filepath.Join(t.TempDir(), "cfp.md")
	code, _, stderr := runCaptured(t, "train", "--task", "cfp", "--algo", "svm", "--seed", "3", "-o", model, "--card", card,
		"--data", dir+"/one/labels.tsv", "--data", dir+"/two/labels.tsv", "--pages", dir+"/one/mails.mbox", "--pages", dir+"/two/mails.mbox")
	if code != 0 {
		t.Fatal(stderr)
	}
	wantModel, wantCard := readFile(t, model), readFile(t, card)
	commands := regexp.MustCompile("`eventseer ((?:train|eval cv) [^`]*)`").FindAllStringSubmatch(wantCard, -1)
	if len(commands) != 2 {
		t.Fatalf("%d commands in the card:\n%s", len(commands), wantCard)
	}
	t.Chdir(dir)
	if code, _, stderr := runCaptured(t, strings.Fields(commands[0][1])...); code != 0 {
		t.Fatalf("%s: %s", commands[0][1], stderr)
	}
	if readFile(t, "cfp.model") != wantModel {
		t.Errorf("%s: another model", commands[0][1])
	}
	if diff := cmp.Diff(wantCard, readFile(t, "cfp.md")); diff != "" {
		t.Errorf("%s: another card (-first +again):\n%s", commands[0][1], diff)
	}
	code, stdout, stderr := runCaptured(t, append(strings.Fields(commands[1][1]), "--format", "json")...)
	if code != 0 {
		t.Fatalf("%s: %s", commands[1][1], stderr)
	}
	if rows := cardRows(t, stdout); strings.Contains(rows, "| f1 | 1.000 |") || !strings.Contains(wantCard, rows) {
		t.Errorf("%s prints\n%s, the card says\n%s", commands[1][1], rows, wantCard)
	}
}

// cardRows are the figures of a report in JSON as a card shows them.
func cardRows(t *testing.T, report string) string {
	t.Helper()
	var r eval.Report
	if err := json.Unmarshal([]byte(report), &r); err != nil {
		t.Fatal(err)
	}
	return figureRows(r.Figures)
}

func figureRows(figures []classify.Figure) string {
	var rows strings.Builder
	for _, f := range figures {
		fmt.Fprintf(&rows, "| %s | %.3f | %.3f to %.3f |\n", f.Name, f.Value, f.Low, f.High)
	}
	return rows.String()
}

// writeTwoCorpora writes two sets of mails of which not all are easily distinguished.
func writeTwoCorpora(t *testing.T, dir string) {
	t.Helper()
	words := []string{"papers", "workshop", "soup", "beans", "deadline", "garden"}
	for set, name := range []string{"one", "two"} {
		labels, mbox := "id\tis_cfp\n", ""
		for i := range 24 {
			n := i + 5*set
			text := fmt.Sprintf("Please submit %s about %s to %s", words[n%6], words[n%5], words[n%4])
			if i%2 == 1 {
				text = fmt.Sprintf("We cook %s with %s and submit %s", words[(n+2)%6], words[n%5], words[n%3])
			}
			labels += fmt.Sprintf("%s-%d\t%t\n", name, i, (i%2 == 0) != (i%7 == 3))
			mbox += fmt.Sprintf("From a@example.org Thu Jan  1 00:00:00 1970\nX-Corpus-Id: %s-%d\nSubject: %s news %d\n\n%s.\n\n", name, i, name, i, text)
		}
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, name, "labels.tsv"), labels)
		writeFile(t, filepath.Join(dir, name, "mails.mbox"), mbox)
	}
}
