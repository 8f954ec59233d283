package fetch

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/webtest"
)

// Bodies that are too much or too little come as far as they came, with a mark.
func TestFetchTruncates(t *testing.T) {
	t.Parallel() // it waits for bodies that never end
	const limit = 1 << 20
	w := webtest.Serve(t, nil)
	f := newFetcher(t, w, func(o *Options) { o.MaxBody, o.Timeout = limit, time.Second })
	tests := []struct {
		name      string
		handler   http.Handler
		size      int // of the body; -1: some
		truncated bool
	}{
		{"50 MB", webtest.Big(50 << 20), limit, true},
		{"exactly the limit", webtest.Big(limit), limit, false},
		{"one byte more", webtest.Big(limit + 1), limit, true},
		{"gzip bomb", webtest.GzipBomb(200 << 20), limit, true},
		{"10,000 deep", webtest.Nested(10_000), 10_000*11 + 4, false},
		{"never ends, says no more", webtest.Endless("<p>begun</p>", 0), 12, true},
		{"never ends, drips", webtest.Endless("<p>", time.Millisecond), -1, true},
		{"closes early", webtest.Short("<p>half", 1000), 7, true},
		{"sends more than it says", webtest.Short("<p>whole", 3), 3, false},
		{"half a gzip", webtest.Encoded("text/html", "gzip", zip(t, strings.Repeat("<p>x</p>", 999))[:60]), -1, true},
		{"gzip of nothing, for ever", webtest.Encoded("text/html", "gzip", bytes.Repeat(zip(t, ""), 99_999)), 0, true},
		{"empty", webtest.Body("text/html", ""), 0, false},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u := fmt.Sprintf("http://conf.example/%d", i)
			w.Handle(u, tt.handler)
			p, err := f.Fetch(t.Context(), crawler.Request{URL: u})
			if tt.size == 0 && tt.truncated {
				if err == nil {
					t.Errorf("got a page of %d bytes", len(p.Body))
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if len(p.Body) != tt.size && tt.size >= 0 || len(p.Body) > limit || p.Truncated != tt.truncated {
				t.Errorf("%d bytes, truncated %v; want %d, %v", len(p.Body), p.Truncated, tt.size, tt.truncated)
			}
		})
	}
}

func TestFetchFailures(t *testing.T) {
	t.Parallel() // it waits for servers that do not answer
	w := webtest.Serve(t, nil)
	w.SetAddrs("unknown.example")
	w.Handle("http://silent.example/*", webtest.Silent())
	w.Handle("http://silent.example/robots.txt", webtest.Status(404))
	w.Handle("http://flood.example/*", webtest.HeaderFlood(100<<10))
	w.Handle("http://closing.example/*", webtest.Raw(""))
	w.Handle("http://garbled.example/*", webtest.Raw("ceci n'est pas HTTP\r\n\r\n"))
	w.Handle("http://nothing.example/*", webtest.Short("", 1000))
	options := func(o *Options) {
		o.MaxHeader, o.Timeout, o.DialTimeout = 32<<10, time.Minute, time.Minute
		o.Resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
			if host == "slow-dns.example" {
				return nil, &net.DNSError{Err: "timeout", Name: host, IsTimeout: true}
			}
			return w.Resolve(ctx, host)
		}
		o.Dial = func(ctx context.Context, network, addr string) (net.Conn, error) {
			if strings.HasSuffix(addr, ":81") {
				return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
			}
			if strings.HasSuffix(addr, ":82") {
				<-ctx.Done()
				return nil, &net.OpError{Op: "dial", Err: ctx.Err()}
			}
			if strings.HasSuffix(addr, ":83") {
				return nil, &net.OpError{Op: "dial", Err: os.NewSyscallError("socket", syscall.EMFILE)}
			}
			return w.Dial(ctx, network, addr)
		}
	}
	// Only requests that wait for nothing have a short time limit, because others may wait long on a busy
	// machine.
	patient := newFetcher(t, w, options)
	hasty := map[string]*Fetcher{
		"http://unreachable.example:82/": newFetcher(t, w, func(o *Options) { options(o); o.DialTimeout = 100 * time.Millisecond }),
		"http://silent.example/page":     newFetcher(t, w, func(o *Options) { options(o); o.Timeout = 3 * time.Second }),
	}
	w.Handle("http://moved.example/*", webtest.Redirect(302, "http://unknown.example/"))
	w.Handle("http://busy.example/*", webtest.Status(503))
	w.Handle("http://busy.example/robots.txt", webtest.Status(404))
	w.Handle("http://sick.example/robots.txt", webtest.Status(500))
	w.Handle("http://tobusy.example/*", webtest.Redirect(302, "http://busy.example/"))
	w.Handle("http://tosick.example/*", webtest.Redirect(302, "http://sick.example/"))
	w.SetAddrs("inside.example", netip.MustParseAddr("10.1.2.3"))
	w.Handle("http://image.example/*", webtest.Body("image/png", ""))
	for _, tt := range []struct {
		url        string
		want       crawler.Fate
		hostFailed bool
	}{
		{"http://unknown.example/", crawler.Gone, true},
		{"http://slow-dns.example/", crawler.TryLater, true},
		{"http://closed.example:81/", crawler.TryLater, true},
		{"http://unreachable.example:82/", crawler.TryLater, true},
		{"http://no-file-left.example:83/", crawler.TryLater, false},
		{"https://selfsigned.example/", crawler.Gone, true},
		{"http://busy.example/page", crawler.TryLater, true},
		{"http://sick.example/page", crawler.TryLater, true},
		{"http://moved.example/page", crawler.Gone, false},
		{"http://tobusy.example/page", crawler.TryLater, false},
		{"http://tosick.example/page", crawler.TryLater, false},
		{"http://inside.example/", crawler.Refused, false},
		{"http://image.example/", crawler.Refused, false},
		{"http://silent.example/page", crawler.TryLater, false},
		{"http://flood.example/page", crawler.Gone, false},
		{"http://closing.example/page", crawler.TryLater, false},
		{"http://garbled.example/page", crawler.Gone, false},
		{"http://nothing.example/page", crawler.TryLater, false},
		{"ftp://conf.example/", crawler.Refused, false},
		{"file:///etc/passwd", crawler.Refused, false},
		{"http://", crawler.Refused, false},
		{"call.html", crawler.Refused, false},
	} {
		fe := fetchError(t, cmp.Or(hasty[tt.url], patient), tt.url)
		if fe.Fate != tt.want || fe.HostFailed != tt.hostFailed {
			t.Errorf("%s: %s, host failed %v; want %s, %v: %v", tt.url, fe.Fate, fe.HostFailed, tt.want, tt.hostFailed, fe)
		}
	}
}

func TestFetchTouchesNoPrivateAddress(t *testing.T) {
	w := webtest.Serve(t, map[string]string{"http://conf.example/ok": "<p>fine</p>"})
	addr := netip.MustParseAddr
	w.SetAddrs("inside.example", addr("10.1.2.3"))
	w.SetAddrs("metadata.example", addr("169.254.169.254"))
	w.SetAddrs("mapped.example", addr("::ffff:127.0.0.1"))
	w.SetAddrs("both.example", addr("192.168.0.1"), addr("8.8.8.8"))
	f := newFetcher(t, w, nil)
	w.Handle("http://both.example/", webtest.Body("text/html", "public after all"))
	targets := []string{
		"http://127.0.0.1/", "http://127.1/", "http://2130706433/", "http://[::1]/", "http://[::ffff:10.0.0.1]/",
		"http://[fe80::1]/", "http://[fd00::1]/", "http://0.0.0.0/", "http://100.64.0.1/", "http://192.168.1.1:8080/",
		"http://169.254.169.254/latest/meta-data/", "http://224.0.0.1/", "http://255.255.255.255/", "http://[64:ff9b::a00:1]/",
		"http://inside.example/", "http://metadata.example/", "http://mapped.example/",
	}
	for i, to := range targets {
		fe := fetchError(t, f, to)
		if fe.Fate != crawler.Refused || !errors.Is(fe, ErrPrivateAddress) {
			t.Errorf("%s: %s: %v", to, fe.Fate, fe)
		}
		from := fmt.Sprintf("http://conf.example/to/%d", i)
		w.Handle(from, webtest.Redirect(302, to))
		if fe := fetchError(t, f, from); fe.Fate != crawler.Refused {
			t.Errorf("redirect to %s: %s: %v", to, fe.Fate, fe)
		}
	}
	if _, err := f.Fetch(t.Context(), crawler.Request{URL: "http://both.example/"}); err != nil {
		t.Error(err)
	}
	for _, dialled := range w.Dialled() {
		if !isPublic(netip.MustParseAddrPort(dialled).Addr()) {
			t.Errorf("dialled %s", dialled)
		}
	}
	open := newFetcher(t, w, func(o *Options) { o.AllowPrivate = true })
	if p, err := open.Fetch(t.Context(), crawler.Request{URL: "http://inside.example/"}); err != nil || p.Status != 404 {
		t.Errorf("with AllowPrivate: %+v, %v", p, err)
	}
}

// With a Dial and no Resolve, as the demo has it, names go to Dial, and literal
// addresses are guarded all the same.
func TestFetchDialsNames(t *testing.T) {
	w := webtest.Serve(t, map[string]string{"http://conf.example/": "<p>fine</p>"})
	f := newFetcher(t, w, func(o *Options) { o.Resolve = nil })
	if _, err := f.Fetch(t.Context(), crawler.Request{URL: "http://conf.example/"}); err != nil {
		t.Fatal(err)
	}
	if fe := fetchError(t, f, "http://10.0.0.1/"); fe.Fate != crawler.Refused {
		t.Error(fe)
	}
	if got := w.Dialled(); !slices.Contains(got, "conf.example:80") || len(got) > 2 {
		t.Errorf("dialled %q", got)
	}
}

func TestIsPublic(t *testing.T) {
	for addr, want := range map[string]bool{
		"8.8.8.8": true, "1.1.1.1": true, "2606:4700:4700::1111": true, "2a00:1450:4001::1": true,
		"172.15.255.255": true, "172.16.0.1": false, "172.31.255.255": false, "172.32.0.1": true,
		"100.63.0.1": true, "100.127.255.255": false, "192.0.2.7": false, "198.19.0.1": false, "240.0.0.1": false,
		"::": false, "::1": false, "fe80::1%eth0": false, "fc00::1": false, "ff02::1": false, "2001:db8::1": false,
		"2002:a00:1::": false, "2001::1": false, "::ffff:8.8.8.8": true, "::ffff:10.0.0.1": false, "::10.0.0.1": false,
	} {
		if got := isPublic(netip.MustParseAddr(addr)); got != want {
			t.Errorf("isPublic(%s) = %v", addr, got)
		}
	}
}
