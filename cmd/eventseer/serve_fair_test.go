package main

import (
	"io"
	"net"
	"testing"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/serve"
)

// A farConn is a connection of a remote client.
type farConn struct {
	net.Conn
	from net.Addr
}

func (c farConn) RemoteAddr() net.Addr { return c.from }

// One address, or one network of IPv6, has a limited share of all connections. Proxies have as many
// as they want, and closed ones do not count.
func TestOneAddressHasNotAll(t *testing.T) {
	t.Parallel()
	far := newPipeListener()
	l := serve.NewFairListener(far, []string{"203.0.113.9", "2001:db8:5::/48", "nonsense"})
	accepted := make(chan net.Conn)
	go func() {
		defer close(accepted)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			accepted <- c
		}
	}()
	// enters reports whether a client is admitted.
	enters := func(address string) net.Conn {
		t.Helper()
		from, err := net.ResolveTCPAddr("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		client, server := net.Pipe()
		far.conns <- farConn{server, from}
		closed := make(chan struct{})
		go func() {
			_, _ = io.Copy(io.Discard, client) // until it is hung up
			close(closed)
		}()
		select {
		case c := <-accepted:
			return c
		case <-closed:
			return nil
		}
	}
	for _, tt := range []struct {
		name     string
		of       func(i int) string
		counted  bool
		another  string // not of the same
		together string // for the same one; "" if there is none
	}{
		{"IPv4", func(int) string { return "198.51.100.7:1" }, true, "198.51.100.8:1", "[::ffff:198.51.100.7]:9"},
		{"IPv6", func(i int) string { return "[2a00:1:2:3::" + string("0123456789abcdef"[i%16]) + "]:1" }, true, "[2a00:1:2:4::1]:1", "[2a00:1:2:3:ffff::1]:9"},
		{"a proxy", func(int) string { return "203.0.113.9:1" }, false, "203.0.113.8:1", ""},
		{"a network of proxies", func(int) string { return "[2001:db8:5:7::1]:1" }, false, "[2001:db8:6::1]:1", ""},
		{"this machine", func(int) string { return "127.0.0.1:1" }, false, "[::1]:1", ""},
		{"its network", func(int) string { return "192.168.1.1:1" }, false, "10.0.0.1:1", ""},
	} {
		var open []net.Conn
		for i := range serve.MaxOfAddress {
			c := enters(tt.of(i))
			if c == nil {
				t.Fatalf("%s: connection %d is hung up on", tt.name, i)
			}
			open = append(open, c)
		}
		if c := enters(tt.of(0)); (c == nil) != tt.counted {
			t.Errorf("%s: connection %d is let in: %v", tt.name, serve.MaxOfAddress, c != nil)
		}
		if c := enters(tt.another); c == nil {
			t.Errorf("%s: another address is hung up on", tt.name)
		}
		if tt.together != "" && enters(tt.together) != nil {
			t.Errorf("%s: %s is let in beside", tt.name, tt.together)
		}
		for range 2 { // closing twice counts once
			_ = open[0].Close()
		}
		if enters(tt.of(0)) == nil || tt.counted && enters(tt.of(0)) != nil {
			t.Errorf("%s: after one is closed there is not room for one", tt.name)
		}
		for _, c := range open {
			_ = c.Close()
		}
	}
	_ = far.Close()
	<-accepted
	l.Mu.Lock()
	defer l.Mu.Unlock()
	if len(l.Open) > 6 {
		t.Errorf("%d addresses are remembered", len(l.Open))
	}
}
