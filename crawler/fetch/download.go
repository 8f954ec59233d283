package fetch

import (
	"fmt"
	"net/http"
)

// NewClient returns a plain HTTP client for files that are no pages: it dials
// public addresses only, as a Fetcher does, and names itself and its contact,
// but asks no robots.txt, for it follows no links, and neither decodes nor cuts
// what comes. Of o it takes UserAgent, Contact, AllowPrivate, Resolve, Dial, the
// timeouts of the phases, RootCAs, MaxHeader and MaxRedirects. The error
// is ErrNoContact, or says what is wrong with Contact.
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
