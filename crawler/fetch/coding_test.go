package fetch

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/webtest"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// encode returns text in a content coding; "bare" is deflate without its
// envelope, as some servers send it.
func encode(t testing.TB, coding, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	var err error
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "deflate":
		w = zlib.NewWriter(&b)
	case "bare":
		w, err = flate.NewWriter(&b, flate.BestSpeed)
	case "br":
		w = brotli.NewWriterLevel(&b, brotli.BestSpeed)
	case "zstd":
		w, err = zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// zip returns text compressed by gzip.
func zip(t testing.TB, text string) []byte { return encode(t, "gzip", text) }

func TestFetchDecodes(t *testing.T) {
	const limit = 1 << 20
	var b strings.Builder
	for i := range 8000 {
		fmt.Fprintf(&b, "<p>call for papers %d</p>", i*i)
	}
	text := b.String()
	w := webtest.Serve(t, nil)
	f := newFetcher(t, w, func(o *Options) { o.MaxBody = limit })
	try := func(name, label string, body []byte, check func(*testing.T, string, bool)) {
		t.Run(name, func(t *testing.T) {
			u := "http://conf.example/" + strings.ReplaceAll(name, " ", "-") + ".xml.gz" // an ending that colly would unpack by
			w.Handle(u, webtest.Encoded("text/html", label, body))
			p, err := f.Fetch(t.Context(), crawler.Request{URL: u})
			if err != nil {
				t.Fatal(err)
			}
			check(t, string(p.Body), p.Truncated)
		})
	}
	whole := func(t *testing.T, got string, truncated bool) {
		if got != text || truncated {
			t.Errorf("%d bytes, truncated %v; want %d", len(got), truncated, len(text))
		}
	}
	half := func(t *testing.T, got string, truncated bool) {
		if !strings.HasPrefix(text, got) || len(got) == 0 || !truncated {
			t.Errorf("%d bytes, truncated %v", len(got), truncated)
		}
	}
	full := func(t *testing.T, got string, truncated bool) {
		if len(got) != limit || !truncated {
			t.Errorf("%d bytes, truncated %v", len(got), truncated)
		}
	}
	bomb := "<!doctype html>" + strings.Repeat(" ", 8<<20)
	for coding, label := range map[string]string{"gzip": "gzip", "deflate": "deflate", "bare": "deflate", "br": "br", "zstd": "zstd"} {
		body := encode(t, coding, text)
		try(coding, label, body, whole)
		try(coding+" in capitals", strings.ToUpper(label), body, whole)
		try(coding+" broken off", label, body[:len(body)*2/3], half)
		try(coding+" bomb", label, encode(t, coding, bomb), full)
		try(coding+" in name only", label, []byte(text), whole)
		try(coding+" in name only, plain text", label, []byte("call for papers\n"), func(t *testing.T, got string, truncated bool) {
			if got != "call for papers\n" || truncated {
				t.Errorf("got %q, truncated %v", got, truncated)
			}
		})
	}
	gz := zip(t, text[:5000])
	try("two members", "gzip", append(gz, zip(t, text[5000:])...), whole)
	try("member and garbage", "gzip", append(zip(t, text), "<!-- counter -->"...), whole)
	try("gzip in brotli", "gzip, br", encode(t, "br", string(zip(t, text))), whole)
	try("identity", "identity", []byte(text), whole)
	try("no coding at all", "UTF-8", []byte(text), whole)
}

// Bytes are bounded as sent too: what decodes to nothing ends.
func TestFetchBoundsBytesSent(t *testing.T) {
	var sent atomic.Int64
	empty := bytes.Repeat(zip(t, ""), 1000)
	w := webtest.Serve(t, nil)
	w.Handle("http://a.example/", http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		rw.Header().Set("Content-Encoding", "gzip")
		for sent.Load() < 64<<20 {
			n, err := rw.Write(empty)
			sent.Add(int64(n))
			if err != nil {
				return
			}
		}
	}))
	f := newFetcher(t, w, func(o *Options) { o.MaxBody = 1 << 20 })
	fetchError(t, f, "http://a.example/")
	if n := sent.Load(); n > 16<<20 {
		t.Errorf("%d MiB were sent for a page of at most 1", n>>20)
	}
}

// A bomb of 1 GiB costs memory in the order of the limit, not of the bomb.
func TestFetchBombMemory(t *testing.T) {
	w := webtest.Serve(t, nil)
	w.Handle("http://conf.example/bomb", webtest.GzipBomb(1<<30))
	f := newFetcher(t, w, func(o *Options) { o.MaxBody = 1 << 20 })
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := f.Fetch(t.Context(), crawler.Request{URL: "http://conf.example/bomb"}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 16<<20 {
		t.Errorf("%d MiB allocated for a page cut at 1 MiB", got>>20)
	}
}
