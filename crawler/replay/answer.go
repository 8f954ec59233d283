package replay

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/eventseer/eventseer/internal/warc"
)

// A replayedResponse is a response that a server sent, or one made by a rule.
type replayedResponse struct {
	status int
	reason string
	header http.Header
	body   []byte
	cut    bool

	outside bool // true if made for a page that the frozen web does not have
}

// recordedResponse returns the answer in a record. The body of a duplicate is read from its original.
func (w *Web) recordedResponse(rec *warc.Record) (*replayedResponse, error) {
	if rec.IsDuplicate() {
		original, err := w.restoreDuplicate(rec)
		if err != nil {
			return nil, fmt.Errorf("replay of %s: %w", rec.TargetURI(), err)
		}
		rec = original
	}
	a := &replayedResponse{status: http.StatusOK, reason: "OK", body: rec.Block, header: make(http.Header)}
	if rec.Type() == "response" {
		res, err := rec.Response()
		if err != nil {
			return nil, fmt.Errorf("replay of %s: %w", rec.TargetURI(), err)
		}
		a.status, a.reason, a.header, a.body, a.cut = res.Status, res.Reason, res.Header, res.Body, res.Cut
	} else {
		a.header.Set("Content-Type", rec.Header.Get("Content-Type"))
	}
	a.setDate(rec.Date())
	return a, nil
}

// Record returns the record whose WARC-Target-URI equals uri. A duplicate is returned with its body. The
// error wraps warc.ErrNotFound if there is no such record.
func (w *Web) Record(uri string) (*warc.Record, error) {
	rec, err := w.findRecord(uri)
	if err != nil || !rec.IsDuplicate() {
		return rec, err
	}
	return w.restoreDuplicate(rec)
}

// restoreDuplicate returns a duplicate with the body of its original, which may be in another file.
func (w *Web) restoreDuplicate(dup *warc.Record) (*warc.Record, error) {
	original, err := w.firstFound(func(x *warc.Index) (*warc.Record, error) { return x.Original(dup) })
	switch {
	case errors.Is(err, warc.ErrNotFound):
		return nil, fmt.Errorf("the record with its body is in none of the given files: %w", err)
	case err != nil:
		return nil, err
	}
	return dup.Restore(original)
}

// memento is the header with the time of an archived response (RFC 7089).
const memento = "Memento-Datetime"

func (a *replayedResponse) setDate(at time.Time) {
	if !at.IsZero() {
		a.header.Set(memento, at.Format(http.TimeFormat))
	}
}

// AnsweredAt returns the time when the server sent a replayed response, to the second. It returns the zero
// time if the time is unknown or the response is not from a Web.
func AnsweredAt(res *http.Response) time.Time {
	at, err := http.ParseTime(res.Header.Get(memento))
	if err != nil {
		return time.Time{}
	}
	return at
}

func (a *replayedResponse) toHTTP(req *http.Request) *http.Response {
	res := &http.Response{
		Status:        strconv.Itoa(a.status) + " " + cmp.Or(a.reason, http.StatusText(a.status)),
		StatusCode:    a.status,
		Proto:         "HTTP/1.1",
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        a.header,
		ContentLength: int64(len(a.body)),
		Request:       req,
	}
	if req.Method == http.MethodHead {
		res.Body = http.NoBody
		return res
	}
	var end error = io.EOF
	if a.cut {
		end = io.ErrUnexpectedEOF
		res.ContentLength = -1
	}
	res.Body = newBody(a.body, end)
	if req.Header.Get("Accept-Encoding") == "" && req.Header.Get("Range") == "" &&
		a.header.Get("Content-Encoding") == "gzip" {
		decompress(res)
	}
	return res
}

// decompress decompresses a gzip body, like http.Transport. It leaves a body that is not gzip unchanged.
func decompress(res *http.Response) {
	b := res.Body.(*body)
	z, err := gzip.NewReader(b)
	if err != nil {
		b.reader.Seek(0, io.SeekStart) // an offset within the body, so no error
		return
	}
	res.Body = z
	res.Header.Del("Content-Encoding")
	res.Header.Del("Content-Length")
	res.ContentLength = -1
	res.Uncompressed = true
}

// A body returns its bytes and then the error end.
type body struct {
	reader *bytes.Reader
	end    error
}

func newBody(data []byte, end error) *body { return &body{bytes.NewReader(data), end} }

func (b *body) Read(p []byte) (int, error) {
	n, err := b.reader.Read(p)
	if err == io.EOF {
		err = b.end
	}
	return n, err
}

func (b *body) Close() error { return nil }
