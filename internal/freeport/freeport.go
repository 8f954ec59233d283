// Package freeport returns addresses for test servers that must keep them while they are down.
package freeport

import (
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"testing"
)

// first and after limit the ports. They are below those that Linux assigns to connections and to port 0
// (32768 to 60999), which another process could get while a server restarts. Each process begins at a
// different port and uses none twice.
const first, after, perProcess = 20_000, 32_768, 64

var taken atomic.Int64

// Addr returns a free port of ip, as host:port.
func Addr(t testing.TB, ip string) string {
	t.Helper()
	var err error
	for range 100 {
		var l net.Listener
		port := first + (int64(os.Getpid())*perProcess+taken.Add(1))%(after-first)
		addr := net.JoinHostPort(ip, fmt.Sprint(port))
		if l, err = net.Listen("tcp", addr); err == nil {
			_ = l.Close()
			return addr
		}
	}
	t.Fatalf("no free port at %s: %v", ip, err)
	panic("unreachable")
}
