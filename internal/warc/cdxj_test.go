package warc

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/webgraph"
)

func TestSURT(t *testing.T) {
	for uri, want := range map[string]string{
		"http://www.Example.org:80/CFP/?b=2&a=1#x": "org,example)/cfp?a=1&b=2",
		"https://example.org":                      "org,example)/",
		"https://example.org:443/":                 "org,example)/",
		"https://conf.example.org:8443/a%20b/":     "org,example,conf:8443)/a%20b",
		"http://www2.example.org/":                 "org,example)/",
		"http://www.example/":                      "example,www)/",
		"http://wwwhat.example.org/":               "org,example,wwwhat)/",
		"http://192.0.2.1:80/x":                    "192.0.2.1)/x",
		"http://example.org./x":                    "org,example)/x",
		"mid:<a B@example.org>":                    "mid:<a%20b@example.org>",
		"http://a.example/\x7f\n":                  "http://a.example/%7f%0a",
		"file:///x/Y.html":                         "file:///x/y.html",
		"http://example.org/a?q=x y":               "org,example)/a?q=x%20y",
	} {
		if got := SURT(uri); got != want {
			t.Errorf("SURT(%q) = %q, want %q", uri, got, want)
		}
	}
}

// writeMixed writes records of all kinds, URLs that come again, and rotten bytes.
func writeMixed(t testing.TB, path string, seed uint64) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	w, err := Create(path, WriterOptions{Now: frozen})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 60 {
		uri := fmt.Sprintf("http://A.example/%d?b=%d", random.IntN(30), random.IntN(2))
		at := testTime.Add(time.Duration(random.IntN(3000)) * time.Second)
		rec := NewResponse(uri, at, answer(letters(300+random.IntN(20))))
		switch original, seen := w.WrittenBefore(rec); {
		case seen:
			rec = NewDuplicate(rec, original)
		case i%9 == 0:
			rec = NewRevisit(uri, at, []byte("HTTP/1.1 304 Not Modified\r\n\r\n"))
		case i%9 == 1:
			rec = NewResource(uri, at, "Text/Plain; charset=x", []byte(letters(20+i)))
		case i%9 == 2:
			rec = NewRequest(uri, at, []byte("GET / HTTP/1.1\r\n\r\n"))
		}
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := len(data) / 2
	if err := os.WriteFile(path, slices.Concat(data[:at], []byte("rotten"), data[at+20:]), 0o644); err != nil {
		t.Fatal(err)
	}
}

// view is what two indexes of a file must agree on.
type view struct {
	Exact, Canonical map[string]Position
	Bodies           map[string]string
	Hosts            []webgraph.Host
	Newest, Bad      string
}

func viewOf(t testing.TB, x *Index) view {
	t.Helper()
	v := view{Exact: map[string]Position{}, Canonical: map[string]Position{}, Bodies: map[string]string{}, Hosts: x.Hosts(), Newest: x.Newest().String()}
	slices.Sort(v.Hosts)
	for i := range 60 {
		uri := fmt.Sprintf("http://A.example/%d?b=%d", i/2, i%2)
		rec, err := x.Find(uri)
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		v.Exact[uri] = rec.Position
		if rec.IsDuplicate() {
			original, err := x.Original(rec)
			if err != nil {
				v.Bodies[uri] = "lost"
				continue
			}
			if rec, err = rec.Restore(original); err != nil {
				t.Fatal(err)
			}
		}
		v.Bodies[uri] = string(rec.Block)
		if rec, err := x.FindCanonical(strings.ToLower(uri)); err == nil {
			v.Canonical[uri] = rec.Position
		}
	}
	for _, bad := range x.Bad() {
		v.Bad += bad.Error() + "\n"
	}
	return v
}

// TestIndexFromCDXJ compares, over many files, the index read from the file next to a WARC with the one that
// is built from the WARC.
func TestIndexFromCDXJ(t *testing.T) {
	for seed := range uint64(4) {
		path := filepath.Join(t.TempDir(), "x.warc.gz")
		writeMixed(t, path, seed)
		want := viewOf(t, openIndex(t, path))
		bad, err := WriteIndex(path)
		if err != nil || len(bad) == 0 || len(want.Exact) == 0 {
			t.Fatalf("seed %d: %d bad, %v", seed, len(bad), err)
		}
		if cdx, err := readCDXJ(path+CDXJSuffix, "x.warc.gz"); err != nil || len(cdx.entries) < 20 {
			t.Fatalf("seed %d: %d entries, %v", seed, len(cdx.entries), err)
		}
		if diff := cmp.Diff(want, viewOf(t, openIndex(t, path))); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
	}
}

// TestCDXJIsTrustedWhileCurrent has an index lie, to see whether it is read.
func TestCDXJIsTrustedWhileCurrent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.warc.gz")
	write(t, path, "http://a.example/1", "http://a.example/2")
	if _, err := WriteIndex(path); err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(path + CDXJSuffix)
	if err != nil {
		t.Fatal(err)
	}
	lying := bytes.Replace(index, []byte(`"http://a.example/2"`), []byte(`"http://a.example/3"`), 1)
	found := func(index []byte) bool {
		t.Helper()
		if err := os.WriteFile(path+CDXJSuffix, index, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := openIndex(t, path).Find("http://a.example/2")
		return err == nil
	}
	if found(lying) {
		t.Error("the index is not read")
	}
	for name, index := range map[string][]byte{
		"empty": nil, "no meta line": index[bytes.IndexByte(index, '\n')+1:], "of another file": bytes.ReplaceAll(lying, []byte("x.warc"), []byte("y.warc")),
		"cut": lying[:len(lying)-20], "negative": bytes.Replace(lying, []byte(`"offset":"`), []byte(`"offset":"-`), 1), "another format": bytes.Replace(lying, []byte(`"CDXJ"`), []byte(`"CDX9"`), 1),
	} {
		if !found(index) {
			t.Errorf("%s: an index that cannot be read was", name)
		}
	}
	later := testTime.AddDate(1, 0, 0)
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
	if !found(lying) {
		t.Error("an index was read that is older than its file")
	}
}

// TestCDXJOfOddURLs finds what JSON cannot hold.
func TestCDXJOfOddURLs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.warc.gz")
	write(t, path, "http://a.example/\xff", "http://a.example/\\\"<&>")
	if _, err := WriteIndex(path); err != nil {
		t.Fatal(err)
	}
	for _, uri := range []string{"http://a.example/\xff", "http://a.example/\\\"<&>"} {
		if _, err := openIndex(t, path).Find(uri); err != nil {
			t.Errorf("Find(%q): %v", uri, err)
		}
	}
}

func TestWriteCDXJOfSeveral(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.warc.gz"), filepath.Join(dir, "b.warc")
	write(t, a, "http://b.example/", "http://a.example/z")
	plain := slicesConcat(raw(t, NewResponse("http://a.example/", testTime, answer("x"))), raw(t, exchanges(t)[3]), raw(t, NewResource("urn:x y", testTime, "text/plain", []byte("r"))))
	if err := os.WriteFile(b, plain, 0o644); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if _, err := WriteCDXJ(&out, a, b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if !slices.IsSorted(lines) || !strings.HasPrefix(lines[0], metaKey) {
		t.Errorf("not sorted: %s", out.String())
	}
	var keys []string
	for _, text := range lines[1:] {
		line, err := parseCDXLine(text)
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, strings.Join([]string{strings.Fields(text)[0], strings.Fields(text)[1], line.Mime, line.Status, line.Filename}, " "))
	}
	want := []string{
		"example,a)/ 20260301120000 text/html 200 b.warc",
		"example,a)/2?x=ü 20260301120000 warc/revisit 200 b.warc",
		"example,a)/z 20260301120000 text/html 200 a.warc.gz",
		"example,b)/ 20260301120000 text/html 200 a.warc.gz",
		"urn:x%20y 20260301120000 text/plain  b.warc",
	}
	if diff := cmp.Diff(want, keys); diff != "" {
		t.Error(diff)
	}
	for _, path := range []string{a, b} {
		x, err := parseCDXJ(bytes.NewReader(out.Bytes()), filepath.Base(path))
		if err != nil || len(x.entries) < 2 {
			t.Errorf("%s: %d entries, %v", path, len(x.entries), err)
		}
	}
}

// TestCDXJSpans cuts every record out of its file by offset and length.
func TestCDXJSpans(t *testing.T) {
	dir := t.TempDir()
	zipped, plain := filepath.Join(dir, "x.warc.gz"), filepath.Join(dir, "x.warc")
	write(t, zipped, "http://a.example/1", "http://a.example/2")
	if err := os.WriteFile(plain, slicesConcat(records(t, 3)...), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{zipped, plain} {
		if _, err := WriteIndex(path); err != nil {
			t.Fatal(err)
		}
		x, err := readCDXJ(path+CDXJSuffix, filepath.Base(path))
		if err != nil {
			t.Fatal(err)
		}
		data, _ := os.ReadFile(path)
		index, _ := os.ReadFile(path + CDXJSuffix)
		for _, text := range strings.Split(strings.TrimSpace(string(index)), "\n")[1:] {
			line, err := parseCDXLine(text)
			if err != nil {
				t.Fatal(err)
			}
			seen, _ := scan(t, data[line.Offset:line.Offset+line.Length])
			if len(seen) != 1 || "http://a.example"+seen[0] != line.URL {
				t.Errorf("%s: at %d, %d bytes, is %v, want %s", path, line.Offset, line.Length, seen, line.URL)
			}
		}
		if len(x.entries) < 2 {
			t.Errorf("%d entries", len(x.entries))
		}
	}
}

func TestWriteIndexRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.warc.gz")
	if err := os.WriteFile(path, zip(t, slicesConcat(records(t, 2)...)), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{path, path + ".none"} {
		if _, err := WriteIndex(path); err == nil {
			t.Errorf("%s was indexed", path)
		}
	}
	if files, _ := filepath.Glob(path + CDXJSuffix + "*"); len(files) > 0 {
		t.Errorf("left behind: %v", files)
	}
}

func FuzzCDXJ(f *testing.F) {
	path := filepath.Join(f.TempDir(), "x.warc.gz")
	write(f, path, "http://a.example/1", "http://a.example/2?ü")
	var out bytes.Buffer
	if _, err := WriteCDXJ(&out, path); err != nil {
		f.Fatal(err)
	}
	f.Add(out.String())
	f.Add("!meta {\"format\":\"CDXJ\",\"files\":[{\"filename\":\"x.warc.gz\"}]}\nk 1 {\"offset\":\"1\",\"filename\":\"x.warc.gz\"}\n")
	f.Fuzz(func(t *testing.T, text string) {
		x, err := parseCDXJ(strings.NewReader(text), "x.warc.gz")
		for _, e := range x.entries {
			if err == nil && e.position.Offset < 0 {
				t.Fatalf("offset %d", e.position.Offset)
			}
		}
		if key := SURT(text); strings.ContainsFunc(key, isBlank) {
			t.Fatalf("key %q", key)
		}
	})
}

// BenchmarkOpenIndexFromCDXJ opens the shared frozen web with an index next to it.
func BenchmarkOpenIndexFromCDXJ(b *testing.B) {
	path := filepath.Join(b.TempDir(), "web.warc.gz")
	data, err := os.ReadFile(golden.SharedPath(b, "corpora/web/web.warc.gz"))
	if err == nil {
		err = os.WriteFile(path, data, 0o644)
	}
	if err != nil {
		b.Fatal(err)
	}
	if _, err := WriteIndex(path); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		x, err := OpenIndex(path)
		if err != nil {
			b.Fatal(err)
		}
		x.Close()
	}
}
