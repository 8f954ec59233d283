package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var testFunc = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

// testdata/race.txt names the tests in which goroutines of this package meet: CI runs them
// with the race detector, and all others without. A name of no test is a mistake.
func TestRaceListNamesTests(t *testing.T) {
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, file := range files {
		for _, m := range testFunc.FindAllStringSubmatch(readFile(t, file), -1) {
			known[m[1]] = true
		}
	}
	text, err := os.ReadFile(filepath.Join("testdata", "race.txt"))
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(string(text))
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Error("the names are not sorted, or one is there twice")
	}
	for _, name := range names {
		if !known[name] {
			t.Errorf("there is no test %s", name)
		}
	}
}
