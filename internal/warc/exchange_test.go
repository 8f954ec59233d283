package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/nlnwa/gowarc"
)

// exchanges are the records of two exchanges, of which the second has the body
// of the first, and of a 304.
func exchanges(t testing.TB) []*Record {
	t.Helper()
	body := letters(1000)
	first := NewResponse("http://a.example/1", testTime, answer(body))
	first.Header.Set("WARC-IP-Address", "192.0.2.1")
	second := NewDuplicate(NewResponse("http://a.example/2?x=ü", testTime, answer(body)), Original{"http://a.example/1", testTime})
	third := NewRevisit("http://a.example/1", testTime, []byte("HTTP/1.1 304 Not Modified\r\nEtag: \"x\"\r\n\r\n"))
	var recs []*Record
	for _, rec := range []*Record{first, second, third} {
		request := NewRequest(rec.TargetURI(), testTime, []byte("GET /1 HTTP/1.1\r\nHost: a.example\r\n\r\n"))
		metadata := NewMetadata(rec.TargetURI(), testTime, []Field{{"fetchTimeMs", "12"}, {"via", "http://a.example/\r\nx"}})
		request.MarkConcurrent(rec)
		metadata.MarkConcurrent(rec)
		recs = append(recs, rec, request, metadata)
	}
	return recs
}

// TestOtherReaderAgreesOnExchanges lets gowarc, which is strict, read every type
// of record that we write.
func TestOtherReaderAgreesOnExchanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.warc.gz")
	w, err := Create(path, WriterOptions{Operator: "ops@a.example", UserAgent: "bot", Robots: "RFC 9309", Description: "a test", Now: frozen})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(exchanges(t)...), w.Close()); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"warcinfo ", "response http://a.example/1", "request http://a.example/1", "metadata http://a.example/1",
		"revisit http://a.example/2?x=ü", "request http://a.example/2?x=ü", "metadata http://a.example/2?x=ü",
		"revisit http://a.example/1", "request http://a.example/1", "metadata http://a.example/1",
	}
	if diff := cmp.Diff(want, readStrictly(t, path)); diff != "" {
		t.Error(diff)
	}
	if got := types(t, path); len(got) != len(want) { // digests verified there
		t.Errorf("we read %v", got)
	}
}

// readStrictly returns type and URI of what gowarc reads, all digests verified.
func readStrictly(t testing.TB, path string) []string {
	t.Helper()
	r, err := gowarc.NewWarcFileReader(path, 0, gowarc.WithSpecViolationPolicy(gowarc.ErrFail), gowarc.WithSyntaxErrorPolicy(gowarc.ErrFail))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var got []string
	for {
		rec, offset, validation, err := r.Next()
		if errors.Is(err, io.EOF) {
			return got
		}
		if err != nil {
			t.Fatalf("at %d, after %v: %v", offset, got, err)
		}
		if err := rec.ValidateDigest(validation); err != nil || !validation.Valid() {
			t.Errorf("%v: %v %v", rec, validation, err)
		}
		got = append(got, rec.Type().String()+" "+rec.WarcHeader().Get(gowarc.WarcTargetURI))
		rec.Close()
	}
}

// TestOtherWriter reads what gowarc writes, compressed and not, of both versions.
func TestOtherWriter(t *testing.T) {
	for _, version := range []*gowarc.WarcVersion{gowarc.V1_0, gowarc.V1_1} {
		for _, compressed := range []bool{false, true} {
			t.Run(fmt.Sprint(version, compressed), func(t *testing.T) {
				path := writeByOther(t, version, compressed)
				if diff := cmp.Diff([]string{"warcinfo", "response", "request", "metadata", "revisit"}, types(t, path)); diff != "" {
					t.Fatal(diff)
				}
				x := openIndex(t, path)
				dup, err := x.Find("http://a.example/2")
				if err != nil {
					t.Fatal(err)
				}
				original, err := x.Original(dup)
				if err != nil {
					t.Fatal(err)
				}
				rec, err := dup.Restore(original)
				if err != nil {
					t.Fatal(err)
				}
				if p, err := rec.Page(); err != nil || string(p.Body) != letters(500) || rec.Verify() != nil {
					t.Errorf("page %v, %v, %v", p, err, rec.Verify())
				}
			})
		}
	}
}

func writeByOther(t *testing.T, version *gowarc.WarcVersion, compressed bool) string {
	t.Helper()
	dir := t.TempDir()
	w := gowarc.NewWarcFileWriter(
		gowarc.WithFileNameGenerator(&gowarc.PatternNameGenerator{Directory: dir, Prefix: "o"}), gowarc.WithCompression(compressed),
		gowarc.WithWarcInfoFunc(func(b gowarc.WarcRecordBuilder) error {
			_, err := b.WriteString("software: other\r\n")
			return err
		}),
		gowarc.WithRecordOptions(gowarc.WithVersion(version)))
	build := func(kind gowarc.RecordType, uri, contentType, block string) gowarc.WarcRecord {
		b := gowarc.NewRecordBuilder(kind, gowarc.WithVersion(version), gowarc.WithAddMissingDigest(true))
		b.AddWarcHeader(gowarc.WarcTargetURI, uri)
		b.AddWarcHeader(gowarc.WarcDate, "2026-03-01T12:00:00Z")
		b.AddWarcHeader(gowarc.ContentType, contentType)
		if _, err := b.WriteString(block); err != nil {
			t.Fatal(err)
		}
		rec, _, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		return rec
	}
	response := build(gowarc.Response, "http://a.example/1", "application/http;msgtype=response", string(answer(letters(500))))
	again := build(gowarc.Response, "http://a.example/2", "application/http;msgtype=response", string(answer(letters(500))))
	digest := response.WarcHeader().Get(gowarc.WarcPayloadDigest)
	profile := gowarc.ProfileIdenticalPayloadDigestV1_1
	if version == gowarc.V1_0 {
		profile = gowarc.ProfileIdenticalPayloadDigestV1_0
	}
	revisit, err := again.ToRevisitRecord(&gowarc.RevisitRef{Profile: profile, TargetUri: "http://a.example/1", TargetDate: "2026-03-01T12:00:00Z"})
	if err != nil {
		t.Fatal(err)
	}
	if got := revisit.WarcHeader().Get(gowarc.WarcPayloadDigest); got != digest {
		t.Fatalf("its revisit has the digest %q, want %q", got, digest)
	}
	for _, rec := range []gowarc.WarcRecord{
		response, build(gowarc.Request, "http://a.example/1", "application/http;msgtype=request", "GET / HTTP/1.1\r\nHost: a\r\n\r\n"),
		build(gowarc.Metadata, "http://a.example/1", "application/warc-fields", "via: x\r\n"), revisit,
	} {
		for _, res := range w.Write(rec) {
			if res.Err != nil {
				t.Fatal(res.Err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "o*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v, %v", files, err)
	}
	return files[0]
}

func TestRestore(t *testing.T) {
	original := NewResponse("http://a.example/1", testTime, answer(letters(300)))
	again := NewResponse("http://a.example/2", testTime, []byte("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"+letters(300)))
	dup := NewDuplicate(again, Original{"http://a.example/1", testTime})
	if got := dup.Header.Get("WARC-Refers-To-Date"); got != "2026-03-01T12:00:00.000000Z" {
		t.Errorf("WARC-Refers-To-Date is %q", got)
	}
	got, err := dup.Restore(original)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Block, again.Block) || got.Verify() != nil || got.TargetURI() != "http://a.example/2" {
		t.Errorf("restored to %q, %v", got.Block, got.Verify())
	}
	dup.Block = nil // as by writers that store no header
	if got, err = dup.Restore(original); err != nil || !bytes.Equal(got.Block, original.Block) || got.TargetURI() != "http://a.example/2" {
		t.Errorf("restored to %v, %v", got, err)
	}
	if _, err := dup.Restore(NewResponse("http://a.example/3", testTime, answer("x"))); !errors.Is(err, ErrNoPage) {
		t.Errorf("restored from another body: %v", err)
	}
}
