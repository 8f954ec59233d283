package datasets

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"testing"

	"github.com/eventseer/eventseer/internal/golden"
)

func unzip(t *testing.T, b []byte) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestNewsgroups(t *testing.T) {
	ref, err := Newsgroups()
	if err != nil {
		t.Fatal(err)
	}
	if ref.NumDocuments() != 19_997 || ref.Len() != 88_269 {
		t.Errorf("%d documents and %d terms, want 19997 and 88269", ref.NumDocuments(), ref.Len())
	}
	for term, df := range map[string]int{"confer": 260, "submiss": 68, "workshop": 55, "eventseer": 0} {
		if got := ref.DocumentsWith(term); got != df {
			t.Errorf("%q is in %d documents, want %d", term, got, df)
		}
	}
	if again, _ := Newsgroups(); again != ref {
		t.Error("the table is decoded twice")
	}
}

func TestNewsgroupsIsItsSource(t *testing.T) {
	source, err := os.ReadFile(golden.SharedPath(t, "corpora/newsgroups/vocab_df_stem.tsv.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(unzip(t, newsgroupsTable), unzip(t, source)) {
		t.Error("newsgroups.tsv.gz differs from its source: make it again as newsgroups.go says")
	}
}
