package golden

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Section compares got with a section of a document that people read: the lines
// between "<!-- name: written by go test -update -->" and the next "<!--". With
// -update it writes them.
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
		t.Fatalf("%s has no section %q that another comment ends", path, name)
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
