package worker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/cluster"
)

// How links arrive:
//
//	Consumer.Next (a goroutine per partition) → batches → Local.Push, then Ack
//
// A consumer asks for more messages only when its batch is acknowledged. So memory holds at most maxUncommitted
// messages, or one per partition.
const (
	maxUncommitted = 512             // messages in memory over all partitions
	maxCommit      = 8192            // number of links after which no more batches join a commit
	consumeWait    = 5 * time.Second // how long one call of Consumer.Next waits
)

// A batch is a set of messages of one partition. done is closed when they are committed.
type batch struct {
	messages []cluster.Message
	done     chan struct{}
}

// receiveLinks stores links from the queues until ctx ends.
func (w *Worker) receiveLinks(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	batches := make(chan batch)
	wg.Go(func() { w.consumeOwned(ctx, batches) })
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case b := <-batches:
			if err := w.storeBatches(ctx, b, batches); err != nil {
				return err
			}
		}
	}
}

// consumeOwned runs a consumer for each owned partition until ctx ends.
func (w *Worker) consumeOwned(ctx context.Context, batches chan<- batch) {
	var wg sync.WaitGroup
	defer wg.Wait()
	stops := map[int]context.CancelFunc{}
	defer func() {
		for _, stop := range stops {
			stop()
		}
	}()
	for {
		w.mu.Lock()
		own, changed := w.own, w.changed
		w.mu.Unlock()
		for n := range w.conf.Partitions {
			stop := stops[n]
			switch {
			case own.has(n) && stop == nil:
				var part context.Context
				part, stops[n] = context.WithCancel(ctx)
				wg.Go(func() { w.consumeQueue(part, n, batches) })
			case !own.has(n) && stop != nil:
				stop()
				delete(stops, n)
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-changed:
		}
	}
}

// consumeQueue reads the queue of a partition until ctx ends.
func (w *Worker) consumeQueue(ctx context.Context, n int, batches chan<- batch) {
	for ctx.Err() == nil {
		c, err := w.o.Bus.Consume(ctx, n)
		if err == nil {
			err = w.drainQueue(ctx, n, c, batches)
			if e := c.Close(); err == nil {
				err = e
			}
		}
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			w.logError("receive links", err)
		}
		if crawler.WaitFor(ctx, heartbeatInterval(w.conf.Lease)) != nil {
			return
		}
	}
}

func (w *Worker) drainQueue(ctx context.Context, n int, c cluster.Consumer, batches chan<- batch) error {
	for {
		w.mu.Lock()
		limit := max(1, min(maxUncommitted/max(1, w.own.count()), 64))
		w.mu.Unlock()
		messages, err := c.Next(ctx, limit, consumeWait)
		if err != nil {
			return err
		}
		if len(messages) == 0 {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			continue
		}
		for _, m := range messages {
			if name, ok := cluster.UnpackState(m.Data); ok {
				if err := w.importState(ctx, n, name); err != nil {
					return err
				}
			}
		}
		b := batch{messages, make(chan struct{})}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case batches <- b:
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-b.done:
		}
	}
}

// storeBatches stores a batch, together with others that are ready, in one commit and acknowledges them.
func (w *Worker) storeBatches(ctx context.Context, b batch, more <-chan batch) error {
	all := []batch{b}
	links := w.decodeLinks(nil, b)
	for full := false; !full && len(links) < maxCommit; {
		select {
		case b := <-more:
			all = append(all, b)
			links = w.decodeLinks(links, b)
		default:
			full = true
		}
	}
	w.recordNewLinks()
	err := w.o.Local.Push(ctx, links)
	w.recordNewLinks()
	if err != nil {
		return err
	}
	w.taken.Add(uint64(len(links)))
	acknowledge := w.ensureNotShownIdle(ctx)
	for _, b := range all {
		for _, m := range b.messages {
			if !acknowledge {
				break
			}
			if err := m.Ack(); err != nil {
				w.logError("acknowledge links, which will be delivered again", err)
			}
		}
		close(b.done)
	}
	return nil
}

// importState imports the state from a crawler that lost the partition, and deletes the object from the
// bus. If the object is missing, it was imported before. If it cannot be read, this is logged and the
// object is dropped; then only the record of fetched pages is lost, because the links are sent too.
func (w *Worker) importState(ctx context.Context, n int, name string) error {
	f, err := w.fetchState(ctx, name)
	if errors.Is(err, cluster.ErrNoKey) {
		return nil
	}
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	w.recordNewLinks()
	err = w.o.Local.Import(ctx, f)
	w.recordNewLinks()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		w.logError(fmt.Sprintf("import the state of partition %d from another crawler", n), err)
	default:
		w.adopted.Add(1)
	}
	return w.o.Bus.DeleteObject(ctx, name)
}

// fetchState returns an open temporary file with the contents of an object. The caller deletes it.
func (w *Worker) fetchState(ctx context.Context, name string) (*os.File, error) {
	r, err := w.o.Bus.GetObject(ctx, name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	f, err := os.CreateTemp("", stateFiles)
	if err != nil {
		return nil, err
	}
	if _, err = io.Copy(f, r); err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	return f, nil
}

// decodeLinks appends the links of a batch. Unreadable messages are dropped, because they would be delivered
// again forever.
func (w *Worker) decodeLinks(links []crawler.Candidate, b batch) []crawler.Candidate {
	for _, m := range b.messages {
		if _, ok := cluster.UnpackState(m.Data); ok {
			continue // already imported by importState
		}
		cs, err := cluster.UnpackLinks(m.Data)
		if err != nil {
			w.logError("links from another crawler cannot be read and are left out", err)
		}
		links = append(links, cs...)
	}
	return links
}

// ensureNotShownIdle makes sure that the bucket does not show this crawler as idle from before the last commit. A
// manager that finds all crawlers idle and no unacknowledged message ends the crawl. If ensureNotShownIdle returns
// false, no message may be acknowledged.
func (w *Worker) ensureNotShownIdle(ctx context.Context) bool {
	if w.lockHeartbeat(ctx) != nil {
		return false
	}
	idle := w.idle
	w.unlockHeartbeat()
	if !idle {
		return true
	}
	if err := w.sendHeartbeat(ctx); err != nil {
		return false
	}
	if w.lockHeartbeat(ctx) != nil {
		return false
	}
	defer w.unlockHeartbeat()
	return !w.idle || w.isIdle()
}

// servePages answers requests for pages recorded here until ctx ends.
func (w *Worker) servePages(ctx context.Context) error {
	for {
		err := w.o.Bus.Serve(ctx, cluster.PageQuestion+w.o.Name, w.answerPage)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			w.logError("serve pages", err)
		}
		if err := crawler.WaitFor(ctx, heartbeatInterval(w.conf.Lease)); err != nil {
			return err
		}
	}
}

// maxURL is the largest length of a URL in a request, in bytes.
const maxURL = 8 << 10

// answerPage sends the recorded page with the URL in question. If the page is not recorded here, it sends
// nothing and returns nil.
func (w *Worker) answerPage(ctx context.Context, question []byte, part func([]byte) error) error {
	if w.o.Page == nil || len(question) > maxURL {
		return nil
	}
	if err := w.o.Page(ctx, string(question), part); !errors.Is(err, cluster.ErrNoPage) {
		return err
	}
	return nil
}
