// Package table reads tables of links from which link graphs are made.
package table

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/contextgraph"
	"github.com/eventseer/eventseer/internal/tsv"
	"github.com/eventseer/eventseer/webgraph"
)

// linkColumns are the columns of a links file; the first two are required.
var linkColumns = []string{"source", "target", "anchor", "nofollow"}

func linkOf(fields []string) webgraph.Link {
	nofollow := fields[3]
	return webgraph.Link{
		Source: fields[0], Target: fields[1], Anchor: fields[2],
		NoFollow: nofollow != "" && nofollow != "0" && nofollow != "false",
	}
}

// errStop stops the reading of a table early.
var errStop = errors.New("stop")

// Links returns the links of a links file. If the file is broken, it sets bad.
func Links(r io.Reader, bad *error) iter.Seq[webgraph.Link] {
	return func(yield func(webgraph.Link) bool) {
		err := tsv.Rows(r, linkColumns[:2], linkColumns[2:], func(fields []string) error {
			if !yield(linkOf(fields)) {
				return errStop
			}
			return nil
		})
		if !errors.Is(err, errStop) {
			*bad = err
		}
	}
}

// CSVLinks returns the links of a run folder's CSV file. An incomplete line at the end, which a killed
// crawl left, is ignored.
func CSVLinks(r io.Reader, bad *error) iter.Seq[webgraph.Link] {
	return func(yield func(webgraph.Link) bool) {
		rows := csv.NewReader(r)
		rows.ReuseRecord = true
		header, err := rows.Read()
		if err != nil || !slices.Equal(header, linkColumns) {
			*bad = errors.Join(err, fmt.Errorf("the first line must be %s", strings.Join(linkColumns, ",")))
			return
		}
		for {
			row, err := rows.Read()
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return
			}
			if err != nil {
				*bad = err
				return
			}
			for i := range row {
				row[i] = strings.Clone(row[i])
			}
			if !yield(linkOf(row)) {
				return
			}
		}
	}
}

// A Reader returns the links of a table and sets bad if the table is broken, like Links and CSVLinks.
type Reader func(r io.Reader, bad *error) iter.Seq[webgraph.Link]

// ReadGraph reads the graph of all links of a file, and returns the number of lines without http or https
// URLs, which it skips.
func ReadGraph(name, file string, read Reader) (g *contextgraph.Graph, skipped int, err error) {
	f, err := tsv.Open(file)
	if err != nil {
		return nil, 0, fmt.Errorf("links: %w", err)
	}
	defer func() { _ = f.Close() }() // opened for reading: an error on closing loses nothing
	var bad error
	g, skipped, err = contextgraph.NewLinkGraph(name, read(f, &bad))
	if err := errors.Join(err, bad); err != nil {
		return nil, 0, fmt.Errorf("links %s: %w", file, err)
	}
	return g, skipped, nil
}

// ReadLabels returns the values of a column of a TSV file by the canonical URL in its column url. Rows
// with an invalid URL or an empty value are skipped.
func ReadLabels(path, column string) (map[string]string, error) {
	f, err := tsv.Open(path)
	if err != nil {
		return nil, fmt.Errorf("labels: %w", err)
	}
	defer func() { _ = f.Close() }() // opened for reading: an error on closing loses nothing
	labels := map[string]string{}
	err = tsv.Rows(f, []string{"url", column}, nil, func(row []string) error {
		if url, err := webgraph.Canonical(row[0]); err == nil && row[1] != "" {
			labels[url] = strings.Clone(row[1])
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("labels %s: %w", path, err)
	}
	return labels, nil
}
