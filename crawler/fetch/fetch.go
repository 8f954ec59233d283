// Package fetch brings pages: it is the crawler's Fetcher on top of colly, and
// the guard of what a page, a server or a name server may do to us.
//
// One page goes through
//
//	Fetch: for each hop  robots → turn → colly → intake (types, decoding, limits) → Wrap → pool → guard → network
//	                                                                                    → replay
//
// colly does the request and nothing else: its own limits, queue, visited set,
// cookies, robots, redirects and charset decoding are off, because each loses
// or invents something (see colly.go).
package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/fetch/robots"
	"github.com/eventseer/eventseer/webgraph"
)

// ErrNoContact is returned by New if a live fetcher has no contact for site owners.
var ErrNoContact = errors.New("a live crawl needs a contact that site owners can reach: " +
	"add the line \"contact: you@example.org\" (a mail address or a URL) to the config file, or give --contact")

// ErrPrivateAddress is the cause of a refused URL whose host is, or has, an
// address that is not of the public Internet.
var ErrPrivateAddress = errors.New("address is not public")

// A Fetcher brings pages. It is safe for concurrent use.
type Fetcher struct {
	o       Options
	agent   string // the name that robots.txt files know
	client  *client
	live    *pool // nil for a replay
	robots  *memo[robotsFile]
	errands errands
	pdfs    chan struct{} // one slot for each PDF being converted
}

var _ crawler.Fetcher = (*Fetcher)(nil)

// maxPDFs is how many PDFs are converted at once; each is a process.
const maxPDFs = 2

// New returns a Fetcher. The error is ErrNoContact, or says what is wrong with
// UserAgent or Contact.
func New(o Options) (*Fetcher, error) {
	o = o.withDefaults()
	agent, _, _ := strings.Cut(o.UserAgent, "/")
	if !robots.ValidProduct(agent) || !printable(o.UserAgent) {
		return nil, fmt.Errorf("user agent %q: robots.txt can name only letters, - and _ before the slash", o.UserAgent)
	}
	live := o.Transport == nil
	if live && o.Contact == "" {
		return nil, ErrNoContact
	}
	header, err := requestHeader(o.UserAgent, o.Contact)
	if err != nil {
		return nil, err
	}
	rt := o.Transport
	f := &Fetcher{o: o, agent: agent, pdfs: make(chan struct{}, maxPDFs)}
	if live {
		f.live = newLive(o)
		rt = f.live
	}
	if o.Wrap != nil {
		rt = o.Wrap(rt)
	}
	f.client = newClient(intake{next: rt, answeredAt: o.AnsweredAt}, header)
	f.robots = newRobotsCache(o.Now)
	return f, nil
}

// Close closes the connections that are kept. The Fetcher may be used after it.
func (f *Fetcher) Close() {
	if f.live != nil {
		f.live.CloseIdleConnections()
	}
}

// Fetch brings the page of a URL, after redirects and with its body decoded from content encodings
// but not from its charset. Answers 429 and 503 and bodies of types that are not read are
// *crawler.FetchErrors with a Status. No request is sent twice, and none that r.Turn does not
// allow: a page that waits for that is Deferred, a redirect that waits is itself the page.
func (f *Fetcher) Fetch(ctx context.Context, r crawler.Request) (*webgraph.Page, error) {
	return f.bring(ctx, r, false)
}

// Load brings a file of any type that a page needs, such as a script, by the same
// rules as Fetch. Nothing is read out of its body.
func (f *Fetcher) Load(ctx context.Context, r crawler.Request) (*webgraph.Page, error) {
	return f.bring(ctx, r, true)
}

func (f *Fetcher) bring(ctx context.Context, r crawler.Request, file bool) (*webgraph.Page, error) {
	p, err := f.visit(ctx, r, file)
	if err == nil {
		return p, nil
	}
	var fe *crawler.FetchError
	if !errors.As(err, &fe) {
		fe = &crawler.FetchError{Fate: fateOf(err), Err: err, HostFailed: isHostFault(err)}
	}
	fe.URL = r.URL
	return nil, fe
}

// NewClient returns a plain HTTP client for files that are not pages. Like a Fetcher it dials
// public addresses only and names itself and its contact. It reads no robots.txt, because it
// follows no links, and neither decodes nor cuts bodies. Of o it takes UserAgent, Contact,
// AllowPrivate, Resolve, Dial, the timeouts of the phases, RootCAs, MaxHeader and MaxRedirects. The
// error is ErrNoContact, or says what is wrong with Contact.
func NewClient(o Options) (*http.Client, error) {
	o = o.withDefaults()
	if o.Contact == "" {
		return nil, ErrNoContact
	}
	header, err := requestHeader(o.UserAgent, o.Contact)
	if err != nil {
		return nil, err
	}
	header.Set("Accept", "*/*")
	header.Set("Accept-Encoding", "identity")
	return &http.Client{
		Transport: withHeader{newLive(o), header},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > o.MaxRedirects {
				return fmt.Errorf("more than %d redirects, the last to %s", o.MaxRedirects, r.URL)
			}
			return nil
		},
	}, nil
}

// withHeader sends every request with a header of its own.
type withHeader struct {
	next   http.RoundTripper
	header http.Header
}

func (w withHeader) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, values := range w.header {
		r.Header[name] = values
	}
	return w.next.RoundTrip(r)
}
