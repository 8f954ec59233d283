// Package files reads and writes datasets as files of all formats we know:
// labelled pages, texts, and vectors.
package files

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/internal/coding"
	"github.com/eventseer/eventseer/internal/usage"
)

// The formats of datasets: of pages and texts, and of vectors. Tables may be both.
const (
	Labels    = "labels"   // labels.tsv and INPUT that holds its pages
	Folders   = "folders"  // a folder a class, also inside a tar file
	JSONL     = "jsonl"    // an object a line
	CSV       = "csv"      // a column of texts, or numbers
	TSV       = "tsv"      // the same
	FastText  = "fasttext" // __label__CLASS text
	Mbox      = "mbox"     // messages, with labels.tsv beside them
	SVMLight  = "svmlight" // with qid: for groups and # for IDs
	LIBSVM    = "libsvm"   // svmlight without either
	ARFF      = "arff"     // sparse
	ARFFDense = "arff-dense"
)

// The formats that can be read and written, as people name them.
var (
	ReadFormats  = []string{Labels, Folders, JSONL, CSV, TSV, FastText, SVMLight, LIBSVM, ARFF, ARFFDense}
	WriteFormats = []string{Labels, Folders, JSONL, CSV, TSV, FastText, Mbox, SVMLight, LIBSVM, ARFF, ARFFDense}
)

// OnlyVectors reports whether a format holds vectors and nothing else.
func OnlyVectors(format string) bool {
	return slices.Contains([]string{SVMLight, LIBSVM, ARFF, ARFFDense}, format)
}

// comma returns what parts the columns of a table.
func comma(format string) rune {
	if format == TSV {
		return '\t'
	}
	return ','
}

// byExtension are the formats that the name of a file tells.
var byExtension = map[string]string{
	".tar": Folders, ".tgz": Folders, ".jsonl": JSONL, ".ndjson": JSONL, ".csv": CSV, ".arff": ARFF,
	".svm": SVMLight, ".svmlight": SVMLight, ".libsvm": SVMLight, ".ft": FastText, ".fasttext": FastText,
}

// FormatOf guesses a file's format by its name, and of a .tsv and a .txt file by
// its first line.
func FormatOf(path string) (string, error) {
	if info, err := os.Stat(path); err != nil {
		return "", err
	} else if info.IsDir() {
		return Folders, nil
	}
	name := strings.TrimSuffix(strings.ToLower(path), ".gz")
	if format := byExtension[filepath.Ext(name)]; format != "" {
		return format, nil
	}
	first, err := firstLine(path)
	if err != nil {
		return "", err
	}
	columns := strings.Split(first, "\t")
	switch {
	case strings.HasPrefix(first, "__label__"):
		return FastText, nil
	case slices.Contains(columns, "is_cfp") && !slices.Contains(columns, "text") && !slices.Contains(columns, "html"):
		return Labels, nil
	case len(columns) > 1:
		return TSV, nil
	}
	return "", usage.Errorf("%s: its name does not tell its format, say --from %s", path, strings.Join(ReadFormats, ", "))
}

// maxFirstLine bounds what is read of a file to tell its format, in bytes.
const maxFirstLine = 64 << 10

func firstLine(path string) (string, error) {
	f, err := Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	b, err := io.ReadAll(io.LimitReader(f, maxFirstLine))
	line, _, _ := strings.Cut(strings.TrimPrefix(string(b), "\ufeff"), "\n")
	return strings.TrimRight(line, "\r"), err
}

// Open opens a file, unpacked if its name ends with .gz or .tgz.
func Open(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	lower := strings.ToLower(path)
	if !strings.HasSuffix(lower, ".gz") && !strings.HasSuffix(lower, ".tgz") {
		return f, nil
	}
	z, err := coding.Gunzip(f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{z, f}, nil
}
