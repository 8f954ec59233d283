// Package fetch is the crawler's Fetcher on top of colly. It also protects the crawler from pages,
// servers and name servers.
//
// One page goes through
//
//	Fetch: for each hop  robots → turn → colly → intake (types, decoding, limits) → Wrap → pool → guard → network
//	                                                                                    → replay
//
// colly only makes the request: its own limits, queue, visited set, cookies, robots, redirects and
// charset decoding are off, because each loses or adds something (see colly.go).
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

// ErrPrivateAddress is the cause of refusing a URL whose host has an address outside the public
// Internet.
var ErrPrivateAddress = errors.New("address is not public")

// A Fetcher fetches pages. It is safe for concurrent use.
type Fetcher struct {
	o       Options
	agent   string // the crawler's name in robots.txt files
	client  *client
	live    *pool // nil for a replay
	robots  *boundedCache[robotsFile]
	errands pendingRobots
	pdfs    chan struct{} // one slot for each PDF being converted
}

var _ crawler.Fetcher = (*Fetcher)(nil)

// maxPDFs is the number of PDFs converted at once, each in a process.
const maxPDFs = 2

// New returns a Fetcher. The error is ErrNoContact, or describes an invalid UserAgent or Contact.
func New(o Options) (*Fetcher, error) {
	o = o.withDefaults()
	agent, _, _ := strings.Cut(o.UserAgent, "/")
	if !robots.ValidProduct(agent) || !isPrintable(o.UserAgent) {
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
	f.client = newClient(responseTransport{next: rt, answeredAt: o.AnsweredAt}, header)
	f.robots = newRobotsCache(o.Now)
	return f, nil
}

// Close closes idle connections. The Fetcher can be used after it.
func (f *Fetcher) Close() {
	if f.live != nil {
		f.live.CloseIdleConnections()
	}
}

// Fetch fetches the page of a URL, after redirects and with its body decoded from content encodings
// but not from its charset. Responses 429 and 503 and bodies of unsupported types are
// *crawler.FetchErrors with a Status. No request is sent twice, and none that r.Turn does not
// allow: a page that must wait is Deferred; if a redirect must wait, it is returned as the page.
func (f *Fetcher) Fetch(ctx context.Context, r crawler.Request) (*webgraph.Page, error) {
	return f.fetchPageOrFile(ctx, r, false)
}

// Load fetches a file of any type that a page needs, such as a script, by the same rules as Fetch.
// Its body is not parsed.
func (f *Fetcher) Load(ctx context.Context, r crawler.Request) (*webgraph.Page, error) {
	return f.fetchPageOrFile(ctx, r, true)
}

func (f *Fetcher) fetchPageOrFile(ctx context.Context, r crawler.Request, file bool) (*webgraph.Page, error) {
	p, err := f.fetchOverRedirects(ctx, r, file)
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

// NewClient returns a plain HTTP client for files that are not pages. Like a Fetcher it connects
// only to public addresses and sends its name and contact. It reads no robots.txt, because it
// follows no links, and neither decodes nor cuts bodies. It uses the options UserAgent, Contact,
// AllowPrivate, Resolve, Dial, the timeouts of the phases, RootCAs, MaxHeader and MaxRedirects. The
// error is ErrNoContact, or describes an invalid Contact.
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
		Transport: headerTransport{newLive(o), header},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if len(via) > o.MaxRedirects {
				return fmt.Errorf("more than %d redirects, the last to %s", o.MaxRedirects, r.URL)
			}
			return nil
		},
	}, nil
}

// headerTransport sends every request with a header of its own.
type headerTransport struct {
	next   http.RoundTripper
	header http.Header
}

func (w headerTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, values := range w.header {
		r.Header[name] = values
	}
	return w.next.RoundTrip(r)
}
