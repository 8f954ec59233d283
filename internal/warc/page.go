package warc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"

	"github.com/eventseer/eventseer/internal/coding"
	"github.com/eventseer/eventseer/webgraph"
)

// MaxBody is the size limit of a page's body, in bytes after all decoding. A longer body is cut and the
// page is marked as truncated.
const MaxBody = 10 << 20

// Page returns the page in a response record, or in a resource record, which has a body without headers
// and gets status 200. The page's URL is WARC-Target-URI byte for byte, its fetch time is WARC-Date. If
// the record holds no page, the error wraps ErrNoPage.
func (r *Record) Page() (*webgraph.Page, error) {
	p := &webgraph.Page{URL: r.TargetURI(), Requested: r.TargetURI(), FetchedAt: r.Date()}
	if r.Type() == "resource" {
		p.Status = http.StatusOK
		p.Header = http.Header{"Content-Type": {r.Header.Get("Content-Type")}}
		p.Truncated = r.Header.Get("WARC-Truncated") != "" || len(r.Block) > MaxBody
		p.Body = r.Block[:min(len(r.Block), MaxBody)]
		return p, nil
	}
	res, err := r.Response()
	if err != nil {
		return nil, err
	}
	body, cut, err := decodeBody(res.Body, res.Header.Values("Content-Encoding"))
	if err != nil {
		return nil, err
	}
	p.Status = res.Status
	p.Header = webgraph.KeepHeaders(res.Header)
	p.Body = body
	p.Truncated = res.Cut || cut
	return p, nil
}

// decodeBody removes content codings. If the decoded body is longer than MaxBody or its coding is incomplete,
// cut is true.
func decodeBody(body []byte, contentEncoding []string) (decoded []byte, cut bool, err error) {
	if len(contentEncoding) > 0 {
		r := coding.Decode(bytes.NewReader(body), contentEncoding)
		defer r.Close()
		body, err = io.ReadAll(io.LimitReader(r, MaxBody+1))
	}
	if errors.Is(err, coding.ErrTooMany) {
		return nil, false, fmt.Errorf("%w: %w", ErrNoPage, err)
	}
	if len(body) > MaxBody {
		return body[:MaxBody:MaxBody], true, nil
	}
	return body, err != nil, nil
}

// Pages returns the pages of a WARC in order. For a bad record, or a response that cannot be read, it
// returns a *BadRecord as error; any other error means that the rest of the file cannot be read. It skips
// records that are neither responses nor resources, and records that archiving programs write about name
// servers and about themselves. Each function of at is called with the offset of each record, in bytes of
// the file.
func Pages(path string, at ...func(offset int64)) iter.Seq2[*webgraph.Page, error] {
	return readAll(path, func(rec *Record) (*webgraph.Page, error) {
		for _, tell := range at {
			tell(rec.Position.Offset)
		}
		if !holdsPage(rec.Type(), rec.TargetURI()) {
			return nil, nil
		}
		return rec.Page()
	})
}

// readAll returns the results of read for each record of a file, in order, without nil results. Errors
// are as documented at Pages.
func readAll[T any](path string, read func(*Record) (*T, error)) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		r, err := Open(path)
		if err != nil {
			yield(nil, err)
			return
		}
		defer r.Close()
		records := 0
		for r.Scan() {
			records++
			var made *T
			rec, err := r.Record()
			if err == nil {
				if made, err = read(rec); err != nil {
					err = &BadRecord{path, rec.Position, fmt.Errorf("%.200s: %w", rec.TargetURI(), err)}
				} else if made == nil {
					continue
				}
			}
			if !yield(made, err) {
				return
			}
		}
		if err := r.Err(); err != nil {
			yield(nil, err)
		} else if records == 0 {
			yield(nil, fmt.Errorf("%s: %w", path, ErrNoRecords))
		}
	}
}

// HoldsPage reports whether the record is a response or a resource of the web, or a duplicate, which
// stands for one.
func (r *Record) HoldsPage() bool { return r.IsDuplicate() || holdsPage(r.Type(), r.TargetURI()) }

// holdsPage reports whether a record of that type and URI holds a page. Records that archiving programs
// write about name servers and about themselves do not.
func holdsPage(kind, uri string) bool {
	scheme, _, _ := strings.Cut(uri, ":")
	return (kind == "response" || kind == "resource") && scheme != "dns" && scheme != "whois" && scheme != "metadata"
}
