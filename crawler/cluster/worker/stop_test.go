package worker

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/crawler/cluster/clustertest"
)

// A lastCall is an end of the bus at which every call ends the crawler's context and then fails. A
// crawler that is stopped while it is cut off sees this.
type lastCall struct {
	*clustertest.End
	stop context.CancelFunc
}

func (b lastCall) fail() error {
	b.stop()
	return clustertest.ErrCut
}

func (b lastCall) Get(context.Context, string) (cluster.Entry, error) {
	return cluster.Entry{}, b.fail()
}

func (b lastCall) Set(context.Context, string, []byte, uint64) (uint64, error) { return 0, b.fail() }

func (b lastCall) Watch(context.Context) (<-chan cluster.Entry, error) { return nil, b.fail() }

func (b lastCall) Publish(context.Context, int, string, []byte) error { return b.fail() }

func (b lastCall) Consume(context.Context, int) (cluster.Consumer, error) { return nil, b.fail() }

func (b lastCall) PutObject(context.Context, string, io.Reader) error { return b.fail() }

func (b lastCall) Serve(context.Context, string, func(context.Context, []byte, func([]byte) error) error) error {
	return b.fail()
}

// Each part of a crawler is stopped while its call of the bus fails. It returns the error of its
// context, so that Run returns nil.
func TestStoppedWhileCutOff(t *testing.T) {
	for name, part := range map[string]func(*Worker, context.Context) error{
		"watch": (*Worker).watchBucket, "beat": (*Worker).sendHeartbeats, "keep": (*Worker).movePartitions, "receive": (*Worker).receiveLinks,
		"send": (*Worker).sendOutbox, "serve": (*Worker).servePages, "await the end": (*Worker).awaitEnd, "run": (*Worker).Run,
	} {
		t.Run(name, func(t *testing.T) {
			virtually(t, func(t *testing.T) { stopWhileCutOff(t, name, part) })
		})
	}
}

func stopWhileCutOff(t *testing.T, name string, part func(*Worker, context.Context) error) {
	c := newCrew(t, 2, 5*time.Second, newWeb(10, 1))
	c.givePart(0, "a")
	f := c.open("a")
	defer f.Close()
	w, err := Join(t.Context(), c.options("a", f))
	if err != nil {
		t.Fatal(err)
	}
	w.markComplete(false)
	if name == "receive" {
		w.own.add(0)
	}
	if err := f.Push(t.Context(), []crawler.Candidate{{URL: c.web.url(0)}}); err != nil || f.OutboxLen() != 1 {
		t.Fatal(f.OutboxLen(), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	w.o.Bus = lastCall{c.bus.End("a"), cancel}
	ran := make(chan error, 1)
	go func() { ran <- part(w, ctx) }()
	if name == "await the end" {
		synctest.Wait()
		cancel()
	}
	want := context.Canceled
	if name == "run" {
		want = nil
	}
	if err := <-ran; !errors.Is(err, want) {
		t.Errorf("%v, want %v", err, want)
	}
}
