package main

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/contextgraph"
	"eventseer/crawler/rundir"
	"eventseer/internal/lines"
	"eventseer/internal/text"
	"eventseer/webgraph"
)

// A tsv reads tab-separated lines below a line that names the columns. Nothing is
// quoted.
type tsv struct {
	rows   *bufio.Scanner
	header []string
	line   int
}

func newTSV(r io.Reader) (*tsv, error) {
	t := &tsv{rows: bufio.NewScanner(r), line: 1}
	t.rows.Buffer(nil, lines.MaxLine)
	if !t.rows.Scan() {
		return nil, errors.Join(t.rows.Err(), errors.New("the file is empty"))
	}
	t.header = strings.Split(strings.TrimPrefix(t.rows.Text(), "\ufeff"), "\t")
	return t, nil
}

// columns returns the places of columns, -1 for one of maybe that is not there.
func (t *tsv) columns(need, maybe []string) ([]int, error) {
	var places []int
	for _, name := range slices.Concat(need, maybe) {
		at := slices.Index(t.header, name)
		if at < 0 && slices.Contains(need, name) {
			return nil, fmt.Errorf("the first line must name the columns %s; it is %.100q", strings.Join(need, ", "), strings.Join(t.header, "\t"))
		}
		places = append(places, at)
	}
	return places, nil
}

// next returns the fields of the next line; io.EOF at the end.
func (t *tsv) next() ([]string, error) {
	if t.line++; !t.rows.Scan() {
		if err := t.rows.Err(); err != nil {
			return nil, fmt.Errorf("line %d: %w", t.line, err)
		}
		return nil, io.EOF
	}
	return strings.Split(t.rows.Text(), "\t"), nil
}

// openPlain opens a file, unpacked if its name ends in .gz.
func openPlain(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil || !strings.HasSuffix(path, ".gz") {
		return f, err
	}
	z, err := gzip.NewReader(bufio.NewReader(f))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w: it is no gzip file, name it without .gz", path, err), f.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{z, f}, nil
}

// readLinkGraph reads the graph of all links of a links file, tab-separated with
// the columns source and target, or of a run folder with what it knows of pages.
func readLinkGraph(a *app.App, path string) (*contextgraph.Graph, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("links: %w", err)
	}
	file, rows := path, tsvLinks
	if info.IsDir() {
		file, rows = filepath.Join(path, rundir.LinksFile), csvLinks
	}
	f, err := openPlain(file)
	if err != nil {
		return nil, fmt.Errorf("links: %w", err)
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	var bad error
	g, skipped, err := contextgraph.NewLinkGraph(filepath.Base(path), rows(f, &bad))
	if err := errors.Join(err, bad); err != nil {
		return nil, fmt.Errorf("links %s: %w", file, err)
	}
	if skipped > 0 {
		a.Logf("%s: %s: skipped", file, text.Count(skipped, "line holds no link of the web", "lines hold no links of the web"))
	}
	if info.IsDir() {
		err = describeNodes(g, path)
	}
	return g, err
}

// linkColumns are those of a links file: the first two are needed.
var linkColumns = []string{"source", "target", "anchor", "nofollow"}

func linkOf(fields []string) webgraph.Link {
	nofollow := fields[3]
	return webgraph.Link{
		Source: fields[0], Target: fields[1], Anchor: fields[2],
		NoFollow: nofollow != "" && nofollow != "0" && nofollow != "false",
	}
}

// errStop ends the reading of a table early.
var errStop = errors.New("stop")

// tsvLinks yields the links of a links file and sets bad if it is broken.
func tsvLinks(r io.Reader, bad *error) iter.Seq[webgraph.Link] {
	return func(yield func(webgraph.Link) bool) {
		err := tsvRows(r, linkColumns[:2], linkColumns[2:], func(fields []string) error {
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

// csvLinks yields the links of a run folder. What a killed crawl tore off the end
// is left out.
func csvLinks(r io.Reader, bad *error) iter.Seq[webgraph.Link] {
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

// describeNodes adds what a run says of its pages.
func describeNodes(g *contextgraph.Graph, run string) error {
	pages, err := rundir.JudgedPages(run)
	if err != nil {
		return err
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if p, ok := pages[n.URL]; ok {
			n.Status, n.PageType, n.Bytes = p.Status, p.PageType, p.Bytes
			n.CFPScore = max(0, min(p.CFPScore, 1))
		}
	}
	return nil
}
