package ui

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// BenchmarkHome serves the home page of 1,000 calls over loopback, and a bare handler the same
// bytes. It reports the ratio of their requests a second.
func BenchmarkHome(b *testing.B) {
	o, _ := realWorld(b, 1000)
	o.Now = time.Now
	home := newUI(o)
	body := ask(b, home, "/").Body.Bytes()
	bare := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(body)
	})
	var bareTime, homeTime time.Duration
	b.Run("bare", func(b *testing.B) { bareTime = serveLoopback(b, bare, len(body)) })
	b.Run("home", func(b *testing.B) {
		homeTime = serveLoopback(b, home, len(body))
		if homeTime > 0 {
			b.ReportMetric(float64(bareTime)/float64(homeTime), "of-bare")
		}
	})
}

// serveLoopback requests "/" with 16 clients per core and returns the time per request.
func serveLoopback(b *testing.B, h http.Handler, size int) time.Duration {
	b.Helper()
	var listen net.ListenConfig
	l, err := listen.Listen(b.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second}
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	transport := &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}
	client := &http.Client{Transport: transport}
	url := "http://" + l.Addr().String() + "/"
	b.SetParallelism(16)
	b.SetBytes(int64(size))
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if n, err := fetchLength(b.Context(), client, url); err != nil || n < int64(size)*9/10 {
				b.Errorf("%d bytes, %v", n, err)
				return
			}
		}
	})
	b.StopTimer()
	each := b.Elapsed() / time.Duration(b.N)
	transport.CloseIdleConnections()
	if err := server.Close(); err != nil {
		b.Error(err)
	}
	<-done
	return each
}

func fetchLength(ctx context.Context, client *http.Client, url string) (int64, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	answer, err := client.Do(r)
	if err != nil {
		return 0, err
	}
	n, err := io.Copy(io.Discard, answer.Body)
	return n, errCloseAfter(answer.Body, err)
}

func errCloseAfter(c io.Closer, err error) error {
	if e := c.Close(); err == nil {
		return e
	}
	return err
}
