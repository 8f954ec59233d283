package pages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/internal/warc"
)

// A pageTester records responses like a crawl and requests them.
type pageTester struct {
	t     *testing.T
	data  string
	w     *warc.Writer
	pages *Files
	at    time.Time
}

func newPageTester(t *testing.T) *pageTester {
	x := &pageTester{t: t, data: t.TempDir(), at: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)}
	var err error
	if x.pages, err = Open(x.data); err != nil {
		t.Fatal(err)
	}
	x.open()
	t.Cleanup(func() { _ = errors.Join(x.w.Close(), x.pages.Close()) })
	return x
}

func (x *pageTester) open() {
	x.t.Helper()
	var err error
	if x.w, err = warc.Create(x.pages.prefix, warc.WriterOptions{MaxSize: 8 << 10, Now: func() time.Time { return x.at }}); err != nil {
		x.t.Fatal(err)
	}
}

func answerOf(body string) []byte {
	return fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

func (x *pageTester) record(url, body string) {
	x.t.Helper()
	x.at = x.at.Add(time.Second)
	rec := warc.NewResponse(url, x.at, answerOf(body))
	if original, known := x.w.WrittenBefore(rec); known {
		rec = warc.NewDuplicate(rec, original)
	}
	if err := x.w.Write(rec); err != nil {
		x.t.Fatal(err)
	}
}

func (x *pageTester) page(url string) (string, error) {
	var b bytes.Buffer
	err := x.pages.Page(context.Background(), url, func(part []byte) error {
		if len(part) > cluster.MaxReply {
			x.t.Errorf("a part of %d bytes", len(part))
		}
		b.Write(part)
		return nil
	})
	return b.String(), err
}

func (x *pageTester) want(url, body string) {
	x.t.Helper()
	if got, err := x.page(url); err != nil || got != string(answerOf(body)) {
		x.t.Errorf("%s: %d bytes %.60q, %v; want the %d of %.20q", url, len(got), got, err, len(answerOf(body)), body)
	}
}

// Pages are found while they are being recorded, over several files, and the latest
// answer counts.
func TestWorkerPages(t *testing.T) {
	x := newPageTester(t)
	if _, err := x.page("https://a.example/"); !errors.Is(err, cluster.ErrNoPage) {
		t.Fatalf("nothing recorded: %v", err)
	}
	noise := func(n int) string { return fmt.Sprintf("%x", noiseOf(n, 300)) } // does not compress away
	for n := range 100 {
		x.record(fmt.Sprintf("https://a.example/%d", n), noise(n))
		if n == 50 {
			x.want("https://a.example/50", noise(50))
		}
	}
	files, err := warc.SeriesFiles(x.pages.prefix)
	if err != nil || len(files) < 3 {
		t.Fatalf("files %v, %v", files, err)
	}
	for n := range 100 {
		x.want(fmt.Sprintf("https://A.example:443/%d", n), noise(n))
	}
	x.record("https://a.example/3", "it has changed")
	x.want("https://a.example/3", "it has changed")
	x.record("https://b.example/copy", noise(99)) // kept without its body
	x.want("https://b.example/copy", noise(99))
	large := strings.Repeat("0123456789", cluster.MaxReply/4)
	x.record("https://b.example/large", large)
	x.want("https://b.example/large", large)
	if _, err := x.page("https://b.example/none"); !errors.Is(err, cluster.ErrNoPage) {
		t.Errorf("a page that is not there: %v", err)
	}
	if _, err := x.page("mailto:x"); !errors.Is(err, cluster.ErrNoPage) {
		t.Errorf("no URL of a page: %v", err)
	}
}

func noiseOf(seed, n int) []byte {
	b := make([]byte, n)
	state := uint64(seed)*0x9e3779b97f4a7c15 + 1
	for i := range b {
		state ^= state << 13
		state ^= state >> 7
		state ^= state << 17
		b[i] = byte(state)
	}
	return b
}

// An incomplete record after a kill hides no other record, neither before nor after the next start removes
// it.
func TestWorkerPagesTorn(t *testing.T) {
	x := newPageTester(t)
	x.record("https://a.example/1", "one")
	x.record("https://a.example/2", strings.Repeat("two ", 100))
	if err := x.w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(x.data, pagesDir, pagesPrefix+"-00001.warc.gz")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, info.Size()-20); err != nil {
		t.Fatal(err)
	}
	x.want("https://a.example/1", "one")
	if _, err := x.page("https://a.example/2"); !errors.Is(err, cluster.ErrNoPage) {
		t.Errorf("the torn page: %v", err)
	}
	x.open()
	x.record("https://a.example/3", "three")
	x.want("https://a.example/1", "one")
	x.want("https://a.example/3", "three")
}

// The index is on the disk, and one that was lost is made again.
func TestWorkerPagesReopened(t *testing.T) {
	x := newPageTester(t)
	for n := range 30 {
		x.record(fmt.Sprintf("https://a.example/%d", n), fmt.Sprint("page ", n))
	}
	x.want("https://a.example/7", "page 7")
	for _, lost := range []bool{false, true} {
		if err := x.pages.Close(); err != nil {
			t.Fatal(err)
		}
		if lost {
			if err := os.Remove(filepath.Join(x.data, pagesDir, pagesIndex)); err != nil {
				t.Fatal(err)
			}
		}
		var err error
		if x.pages, err = Open(x.data); err != nil {
			t.Fatal(err)
		}
		x.want("https://a.example/29", "page 29")
	}
}
