package main

import (
	"bufio"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/serve"
)

// A pipeListener accepts clients without a network, so that the test controls the time.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
}

func newPipeListener() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn), done: make(chan struct{})}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error   { close(l.done); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

func (l *pipeListener) dial() net.Conn {
	client, server := net.Pipe()
	l.conns <- server
	return client
}

// dribble sends a text at once, and then a byte each second until the server has had
// enough. It returns the answer.
func dribble(c net.Conn, text, drop string) string {
	answer := make(chan string)
	go func() {
		said, _ := io.ReadAll(c) // until it is hung up
		answer <- string(said)
	}()
	if _, err := io.WriteString(c, text); err == nil && drop != "" {
		for err == nil {
			time.Sleep(time.Second)
			_, err = io.WriteString(c, drop)
		}
	}
	return <-answer
}

// Clients that send, or read, a byte now and then are hung up on within the limits.
func TestSlowClients(t *testing.T) {
	t.Parallel()
	handler := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/long" {
			_, err := w.Write(make([]byte, 1<<20))
			for err == nil {
				_, err = w.Write(make([]byte, 1<<20))
			}
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil && len(body) > 0 {
			http.Error(w, "too slow", http.StatusRequestTimeout)
		}
	}
	for _, tt := range []struct {
		name, text, drop string
		least, most      time.Duration // until it is hung up
		want             string        // in the answer
	}{
		{"silent", "", "", admin.ReadHeaderTimeout, admin.ReadHeaderTimeout, ""},
		{"a header in drops", "GET / HTTP/1.1\r\nHost: a.example\r\nX: ", "x", admin.ReadHeaderTimeout, admin.ReadHeaderTimeout + time.Second, ""},
		{"headers in drops", "GET / HTTP/1.1\r\nHost: a.example\r\n", "X: x\r\n", admin.ReadHeaderTimeout, admin.ReadHeaderTimeout + time.Second, ""},
		{"the first line in drops", "G", "E", admin.ReadHeaderTimeout, admin.ReadHeaderTimeout + time.Second, ""},
		{"a body in drops", "POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 100000\r\n\r\n", "x", serve.ReadTimeout, serve.ReadTimeout + 2*time.Second, "408"},
		{"pieces of a body in drops", "POST / HTTP/1.1\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n", serve.ReadTimeout, serve.ReadTimeout + 2*time.Second, "408"},
		{"a long header", "GET / HTTP/1.1\r\nHost: a.example\r\nX: " + strings.Repeat("x", admin.MaxHeaderBytes+8<<10), "x", 0, 2 * time.Second, "431"},
		{"many headers", "GET / HTTP/1.1\r\nHost: a.example\r\n" + strings.Repeat("X: y\r\n", admin.MaxHeaderBytes/4), "x", 0, 2 * time.Second, "431"},
		{"nothing after the first answer", "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n", "", serve.IdleTimeout, serve.IdleTimeout, "200"},
		{"two lengths", "POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx", "", 0, 2 * time.Second, "400"},
		{"a length and pieces", "POST / HTTP/1.1\r\nHost: a.example\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG", "", 0, serve.IdleTimeout, "200"},
		{"a space before the colon", "GET / HTTP/1.1\r\nHost: a.example\r\nContent-Length : 4\r\n\r\n", "", 0, 2 * time.Second, "400"},
		{"two hosts", "GET / HTTP/1.1\r\nHost: a.example\r\nHost: b.example\r\n\r\n", "", 0, 2 * time.Second, "400"},
		{"no host", "GET / HTTP/1.1\r\n\r\n", "", 0, 2 * time.Second, "400"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newPipeListener()
				server := serve.NewServer(http.HandlerFunc(handler))
				server.ErrorLog = log.New(io.Discard, "", 0)
				go func() { _ = server.Serve(l) }() // until it is closed
				began := time.Now()
				got := dribble(l.dial(), tt.text, tt.drop)
				took := time.Since(began)
				if took < tt.least || took > tt.most || !strings.Contains(got, tt.want) || strings.Count(got, "HTTP/1.1 2") > 1 {
					t.Errorf("hung up after %s, want %s to %s; answer %q, want %q", took, tt.least, tt.most, got, tt.want)
				}
				if err := server.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
	t.Run("an answer that nobody reads", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := newPipeListener()
			ended := make(chan time.Time, 1)
			server := serve.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				r.URL.Path = "/long"
				handler(w, r)
				ended <- time.Now()
			}))
			go func() { _ = server.Serve(l) }()
			began := time.Now()
			c := l.dial()
			if _, err := io.WriteString(c, "GET /long HTTP/1.1\r\nHost: a.example\r\n\r\n"); err != nil {
				t.Fatal(err)
			}
			if _, err := bufio.NewReader(c).ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			if took := (<-ended).Sub(began); took > serve.WriteTimeout {
				t.Errorf("the handler was let go after %s, want %s", took, serve.WriteTimeout)
			}
			if err := server.Close(); err != nil {
				t.Error(err)
			}
		})
	})
}

// Two thousand clients that send a header drop by drop hold little each, and are gone
// after the limit.
func TestManySlowClients(t *testing.T) {
	const clients, mostEach = 2000, 4 * admin.MaxHeaderBytes // the header, read in pieces that double, and the stacks
	synctest.Test(t, func(t *testing.T) {
		l := newPipeListener()
		server := serve.NewServer(http.NotFoundHandler())
		go func() { _ = server.Serve(l) }()
		held := func() uint64 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			return m.HeapInuse + m.StackInuse
		}
		before := held()
		ended := make(chan error, clients)
		for range clients {
			c := l.dial()
			if _, err := io.WriteString(c, "GET / HTTP/1.1\r\nHost: a.example\r\nX: "+strings.Repeat("x", 20<<10)); err != nil {
				t.Fatal(err)
			}
			go func() {
				_, err := io.Copy(io.Discard, c)
				ended <- err
			}()
		}
		synctest.Wait()
		if each := (int64(held()) - int64(before)) / clients; each > mostEach {
			t.Errorf("each slow client holds %d bytes, at most %d are expected", each, mostEach)
		}
		began := time.Now()
		for range clients {
			if err := <-ended; err != nil && !errors.Is(err, io.ErrClosedPipe) {
				t.Error(err)
			}
		}
		if took := time.Since(began); took > admin.ReadHeaderTimeout {
			t.Errorf("the last was hung up on after %s", took)
		}
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
}
