package fetch

import (
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// A watched body fails when no byte came for some time, and hands its connection
// back when it is closed.
type watched struct {
	io.ReadCloser
	conn    *conn
	timeout time.Duration
	timer   *time.Timer // closes the connection
	slow    atomic.Bool // time was over
	drains  bool        // what is left is worth reading, to keep the connection
	release func()
}

func newWatched(resp *http.Response, c *conn, p *pool) *watched {
	w := &watched{
		ReadCloser: resp.Body, conn: c, timeout: p.bodyTimeout,
		// HTTP/2 gives up a stream and keeps its connection.
		drains:  resp.ProtoMajor == 1 && resp.ContentLength <= maxDrain,
		release: sync.OnceFunc(func() { p.put(c) }),
	}
	w.timer = time.AfterFunc(w.timeout, func() {
		w.slow.Store(true)
		c.Close()
	})
	return w
}

// Read reads from one goroutine at a time.
func (w *watched) Read(p []byte) (int, error) {
	n, err := w.ReadCloser.Read(p)
	if err != nil {
		w.drains = false
	}
	if w.timer.Stop() {
		w.timer.Reset(w.timeout)
	} else if w.slow.Load() {
		err = errSlow
	}
	return n, err
}

// Close gives the connection back, in a state to be used again if that costs
// little.
func (w *watched) Close() error {
	w.timer.Stop()
	if w.drains {
		w.drains = false
		_ = w.conn.net.SetReadDeadline(time.Now().Add(drainTime))
		_, _ = io.CopyN(io.Discard, w.ReadCloser, maxDrain)
		_ = w.conn.net.SetReadDeadline(time.Time{})
	}
	err := w.ReadCloser.Close()
	w.release()
	return err
}
