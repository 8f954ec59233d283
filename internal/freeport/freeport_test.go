package freeport

import (
	"net"
	"testing"
)

func TestAddr(t *testing.T) {
	seen := map[string]bool{}
	for range 20 {
		addr := Addr(t, "127.0.0.1")
		if seen[addr] {
			t.Fatalf("%s is taken", addr)
		}
		seen[addr] = true
		l, err := net.Listen("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
	}
}
