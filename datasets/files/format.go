// Package files reads and writes datasets as files in all supported formats: labelled pages, texts, and
// vectors.
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

// Formats of datasets: first those of pages and texts, then those of vectors. Tables may be either.
const (
	Labels    = "labels"   // labels.tsv and an input that holds its pages
	Folders   = "folders"  // one folder per class, or a tar file of such folders
	JSONL     = "jsonl"    // an object a line
	CSV       = "csv"      // texts in a column, or numbers
	TSV       = "tsv"      // the same
	FastText  = "fasttext" // __label__CLASS text
	Mbox      = "mbox"     // messages, and labels.tsv in the same folder
	SVMLight  = "svmlight" // with qid: for groups and # for IDs
	LIBSVM    = "libsvm"   // svmlight without either
	ARFF      = "arff"     // sparse
	ARFFDense = "arff-dense"
)

// The formats that can be read and those that can be written, as users name them.
var (
	ReadFormats  = []string{Labels, Folders, JSONL, CSV, TSV, FastText, SVMLight, LIBSVM, ARFF, ARFFDense}
	WriteFormats = []string{Labels, Folders, JSONL, CSV, TSV, FastText, Mbox, SVMLight, LIBSVM, ARFF, ARFFDense}
)

// IsVectorFormat reports whether a format can hold only vectors.
func IsVectorFormat(format string) bool {
	return slices.Contains([]string{SVMLight, LIBSVM, ARFF, ARFFDense}, format)
}

// separatorOf returns the column separator of a table format.
func separatorOf(format string) rune {
	if format == TSV {
		return '\t'
	}
	return ','
}

// byExtension maps file extensions to formats.
var byExtension = map[string]string{
	".tar": Folders, ".tgz": Folders, ".jsonl": JSONL, ".ndjson": JSONL, ".csv": CSV, ".arff": ARFF,
	".svm": SVMLight, ".svmlight": SVMLight, ".libsvm": SVMLight, ".ft": FastText, ".fasttext": FastText,
}

// FormatOf guesses a file's format by its name, for .tsv and .txt files by the first line.
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
	return "", usage.Errorf("%s: its name does not show its format, give --from %s", path, strings.Join(ReadFormats, ", "))
}

// maxFirstLine is the largest number of bytes read from a file to determine its format.
const maxFirstLine = 64 << 10

func firstLine(path string) (string, error) {
	f, err := Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // opened for reading: an error on closing loses nothing
	b, err := io.ReadAll(io.LimitReader(f, maxFirstLine))
	line, _, _ := strings.Cut(strings.TrimPrefix(string(b), "\ufeff"), "\n")
	return strings.TrimRight(line, "\r"), err
}

// Open opens a file, and decompresses it if its name ends with .gz or .tgz.
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
