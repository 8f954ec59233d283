package edgeindex

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/internal/coding"
	"github.com/eventseer/eventseer/internal/lines"
	"github.com/eventseer/eventseer/internal/warc"
)

// longestEdge is the largest length of a line of a list in bytes: two URLs as written, an anchor and
// more.
const longestEdge = 64 << 10

// inFolders are the extensions of files that are read in folders.
var inFolders = []string{".wat", ".wat.gz", "links.csv.gz", "links.tsv.gz"}

// An edgeInput is a file with links.
type edgeInput struct {
	path string
	size int64
}

func (in edgeInput) isWAT() bool {
	return strings.HasSuffix(strings.TrimSuffix(strings.ToLower(in.path), ".gz"), ".wat")
}

// findInputs lists the files of all inputs, those of a folder in order of name. Missing inputs are
// counted as broken.
func (b *edgeBuilder) findInputs() ([]edgeInput, error) {
	var inputs []edgeInput
	for _, path := range b.o.Inputs {
		info, err := os.Stat(path)
		if err != nil {
			b.countUnreadable(err)
			continue
		}
		if !info.IsDir() {
			inputs = append(inputs, edgeInput{path, info.Size()})
			continue
		}
		before := len(inputs)
		err = filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				b.countUnreadable(err)
				return nil
			}
			ends := func(end string) bool { return strings.HasSuffix(d.Name(), end) }
			if d.IsDir() || !slices.ContainsFunc(inFolders, ends) {
				return nil
			}
			info, err := d.Info()
			if err == nil {
				inputs = append(inputs, edgeInput{path, info.Size()})
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		if len(inputs) == before {
			b.countUnreadable(fmt.Errorf("%s: no file in it is named *%s", path, strings.Join(inFolders, " or *")))
		}
	}
	for _, in := range inputs {
		b.stats.Size += in.size
	}
	return inputs, nil
}

// readInput adds the links of one input. An error ends the build; an unreadable input is not an error.
func (b *edgeBuilder) readInput(ctx context.Context, in edgeInput) error {
	readAll := b.readList
	if in.isWAT() {
		readAll = b.readWAT
	}
	broken, err := readAll(ctx, in.path)
	if broken != nil {
		b.countUnreadable(broken)
	}
	b.readPast += in.size
	b.stats.Read = b.readPast
	b.reportProgress()
	return err
}

// reportFull reports the first time that the maximum number of links is reached.
func (b *edgeBuilder) reportFull(path string) error {
	if b.stats.Lines < b.maxLines {
		return nil
	}
	return fmt.Errorf("%s: more than %d links; what follows is left out", path, b.maxLines)
}

// readWAT adds the links of a WAT file.
func (b *edgeBuilder) readWAT(ctx context.Context, path string) (broken, err error) {
	r, broken := warc.Open(path)
	if broken != nil {
		return broken, nil
	}
	defer func() { _ = r.Close() }() // opened for reading: an error on closing loses nothing
	records := 0
	for r.Scan() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rec, err := r.Record()
		if err != nil {
			b.countInvalid(err)
			continue
		}
		records++
		b.stats.Read = b.readPast + rec.Position.Offset
		b.reportProgress()
		page, err := rec.WAT()
		if err != nil {
			b.countInvalid(&warc.BadRecord{File: path, Position: rec.Position, Err: err})
		}
		if page == nil {
			continue
		}
		if broken, err := b.addPage(ctx, page, path); broken != nil || err != nil {
			return broken, err
		}
	}
	if r.Err() == nil && records == 0 {
		return fmt.Errorf("%s: %w", path, warc.ErrNoRecords), nil
	}
	return r.Err(), nil
}

func (b *edgeBuilder) addPage(ctx context.Context, page *warc.WATPage, path string) (broken, err error) {
	for _, l := range page.Links {
		if broken := b.reportFull(path); broken != nil {
			return broken, nil
		}
		b.stats.Lines++
		why, err := b.add(ctx, l.Source, l.Target, edgeValue{l.Anchor, l.NoFollow, max(page.FetchedAt.Unix(), 0)})
		if err != nil {
			return nil, err
		}
		if why != nil {
			b.countInvalid(fmt.Errorf("%s: %w", path, why))
		}
	}
	return nil, nil
}

// readList adds the links of a list.
func (b *edgeBuilder) readList(ctx context.Context, path string) (broken, err error) {
	f, broken := os.Open(path)
	if broken != nil {
		return broken, nil
	}
	defer func() { _ = f.Close() }() // opened for reading: an error on closing loses nothing
	read := &countReader{r: f}
	text, broken := gunzipped(read)
	if broken != nil {
		return fmt.Errorf("%s: %w", path, broken), nil
	}
	in := lines.NewReader(text, longestEdge)
	list := edgeColumnsOf("")
	for {
		line, why := in.Next()
		if why != nil && !errors.Is(why, lines.ErrLong) {
			if errors.Is(why, io.EOF) {
				return nil, nil
			}
			return fmt.Errorf("%s:%d: %w", path, in.N, why), nil
		}
		if in.N%ctxPause == 0 {
			b.stats.Read = b.readPast + read.n
			b.reportProgress()
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		if in.N == 1 {
			list = edgeColumnsOf(string(line))
		}
		if why == nil && (len(line) == 0 || in.N == 1 && list.named) {
			continue
		}
		if broken := b.reportFull(path); broken != nil {
			return broken, nil
		}
		b.stats.Lines++
		if why == nil {
			why, err = b.addLine(ctx, list, string(line))
		}
		switch {
		case err != nil:
			return nil, err
		case why != nil:
			b.countInvalid(fmt.Errorf("%s:%d: %w", path, in.N, why))
		}
	}
}

// addLine adds the link of one line. If the line is invalid, why is the reason.
func (b *edgeBuilder) addLine(ctx context.Context, list edgeColumns, line string) (why, err error) {
	fields, why := list.splitLine(line)
	if why != nil {
		return why, nil
	}
	if len(fields) <= max(list.Source, list.Target) {
		return fmt.Errorf("the line has %d columns; source and target should be in columns %d and %d", len(fields), list.Source+1, list.Target+1), nil
	}
	l := list.Link(fields)
	return b.add(ctx, l.Source, l.Target, edgeValue{anchor: l.Anchor, nofollow: l.NoFollow})
}

// edgeColumns are the columns of a list and their separator.
type edgeColumns struct {
	backlink.Columns
	named bool // the first line names the columns
	comma byte // 0 for spaces
}

// edgeColumnsOf returns the columns given by the first line. Without a header, source and target
// are the first two.
func edgeColumnsOf(line string) edgeColumns {
	line = strings.ToLower(strings.TrimPrefix(line, "\ufeff"))
	for _, comma := range []byte{'\t', ','} {
		list := edgeColumns{named: true, comma: comma}
		names, err := list.splitLine(line)
		if err != nil {
			continue
		}
		if c, err := backlink.ColumnsOf(strings.Join(names, "\t")); err == nil {
			list.Columns = c
			return list
		}
	}
	list := edgeColumns{Columns: backlink.Columns{Source: 0, Target: 1, Anchor: -1, Nofollow: -1}}
	if strings.Contains(line, "\t") {
		list.comma = '\t'
	}
	return list
}

// splitLine cuts a line into its fields.
func (c edgeColumns) splitLine(line string) ([]string, error) {
	switch {
	case c.comma == 0:
		return strings.Fields(line), nil
	case c.comma == '\t' || !strings.Contains(line, `"`):
		return strings.Split(line, string(c.comma)), nil
	}
	fields, err := csv.NewReader(strings.NewReader(line)).Read()
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return nil, parse.Err // without its line number, which is always 1
	}
	return fields, err
}

// gunzipped decompresses gzip input.
func gunzipped(r io.Reader) (io.Reader, error) {
	in := bufio.NewReaderSize(r, 256<<10)
	if head, _ := in.Peek(2); string(head) != "\x1f\x8b" {
		return in, nil
	}
	return coding.Gunzip(in)
}

type countReader struct {
	r io.Reader
	n int64
}

func (c *countReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
