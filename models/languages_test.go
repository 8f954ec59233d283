package models_test

import (
	"strings"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/models"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestLanguages judges a call and a near miss in each language; run it with -v
// for the figures.
func TestLanguages(t *testing.T) {
	judge, err := classify.ReadJudge(models.Files(), ".")
	if err != nil {
		t.Fatal(err)
	}
	archive, err := txtar.ParseFile("testdata/languages.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if n := len(archive.Files); n != 26 {
		t.Fatalf("%d pages, want two in each of thirteen languages", n)
	}
	t.Logf("%-14s %-5s %-5s %-12s %s", "page", "lang", "call", "type", "score")
	for _, file := range archive.Files {
		tree, err := tagtree.Parse(&webgraph.Page{URL: "https://meeting.example/", Body: file.Data})
		if err != nil {
			t.Fatal(err)
		}
		d := features.Read(tree)
		j := judge.JudgeDocument(d)
		t.Logf("%-14s %-5s %-5t %-12s %.3f", file.Name, d.Lang(), j.IsCFP, j.PageType, j.CFPScore)
		lang, kind, _ := strings.Cut(file.Name, "/")
		if want := kind == "call.html"; j.IsCFP != want {
			t.Errorf("%s: is_cfp %t with score %.3f, want %t", file.Name, j.IsCFP, j.CFPScore, want)
		}
		if d.Lang() != lang {
			t.Errorf("%s: language %q, want %q", file.Name, d.Lang(), lang)
		}
	}
}
