package warc

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nlnwa/gowarc"
)

const benchRecords = 10_000

// benchPage makes a page of some 15 KB that deflates as pages do: words of a
// small language between tags.
func benchPage(random *rand.Rand, words []string) []byte {
	var b strings.Builder
	for b.Len() < 15_000 {
		b.WriteString("<p class=\"text\">")
		for range 20 + random.IntN(40) {
			b.WriteString(words[min(random.IntN(len(words)), random.IntN(len(words)))])
			b.WriteByte(' ')
		}
		fmt.Fprintf(&b, "<a href=\"/%x.html\">more</a></p>\n", random.Uint32())
	}
	return answer(b.String())
}

func benchPages() [][]byte {
	random := rand.New(rand.NewPCG(1, 2))
	words := make([]string, 5000)
	for i := range words {
		words[i] = letters(3 + random.IntN(8) + i)[i:]
	}
	pages := make([][]byte, 500) // each 20 times, under other URLs
	for i := range pages {
		pages[i] = benchPage(random, words)
	}
	return pages
}

func writeOurs(b *testing.B, path string, pages [][]byte) {
	w, err := Create(path, WriterOptions{Now: frozen})
	if err != nil {
		b.Fatal(err)
	}
	for i := range benchRecords {
		if err := w.Write(NewResponse(fmt.Sprintf("http://a.example/%d", i), testTime, pages[i%len(pages)])); err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
}

func writeTheirs(b *testing.B, dir string, pages [][]byte) string {
	w := gowarc.NewWarcFileWriter(
		gowarc.WithFileNameGenerator(&gowarc.PatternNameGenerator{Directory: dir, Prefix: "o"}), gowarc.WithCompression(true),
		gowarc.WithMaxFileSize(0), gowarc.WithMaxConcurrentWriters(1))
	for i := range benchRecords {
		build := gowarc.NewRecordBuilder(gowarc.Response, gowarc.WithAddMissingDigest(true))
		build.AddWarcHeader(gowarc.WarcTargetURI, fmt.Sprintf("http://a.example/%d", i))
		build.AddWarcHeader(gowarc.WarcDate, "2026-03-01T12:00:00Z")
		build.AddWarcHeader(gowarc.ContentType, "application/http;msgtype=response")
		if _, err := build.Write(pages[i%len(pages)]); err != nil {
			b.Fatal(err)
		}
		rec, _, err := build.Build()
		if err != nil {
			b.Fatal(err)
		}
		for _, res := range w.Write(rec) {
			if res.Err != nil {
				b.Fatal(res.Err)
			}
		}
		rec.Close()
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "o*"))
	if err != nil || len(files) != 1 {
		b.Fatal(files, err)
	}
	return files[0]
}

func readOurs(b *testing.B, path string, verify bool) {
	r, err := Open(path)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	n := 0
	for r.Scan() {
		rec, err := r.Record()
		if err == nil && verify {
			err = rec.Verify()
		}
		if err != nil {
			b.Fatal(err)
		}
		if rec.Type() == "response" {
			n++
		}
	}
	if n != benchRecords || r.Err() != nil {
		b.Fatal(n, r.Err())
	}
}

func readTheirs(b *testing.B, path string, options ...gowarc.WarcRecordOption) {
	r, err := gowarc.NewWarcFileReader(path, 0, options...)
	if err != nil {
		b.Fatal(err)
	}
	defer r.Close()
	n := 0
	for {
		rec, _, validation, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			b.Fatal(err)
		}
		if len(options) == 0 {
			err = rec.ValidateDigest(validation)
		} else if block, blockErr := rec.Block().RawBytes(); blockErr == nil {
			_, err = io.Copy(io.Discard, block)
		}
		if err != nil {
			b.Fatal(err)
		}
		if rec.Type() == gowarc.Response {
			n++
		}
		rec.Close()
	}
	if n != benchRecords {
		b.Fatal(n)
	}
}

// cpuTime is the processor time of the process, which is more reliable than the clock if others use the
// processors too.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkAgainstGowarc writes and reads 10,000 records of 15 KB in one run with gowarc v1.5.0. Digests are
// computed and verified except where the name says plain.
func BenchmarkAgainstGowarc(b *testing.B) {
	pages := benchPages()
	ours := filepath.Join(b.TempDir(), "ours.warc.gz")
	writeOurs(b, ours, pages)
	theirs := writeTheirs(b, b.TempDir(), pages)
	run := func(name string, f func(b *testing.B)) {
		b.Run(name, func(b *testing.B) {
			before := cpuTime(b)
			for b.Loop() {
				f(b)
			}
			records := benchRecords * float64(b.N)
			b.ReportMetric(records/b.Elapsed().Seconds(), "records/s")
			b.ReportMetric(records/(cpuTime(b)-before).Seconds(), "records/cpu-s")
		})
	}
	run("write/ours", func(b *testing.B) { writeOurs(b, filepath.Join(b.TempDir(), "x.warc.gz"), pages) })
	run("write/gowarc", func(b *testing.B) { writeTheirs(b, b.TempDir(), pages) })
	for _, file := range []struct{ name, path string }{{"ours", ours}, {"gowarc's", theirs}} {
		run("read "+file.name+"/ours", func(b *testing.B) { readOurs(b, file.path, true) })
		run("read "+file.name+"/gowarc", func(b *testing.B) { readTheirs(b, file.path) })
		run("read plain "+file.name+"/ours", func(b *testing.B) { readOurs(b, file.path, false) })
		run("read plain "+file.name+"/gowarc", func(b *testing.B) { readTheirs(b, file.path, gowarc.WithNoValidation()) })
	}
}
