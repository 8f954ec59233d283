// Package golden compares the output of tests with files in their testdata folder.
package golden

import (
	"compress/gzip"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write golden files instead of comparing with them")

// Updating reports whether the flag -update is set, so that tests write their golden files.
func Updating() bool { return *update }

// Check compares got with testdata/name. With -update it writes the file.
func Check(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", filepath.FromSlash(name))
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (run the test with -update to create it)", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got), -update accepts it:\n%s", path, diff)
	}
}

// SharedPath returns the path of a file or folder below ../shared of the checkout. The test is skipped if
// shared does not exist, and fails if CI is set.
//
// go test repeats a passed test from its cache without checking files outside the module. It does check
// environment variables that the test reads. Shared therefore reads EVENTSEER_CORPUS, which .ci/setup
// sets to a digest of the files.
func SharedPath(t testing.TB, rel string) string {
	t.Helper()
	_ = os.Getenv("EVENTSEER_CORPUS")
	dir, err := os.Getwd()
	for err == nil {
		if _, statErr := os.Stat(filepath.Join(dir, "go.mod")); statErr == nil {
			break
		}
		if parent := filepath.Dir(dir); parent != dir {
			dir = parent
			continue
		}
		err = os.ErrNotExist
	}
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "..", "shared", filepath.FromSlash(rel))
	if _, err := os.Stat(path); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("CI needs %s: %v", path, err)
		}
		t.Skipf("%s is missing: this test reads the shared corpora", path)
	}
	return path
}

// Gunzip returns the decompressed contents of a gzip file.
func Gunzip(t testing.TB, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }() // read only
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	content, err := io.ReadAll(z)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return content
}

// Section compares got with a section of a document for readers. The section is the lines between "<!--
// name: written by go test -update -->" and the next "<!--". With -update it writes them.
func Section(t *testing.T, path, name, got string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	mark := "<!-- " + name + ": written by go test -update -->\n"
	before, rest, ok := strings.Cut(string(data), mark)
	end := strings.Index(rest, "<!--")
	if !ok || end < 0 {
		t.Fatalf("%s has no section %q with a comment at its end", path, name)
	}
	if *update {
		if err := os.WriteFile(path, []byte(before+mark+got+rest[end:]), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(rest[:end], got); diff != "" {
		t.Errorf("section %q of %s differs (-want +got), -update accepts it:\n%s", name, path, diff)
	}
}
