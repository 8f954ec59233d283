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

// A fetchInProgress is one Fetch in progress.
type fetchInProgress struct {
	*Fetcher
	r      crawler.Request
	t      *requestPermissions
	p      *webgraph.Page
	url    string        // of the current request, canonical
	left   time.Duration // of Options.Timeout
	errand string        // the origin whose errand was run first; see errands
	file   bool          // any content type is accepted, because it is not parsed; see Load
}

func (f *Fetcher) fetchOverRedirects(ctx context.Context, r crawler.Request, file bool) (*webgraph.Page, error) {
	u, err := webgraph.Canonical(r.URL)
	if err != nil {
		return nil, refusedError(err)
	}
	v := &fetchInProgress{Fetcher: f, r: r, t: newRequestPermissions(r), p: &webgraph.Page{Requested: r.URL}, url: u, left: f.o.Timeout, file: file}
	if v.errand, err = f.continuePendingRobots(ctx, u, v.t); err != nil {
		return nil, err
	}
	return v.p, v.followRedirects(ctx)
}

// followRedirects requests the URL and the targets of its redirects, and fills the page.
func (v *fetchInProgress) followRedirects(ctx context.Context) error {
	seen := map[string]bool{v.url: true}
	for {
		a, err := v.requestOnce(ctx)
		if err != nil {
			return v.clearForeignHost(err)
		}
		if a == nil {
			return nil // the page is the redirect that led here
		}
		next, err := a.redirectTarget(v.url)
		switch {
		case err != nil:
			return err
		case next == "":
			return v.clearForeignHost(v.fillFromResponse(ctx, a))
		case seen[next]:
			return goneError("redirect loop: %s leads back to %s", v.url, next)
		case len(v.p.Redirects) == v.o.MaxRedirects:
			return goneError("more than %d redirects, the last to %s", v.o.MaxRedirects, next)
		}
		v.p.Redirects = append(v.p.Redirects, webgraph.Redirect{From: v.url, To: next, Status: a.status})
		v.copyMetadata(a)
		seen[next], v.url = true, next
	}
}

// requestOnce makes one request. The answer is nil if the request is not allowed now.
func (v *fetchInProgress) requestOnce(ctx context.Context) (*response, error) {
	err := v.checkRobots(ctx, v.url, v.t)
	if err == nil && !v.t.usePermission(v.url) {
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
		return nil, v.withoutRequest(err)
	}
	w := acceptedResponse{limit: v.o.MaxBody, timeout: v.left, pages: !v.file}
	if len(v.p.Redirects) == 0 {
		w.header = conditionalHeaders(v.r)
	}
	start := time.Now()
	a, err := v.client.sendGET(ctx, v.url, w)
	v.left -= time.Since(start)
	return a, err
}

// withoutRequest marks an error that occurred without a request to the host of the URL.
func (v *fetchInProgress) withoutRequest(err error) error {
	var fe *crawler.FetchError
	if v.t != nil && v.t.free != "" && errors.As(err, &fe) {
		fe.Unasked = true
	}
	return err
}

// clearForeignHost clears HostFailed if another host failed, not that of the URL.
func (v *fetchInProgress) clearForeignHost(err error) error {
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

// copyMetadata fills the page with all data of a response except its body.
func (v *fetchInProgress) copyMetadata(a *response) {
	v.p.URL, v.p.Status, v.p.FetchedAt, v.p.Addr = v.url, a.status, a.at, a.addr
	v.p.Header = webgraph.KeepHeaders(a.header)
}

// fillFromResponse fills the page from the last answer.
func (v *fetchInProgress) fillFromResponse(ctx context.Context, a *response) error {
	if a.status == http.StatusTooManyRequests || a.status == http.StatusServiceUnavailable {
		return &crawler.FetchError{Fate: crawler.TryLater, Status: a.status, HostFailed: true,
			After: crawler.RetryAfter(a.header, v.o.Now()), Err: a.statusError()}
	}
	if a.unread != nil && a.status/100 == 2 {
		return &crawler.FetchError{Fate: crawler.Refused, Status: a.status, Err: a.unread}
	}
	v.copyMetadata(a)
	trimValidators(v.p.Header, v.p.Status, v.r)
	v.p.Body, v.p.Truncated = a.body, a.isTruncated()
	switch {
	case v.file:
		return nil
	case a.pdf && len(a.body) > 0:
		return v.readPDF(ctx)
	}
	return v.readList(a)
}

// readPDF sets the text of a page that is a PDF. The error is ctx's, or ErrNoPDFTool.
func (v *fetchInProgress) readPDF(ctx context.Context) error {
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
