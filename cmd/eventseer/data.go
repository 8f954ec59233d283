package main

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"eventseer/cmd/eventseer/internal/app"

	"github.com/spf13/cobra"
)

func newDataCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "data", Short: "Check, split, convert, count and fetch datasets", Args: args(cobra.NoArgs),
		Example: `  eventseer data check --data labels.tsv --pages pages.warc.gz
  eventseer data convert labels.tsv --pages pages.warc.gz --to svmlight -o pages.svm`,
	}
	cmd.AddCommand(newDataCheckCommand(a), newDataSplitCommand(a), newDataConvertCommand(a), newDataStatsCommand(a), newDataFetchCommand(a))
	return cmd
}

// The formats of datasets: of pages and texts, and of vectors. Tables may be both.
const (
	formatLabels   = "labels"   // labels.tsv and INPUT that holds its pages
	formatFolders  = "folders"  // a folder a class, also inside a tar file
	formatJSONL    = "jsonl"    // an object a line
	formatCSV      = "csv"      // a column of texts, or numbers
	formatTSV      = "tsv"      // the same
	formatFastText = "fasttext" // __label__CLASS text
	formatMbox     = "mbox"     // messages, with labels.tsv beside them
	formatSVMLight = "svmlight" // with qid: for groups and # for IDs
	formatLIBSVM   = "libsvm"   // svmlight without either
	formatARFF     = "arff"     // sparse
	formatDense    = "arff-dense"
)

var (
	readFormats  = []string{formatLabels, formatFolders, formatJSONL, formatCSV, formatTSV, formatFastText, formatSVMLight, formatLIBSVM, formatARFF, formatDense}
	writeFormats = []string{formatLabels, formatFolders, formatJSONL, formatCSV, formatTSV, formatFastText, formatMbox, formatSVMLight, formatLIBSVM, formatARFF, formatDense}
)

// onlyVectors reports whether a format holds vectors and nothing else.
func onlyVectors(format string) bool {
	return slices.Contains([]string{formatSVMLight, formatLIBSVM, formatARFF, formatDense}, format)
}

// comma is what parts the columns of a table.
func comma(format string) rune {
	if format == formatTSV {
		return '\t'
	}
	return ','
}

// formatOf guesses a file's format by its name, and of a .tsv and a .txt file by
// its first line.
func formatOf(path string) (string, error) {
	if info, err := os.Stat(path); err != nil {
		return "", err
	} else if info.IsDir() {
		return formatFolders, nil
	}
	name := strings.TrimSuffix(strings.ToLower(path), ".gz")
	switch filepath.Ext(name) {
	case ".tar", ".tgz":
		return formatFolders, nil
	case ".jsonl", ".ndjson":
		return formatJSONL, nil
	case ".csv":
		return formatCSV, nil
	case ".arff":
		return formatARFF, nil
	case ".svm", ".svmlight", ".libsvm":
		return formatSVMLight, nil
	case ".ft", ".fasttext":
		return formatFastText, nil
	}
	first, err := firstLine(path)
	if err != nil {
		return "", err
	}
	columns := strings.Split(first, "\t")
	switch {
	case strings.HasPrefix(first, "__label__"):
		return formatFastText, nil
	case slices.Contains(columns, "is_cfp") && !slices.Contains(columns, "text") && !slices.Contains(columns, "html"):
		return formatLabels, nil
	case len(columns) > 1:
		return formatTSV, nil
	}
	return "", app.Usagef("%s: its name does not tell its format, say --from %s", path, strings.Join(readFormats, ", "))
}

// maxFirstLine bounds what is read of a file to tell its format, in bytes.
const maxFirstLine = 64 << 10

func firstLine(path string) (string, error) {
	f, err := openData(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	b, err := io.ReadAll(io.LimitReader(f, maxFirstLine))
	line, _, _ := strings.Cut(strings.TrimPrefix(string(b), "\ufeff"), "\n")
	return strings.TrimRight(line, "\r"), err
}

// openData opens a file, unpacked if its name ends with .gz or .tgz.
func openData(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	lower := strings.ToLower(path)
	if !strings.HasSuffix(lower, ".gz") && !strings.HasSuffix(lower, ".tgz") {
		return f, nil
	}
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), f.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{z, f}, nil
}
