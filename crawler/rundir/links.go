package rundir

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"strconv"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/internal/text"

	"github.com/klauspost/compress/gzip"
)

// A linkWriter writes links.csv.gz while the crawl runs, one gzip member per batch. The comment in the gzip
// header is the N of the batch's last page. So the file is readable at any time and can be cut after any
// batch.
type linkWriter struct {
	f    *os.File
	size int64
	// safe is the size of the part with pages up to page, which are committed. The rest belongs to the last
	// batch and may have to be cut off.
	safe int64
	page int

	z   *gzip.Writer
	buf bytes.Buffer
}

// openLinks opens the file, cuts it after page n, and writes the header if it is empty.
func openLinks(path string, n int) (*linkWriter, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	w := &linkWriter{f: f, page: max(0, n-1)}
	w.findMembers(n)
	err = f.Truncate(w.size)
	if err == nil && w.size == 0 {
		err = w.appendMember(0, [][]string{{"source", "target", "anchor", "nofollow"}})
		w.safe = w.size
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return w, nil
}

// findMembers sets size and safe from the members of pages up to n.
func (w *linkWriter) findMembers(n int) {
	counted := &countingReader{r: w.f}
	r := bufio.NewReader(counted)
	z := new(gzip.Reader)
	for {
		if err := z.Reset(r); err != nil {
			return // the end of the file, or a partly written member
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

// addLinks writes the links of a batch. A new batch means that the earlier ones are committed.
func (w *linkWriter) addLinks(batch []crawler.StepRecord) error {
	w.safe, w.page = w.size, batch[0].N-1
	var rows [][]string
	for _, t := range batch {
		if t.Arrival.Tree == nil {
			continue
		}
		for _, l := range t.Arrival.Tree.Links() {
			nofollow := "0"
			if l.NoFollow {
				nofollow = "1"
			}
			rows = append(rows, []string{l.Source, l.Target, l.Anchor, nofollow})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return w.appendMember(batch[len(batch)-1].N, rows)
}

// appendMember appends a member with light compression; pack compresses it again.
func (w *linkWriter) appendMember(n int, rows [][]string) error {
	w.buf.Reset()
	if w.z == nil {
		z, err := gzip.NewWriterLevel(&w.buf, gzip.BestSpeed)
		if err != nil {
			return err
		}
		w.z = z
	}
	w.z.Reset(&w.buf)
	w.z.Comment = strconv.Itoa(n)
	c := text.NewCSV(w.z)
	if err := c.WriteAll(rows); err != nil {
		return err
	}
	if err := w.z.Close(); err != nil {
		return err
	}
	written, err := w.f.Write(w.buf.Bytes())
	w.size += int64(written)
	return err
}

// joinMembers joins the members of all pages except the last batch into one.
func (w *linkWriter) joinMembers(path string) error {
	if w.safe == 0 {
		return nil // the file is packed already, and no batch followed
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return replaceFile(path, func(out io.Writer) error {
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
