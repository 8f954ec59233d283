package engine

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"mime"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/fetch"
	"github.com/eventseer/eventseer/eventseer/mailbox"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/coding"
	"github.com/eventseer/eventseer/internal/warc"
	"github.com/eventseer/eventseer/webgraph"
)

// MaxInputFile bounds a single page read from a file or stdin, in bytes.
const MaxInputFile = 64 << 20

// PagesOfInputs yields the pages of all INPUT arguments, in order: files, directories, WARC files, URLs,
// or "-" for stdin, whose URL is name. A page that cannot be read is yielded as an error with the page's
// URL set, and reading continues.
func PagesOfInputs(ctx context.Context, a *app.App, inputs []string, name string) iter.Seq2[*webgraph.Page, error] {
	return func(yield func(*webgraph.Page, error) bool) {
		defer app.MeterInputs(a, inputs)()
		for _, input := range inputs {
			for page, err := range PagesOfInput(ctx, a, input, name) {
				if page == nil {
					page = &webgraph.Page{URL: input}
				}
				if !yield(page, err) || ctx.Err() != nil {
					return
				}
			}
		}
	}
}

// PagesOfInput yields the pages of one INPUT, as PagesOfInputs does.
func PagesOfInput(ctx context.Context, a *app.App, input, name string) iter.Seq2[*webgraph.Page, error] {
	switch {
	case input == "-":
		return streamPages(ctx, a, a.Stdin, cmp.Or(name, "-"), "", name)
	case strings.HasPrefix(input, "http://"), strings.HasPrefix(input, "https://"):
		return SinglePage(FetchPage(ctx, a, input))
	}
	info, err := os.Stat(input)
	switch {
	case err != nil:
		return SinglePage(nil, err)
	case info.IsDir():
		return directoryPages(ctx, a, input)
	}
	return filePages(ctx, a, input)
}

// SinglePage yields a page or its error.
func SinglePage(page *webgraph.Page, err error) iter.Seq2[*webgraph.Page, error] {
	return func(yield func(*webgraph.Page, error) bool) { yield(page, err) }
}

func eachPage(pages []*webgraph.Page) iter.Seq2[*webgraph.Page, error] {
	return func(yield func(*webgraph.Page, error) bool) {
		for _, page := range pages {
			if !yield(page, nil) {
				return
			}
		}
	}
}

// directoryPages yields the files below dir that are of a supported type, in name order. If dir or a
// directory below it is a maildir, it yields its messages.
func directoryPages(ctx context.Context, a *app.App, dir string) iter.Seq2[*webgraph.Page, error] {
	return func(yield func(*webgraph.Page, error) bool) {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				if !yield(&webgraph.Page{URL: path}, err) {
					return fs.SkipAll
				}
				return nil
			}
			files := filePages(ctx, a, path)
			switch ext, _ := Extension(path); {
			case d.IsDir() && mailbox.IsMaildirPart(path):
				return fs.SkipDir
			case d.IsDir() && mailbox.IsMaildir(path):
				files = a.Mails.Maildir(path)
			case d.IsDir() || ContentType(ext) == "" && !IsContainer(path):
				return nil
			}
			for page, err := range files {
				if page == nil {
					page = &webgraph.Page{URL: path}
				}
				if !yield(page, err) {
					return fs.SkipAll
				}
			}
			return ctx.Err()
		})
		if err != nil {
			yield(&webgraph.Page{URL: dir}, err)
		}
	}
}

// Extension returns the file extension in lower case without .gz, and whether the name ends in .gz.
func Extension(path string) (ext string, zipped bool) {
	name, zipped := strings.CutSuffix(strings.ToLower(path), ".gz")
	return filepath.Ext(name), zipped
}

// IsContainer reports whether a file may contain many pages, by its name.
func IsContainer(path string) bool {
	ext, _ := Extension(path)
	return ext == ".warc" || ext == ".wat" || ext == ".mbox"
}

// filePages yields the page or pages of one local file, decompressed if its name ends in .gz. Without a
// known extension its first bytes determine the type.
func filePages(ctx context.Context, a *app.App, path string) iter.Seq2[*webgraph.Page, error] {
	ext, zipped := Extension(path)
	switch ext {
	case ".warc":
		return withPDFText(ctx, warc.Pages(path, app.InputMeter(a).OffsetCounter()))
	case ".wat":
		return warc.WATPages(path)
	}
	return func(yield func(*webgraph.Page, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer func() { _ = f.Close() }() // read only: nothing to lose
		var r io.Reader = app.InputMeter(a).Reader(f)
		if zipped {
			if r, err = coding.Gunzip(f); err != nil {
				yield(nil, fmt.Errorf("%s: %w: it is not a gzip file, rename it without .gz", path, err))
				return
			}
		}
		streamPages(ctx, a, r, path, ext, "")(yield)
	}
}

// withPDFText sets the texts of the responses that are PDFs.
func withPDFText(ctx context.Context, pages iter.Seq2[*webgraph.Page, error]) iter.Seq2[*webgraph.Page, error] {
	return func(yield func(*webgraph.Page, error) bool) {
		for page, err := range pages {
			if err == nil && page.Status == http.StatusOK {
				if media, _, _ := mime.ParseMediaType(page.Header.Get("Content-Type")); media == pdfType {
					page.Text, err = fetch.PDFText(ctx, page.Body)
				}
			}
			if !yield(page, err) {
				return
			}
		}
	}
}

// pdfType is the media type of a PDF.
const pdfType = "application/pdf"

// streamPages yields the page or pages in r, of the type ext; without a known type its first bytes
// decide. A single message gets the URL url, unless that is empty.
func streamPages(ctx context.Context, a *app.App, r io.Reader, name, ext, url string) iter.Seq2[*webgraph.Page, error] {
	buffered := bufio.NewReaderSize(r, mailbox.SniffLen)
	head, _ := buffered.Peek(mailbox.SniffLen) // an error comes again
	mediaType := ContentType(ext)
	switch {
	case ext == ".mbox", (mediaType == "" || ext == ".txt") && mailbox.IsMbox(head):
		return a.Mails.Messages(buffered, name)
	case ext == ".eml", mediaType == "" && mailbox.IsMessage(head):
		pages, err := a.Mails.Message(buffered)
		if err != nil {
			return SinglePage(nil, fmt.Errorf("%s: %w", name, err))
		}
		pages[0].URL = cmp.Or(url, pages[0].URL)
		return eachPage(pages)
	}
	return SinglePage(ReadPage(ctx, a, buffered, name, mediaType))
}

// ContentType returns the media type of a file that can be read as a page, otherwise "".
func ContentType(ext string) string {
	switch ext {
	case ".html", ".htm", ".xhtml", ".shtml":
		return "text/html"
	case ".txt", ".eml":
		return "text/plain"
	case ".pdf":
		return pdfType
	}
	return ""
}

// ReadPage reads one page from r. An empty type is detected from the bytes.
func ReadPage(ctx context.Context, a *app.App, r io.Reader, name, mediaType string) (*webgraph.Page, error) {
	page := &webgraph.Page{URL: name, Requested: name, Status: http.StatusOK, FetchedAt: a.Now(), Header: http.Header{}}
	body, err := io.ReadAll(io.LimitReader(r, MaxInputFile+1))
	if err != nil {
		return page, err
	}
	if len(body) > MaxInputFile {
		body, page.Truncated = body[:MaxInputFile], true
	}
	page.Body = body
	if mediaType == "" {
		mediaType, _, _ = mime.ParseMediaType(http.DetectContentType(body))
	}
	page.Header.Set("Content-Type", mediaType)
	if mediaType == pdfType {
		page.Text, err = fetch.PDFText(ctx, body)
	}
	return page, err
}

// FetchPage fetches one live page; robots.txt, host delays and contact apply.
func FetchPage(ctx context.Context, a *app.App, url string) (*webgraph.Page, error) {
	if a.Live == nil {
		f, err := LiveFetcher(a, nil)
		if err != nil {
			return nil, err
		}
		if a.Live, err = withRenderer(a, f, SliceDelay); err != nil {
			return nil, err
		}
	}
	page, err := a.Live.Fetch(ctx, crawler.Request{URL: url})
	if err != nil {
		return &webgraph.Page{URL: url}, err
	}
	if page.Status != http.StatusOK {
		return page, fmt.Errorf("%s answered with status %d", url, page.Status)
	}
	return page, nil
}

// A Tally counts inputs and those that could not be read.
type Tally struct {
	All, Bad int
	First    error // of the bad ones
}

// CountInput counts an input, and whether it was read, and reports if it could not be read.
func (t *Tally) CountInput(err error) bool {
	t.All++
	if err == nil {
		return false
	}
	if t.Bad++; t.Bad == 1 {
		t.First = err
	}
	return true
}

// Err returns the command's error: exit 3 if inputs could not be read, and 13 if all of these were
// refused.
func (t Tally) Err() error {
	switch {
	case t.Bad == 0:
		return nil
	case t.Bad == t.All && (errors.Is(t.First, fetch.ErrNoContact) || errors.Is(t.First, app.ErrRefused)):
		return t.First
	}
	return fmt.Errorf("%w: %d of %d inputs could not be read, first: %w", app.ErrPartly, t.Bad, t.All, t.First)
}

// Parse parses a page of PagesOfInputs; if it could not be read it returns the error.
func Parse(page *webgraph.Page, err error) (*tagtree.Tree, error) {
	if err != nil {
		return nil, err
	}
	return tagtree.Parse(page)
}
