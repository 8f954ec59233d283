package rundir

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"

	"eventseer/webgraph"
)

// A linkWriter writes links.csv.gz while the crawl runs: a gzip member a page,
// whose header comment is the page's n, so that the file is readable at any
// moment and can be cut after any page.
type linkWriter struct{ f *os.File }

func openLinks(path string) (*linkWriter, error) {
	f, err := appendTo(path)
	if err != nil {
		return nil, err
	}
	w := &linkWriter{f}
	info, err := f.Stat()
	if err == nil && info.Size() == 0 {
		err = w.write(0, [][]string{{"source", "target", "anchor", "nofollow"}})
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return w, nil
}

func (w *linkWriter) add(n int, links []webgraph.Link) error {
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
	_, err := w.f.Write(b.Bytes())
	return err
}

// cutLinks keeps the members of the pages up to n.
func cutLinks(path string, n int) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0o644)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	counted := &countingReader{r: f}
	r := bufio.NewReader(counted)
	end := int64(0)
	z := new(gzip.Reader)
	for {
		if err := z.Reset(r); err != nil {
			break // the end, or a torn member
		}
		z.Multistream(false)
		if page, err := strconv.Atoi(z.Comment); err != nil || page > n {
			break
		}
		if _, err := io.Copy(io.Discard, z); err != nil {
			break
		}
		end = counted.n - int64(r.Buffered())
	}
	return f.Truncate(end)
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

// packLinks writes all members anew as one, which ends with page n.
func packLinks(path string, n int) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return replace(path, func(w io.Writer) error {
		in, err := gzip.NewReader(bufio.NewReader(f))
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		z := gzip.NewWriter(w)
		z.Comment = strconv.Itoa(n)
		if _, err := io.Copy(z, in); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return z.Close()
	})
}
