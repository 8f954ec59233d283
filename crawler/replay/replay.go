// Package replay records web traffic and replays it. A Recorder is a transport that writes every response to
// a WARC before it returns it. A Web is a transport that responds from WARCs instead of the network. So a
// crawl uses the same code live and replayed:
//
//	fetch → robots → limits → Recorder → http.Transport
//	fetch → robots → limits → Web
//
// A file hosts.json next to the WARC controls the responses for URLs without a record; see hosts.go.
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

// Options are the options of Open.
type Options struct {
	// Hosts is the path of the file of rules. "" means hosts.json next to the first WARC, if it exists.
	Hosts string
	// NoRobots, if not nil, is called once, with the first host whose robots.txt is requested but not
	// recorded. It is called only without hosts.json and for a host with records. Such a host allows
	// everything.
	NoRobots func(host webgraph.Host)
}

// A MissError means that the frozen web has no response for a URL.
type MissError struct {
	URL string
	// Err is a *net.DNSError if hosts.json is used and the host is unknown. Otherwise it is warc.ErrNotFound.
	Err error
}

func (e *MissError) Error() string { return "replay of " + e.URL + ": " + e.Err.Error() }

func (e *MissError) Unwrap() error { return e.Err }

// A Web is an http.RoundTripper that responds from WARC records. It is safe for concurrent use.
type Web struct {
	files  []*warc.Index
	rules  *hostRules // nil without hosts.json
	digest string

	noRobots func(webgraph.Host) // never nil; has an effect once
}

var _ http.RoundTripper = (*Web)(nil)

// Open indexes the WARCs and reads their hosts.json. If several files have a record of a URL, the last file
// is used. The caller must close the Web.
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
		w.digest, err = digestFiles(paths)
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

// digestFiles returns the SHA-256 of the concatenated files.
func digestFiles(paths []string) (string, error) {
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

// Digest returns the SHA-256 of the WARC files, concatenated in the order in which they were given, as
// "sha256:" and 64 hexadecimal digits.
func (w *Web) Digest() string { return w.digest }

// Newest returns the date of the latest record, or the zero time if no record has a date.
func (w *Web) Newest() time.Time {
	var newest time.Time
	for _, x := range w.files {
		if x.Newest().After(newest) {
			newest = x.Newest()
		}
	}
	return newest
}

// Bad returns the places in the WARC files where a record could not be read.
func (w *Web) Bad() []*warc.BadRecord {
	var bad []*warc.BadRecord
	for _, x := range slices.Backward(w.files) {
		bad = append(bad, x.Bad()...)
	}
	return bad
}

// Close closes the files. Responses returned before stay valid.
func (w *Web) Close() error {
	var errs []error
	for _, x := range w.files {
		if x != nil {
			errs = append(errs, x.Close())
		}
	}
	return errors.Join(errs...)
}

// RoundTrip responds to GET and HEAD with the record of the URL. Without one, it uses the record of the URL's
// canonical form, then the rules of hosts.json. If there is no hosts.json, it responds with 404 to an
// unrecorded robots.txt on a host with records, which allows everything.
//
// The response is the one that was sent, including redirects, errors and robots.txt. As with http.Transport,
// a gzip body is decompressed if the request does not set Accept-Encoding. A body that was cut in the
// recording ends in io.ErrUnexpectedEOF. The header Memento-Datetime (RFC 7089) has the time of the record.
// If there is no response, the error is a *MissError.
func (w *Web) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		req.Body.Close()
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	if req.Method != http.MethodGet && req.Method != http.MethodHead && req.Method != "" {
		return nil, fmt.Errorf("replay of %s: a frozen web responds to GET and HEAD, not to %.20s", req.URL, req.Method)
	}
	answer, err := w.responseFor(urlOf(req))
	if err != nil {
		return nil, err
	}
	return answer.toHTTP(req), nil
}

func urlOf(req *http.Request) string {
	u := *req.URL
	u.Fragment, u.RawFragment = "", ""
	return u.String()
}

// responseFor returns the recorded answer for a URL, or one made by the rules.
func (w *Web) responseFor(url string) (*replayedResponse, error) {
	canonical, canonicalErr := webgraph.Canonical(url)
	rec, err := w.findRecord(url)
	if errors.Is(err, warc.ErrNotFound) && canonicalErr == nil {
		rec, err = w.firstFound(func(x *warc.Index) (*warc.Record, error) { return x.FindCanonical(canonical) })
	}
	if err == nil {
		return w.recordedResponse(rec)
	}
	if !errors.Is(err, warc.ErrNotFound) {
		return nil, fmt.Errorf("replay of %s: %w", url, err)
	}
	if w.rules == nil && canonicalErr == nil && strings.HasSuffix(canonical, "/robots.txt") {
		if host := webgraph.HostOf(canonical); strings.Count(canonical, "/") == 3 && w.hasHost(host) {
			w.noRobots(host)
			return newResponse(w, http.StatusNotFound, "text/plain; charset=utf-8", "not recorded\n"), nil
		}
	}
	if w.rules == nil || canonicalErr != nil {
		return nil, &MissError{url, warc.ErrNotFound}
	}
	return w.rules.respondByRule(w, url)
}

// hasHost reports whether there is a record of the host.
func (w *Web) hasHost(host webgraph.Host) bool {
	return slices.ContainsFunc(w.files, func(x *warc.Index) bool { return x.HasHost(host) })
}

// IsOutside reports whether the frozen web does not have url, so that its response only follows from the
// defaults in hosts.json. Fetching such a URL costs a crawl no budget, as in the reference counts of the
// corpora.
func (w *Web) IsOutside(url string) bool {
	a, err := w.responseFor(url)
	return err != nil || a.outside
}

func (w *Web) findRecord(url string) (*warc.Record, error) {
	return w.firstFound(func(x *warc.Index) (*warc.Record, error) { return x.Find(url) })
}

// firstFound returns the result of find for the first file that has one. Otherwise it returns warc.ErrNotFound.
func (w *Web) firstFound(find func(*warc.Index) (*warc.Record, error)) (*warc.Record, error) {
	for _, x := range w.files {
		if rec, err := find(x); !errors.Is(err, warc.ErrNotFound) {
			return rec, err
		}
	}
	return nil, warc.ErrNotFound
}
