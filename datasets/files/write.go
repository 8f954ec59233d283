package files

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/internal/warc"
	"github.com/eventseer/eventseer/webgraph"
)

// Files of a folder in the format labels or mbox.
const (
	labelsFile = "labels.tsv"
	warcFile   = "pages.warc.gz"
	mboxFile   = "mails.mbox"
)

// WriteFolder creates a dataset of several files in a folder that has none. It calls pump to write the
// pages.
func WriteFolder(format, dir string, pump func(datasets.Writer) error) (err error) {
	for _, file := range []string{labelsFile, warcFile, mboxFile, manifestFile} {
		if _, err := os.Stat(filepath.Join(dir, file)); !errors.Is(err, fs.ErrNotExist) {
			return errors.Join(fmt.Errorf("%s holds a dataset already (%s): remove it, or name another folder", dir, file), err)
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if format == Folders {
		return pump(newFolderWriter(dir))
	}
	if format == Mbox {
		f, err := os.Create(filepath.Join(dir, mboxFile))
		if err != nil {
			return err
		}
		return errors.Join(pump(withLabels(datasets.NewMboxWriter(f), dir)), f.Close())
	}
	epoch := func() time.Time { return time.Unix(0, 0) } // a fixed time, so that the same pages give the same bytes
	w, err := warc.Create(filepath.Join(dir, warcFile), warc.WriterOptions{Now: epoch})
	if err != nil {
		return err
	}
	pages := datasets.Writer{
		Write: func(e datasets.Example, _ string) error { return w.Write(pageRecord(e.Page)) },
		Flush: func() error { return nil },
	}
	return errors.Join(pump(withLabels(pages, dir)), w.Close())
}

// withLabels returns a writer that also writes a labels file to dir at the end.
func withLabels(w datasets.Writer, dir string) datasets.Writer {
	var labels []datasets.Label
	return datasets.Writer{
		Write: func(e datasets.Example, class string) error {
			l, err := e.AsLabel()
			if err != nil {
				return err
			}
			labels = append(labels, l)
			return w.Write(e, class)
		},
		Flush: func() error {
			f, err := os.Create(filepath.Join(dir, labelsFile))
			if err != nil {
				return errors.Join(err, w.Flush())
			}
			return errors.Join(w.Flush(), datasets.WriteLabels(f, labels), f.Close())
		},
	}
}

// pageRecord returns the WARC record of a page: a response with the stored headers, or for a text a
// resource.
func pageRecord(p *webgraph.Page) *warc.Record {
	at := p.FetchedAt
	if at.IsZero() {
		at = time.Unix(0, 0)
	}
	if p.Text != "" && p.Header.Get("Content-Type") != "application/pdf" {
		return warc.NewResource(p.URL, at, "text/plain; charset=utf-8", []byte(p.Text))
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", p.Status, http.StatusText(p.Status))
	for _, name := range webgraph.KeptHeaders {
		for _, value := range p.Header.Values(name) {
			if name != "Content-Length" && !slices.Contains([]byte(value), '\n') && !slices.Contains([]byte(value), '\r') {
				fmt.Fprintf(&b, "%s: %s\r\n", name, value)
			}
		}
	}
	b.WriteString("\r\n")
	b.Write(p.Body)
	return warc.NewResponse(p.URL, at, b.Bytes())
}

// NewTextWriter returns a writer of pages and texts in a format with a single file.
func NewTextWriter(w io.Writer, format string) datasets.Writer {
	switch format {
	case JSONL:
		return datasets.NewJSONLWriter(w)
	case FastText:
		return datasets.NewFastTextWriter(w)
	}
	return datasets.NewTextTableWriter(w, separatorOf(format))
}
