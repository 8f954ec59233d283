package engine

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/fetch"
	"github.com/eventseer/eventseer/datasets/simweb"
	"github.com/eventseer/eventseer/webgraph"
)

// ParseLargeWeb parses a --sim for a large web: its options, and the address of `web serve` if another
// process serves it.
func ParseLargeWeb(spec string) (o simweb.LargeOptions, at string, err error) {
	var rest []string
	for part := range strings.SplitSeq(spec, ",") {
		if addr, ok := strings.CutPrefix(part, "at="); ok && at == "" {
			at = addr
			continue
		}
		rest = append(rest, part)
	}
	if o, err = simweb.ParseLarge(strings.Join(rest, ",")); err != nil {
		return o, at, app.MarkUsage(err)
	}
	if at != "" {
		if _, _, err := net.SplitHostPort(at); err != nil {
			return o, at, app.Usagef("--sim %s: at=%s is not HOST:PORT", spec, at)
		}
	}
	return o, at, nil
}

// IsLargeWeb reports whether a --sim names a large web.
func IsLargeWeb(spec string) bool {
	return strings.Contains(spec, "pages=") || strings.Contains(spec, "hosts=")
}

// openLargeWeb opens a large web, served by this process or by another. By default its hosts have no
// delay, because they have no owners. A fixed web is served by this process at one moment and
// without delays.
func openLargeWeb(a *app.App, spec string, still bool, wrap func(http.RoundTripper) http.RoundTripper) (*Web, error) {
	o, at, err := ParseLargeWeb(spec)
	if err != nil {
		return nil, err
	}
	today := fixedClock(a.Now().UTC().Truncate(24 * time.Hour))
	o.Now = today()
	now := a.Now
	if still {
		if at != "" {
			return nil, app.Usagef("--web sim:%s: at=%s belongs to another process, whose clock cannot be set", spec, at)
		}
		o.Clock, now = today, today
	}
	large, err := simweb.NewLarge(o)
	if err != nil {
		return nil, err
	}
	if at == "" {
		server, err := ServeHandler("127.0.0.1:0", large)
		if err != nil {
			return nil, err
		}
		a.OnClose(server.Close)
		at = server.Addr
	}
	fetcher, err := fetch.New(fetch.Options{
		Dial: dialLargeWeb(large, at), Wrap: wrap, UserAgent: UserAgent(), Contact: "demo@eventseer.example",
		StrictRobots: StrictRobots(a), Now: now, Log: a.Logger(),
	})
	if err != nil {
		return nil, err
	}
	if a.Origins["host-delay"] == "default" {
		a.Config.HostDelay, a.Config.DelayFactor = 0, 0
	}
	return &Web{
		Fetcher: fetcher, Base: fetcher, Frozen: true, Paced: !still, Name: "sim:" + spec, Large: large, Now: now,
		Sources: []backlink.Source{{Provider: largeLinks{large}}},
	}, nil
}

// dialLargeWeb connects port 80 of every host of the web to an address, and rejects all others, so its
// client cannot leave the web.
func dialLargeWeb(w *simweb.Large, at string) func(ctx context.Context, network, addr string) (net.Conn, error) {
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(addr)
		if err != nil || port != "80" || !w.Knows(webgraph.Host(strings.ToLower(host))) {
			return nil, &net.OpError{Op: "dial", Net: network, Err: &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}}
		}
		var d net.Dialer
		return d.DialContext(ctx, network, at)
	}
}

// A handlerServer serves a handler until it is closed.
type handlerServer struct {
	Addr     string
	http     *http.Server
	finished chan error
}

// ServeHandler serves h at an address until closed.
func ServeHandler(listen string, h http.Handler) (*handlerServer, error) {
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return nil, err
	}
	s := &handlerServer{
		Addr: l.Addr().String(), finished: make(chan error, 1),
		http: &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute},
	}
	go func() { s.finished <- s.http.Serve(l) }()
	return s, nil
}

// Close closes the connections and waits for the end.
func (s *handlerServer) Close() error {
	err := s.http.Close()
	if served := <-s.finished; err == nil && !errors.Is(served, http.ErrServerClosed) {
		err = served
	}
	return err
}

// largeLinks computes the pages that link to a page of a large web.
type largeLinks struct{ web *simweb.Large }

// Name implements backlink.Provider.
func (largeLinks) Name() string { return "sim" }

// Scopes implements backlink.Provider.
func (largeLinks) Scopes() []backlink.Scope { return []backlink.Scope{backlink.Page} }

// Backlinks implements backlink.Provider. It counts as one call, like a service.
func (l largeLinks) Backlinks(_ context.Context, q backlink.Query) (backlink.Answer, error) {
	a := backlink.Answer{Calls: 1}
	if q.Scope != backlink.Page || q.Cursor != "" {
		return a, nil
	}
	site := webgraph.HostOf(q.Target)
	for _, link := range l.web.Backlinks(q.Target, q.Limit) {
		if webgraph.SameSite(webgraph.HostOf(link.Source), site) {
			a.Dropped++
			continue
		}
		a.Links = append(a.Links, backlink.Backlink{Source: link.Source, Target: q.Target, Anchor: link.Anchor, Provider: l.Name(), Scope: q.Scope, NoFollow: link.NoFollow})
	}
	return a, nil
}

// SimSeeds returns the seeds of a generated web.
func SimSeeds(spec string) ([]string, error) {
	if !IsLargeWeb(spec) {
		return nil, app.Usagef("--sim %q is not hosts=N,pages=N,seed=N", spec)
	}
	o, _, err := ParseLargeWeb(spec)
	if err != nil {
		return nil, err
	}
	large, err := simweb.NewLarge(o)
	if err != nil {
		return nil, app.MarkUsage(err)
	}
	return large.Seeds(), nil
}
