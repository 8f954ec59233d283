package warc

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// create opens a rotated recording.
func create(t testing.TB, prefix string, size int64) *Writer {
	t.Helper()
	w, err := Create(prefix, WriterOptions{MaxSize: size, Now: frozen})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func series(t testing.TB, prefix string) []string {
	t.Helper()
	files, err := SeriesFiles(prefix)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// all returns the URIs of all responses of a recording.
func all(t testing.TB, prefix string) (uris []string) {
	t.Helper()
	for _, path := range series(t, prefix) {
		for p, err := range Pages(path) {
			if err != nil {
				t.Fatal(err)
			}
			uris = append(uris, p.URL)
		}
	}
	return uris
}

func TestRotation(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "sub", "rec")
	const size = 20_000
	var want []string
	add := func(w *Writer, n, bytes int) {
		uri := fmt.Sprintf("http://a.example/%d", n)
		rec := NewResponse(uri, testTime, answer(letters(bytes+n)))
		request := NewRequest(uri, testTime, []byte("GET / HTTP/1.1\r\n\r\n"))
		request.MarkConcurrent(rec)
		if err := w.Write(rec, request); err != nil {
			t.Fatal(err)
		}
		want = append(want, uri)
	}
	w := create(t, prefix, size)
	for i := range 20 {
		add(w, i, 5000)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	first := len(series(t, prefix))
	w = create(t, prefix, size) // goes on
	add(w, 20, 50)
	add(w, 21, 2*size) // alone in its file
	add(w, 22, 50)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	files := series(t, prefix)
	if first < 4 || len(files) < first+2 || filepath.Base(files[0]) != "rec-00001.warc.gz" {
		t.Errorf("%d files, then %v", first, files)
	}
	if diff := cmp.Diff(want, all(t, prefix)); diff != "" {
		t.Error(diff)
	}
	large := 0
	for _, path := range files {
		kinds := types(t, path)
		if info, err := os.Stat(path); err != nil || info.Size() > size {
			large++
		}
		for i, kind := range kinds {
			if i == 0 && kind != "warcinfo" || kind == "response" && (i+1 == len(kinds) || kinds[i+1] != "request") {
				t.Errorf("%s holds %v", path, kinds)
			}
		}
	}
	if large != 1 {
		t.Errorf("%d files are larger than they may be, want that of one large answer", large)
	}
}

// TestRotationAfterCrash continues after every prefix of a file that was just begun.
func TestRotationAfterCrash(t *testing.T) {
	prefix := filepath.Join(t.TempDir(), "rec")
	w := create(t, prefix, 1<<20)
	if err := errors.Join(w.Write(NewResponse("http://a.example/", testTime, answer("x"))), w.Close()); err != nil {
		t.Fatal(err)
	}
	next := nameOf(prefix, 2)
	whole, err := os.ReadFile(nameOf(prefix, 1))
	if err != nil {
		t.Fatal(err)
	}
	for cut := 0; cut < len(whole); cut += 41 {
		if err := os.WriteFile(next, whole[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		w := create(t, prefix, 1<<20)
		if err := errors.Join(w.Write(NewResponse("http://a.example/2", testTime, answer("y"))), w.Close()); err != nil {
			t.Fatal(err)
		}
		if kinds := types(t, next); kinds[len(kinds)-1] != "response" || kinds[0] != "warcinfo" {
			t.Fatalf("cut at %d: %v", cut, kinds)
		}
	}
}

func TestSeries(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a-00002.warc.gz", "a-00001.warc.gz", "a-100000.warc.gz", "a-1.warc.gz", "a-x.warc.gz", "ab-00001.warc.gz", "a-00003.warc.gz.cdxj"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	in := func(names ...string) []string {
		for i := range names {
			names[i] = filepath.Join(dir, names[i])
		}
		return names
	}
	for path, want := range map[string][]string{
		"a":               in("a-00001.warc.gz", "a-00002.warc.gz", "a-100000.warc.gz"),
		"a-00002.warc.gz": in("a-00002.warc.gz"),
		"none":            {},
		"none/none":       {},
	} {
		if diff := cmp.Diff(want, series(t, filepath.Join(dir, path))); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}

func TestBodyPlaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.warc.gz")
	w, err := Create(path, WriterOptions{Now: frozen})
	if err != nil {
		t.Fatal(err)
	}
	first := NewResponse("http://a.example/1", testTime, answer(letters(300)))
	again := NewResponse("http://a.example/2", testTime, answer(letters(300)))
	small := NewResponse("http://a.example/3", testTime, answer("small"))
	cut := NewResponse("http://a.example/4", testTime, answer(letters(400)))
	cut.Header.Set("WARC-Truncated", "length")
	if _, ok := w.WrittenBefore(first); ok {
		t.Error("seen before it was written")
	}
	if err := w.Write(first, again, small, cut); err != nil {
		t.Fatal(err)
	}
	for name, rec := range map[string]*Record{"small": small, "cut": cut, "whole of a cut one": NewResponse("http://a.example/5", testTime, answer(letters(400)))} {
		if _, ok := w.WrittenBefore(rec); ok {
			t.Errorf("%s: taken as seen", name)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if w, err = Create(path, WriterOptions{Now: frozen}); err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if got, ok := w.WrittenBefore(again); !ok || got != (Original{"http://a.example/1", testTime}) {
		t.Errorf("after a resume: %v, %v, want the first that was written", got, ok)
	}
}

func TestSeenIsBounded(t *testing.T) {
	var s bodyPlaces
	rec := NewResponse("http://a.example/", testTime, answer(letters(minSeen)))
	for i := range maxSeen + 10 {
		rec.Header.Set("WARC-Payload-Digest", fmt.Sprint("sha1:", i))
		s.addBody(rec)
		s.addBody(rec)
	}
	if len(s.originals) != maxSeen || len(s.order) != maxSeen {
		t.Errorf("%d bodies remembered, %d in order, want %d", len(s.originals), len(s.order), maxSeen)
	}
	for i, want := range map[int]bool{0: false, 9: false, 10: true, maxSeen + 9: true} {
		if _, got := s.originals[fmt.Sprint("sha1:", i)]; got != want {
			t.Errorf("body %d remembered: %v, want %v", i, got, want)
		}
	}
}
