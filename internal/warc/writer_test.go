package warc

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/nlnwa/gowarc"
)

func frozen() time.Time { return testTime }

// write makes a file of one page a URL and returns its bytes.
func write(t testing.TB, path string, uris ...string) []byte {
	t.Helper()
	w, err := Create(path, WriterOptions{Description: "a test", Now: frozen})
	if err != nil {
		t.Fatal(err)
	}
	for _, uri := range uris {
		if err := w.Write(NewResponse(uri, testTime, answer("page of "+uri))); err != nil {
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
	return data
}

// types returns the types of a file's records.
func types(t testing.TB, path string) []string {
	t.Helper()
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var out []string
	for r.Scan() {
		rec, err := r.Record()
		if err != nil {
			out = append(out, "bad")
			continue
		}
		if err := rec.Verify(); err != nil {
			t.Error(err)
		}
		out = append(out, rec.Type())
	}
	return out
}

func TestWriterRoundTrip(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.warc.gz")
	write(t, path, "http://a.example/", "http://a.example/ü")
	if diff := cmp.Diff([]string{"warcinfo", "response", "response"}, types(t, path)); diff != "" {
		t.Fatal(diff)
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	r.Scan()
	r.Scan()
	got, err := r.Record()
	if err != nil {
		t.Fatal(err)
	}
	want := NewResponse("http://a.example/", testTime, answer("page of http://a.example/"))
	want.Position = got.Position
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestWriterIsDeterministic(t *testing.T) {
	a := write(t, filepath.Join(t.TempDir(), "x.warc.gz"), "http://a.example/")
	b := write(t, filepath.Join(t.TempDir(), "x.warc.gz"), "http://a.example/")
	if !bytes.Equal(a, b) {
		t.Error("same records, same clock, other bytes")
	}
}

// Whatever prefix of a file a crash leaves, all complete records can be read, and a new writer continues
// after them.
func TestWriterGoesOnAfterTornTail(t *testing.T) {
	dir := t.TempDir()
	data := write(t, filepath.Join(dir, "whole.warc.gz"), "http://a.example/1", "http://a.example/2")
	path := filepath.Join(dir, "torn.warc.gz")
	r := NewReader(bytes.NewReader(data), int64(len(data)), "whole")
	var starts []int64
	for r.Scan() {
		rec, _ := r.Record()
		starts = append(starts, rec.Position.Offset)
	}
	for _, cut := range []int64{starts[2], starts[2] + 1, starts[2] + 5, starts[2] + 60, int64(len(data)) - 1} {
		if err := os.WriteFile(path, data[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		w, err := Create(path, WriterOptions{Now: frozen})
		if err != nil {
			t.Fatal(err)
		}
		if w.CutOffBytes() != cut-starts[2] {
			t.Errorf("cut at %d: %d bytes torn, want %d", cut, w.CutOffBytes(), cut-starts[2])
		}
		if err := w.Write(NewResponse("http://a.example/3", testTime, answer("3"))); err != nil {
			t.Fatal(err)
		}
		// Not closed: the written records are there nevertheless.
		if diff := cmp.Diff([]string{"warcinfo", "response", "warcinfo", "response"}, types(t, path)); diff != "" {
			t.Errorf("cut at %d: %s", cut, diff)
		}
		w.Close()
	}
}

func TestWriterKeepsWhatItDoesNotUnderstand(t *testing.T) {
	rs := records(t, 3)
	z := func(i int) []byte { return zip(t, rs[i]) }
	tests := []struct {
		name  string
		data  []byte
		types []string // nil: refused
	}{
		{"text", []byte("my notes\n"), nil},
		{"zipped text", zip(t, []byte("my notes\n")), nil},
		{"plain WARC", rs[0], nil},
		{"one member", zip(t, slicesConcat(rs[0], rs[1])), nil},
		{"rotten in the middle", slicesConcat(z(0), z(1)[:900], z(2)), []string{"response", "bad", "response", "warcinfo"}},
		{"whole member that is no record", slicesConcat(z(0), zip(t, []byte("x"))), []string{"response", "bad", "warcinfo"}},
		{"empty", nil, []string{"warcinfo"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "x.warc.gz")
			if err := os.WriteFile(path, tt.data, 0o644); err != nil {
				t.Fatal(err)
			}
			w, err := Create(path, WriterOptions{Now: frozen})
			if (err == nil) != (tt.types != nil) {
				t.Fatalf("Create: %v", err)
			}
			if err == nil {
				w.Close()
			}
			got, err := os.ReadFile(path)
			if err != nil || !bytes.HasPrefix(got, tt.data) {
				t.Fatalf("file was changed, %v", err)
			}
			if tt.types != nil {
				if diff := cmp.Diff(tt.types, types(t, path)); diff != "" {
					t.Error(diff)
				}
			} else if !bytes.Equal(got, tt.data) {
				t.Error("refused file was changed")
			}
		})
	}
}

func TestWriterRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.warc.gz")
	w, err := Create(path, WriterOptions{Now: frozen})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(NewResponse("http://a.example/\r\nWARC-Type: x", testTime, nil)); !errors.Is(err, ErrNotWARC) {
		t.Errorf("line end in a URL: %v", err)
	}
	if err := w.Write(&Record{Block: make([]byte, MaxRecord+1)}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("large record: %v", err)
	}
	if err := w.Write(NewResponse("http://a.example/", testTime, answer("x"))); err != nil {
		t.Errorf("the next record: %v", err)
	}
	w.Close()
	if err := w.Write(NewResponse("http://a.example/", testTime, nil)); err == nil {
		t.Error("a closed file was written to")
	}
	if diff := cmp.Diff([]string{"warcinfo", "response"}, types(t, path)); diff != "" {
		t.Error(diff)
	}
}

func TestWriterIsSafeForConcurrentUse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.warc.gz")
	w, err := Create(path, WriterOptions{Now: frozen})
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 10 {
				if err := w.Write(NewResponse("http://a.example/", testTime, answer(strings.Repeat("x", i)))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	w.Close()
	if got := types(t, path); len(got) != 81 {
		t.Errorf("%d records, want 81", len(got))
	}
}

func TestRevisitsDoNotHideThePage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.warc.gz")
	w, err := Create(path, WriterOptions{Now: frozen})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, rec := range []*Record{
		NewResponse("http://a.example/", testTime, answer("page")),
		NewRevisit("http://a.example/", testTime, []byte("HTTP/1.1 304 Not Modified\r\n\r\n")),
	} {
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
	}
	rec, err := openIndex(t, path).Find("http://a.example/")
	if err != nil || rec.Type() != "response" {
		t.Errorf("Find = %v, %v", rec, err)
	}
}

// TestOtherReaderAgrees lets gowarc, which is strict, read what we write.
func TestOtherReaderAgrees(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.warc.gz")
	write(t, path, "http://a.example/1", "http://a.example/2")
	r, err := gowarc.NewWarcFileReader(path, 0,
		gowarc.WithSpecViolationPolicy(gowarc.ErrFail), gowarc.WithSyntaxErrorPolicy(gowarc.ErrFail))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var got []string
	for {
		rec, _, validation, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := rec.ValidateDigest(validation); err != nil || !validation.Valid() {
			t.Errorf("%v %v", validation, err)
		}
		got = append(got, rec.Type().String()+" "+rec.WarcHeader().Get(gowarc.WarcTargetURI))
		rec.Close()
	}
	want := []string{"warcinfo ", "response http://a.example/1", "response http://a.example/2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
