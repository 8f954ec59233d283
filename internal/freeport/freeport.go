// Package freeport has addresses for servers of tests that must keep them while they
// are down.
package freeport

import (
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"testing"
)

// first and after bound the ports. They lie below those that Linux gives to connections and to port
// 0 (32768 to 60999), which another process could take while a server restarts. Each process begins
// at a place of its own and takes none twice.
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
