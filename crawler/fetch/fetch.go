// Package fetch brings pages: it is the crawler's Fetcher on top of colly, and
// the guard of what a page, a server or a name server may do to us.
//
// One page goes through
//
//	Fetch: for each hop  robots → colly → intake (types, decoding, limits) → Wrap → network or replay
//
// colly does the request and nothing else: its own limits, queue, visited set,
// cookies, robots, redirects and charset decoding are off, because each loses
// or invents something (see colly.go).
package fetch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/mail"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"eventseer/crawler"
	"eventseer/webgraph"
)

// Defaults of Options.
const (
	DefaultUserAgent    = "EventSeer/0.1"
	DefaultMaxBody      = 10 << 20
	DefaultMaxHeader    = 256 << 10
	DefaultTimeout      = 30 * time.Second
	DefaultPhaseTimeout = 10 * time.Second
	DefaultMaxRedirects = 10
)

// ErrNoContact is returned by New where a live fetcher has nobody that the
// owner of a site could write to.
var ErrNoContact = errors.New("a live crawl needs a contact that site owners can reach: " +
	"add the line \"contact: you@example.org\" (a mail address or a URL) to the config file, or give --contact")

// ErrPrivateAddress is the cause of a refused URL whose host is, or has, an
// address that is not of the public Internet.
var ErrPrivateAddress = errors.New("address is not public")

// Options are the settings of a Fetcher. Only Contact must be set, and only for
// a live one.
type Options struct {
	// Transport answers the requests, such as a replay. Nil means the network.
	Transport http.RoundTripper
	// Wrap returns a transport around the one in use, such as a recorder. It
	// sees the bytes as sent. Nil means none.
	Wrap func(http.RoundTripper) http.RoundTripper

	// UserAgent is product and version. Its part before the slash is the name
	// that robots.txt files know. Empty means DefaultUserAgent.
	UserAgent string
	// Contact is a mail address or an http(s) URL, sent in User-Agent, and a
	// mail address in From too.
	Contact string

	// AllowPrivate lets private, loopback and link-local addresses be asked.
	AllowPrivate bool
	// Resolve returns the addresses of a host. Nil means the system's resolver.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)
	// Dial connects to an address that passed the guard. If Dial is set and
	// Resolve is not, names are not resolved but passed on as "host:port", and
	// only literal addresses are guarded. Nil means TCP.
	Dial func(ctx context.Context, network, addr string) (net.Conn, error)

	// MaxBody is the most bytes of a body after decoding; what is longer is cut
	// and the page marked as truncated. Zero means DefaultMaxBody.
	MaxBody int
	// MaxHeader is the most bytes of response headers. Zero means DefaultMaxHeader.
	MaxHeader int
	// Timeout bounds a page from the first dial to the last byte, redirects
	// included and the robots.txt of each host apart. Zero means DefaultTimeout.
	Timeout time.Duration
	// DialTimeout, TLSTimeout and HeaderTimeout bound the phases before the
	// body. Zero means DefaultPhaseTimeout.
	DialTimeout, TLSTimeout, HeaderTimeout time.Duration
	// MaxRedirects is the most hops. Zero means DefaultMaxRedirects.
	MaxRedirects int

	// StrictRobots reads robots.txt files with ParseRobotsStrict.
	StrictRobots bool
	// PDF returns the text of a PDF. Nil means PDFText.
	PDF func(ctx context.Context, body []byte) (string, error)
	// AnsweredAt returns when an answer came. Nil means Now.
	AnsweredAt func(*http.Response) time.Time
	// Now is the clock of caches and of FetchedAt. Nil means time.Now.
	Now func() time.Time
	// Log is told why a PDF has no text. Nil means nobody.
	Log *slog.Logger
}

// withDefaults returns o with every zero field set.
func (o Options) withDefaults() Options {
	setDefault(&o.UserAgent, DefaultUserAgent)
	setDefault(&o.MaxBody, DefaultMaxBody)
	setDefault(&o.MaxHeader, DefaultMaxHeader)
	setDefault(&o.Timeout, DefaultTimeout)
	setDefault(&o.DialTimeout, DefaultPhaseTimeout)
	setDefault(&o.TLSTimeout, DefaultPhaseTimeout)
	setDefault(&o.HeaderTimeout, DefaultPhaseTimeout)
	setDefault(&o.MaxRedirects, DefaultMaxRedirects)
	if o.PDF == nil {
		o.PDF = PDFText
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.AnsweredAt == nil {
		o.AnsweredAt = func(*http.Response) time.Time { return o.Now() }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// A Fetcher brings pages. It is safe for concurrent use.
type Fetcher struct {
	o      Options
	agent  string // the name that robots.txt files know
	client *client
	robots *robotsCache
	pdfs   chan struct{} // one slot for each PDF being converted
}

var _ crawler.Fetcher = (*Fetcher)(nil)

// maxPDFs is how many PDFs are converted at once; each is a process.
const maxPDFs = 2

// New returns a Fetcher. The error is ErrNoContact, or says what is wrong with
// UserAgent or Contact.
func New(o Options) (*Fetcher, error) {
	o = o.withDefaults()
	agent, _, _ := strings.Cut(o.UserAgent, "/")
	if !ValidProduct(agent) || !printable(o.UserAgent) {
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
	if live {
		rt = newLive(o)
	}
	if o.Wrap != nil {
		rt = o.Wrap(rt)
	}
	f := &Fetcher{
		o:      o,
		agent:  agent,
		client: newClient(intake{next: rt, answeredAt: o.AnsweredAt}, header),
		pdfs:   make(chan struct{}, maxPDFs),
	}
	f.robots = newRobotsCache(f.fetchRobots, o.Now)
	return f, nil
}

// requestHeader returns the headers of every request.
func requestHeader(userAgent, contact string) (http.Header, error) {
	h := http.Header{
		"Accept": {"text/html,application/xhtml+xml,application/pdf;q=0.9,text/plain;q=0.9," +
			"application/xml;q=0.8,*/*;q=0.1"},
		"Accept-Encoding": {"gzip, deflate, br, zstd"},
		"User-Agent":      {userAgent},
	}
	if contact == "" {
		return h, nil
	}
	if address, err := mail.ParseAddress(strings.TrimPrefix(contact, "mailto:")); err == nil {
		contact = address.Address
		h.Set("From", contact)
	} else if u, err := url.Parse(contact); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("contact %q is neither a mail address nor an http(s) URL", contact)
	}
	if !printable(contact) {
		return nil, fmt.Errorf("contact %q has characters that no header may hold", contact)
	}
	h.Set("User-Agent", userAgent+" (+"+contact+")")
	return h, nil
}

func printable(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

// Fetch brings the page of a URL, after redirects and with its body decoded
// from content encodings but not from its charset. Answers 429 and 503 and
// bodies of types that nobody reads are *crawler.FetchErrors with a Status.
func (f *Fetcher) Fetch(ctx context.Context, r crawler.Request) (*webgraph.Page, error) {
	p, err := f.fetch(ctx, r.URL)
	if err == nil {
		return p, nil
	}
	var fe *crawler.FetchError
	if !errors.As(err, &fe) {
		fe = &crawler.FetchError{Fate: fateOf(err), Err: err}
	}
	fe.URL = r.URL
	return nil, fe
}

func (f *Fetcher) fetch(ctx context.Context, requested string) (*webgraph.Page, error) {
	u, err := webgraph.Canonical(requested)
	if err != nil {
		return nil, refused(err)
	}
	p := &webgraph.Page{Requested: requested}
	seen := map[string]bool{u: true}
	for left := f.o.Timeout; ; {
		if err := f.permit(ctx, u); err != nil {
			return nil, err
		}
		start := time.Now()
		a, err := f.client.get(ctx, u, want{limit: f.o.MaxBody, timeout: left, pages: true})
		left -= time.Since(start)
		if err != nil {
			return nil, err
		}
		next, err := a.redirect(u)
		switch {
		case err != nil:
			return nil, err
		case next == "":
			return p, f.finish(ctx, p, u, a)
		case seen[next]:
			return nil, gone("redirect loop: %s leads back to %s", u, next)
		case len(p.Redirects) == f.o.MaxRedirects:
			return nil, gone("more than %d redirects, the last to %s", f.o.MaxRedirects, next)
		}
		p.Redirects = append(p.Redirects, webgraph.Redirect{From: u, To: next, Status: a.status})
		seen[next], u = true, next
	}
}

// finish fills p from the last answer.
func (f *Fetcher) finish(ctx context.Context, p *webgraph.Page, u string, a *answer) error {
	if a.status == http.StatusTooManyRequests || a.status == http.StatusServiceUnavailable {
		return &crawler.FetchError{Fate: crawler.TryLater, Status: a.status,
			After: retryAfter(a.header, f.o.Now()), Err: a.statusError()}
	}
	if a.unread != nil && a.status/100 == 2 {
		return &crawler.FetchError{Fate: crawler.Refused, Status: a.status, Err: a.unread}
	}
	p.URL, p.Status, p.FetchedAt = u, a.status, a.at
	p.Header = webgraph.KeepHeaders(a.header)
	p.Body, p.Truncated = a.body, a.truncated()
	if a.pdf && len(a.body) > 0 {
		text, err := f.pdfText(ctx, a.body)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			f.o.Log.Warn("pdf without text", "url", u, "err", err)
		}
		p.Text = text
	}
	return nil
}

func (f *Fetcher) pdfText(ctx context.Context, body []byte) (string, error) {
	select {
	case f.pdfs <- struct{}{}:
		defer func() { <-f.pdfs }()
		return f.o.PDF(ctx, body)
	case <-ctx.Done():
		return "", ctx.Err()
	}
}
