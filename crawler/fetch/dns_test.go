package fetch

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/webtest"
)

// However many ask, a name is looked up once in five minutes, and one without
// addresses once in a minute.
func TestNamesAreRemembered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var lookups atomic.Int32
		n := newAddressCache(func(_ context.Context, host string) ([]netip.Addr, error) {
			lookups.Add(1)
			time.Sleep(time.Second)
			if host == "unknown.example" {
				return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
			}
			return []netip.Addr{webtest.PublicAddr}, nil
		}, time.Minute, time.Now)
		for _, tt := range []struct {
			host string
			ttl  time.Duration
			want bool
		}{{"a.example", nameTTL, true}, {"unknown.example", nameRetry, false}} {
			lookups.Store(0)
			ask := func(want int32) {
				done := make(chan error)
				for range 50 {
					go func() { _, err := n.addresses(t.Context(), tt.host); done <- err }()
				}
				for range 50 {
					if err := <-done; (err == nil) != tt.want {
						t.Errorf("%s: %v", tt.host, err)
					}
				}
				if got := lookups.Load(); got != want {
					t.Errorf("%s: %d lookups, want %d", tt.host, got, want)
				}
			}
			ask(1)
			time.Sleep(tt.ttl - time.Second)
			ask(1)
			time.Sleep(time.Second)
			ask(2)
		}
	})
}

// Failures of a name server are a DNSError, whatever the resolver returns; a caller who gives up does not
// affect the others.
func TestAddressCacheErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newAddressCache(func(ctx context.Context, host string) ([]netip.Addr, error) {
			switch host {
			case "none.example":
				return nil, nil
			case "odd.example":
				return nil, errors.New("odd")
			}
			<-ctx.Done()
			return nil, ctx.Err()
		}, time.Second, time.Now)
		for host, want := range map[string]net.DNSError{
			"none.example": {IsNotFound: true}, "odd.example": {}, "slow.example": {IsTimeout: true},
		} {
			_, err := n.addresses(t.Context(), host)
			var dns *net.DNSError
			if !errors.As(err, &dns) || dns.IsNotFound != want.IsNotFound || dns.IsTimeout != want.IsTimeout || dns.Name != host {
				t.Errorf("%s: %#v", host, err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := n.addresses(ctx, "slower.example"); !errors.Is(err, context.DeadlineExceeded) || n.known.peek("slower.example").err != nil {
			t.Errorf("gave up: %v, remembered %v", err, n.known.peek("slower.example").err)
		}
	})
}

func TestNamesAreBounded(t *testing.T) {
	many := make([]netip.Addr, 1000)
	n := newAddressCache(func(context.Context, string) ([]netip.Addr, error) { return many, nil }, time.Second, time.Now)
	if addrs, err := n.addresses(t.Context(), "a.example"); err != nil || len(addrs) != maxNamesAddrs {
		t.Errorf("%d addresses, %v", len(addrs), err)
	}
	if n.known.maxKeys != maxNames || n.known.maxTotal < maxNames {
		t.Errorf("room for %d names, weight %d", n.known.maxKeys, n.known.maxTotal)
	}
}

// A name that was public is judged again when it is dialled. The memo holds the address, not the
// verdict.
func TestGuardJudgesWhatIsRemembered(t *testing.T) {
	w := webtest.Serve(t, map[string]string{"http://rebind.example/": "outside"})
	now := testClock
	lookups := 0
	f := newFetcher(t, w, func(o *Options) {
		o.Now = func() time.Time { return now }
		o.Resolve = func(context.Context, string) ([]netip.Addr, error) {
			lookups++
			if lookups > 1 {
				return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
			}
			return []netip.Addr{webtest.PublicAddr}, nil
		}
	})
	fetch := func() error {
		f.Close() // or the page came over the connection that is kept
		_, err := f.Fetch(t.Context(), crawler.Request{URL: "http://rebind.example/"})
		return err
	}
	if err := fetch(); err != nil || lookups != 1 {
		t.Errorf("as it was: %v, %d lookups", err, lookups)
	}
	now = now.Add(nameTTL)
	if err := fetch(); !errors.Is(err, ErrPrivateAddress) || lookups != 2 {
		t.Errorf("rebound: %v, %d lookups", err, lookups)
	}
	if err := fetch(); !errors.Is(err, ErrPrivateAddress) || lookups != 2 {
		t.Errorf("rebound, remembered: %v, %d lookups", err, lookups)
	}
	for _, dialled := range w.Dialled() {
		if dialled != "9.9.9.9:80" {
			t.Errorf("dialled %s", dialled)
		}
	}
}

func TestDialFirst(t *testing.T) {
	v4, v6 := netip.MustParseAddr("9.9.9.9"), netip.MustParseAddr("2620:fe::fe")
	for _, tt := range []struct {
		name   string
		v4, v6 time.Duration // until a connection comes; negative: until it is refused
		want   netip.Addr
		took   time.Duration
	}{
		{"the first one", time.Millisecond, time.Millisecond, v6, time.Millisecond},
		{"the first one is dead", 20 * time.Millisecond, time.Hour, v4, nextAddr + 20*time.Millisecond},
		{"the first one is refused", 20 * time.Millisecond, -5 * time.Millisecond, v4, 25 * time.Millisecond},
		{"the first one is slow", time.Hour, 600 * time.Millisecond, v6, 600 * time.Millisecond},
		{"both are refused", -10 * time.Millisecond, -10 * time.Millisecond, netip.Addr{}, 20 * time.Millisecond},
		{"both are dead", time.Hour, time.Hour, netip.Addr{}, time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				start, opened, closed := time.Now(), 0, 0
				c, err := dialFirst(ctx, []netip.Addr{v6, v4}, func(ctx context.Context, a netip.Addr) (net.Conn, error) {
					wait := tt.v4
					if a == v6 {
						wait = tt.v6
					}
					select {
					case <-time.After(max(wait, -wait)):
					case <-ctx.Done():
						return nil, ctx.Err()
					}
					if wait < 0 {
						return nil, errors.New("refused")
					}
					opened++
					return checkedConn{closing{&closed}, netip.AddrPortFrom(a, 80)}, nil
				})
				if took := time.Since(start); took != tt.took {
					t.Errorf("took %v, want %v", took, tt.took)
				}
				if (err == nil) != tt.want.IsValid() {
					t.Fatalf("got %v, %v", c, err)
				}
				if err == nil && ipOf(c.RemoteAddr()) != tt.want.String() {
					t.Errorf("connected to %s, want %s", c.RemoteAddr(), tt.want)
				}
				if err == nil && opened-closed != 1 {
					t.Errorf("%d connections opened, %d closed", opened, closed)
				}
			})
		})
	}
}

// closing is a connection that counts how often it is closed.
type closing struct{ n *int }

func (c closing) Close() error                   { *c.n++; return nil }
func (closing) Read([]byte) (int, error)         { return 0, net.ErrClosed }
func (closing) Write([]byte) (int, error)        { return 0, net.ErrClosed }
func (closing) LocalAddr() net.Addr              { return nil }
func (closing) RemoteAddr() net.Addr             { return nil }
func (closing) SetDeadline(time.Time) error      { return nil }
func (closing) SetReadDeadline(time.Time) error  { return nil }
func (closing) SetWriteDeadline(time.Time) error { return nil }

func TestAlternateFamilies(t *testing.T) {
	parse := func(all ...string) (addrs []netip.Addr) {
		for _, a := range all {
			addrs = append(addrs, netip.MustParseAddr(a))
		}
		return addrs
	}
	for _, tt := range []struct{ addrs, want []netip.Addr }{
		{nil, nil},
		{parse("1.1.1.1"), parse("1.1.1.1")},
		{parse("2a00::1", "2a00::2", "2a00::3", "1.1.1.1"), parse("2a00::1", "1.1.1.1", "2a00::2", "2a00::3")},
		{parse("1.1.1.1", "2a00::1", "1.1.1.2"), parse("1.1.1.1", "2a00::1", "1.1.1.2")},
	} {
		got := alternateFamilies(tt.addrs)
		if len(got) != len(tt.want) {
			t.Errorf("%v: %v", tt.addrs, got)
			continue
		}
		for i := range got {
			if got[i] != tt.want[i] {
				t.Errorf("%v: %v, want %v", tt.addrs, got, tt.want)
			}
		}
	}
}
