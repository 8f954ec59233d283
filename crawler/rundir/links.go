package rundir

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"strconv"

	"eventseer/webgraph"
)

// A linkWriter writes links.csv.gz while the crawl runs: a gzip member a page,
// whose header comment is the page's n, so that the file is readable at any
// moment and can be cut after any page.
type linkWriter struct {
	f    *os.File
	size int64
	// The first safe bytes are of pages up to page, which are committed; the
	// rest is of the last arrival, which may yet be cut off.
	safe int64
	page int
}

// openLinks opens the file after page n: it cuts off what follows, and begins
// a file that is empty.
func openLinks(path string, n int) (*linkWriter, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	w := &linkWriter{f: f, page: max(0, n-1)}
	w.find(n)
	err = f.Truncate(w.size)
	if err == nil && w.size == 0 {
		err = w.write(0, [][]string{{"source", "target", "anchor", "nofollow"}})
		w.safe = w.size
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return w, nil
}

// find measures the members of the pages up to n.
func (w *linkWriter) find(n int) {
	counted := &countingReader{r: w.f}
	r := bufio.NewReader(counted)
	z := new(gzip.Reader)
	for {
		if err := z.Reset(r); err != nil {
			return // the end, or a torn member
		}
		z.Multistream(false)
		page, err := strconv.Atoi(z.Comment)
		if err != nil || page > n {
			return
		}
		if _, err := io.Copy(io.Discard, z); err != nil {
			return
		}
		w.size = counted.n - int64(r.Buffered())
		if page <= w.page {
			w.safe = w.size
		}
	}
}

type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// add writes the links of arrival n, whose coming means that all before it are
// committed.
func (w *linkWriter) add(n int, links []webgraph.Link) error {
	w.safe, w.page = w.size, n-1
	if len(links) == 0 {
		return nil
	}
	rows := make([][]string, 0, len(links))
	for _, l := range links {
		nofollow := "0"
		if l.NoFollow {
			nofollow = "1"
		}
		rows = append(rows, []string{l.Source, l.Target, l.Anchor, nofollow})
	}
	return w.write(n, rows)
}

func (w *linkWriter) write(n int, rows [][]string) error {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Comment = strconv.Itoa(n)
	c := csv.NewWriter(z)
	if err := c.WriteAll(rows); err != nil {
		return err
	}
	if err := z.Close(); err != nil {
		return err
	}
	written, err := w.f.Write(b.Bytes())
	w.size += int64(written)
	return err
}

// pack writes the members of all pages but the last arrival's anew as one.
func (w *linkWriter) pack(path string) error {
	if w.safe == 0 {
		return nil // the last page is in the packed member, and nothing came since
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return replace(path, func(out io.Writer) error {
		in, err := gzip.NewReader(bufio.NewReader(io.NewSectionReader(f, 0, w.safe)))
		if err != nil {
			return err
		}
		z := gzip.NewWriter(out)
		z.Comment = strconv.Itoa(w.page)
		if _, err := io.Copy(z, in); err != nil {
			return err
		}
		if err := z.Close(); err != nil {
			return err
		}
		_, err = io.Copy(out, io.NewSectionReader(f, w.safe, w.size-w.safe))
		return err
	})
}
