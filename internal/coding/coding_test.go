package coding

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// encode returns text in a coding; "bare" is deflate without its envelope.
func encode(t testing.TB, coding, text string) string {
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
		w = brotli.NewWriter(&b)
	case "zstd":
		w, err = zstd.NewWriter(&b)
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
	return b.String()
}

func read(body string, header ...string) (string, error) {
	r := Decode(strings.NewReader(body), header)
	defer r.Close()
	b, err := io.ReadAll(r)
	return string(b), err
}

func TestDecode(t *testing.T) {
	long := strings.Repeat("<p>Call for papers</p>", 300)
	plain := "Call for papers\n" + long
	gz := encode(t, "gzip", long)
	for _, tt := range []struct {
		name   string
		body   string
		header []string
		want   string
		err    error
	}{
		{"no header", long, nil, long, nil},
		{"empty", "", []string{"gzip"}, "", nil},
		{"gzip", gz, []string{"gzip"}, long, nil},
		{"old name, capitals, spaces", gz, []string{" X-GZip "}, long, nil},
		{"two members", gz + gz, []string{"gzip"}, long + long, nil},
		{"member and garbage", gz + "<!-- garbage -->", []string{"gzip"}, long, nil},
		{"gzip broken off", gz[:len(gz)-9], []string{"gzip"}, long, io.ErrUnexpectedEOF},
		{"gzip header broken off", gz[:5], []string{"gzip"}, "", io.ErrUnexpectedEOF},
		{"zlib", encode(t, "deflate", long), []string{"deflate"}, long, nil},
		{"bare deflate", encode(t, "bare", long), []string{"deflate"}, long, nil},
		{"brotli", encode(t, "br", long), []string{"br"}, long, nil},
		{"short brotli", encode(t, "br", "x"), []string{"br"}, "x", nil},
		{"zstd", encode(t, "zstd", long), []string{"zstd"}, long, nil},
		{"two in one header", encode(t, "br", gz), []string{"gzip, br"}, long, nil},
		{"two headers", encode(t, "zstd", gz), []string{"gzip", "zstd"}, long, nil},
		{"identity", long, []string{"identity"}, long, nil},
		{"no coding at all", long, []string{"UTF-8"}, long, nil},
		{"gzip in name only", long, []string{"gzip"}, long, nil},
		{"deflate in name only", long, []string{"deflate"}, long, nil},
		{"deflate in name only, text", plain, []string{"deflate"}, plain, nil},
		{"deflate in name only, short text", "call for papers\n", []string{"deflate"}, "call for papers\n", nil},
		{"short deflate", encode(t, "bare", "call for papers\n"), []string{"deflate"}, "call for papers\n", nil},
		{"deflate in name only, latin-1", strings.Repeat("Einf\xfchrung ", 20), []string{"deflate"}, strings.Repeat("Einf\xfchrung ", 20), nil},
		{"brotli in name only, latin-1", strings.Repeat("Einf\xfchrung ", 20), []string{"br"}, strings.Repeat("Einf\xfchrung ", 20), nil},
		{"brotli in name only", long, []string{"br"}, long, nil},
		{"brotli in name only, text", plain, []string{"br"}, plain, nil},
		{"zstd in name only", long, []string{"zstd"}, long, nil},
		{"one of two undone", gz, []string{"gzip, br"}, long, nil},
		{"four", long, []string{"gzip, gzip", "gzip, gzip"}, "", ErrTooMany},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := read(tt.body, tt.header...)
			if !errors.Is(err, tt.err) || tt.err == nil && err != nil {
				t.Errorf("error %v, want %v", err, tt.err)
			}
			if !strings.HasPrefix(tt.want, got) || tt.err == nil && got != tt.want {
				t.Errorf("%d bytes, want %d: %.60q", len(got), len(tt.want), got)
			}
		})
	}
}

// Whatever comes, reading ends.
func FuzzDecode(f *testing.F) {
	for _, c := range []string{"gzip", "deflate", "br", "zstd"} {
		f.Add(encode(f, c, "Call for papers"), c)
	}
	f.Add("<p>", "br, gzip")
	f.Fuzz(func(t *testing.T, body, header string) {
		r := Decode(strings.NewReader(body), []string{header})
		defer r.Close()
		_, _ = io.Copy(io.Discard, io.LimitReader(r, 1<<20))
	})
}

// What becomes far larger than it was is not read to its end, in any coding and in layers of them. A table
// is read to its end.
func TestBombs(t *testing.T) {
	zeros := make([]byte, 1<<20)
	const times = 300
	write := func(w io.WriteCloser) {
		for range times {
			if _, err := w.Write(zeros); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	var zipped, deflated, brotlied, zstded, twice bytes.Buffer
	write(gzip.NewWriter(&zipped))
	write(zlib.NewWriter(&deflated))
	write(brotli.NewWriterLevel(&brotlied, 1))
	z, err := zstd.NewWriter(&zstded, zstd.WithWindowSize(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	write(z)
	outer := gzip.NewWriter(&twice)
	if _, err := outer.Write(zipped.Bytes()); err != nil || outer.Close() != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		names string
		body  []byte
	}{
		{"gzip", zipped.Bytes()}, {"deflate", deflated.Bytes()}, {"br", brotlied.Bytes()}, {"zstd", zstded.Bytes()}, {"gzip, gzip", twice.Bytes()},
	} {
		r := Decode(bytes.NewReader(c.body), []string{c.names})
		n, err := io.Copy(io.Discard, r)
		if !errors.Is(err, ErrBomb) || n > times<<20/2 {
			t.Errorf("%s: %d MB of %d bytes, %v", c.names, n>>20, len(c.body), err)
		}
		_ = r.Close()
	}
	r, err := Gunzip(bytes.NewReader(zipped.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, r); !errors.Is(err, ErrBomb) {
		t.Errorf("Gunzip: %d MB, %v", n>>20, err)
	}
	var table bytes.Buffer
	w := gzip.NewWriter(&table)
	for i := range 1_500_000 {
		fmt.Fprintf(w, "https://www.example.org/calls/%d\t1\t0\n", i)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if r, err = Gunzip(&table); err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, r); err != nil || n < 50<<20 {
		t.Errorf("a table: %d bytes, %v", n, err)
	}
}
