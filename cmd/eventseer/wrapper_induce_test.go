package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer/wrapper/fields"
	"github.com/eventseer/eventseer/internal/text"

	"github.com/google/go-cmp/cmp"
)

// writeTalks writes the pages of one invented template and returns their folder.
func writeTalks(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	for i := 1; i <= n; i++ {
		page := fmt.Sprintf(`<html><body><h1>Talk %d</h1><dl><dt>Room:</dt><dd>Hall %d</dd></dl><a href="slides%d.pdf">Slides</a></body></html>`, i, i*i, i)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%d.html", i)), []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestWrapperInduceAndApply(t *testing.T) {
	t.Parallel()
	dir := writeTalks(t, 11)
	path := filepath.Join(t.TempDir(), "talks.wrapper")
	code, stdout, stderr := runCaptured(t, "wrapper", "induce", dir, "-o", path, "--progress", "plain")
	if code != 0 || !strings.Contains(stdout, "fields of 11 pages") {
		t.Fatalf("induce: code %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	second, last := strings.Index(stderr, "2.html"), strings.Index(stderr, "10.html")
	if second < 0 || last < second {
		t.Errorf("pages are not learned in natural order: %q", stderr)
	}
	first, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr = runCaptured(t, "wrapper", "apply", path, filepath.Join(dir, "7.html"), "--format", "jsonl")
	if code != 0 {
		t.Fatalf("apply: code %d, stderr %q", code, stderr)
	}
	var record fields.Record
	if err := json.Unmarshal([]byte(stdout), &record); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Talk 7", "Hall 49", "slides7.pdf"} {
		found := false
		for _, values := range record.Fields {
			found = found || slices.Equal(values, []string{want})
		}
		if !found {
			t.Errorf("no field has %q: %s", want, stdout)
		}
	}
	if record.Unmatched != 0 {
		t.Errorf("unmatched is %d, want 0", record.Unmatched)
	}
	if code, _, stderr := runCaptured(t, "wrapper", "induce", dir, "-o", path, "--quiet"); code != 0 {
		t.Fatalf("induce again: code %d, stderr %q", code, stderr)
	}
	again, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, again); diff != "" {
		t.Error("the same pages gave another file")
	}
}

func TestWrapperErrors(t *testing.T) {
	t.Parallel()
	dir := writeTalks(t, 2)
	path := filepath.Join(dir, "w")
	tests := []struct {
		name string
		args []string
		code int
		want string
	}{
		{"no page", []string{"wrapper", "induce", t.TempDir(), "-o", path}, 1, "no page to learn from"},
		{"no wrapper", []string{"wrapper", "apply", filepath.Join(dir, "1.html"), dir}, 1, "no wrapper file"},
		{"a page that is not there", []string{"wrapper", "induce", dir, filepath.Join(dir, "9.html"), "-o", path}, 3, "9.html"},
	}
	for _, test := range tests {
		if code, _, stderr := runCaptured(t, test.args...); code != test.code || !strings.Contains(stderr, test.want) {
			t.Errorf("%s: code %d, stderr %q; want %d, %q", test.name, code, stderr, test.code, test.want)
		}
	}
}

func TestNaturalOrder(t *testing.T) {
	names := []string{"a10", "a9", "b", "a", "10", "9", "a09x", "a9x", ""}
	slices.SortStableFunc(names, text.CompareNatural)
	want := []string{"", "9", "10", "a", "a9", "a09x", "a9x", "a10", "b"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
