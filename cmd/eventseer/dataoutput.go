package main

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

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/datasets"
	"eventseer/internal/warc"
	"eventseer/webgraph"
)

// The files of a labels or mbox folder.
const (
	labelsFile = "labels.tsv"
	warcFile   = "pages.warc.gz"
	mboxFile   = "mails.mbox"
)

// writeTexts has pump write pages to --output in a format: a file, or a folder
// that holds no dataset yet.
func writeTexts(a *app.App, format string, pump func(datasets.Writer) error) error {
	switch format {
	case formatLabels, formatMbox, formatFolders:
		if a.Config.Output == "-" {
			return app.Usagef("-o DIR is needed: %s is more than one file", format)
		}
		return writeFolder(a, format, a.Config.Output, pump)
	}
	return a.WithOutput(func(w io.Writer) error {
		switch format {
		case formatJSONL:
			return pump(datasets.NewJSONLWriter(w))
		case formatFastText:
			return pump(datasets.NewFastTextWriter(w))
		}
		return pump(datasets.NewTextTableWriter(w, comma(format)))
	})
}

func writeFolder(a *app.App, format, dir string, pump func(datasets.Writer) error) (err error) {
	for _, file := range []string{labelsFile, warcFile, mboxFile, manifestFile} {
		if _, err := os.Stat(filepath.Join(dir, file)); !errors.Is(err, fs.ErrNotExist) {
			return errors.Join(fmt.Errorf("%s holds a dataset already (%s): remove it, or name another folder", dir, file), err)
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if format == formatFolders {
		return pump(newFolderWriter(dir))
	}
	if format == formatMbox {
		f, err := os.Create(filepath.Join(dir, mboxFile))
		if err != nil {
			return err
		}
		return errors.Join(pump(withLabels(datasets.NewMboxWriter(f), dir)), f.Close())
	}
	epoch := func() time.Time { return time.Unix(0, 0) } // the same pages give the same bytes
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

// withLabels returns w with a labels file written beside it at the end.
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

// pageRecord is the WARC record of a page: an answer with the headers kept, or
// where the page is a text the bare text.
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
