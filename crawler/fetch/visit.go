package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/webgraph"
)

// A visit is one Fetch in progress.
type visit struct {
	*Fetcher
	r      crawler.Request
	t      *turns
	p      *webgraph.Page
	url    string        // of the current request, canonical
	left   time.Duration // of Options.Timeout
	errand string        // the origin whose errand was run first; see errands
	file   bool          // any content type is accepted, because it is not parsed; see Load
}

func (f *Fetcher) visit(ctx context.Context, r crawler.Request, file bool) (*webgraph.Page, error) {
	u, err := webgraph.Canonical(r.URL)
	if err != nil {
		return nil, refused(err)
	}
	v := &visit{Fetcher: f, r: r, t: newTurns(r), p: &webgraph.Page{Requested: r.URL}, url: u, left: f.o.Timeout, file: file}
	if v.errand, err = f.runErrand(ctx, u, v.t); err != nil {
		return nil, err
	}
	return v.p, v.follow(ctx)
}

// follow requests the URL and the targets of its redirects, and fills the page.
func (v *visit) follow(ctx context.Context) error {
	seen := map[string]bool{v.url: true}
	for {
		a, err := v.hop(ctx)
		if err != nil {
			return v.blame(err)
		}
		if a == nil {
			return nil // the page is the redirect that led here
		}
		next, err := a.redirect(v.url)
		switch {
		case err != nil:
			return err
		case next == "":
			return v.blame(v.finish(ctx, a))
		case seen[next]:
			return gone("redirect loop: %s leads back to %s", v.url, next)
		case len(v.p.Redirects) == v.o.MaxRedirects:
			return gone("more than %d redirects, the last to %s", v.o.MaxRedirects, next)
		}
		v.p.Redirects = append(v.p.Redirects, webgraph.Redirect{From: v.url, To: next, Status: a.status})
		v.describe(a)
		seen[next], v.url = true, next
	}
}

// hop makes one request. The answer is nil if the request is not allowed now.
func (v *visit) hop(ctx context.Context) (*answer, error) {
	err := v.permit(ctx, v.url, v.t)
	if err == nil && !v.t.takeTurn(v.url) {
		err = errNoTurn
	}
	switch {
	case errors.Is(err, errNoTurn) && len(v.p.Redirects) > 0:
		return nil, nil
	case err == errNoTurn, errors.Is(err, errNoTurn) && v.errand != "":
		origin, _ := splitOrigin(v.url)
		err = fmt.Errorf("robots.txt of %s was read first; the page comes later", cmp.Or(v.errand, origin))
		return nil, &crawler.FetchError{Fate: crawler.Deferred, Err: err}
	case errors.Is(err, errNoTurn):
		return nil, &crawler.FetchError{Fate: crawler.Deferred, Err: err}
	case err != nil:
		return nil, v.unasked(err)
	}
	w := want{limit: v.o.MaxBody, timeout: v.left, pages: !v.file}
	if len(v.p.Redirects) == 0 {
		w.header = conditions(v.r)
	}
	start := time.Now()
	a, err := v.client.get(ctx, v.url, w)
	v.left -= time.Since(start)
	return a, err
}

// unasked marks an error that occurred without a request to the host of the URL.
func (v *visit) unasked(err error) error {
	var fe *crawler.FetchError
	if v.t != nil && v.t.free != "" && errors.As(err, &fe) {
		fe.Unasked = true
	}
	return err
}

// blame clears HostFailed if another host failed, not that of the URL.
func (v *visit) blame(err error) error {
	var fe *crawler.FetchError
	if err == nil || webgraph.HostOf(v.url) == webgraph.HostOf(v.r.URL) {
		return err
	}
	if !errors.As(err, &fe) {
		fe = &crawler.FetchError{Fate: fateOf(err), Err: err}
	}
	fe.HostFailed = false
	return fe
}

// describe fills the page with all data of a response except its body.
func (v *visit) describe(a *answer) {
	v.p.URL, v.p.Status, v.p.FetchedAt, v.p.Addr = v.url, a.status, a.at, a.addr
	v.p.Header = webgraph.KeepHeaders(a.header)
}

// finish fills the page from the last answer.
func (v *visit) finish(ctx context.Context, a *answer) error {
	if a.status == http.StatusTooManyRequests || a.status == http.StatusServiceUnavailable {
		return &crawler.FetchError{Fate: crawler.TryLater, Status: a.status, HostFailed: true,
			After: crawler.RetryAfter(a.header, v.o.Now()), Err: a.statusError()}
	}
	if a.unread != nil && a.status/100 == 2 {
		return &crawler.FetchError{Fate: crawler.Refused, Status: a.status, Err: a.unread}
	}
	v.describe(a)
	validators(v.p.Header, v.p.Status, v.r)
	v.p.Body, v.p.Truncated = a.body, a.truncated()
	switch {
	case v.file:
		return nil
	case a.pdf && len(a.body) > 0:
		return v.readPDF(ctx)
	}
	return v.readList(a)
}

// readPDF sets the text of a page that is a PDF. The error is ctx's, or ErrNoPDFTool.
func (v *visit) readPDF(ctx context.Context) error {
	text, err := v.pdfText(ctx, v.p.Body)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, ErrNoPDFTool):
		return &crawler.FetchError{Fate: crawler.Refused, Status: v.p.Status, Err: err}
	case err != nil:
		v.o.Log.Warn("pdf without text", "url", v.url, "err", err)
	}
	v.p.Text = text
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
