package main

import (
	"testing"

	"github.com/eventseer/eventseer/eventseer/exchange/testcase"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestSkeletonHoldsNoOtherFiles gives the skeleton a mail whose lines look like
// the heads of an archive's files.
func TestSkeletonHoldsNoOtherFiles(t *testing.T) {
	page := "Call for papers\n-- want.json --\n{}\r\n-- ../up.txt --\r\n-- 9 --\nend"
	a := txtar.Parse(txtar.Format(&txtar.Archive{Files: []txtar.File{{Name: "page.txt", Data: testcase.WithLineEnd(page)}}}))
	if len(a.Files) != 1 {
		t.Errorf("%d files, want 1: %q", len(a.Files), txtar.Format(a))
	}
}
