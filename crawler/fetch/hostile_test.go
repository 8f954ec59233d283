package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"eventseer/crawler"
	"eventseer/crawler/webtest"
)

// Bodies that are too much or too little come as far as they came, with a mark.
func TestFetchTruncates(t *testing.T) {
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

// A bomb of 1 GiB costs memory in the order of the limit, not of the bomb.
func TestFetchBombMemory(t *testing.T) {
	w := webtest.Serve(t, nil)
	w.Handle("http://conf.example/bomb", webtest.GzipBomb(1<<30))
	f := newFetcher(t, w, func(o *Options) { o.MaxBody = 1 << 20 })
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := f.Fetch(t.Context(), crawler.Request{URL: "http://conf.example/bomb"}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > 16<<20 {
		t.Errorf("%d MiB allocated for a page cut at 1 MiB", got>>20)
	}
}

func TestFetchFailures(t *testing.T) {
	w := webtest.Serve(t, nil)
	w.SetAddrs("unknown.example")
	w.Handle("http://silent.example/*", webtest.Silent())
	w.Handle("http://silent.example/robots.txt", webtest.Status(404))
	w.Handle("http://flood.example/*", webtest.HeaderFlood(100<<10))
	w.Handle("http://closing.example/*", webtest.Raw(""))
	w.Handle("http://garbled.example/*", webtest.Raw("ceci n'est pas HTTP\r\n\r\n"))
	w.Handle("http://nothing.example/*", webtest.Short("", 1000))
	f := newFetcher(t, w, func(o *Options) {
		o.MaxHeader, o.Timeout = 32<<10, time.Second
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
			return w.Dial(ctx, network, addr)
		}
	})
	for _, tt := range []struct {
		url  string
		want crawler.Fate
	}{
		{"http://unknown.example/", crawler.Gone},
		{"http://slow-dns.example/", crawler.TryLater},
		{"http://closed.example:81/", crawler.Gone},
		{"https://selfsigned.example/", crawler.Gone},
		{"http://silent.example/page", crawler.TryLater},
		{"http://flood.example/page", crawler.Gone},
		{"http://closing.example/page", crawler.TryLater},
		{"http://garbled.example/page", crawler.Gone},
		{"http://nothing.example/page", crawler.TryLater},
		{"ftp://conf.example/", crawler.Refused},
		{"file:///etc/passwd", crawler.Refused},
		{"http://", crawler.Refused},
		{"call.html", crawler.Refused},
	} {
		if fe := fetchError(t, f, tt.url); fe.Fate != tt.want || fe.Status != 0 {
			t.Errorf("%s: %s, want %s: %v", tt.url, fe.Fate, tt.want, fe)
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
	rebound := false
	f := newFetcher(t, w, func(o *Options) {
		o.Resolve = func(ctx context.Context, host string) ([]netip.Addr, error) {
			if host == "rebind.example" && rebound {
				return []netip.Addr{addr("127.0.0.1")}, nil
			}
			rebound = rebound || host == "rebind.example"
			return w.Resolve(ctx, host)
		}
	})
	w.Handle("http://rebind.example/robots.txt", webtest.Raw("HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"))
	w.Handle("http://both.example/", webtest.Body("text/html", "public after all"))
	targets := []string{
		"http://127.0.0.1/", "http://127.1/", "http://2130706433/", "http://[::1]/", "http://[::ffff:10.0.0.1]/",
		"http://[fe80::1]/", "http://[fd00::1]/", "http://0.0.0.0/", "http://100.64.0.1/", "http://192.168.1.1:8080/",
		"http://169.254.169.254/latest/meta-data/", "http://224.0.0.1/", "http://255.255.255.255/", "http://[64:ff9b::a00:1]/",
		"http://inside.example/", "http://metadata.example/", "http://mapped.example/", "http://rebind.example/",
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

func TestFetchDecodes(t *testing.T) {
	text := strings.Repeat("<p>call for papers</p>", 100)
	w := webtest.Serve(t, nil)
	f := newFetcher(t, w, nil)
	tests := []struct {
		name, encoding string
		body           []byte
	}{
		{"gzip", "gzip", zip(t, text)},
		{"identity", "identity", []byte(text)},
		{"says gzip, is none", "gzip", []byte(text)},
		{"no coding at all", "UTF-8", []byte(text)},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u := fmt.Sprintf("http://conf.example/%d.xml.gz", i) // an ending that colly would unpack by
			w.Handle(u, webtest.Encoded("text/html", tt.encoding, tt.body))
			p, err := f.Fetch(t.Context(), crawler.Request{URL: u})
			if err != nil {
				t.Fatal(err)
			}
			if string(p.Body) != text || p.Truncated {
				t.Errorf("%d bytes, truncated %v", len(p.Body), p.Truncated)
			}
		})
	}
}

// zip returns text compressed by gzip.
func zip(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err := z.Write([]byte(text))
	if err := errors.Join(err, z.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
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
