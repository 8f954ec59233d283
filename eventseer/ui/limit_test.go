package ui

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
)

func TestLimiter(t *testing.T) {
	l := web.NewLimiter(2, 3)
	a, b := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
	for range 3 {
		if d := l.WaitTime(a, now); d != 0 {
			t.Fatalf("wait %s within the burst", d)
		}
	}
	for range 5 { // being refused costs nothing
		if d := l.WaitTime(a, now); d != 500*time.Millisecond {
			t.Fatalf("wait %s, want 500ms", d)
		}
	}
	if l.WaitTime(b, now) != 0 {
		t.Error("another client waits too")
	}
	if l.WaitTime(a, now.Add(500*time.Millisecond)) != 0 || l.WaitTime(a, now.Add(500*time.Millisecond)) == 0 {
		t.Error("half a second gives not one request")
	}
	six := netip.MustParseAddr("2001:db8:1:2::1")
	for range 3 {
		l.WaitTime(six, now)
	}
	if l.WaitTime(netip.MustParseAddr("2001:db8:1:2:ffff::9"), now) == 0 || l.WaitTime(netip.MustParseAddr("2001:db8:1:3::1"), now) != 0 {
		t.Error("an IPv6 client is not its /64")
	}
}

func TestLimiterForgets(t *testing.T) {
	l := web.NewLimiter(1, 1)
	l.Max = 100
	busy := netip.MustParseAddr("192.0.2.1")
	l.WaitTime(busy, now)
	for i := range 1000 {
		l.WaitTime(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), now)
		if l.WaitTime(busy, now) == 0 {
			t.Fatalf("a busy client was forgotten after %d others", i)
		}
		if len(l.Clients) > 100 || l.Order.Len() != len(l.Clients) {
			t.Fatalf("%d clients", len(l.Clients))
		}
	}
}

func TestTooMany(t *testing.T) {
	clock := now
	w := fullWorld()
	h := newUI(Options{Store: w, Index: w, Now: func() time.Time { return clock }})
	for i := range web.RequestsAtOnce {
		if got := ask(t, h, "/api/v1/events.json?from="+itoa(i)).Code; got != 200 {
			t.Fatalf("request %d = %d", i, got)
		}
	}
	for _, path := range []string{"/api/v1/status.json", "/search.json", "/suggest?q=a", "/api/v1/events.json?from=1"} {
		got := ask(t, h, path)
		if got.Code != http.StatusTooManyRequests || got.Header().Get("Retry-After") != "1" || got.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("GET %s = %d %v", path, got.Code, got.Header())
		}
	}
	for _, path := range []string{"/", "/e/icx-2027", "/search?q=x", "/calendar"} {
		get(t, h, path, 200)
	}
	clock = clock.Add(time.Second)
	if got := ask(t, h, "/api/v1/status.json").Code; got != 200 {
		t.Errorf("a second later: %d", got)
	}
}

func TestClientAddress(t *testing.T) {
	proxies, err := web.ParseProxies([]string{"127.0.0.1", "10.0.0.0/8", "2001:db8::/32"})
	if err != nil {
		t.Fatal(err)
	}
	s := &server{requestFilter: requestFilter{proxies: proxies}}
	for _, tt := range []struct{ peer, forwarded, want string }{
		{"192.0.2.1:1", "", "192.0.2.1"},
		{"192.0.2.1:1", "198.51.100.9", "192.0.2.1"}, // no proxy of ours
		{"127.0.0.1:1", "", "127.0.0.1"},
		{"127.0.0.1:1", "198.51.100.9", "198.51.100.9"},
		{"127.0.0.1:1", "203.0.113.7, 198.51.100.9", "198.51.100.9"}, // the visitor's own text comes before it
		{"127.0.0.1:1", "198.51.100.9, 10.1.1.1", "198.51.100.9"},
		{"127.0.0.1:1", "198.51.100.9, nonsense, 10.1.1.1", "10.1.1.1"},
		{"[::1]:1", "198.51.100.9", "::1"},
		{"[2001:db8::5]:1", "198.51.100.9", "198.51.100.9"},
		{"[::ffff:127.0.0.1]:1", "::ffff:198.51.100.9", "198.51.100.9"},
		{"pipe", "198.51.100.9", "invalid IP"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.RemoteAddr = tt.peer
		if tt.forwarded != "" {
			r.Header.Set("X-Forwarded-For", tt.forwarded)
		}
		if got := s.clientAddress(r).String(); got != tt.want {
			t.Errorf("%+v: %s", tt, got)
		}
	}
	for _, bad := range []string{"", "host", "10.0.0.0/33", "10.0.0.1:80"} {
		if _, err := web.ParseProxies([]string{bad}); err == nil {
			t.Errorf("proxy %q is taken", bad)
		}
	}
	w := &world{}
	if _, err := New(Options{Store: w, Index: w, UserProxies: []string{"x"}}); err == nil {
		t.Error("New takes a proxy that is none")
	}
}

func TestSiteBase(t *testing.T) {
	proxies, err := web.ParseProxies([]string{"127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	s := &server{requestFilter: requestFilter{proxies: proxies}}
	for _, tt := range []struct{ host, peer, proto, want string }{
		{"cfp.example.org", "192.0.2.1:1", "", "http://cfp.example.org/"},
		{"cfp.example.org:8080", "192.0.2.1:1", "https", "http://cfp.example.org:8080/"},
		{"cfp.example.org", "127.0.0.1:1", "https", "https://cfp.example.org/"},
		{"[::1]:80", "192.0.2.1:1", "", "http://[::1]:80/"},
		{`evil"><script>`, "192.0.2.1:1", "", "http://localhost/"}, {"a/b", "192.0.2.1:1", "", "http://localhost/"}, {"", "192.0.2.1:1", "", "http://localhost/"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.Host, r.RemoteAddr = tt.host, tt.peer
		r.Header.Set("X-Forwarded-Proto", tt.proto)
		if got := s.siteBase(r); got != tt.want {
			t.Errorf("%+v: %s", tt, got)
		}
	}
	s.Base = "https://x.example/cfp"
	if got := s.siteBase(httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)); got != "https://x.example/cfp/" {
		t.Errorf("base = %s", got)
	}
}
