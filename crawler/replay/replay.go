// Package replay freezes the web. A Recorder is a transport that writes every
// answer to a WARC before it hands it on; a Web is a transport that answers from
// WARCs instead of the network, so that a crawl runs through the same code live
// and replayed:
//
//	fetch → robots → limits → Recorder → http.Transport
//	fetch → robots → limits → Web
//
// A file hosts.json beside the WARC says how the frozen web answers where it has
// no record; see hosts.go.
package replay

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/eventseer/eventseer/internal/warc"
	"github.com/eventseer/eventseer/webgraph"
)

// Options of a Web.
type Options struct {
	// Hosts is the file of rules. "" means hosts.json beside the first WARC, if
	// there is one.
	Hosts string
	// NoRobots, if not nil, is called once with the first host whose robots.txt is requested and
	// that has records but no robots.txt. Without hosts.json such a host allows everything.
	NoRobots func(host webgraph.Host)
}

// A MissError says that the frozen web has no answer for a URL.
type MissError struct {
	URL string
	// Err is a *net.DNSError where hosts.json says that unknown hosts do not
	// resolve, else warc.ErrNotFound.
	Err error
}

func (e *MissError) Error() string { return "replay of " + e.URL + ": " + e.Err.Error() }

// Unwrap returns Err.
func (e *MissError) Unwrap() error { return e.Err }

// A Web answers requests from WARC records. It is safe for concurrent use.
type Web struct {
	files  []*warc.Index
	rules  *rules // nil without hosts.json
	digest string

	noRobots func(webgraph.Host) // called once; never nil
}

var _ http.RoundTripper = (*Web)(nil)

// Open indexes the WARCs and reads their hosts.json. Where several hold a URL,
// the last path counts. Close the Web after use.
func Open(paths []string, o Options) (*Web, error) {
	if len(paths) == 0 {
		return nil, errors.New("replay needs at least one WARC file")
	}
	w := &Web{files: make([]*warc.Index, len(paths)), noRobots: func(webgraph.Host) {}}
	if o.NoRobots != nil {
		var once sync.Once
		w.noRobots = func(host webgraph.Host) { once.Do(func() { o.NoRobots(host) }) }
	}
	var g errgroup.Group
	for i, path := range paths {
		g.Go(func() (err error) {
			w.files[i], err = warc.OpenIndex(path)
			return err
		})
	}
	g.Go(func() (err error) {
		w.digest, err = digest(paths)
		return err
	})
	g.Go(func() (err error) {
		path := cmp.Or(o.Hosts, filepath.Join(filepath.Dir(paths[0]), "hosts.json"))
		w.rules, err = readRules(path)
		if o.Hosts == "" && errors.Is(err, os.ErrNotExist) {
			return nil
		}
		return err
	})
	if err := g.Wait(); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	slices.Reverse(w.files)
	return w, nil
}

// digest returns the SHA-256 of the files' bytes, one file after the other.
func digest(paths []string) (string, error) {
	sum := sha256.New()
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return "", err
		}
		_, err = io.Copy(sum, f)
		f.Close()
		if err != nil {
			return "", err
		}
	}
	return "sha256:" + hex.EncodeToString(sum.Sum(nil)), nil
}

// Digest returns the SHA-256 of the WARC files' bytes, one after the other in
// the order they were given, as "sha256:" and 64 hexadecimal digits.
func (w *Web) Digest() string { return w.digest }

// Newest returns the date of the latest record, the zero time if none has one.
func (w *Web) Newest() time.Time {
	var newest time.Time
	for _, x := range w.files {
		if x.Newest().After(newest) {
			newest = x.Newest()
		}
	}
	return newest
}

// Bad returns the places in the WARCs where no record could be read.
func (w *Web) Bad() []*warc.BadRecord {
	var bad []*warc.BadRecord
	for _, x := range slices.Backward(w.files) {
		bad = append(bad, x.Bad()...)
	}
	return bad
}

// Close closes the files. Answers that were given stay valid.
func (w *Web) Close() error {
	var errs []error
	for _, x := range w.files {
		if x != nil {
			errs = append(errs, x.Close())
		}
	}
	return errors.Join(errs...)
}

// RoundTrip answers GET and HEAD with the record of the very URL, else of its
// canonical form, else by the rules of hosts.json. Without that file a host that has
// records and no robots.txt among them answers 404 to that, which allows everything. The answer is as it was sent,
// redirects, errors and robots.txt included. As from http.Transport, a body in
// gzip is inflated if the request names no encoding; a body that was cut when it
// was recorded ends in io.ErrUnexpectedEOF. The header Memento-Datetime
// (RFC 7089) holds the time of the record. Without an answer the error is a
// *MissError.
func (w *Web) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		req.Body.Close()
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	if req.Method != http.MethodGet && req.Method != http.MethodHead && req.Method != "" {
		return nil, fmt.Errorf("replay of %s: a frozen web answers GET and HEAD, not %.20s", req.URL, req.Method)
	}
	answer, err := w.answer(urlOf(req))
	if err != nil {
		return nil, err
	}
	return answer.response(req), nil
}

func urlOf(req *http.Request) string {
	u := *req.URL
	u.Fragment, u.RawFragment = "", ""
	return u.String()
}

// answer finds or makes the answer to a URL.
func (w *Web) answer(url string) (*answer, error) {
	canonical, canonicalErr := webgraph.Canonical(url)
	rec, err := w.find(url)
	if errors.Is(err, warc.ErrNotFound) && canonicalErr == nil {
		rec, err = w.first(func(x *warc.Index) (*warc.Record, error) { return x.FindCanonical(canonical) })
	}
	if err == nil {
		return w.recorded(rec)
	}
	if !errors.Is(err, warc.ErrNotFound) {
		return nil, fmt.Errorf("replay of %s: %w", url, err)
	}
	if w.rules == nil && canonicalErr == nil && strings.HasSuffix(canonical, "/robots.txt") {
		if host := webgraph.HostOf(canonical); strings.Count(canonical, "/") == 3 && w.holds(host) {
			w.noRobots(host)
			return made(w, http.StatusNotFound, "text/plain; charset=utf-8", "not recorded\n"), nil
		}
	}
	if w.rules == nil || canonicalErr != nil {
		return nil, &MissError{url, warc.ErrNotFound}
	}
	return w.rules.answer(w, url)
}

// holds reports whether there is a record of a host.
func (w *Web) holds(host webgraph.Host) bool {
	return slices.ContainsFunc(w.files, func(x *warc.Index) bool { return x.HasHost(host) })
}

// Outside reports whether the frozen web never held url, so that its answer is
// only what hosts.json says of pages without a record. Such a link leads out of
// the web, and following it costs a crawl nothing (the corpora's reference
// counts are made that way).
func (w *Web) Outside(url string) bool {
	a, err := w.answer(url)
	return err != nil || a.outside
}

func (w *Web) find(url string) (*warc.Record, error) {
	return w.first(func(x *warc.Index) (*warc.Record, error) { return x.Find(url) })
}

// first returns what the first file has that has anything, else warc.ErrNotFound.
func (w *Web) first(find func(*warc.Index) (*warc.Record, error)) (*warc.Record, error) {
	for _, x := range w.files {
		if rec, err := find(x); !errors.Is(err, warc.ErrNotFound) {
			return rec, err
		}
	}
	return nil, warc.ErrNotFound
}
