package fetch

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/webtest"
)

// hang reads the request and sends no response.
func hang(c net.Conn) { _, _ = io.Copy(io.Discard, c) }

// answering reads one request, sends the given response and continues with then.
func answering(answer string, then func(net.Conn)) func(net.Conn) {
	return func(c net.Conn) {
		if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
			_, _ = io.WriteString(c, answer)
			then(c)
		}
	}
}

// drip writes a byte every interval for as long as the client reads.
func drip(interval time.Duration) func(net.Conn) {
	return func(c net.Conn) {
		for {
			time.Sleep(interval)
			if _, err := io.WriteString(c, "x"); err != nil {
				return
			}
		}
	}
}

// Each phase of a request has its own time, and all of it together.
func TestFetchPhases(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>"
	const moved = "HTTP/1.1 302 Found\r\nLocation: https://a.example/robots.txt\r\n\r\n"
	for _, tt := range []struct {
		name       string
		url        string
		serve      func(net.Conn)
		want       crawler.Fate // "": a page, cut
		took       time.Duration
		hostFailed bool
	}{
		{"name", "http://silent-dns.example/robots.txt", hang, crawler.TryLater, 1 * time.Second, true},
		{"connect", "http://a.example:81/robots.txt", hang, crawler.TryLater, 2 * time.Second, true},
		{"TLS", "https://a.example/robots.txt", hang, crawler.TryLater, 3 * time.Second, true},
		{"header", "http://a.example/robots.txt", hang, crawler.TryLater, 4 * time.Second, false},
		{"half a header", "http://a.example/robots.txt", answering("HTTP/1.1 200 OK\r\nContent-Type: ", hang), crawler.TryLater, 4 * time.Second, false},
		{"header that drips", "http://a.example/robots.txt", answering("HTTP/1.1 200 OK\r\nX: ", drip(time.Second)), crawler.TryLater, 4 * time.Second, false},
		{"body", "http://a.example/robots.txt", answering(head, hang), "", 5 * time.Second, false},
		{"no body", "http://a.example/robots.txt", answering(head[:len(head)-3], hang), crawler.TryLater, 5 * time.Second, false},
		{"body that drips", "http://a.example/robots.txt", answering(head, drip(time.Second)), "", 20 * time.Second, false},
		{"redirect whose body drips", "http://a.example/robots.txt", answering(moved, drip(time.Millisecond)), crawler.TryLater, drainTime, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var serving sync.WaitGroup
				defer serving.Wait()
				f, err := New(Options{
					Contact: "ops@eventseer.example", DNSTimeout: 1 * time.Second, DialTimeout: 2 * time.Second,
					TLSTimeout: 3 * time.Second, HeaderTimeout: 4 * time.Second, BodyTimeout: 5 * time.Second, Timeout: 20 * time.Second,
					Resolve: func(ctx context.Context, host string) ([]netip.Addr, error) {
						if host == "silent-dns.example" {
							<-ctx.Done()
							return nil, ctx.Err()
						}
						return []netip.Addr{webtest.PublicAddr}, nil
					},
					Dial: func(ctx context.Context, _, addr string) (net.Conn, error) {
						if strings.HasSuffix(addr, ":81") {
							<-ctx.Done()
							return nil, ctx.Err()
						}
						ours, theirs := net.Pipe()
						serving.Go(func() {
							tt.serve(theirs)
							theirs.Close()
						})
						return ours, nil
					},
				})
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				start := time.Now()
				p, err := f.Fetch(t.Context(), crawler.Request{URL: tt.url})
				if took := time.Since(start); took != tt.took {
					t.Errorf("took %v, want %v", took, tt.took)
				}
				if tt.want == "" {
					if err != nil || !p.Truncated || !strings.HasPrefix(string(p.Body), "<p>") {
						t.Errorf("got %+v, %v", p, err)
					}
					return
				}
				if fe, ok := err.(*crawler.FetchError); !ok || fe.Fate != tt.want || fe.HostFailed != tt.hostFailed {
					t.Errorf("got %+v, %v, want %s, host failed %v", p, fmt.Sprintf("%+v", err), tt.want, tt.hostFailed)
				}
			})
		})
	}
}
