package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/cluster"
)

// A bucketView is a crawler's view of the bucket.
type bucketView struct {
	ready bool // all entries that existed at the start were read
	conf  *cluster.Conf
	order cluster.Order
	drain bool
	parts map[int]cluster.PartEntry
	last  map[string]uint64 // revisions by key
}

func newBucketView() bucketView {
	return bucketView{parts: map[int]cluster.PartEntry{}, last: map[string]uint64{}}
}

// applyEntry updates the view with an entry. It reports whether the entry changes anything for the
// crawler with that name.
func (m *bucketView) applyEntry(e cluster.Entry, name string) (news bool, err error) {
	if e.Revision <= m.last[e.Key] {
		return false, nil
	}
	if err := cluster.CheckEntry(e); err != nil {
		return false, err // the previous value stays in use until a manager writes the entry again
	}
	number, isPart := strings.CutPrefix(e.Key, cluster.PartPrefix)
	switch {
	case e.Key == cluster.ConfKey:
		var c cluster.Conf
		if err := cluster.Decode(e, &c); err != nil {
			return false, err
		}
		m.conf = &c
	case e.Key == cluster.OrderKey:
		var o cluster.Order
		if err := cluster.Decode(e, &o); err != nil {
			return false, err
		}
		m.order = o
	case e.Key == cluster.DrainPrefix+name:
		m.drain = e.Value != nil
	case isPart:
		n, err := strconv.Atoi(number)
		if err != nil || n < 0 || n >= cluster.MaxPartitions {
			return false, fmt.Errorf("entry %s does not name a partition", e.Key)
		}
		var p cluster.Part
		if err := cluster.Decode(e, &p); err != nil {
			return false, err
		}
		m.parts[n] = cluster.PartEntry{Part: p, Revision: e.Revision}
	default:
		return false, nil
	}
	m.last[e.Key] = e.Revision
	return true, nil
}

// watchBucket updates the view with all changes of the bucket until ctx ends.
func (w *Worker) watchBucket(ctx context.Context) error {
	for {
		if err := w.watchOnce(ctx); err != nil {
			return err
		}
		if err := crawler.WaitFor(ctx, heartbeatInterval(w.conf.Lease)); err != nil {
			return err
		}
	}
}

// watchOnce runs one watch of the bucket. It returns nil if the watch must be started again.
func (w *Worker) watchOnce(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	entries, err := w.o.Bus.Watch(ctx)
	if err != nil {
		w.logError("watch the cluster", err)
		return ctx.Err()
	}
	drain, all := false, false
	for e := range entries {
		drain = drain || e.Key == cluster.DrainPrefix+w.o.Name
		if e.Key == "" && !all {
			all = true
			w.markComplete(drain)
			continue
		}
		if err := w.applyEntry(e); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// markComplete records that all existing entries were read, and whether a request to drain was among them.
func (w *Worker) markComplete(drain bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seen.ready = true
	w.seen.drain = w.seen.drain && drain
	w.notifyChange()
}

// applyEntry updates the view with an entry. It returns ErrVersion if the crawl was replaced by another
// version.
func (w *Worker) applyEntry(e cluster.Entry) error {
	if e.Key == cluster.WorkerPrefix+w.o.Name {
		w.checkOwnEntry(e)
		return nil
	}
	w.mu.Lock()
	news, err := w.seen.applyEntry(e, w.o.Name)
	if news {
		w.dropDisownedPartitions()
		w.cancelRequests(w.isDisowned)
		w.notifyChange()
	}
	conf := w.seen.conf
	w.mu.Unlock()
	if err != nil {
		w.logError("read the cluster's bucket", err)
	}
	if news && e.Key == cluster.ConfKey && conf != nil && conf.Version != w.conf.Version {
		return fmt.Errorf("%w: %s; this crawler has %s: start the crawler again", cluster.ErrVersion, conf.Version, w.conf.Version)
	}
	return nil
}

// checkOwnEntry requests a heartbeat if another process has changed this crawler's entry.
func (w *Worker) checkOwnEntry(e cluster.Entry) {
	b, err := decodeHeartbeat(e)
	w.mu.Lock()
	strange := err != nil || b.Revoked || b.Boot != w.boot
	w.mu.Unlock()
	if strange {
		w.requestHeartbeat()
	}
}

// decodeHeartbeat decodes the entry of a crawler. With an error it returns the zero Beat.
func decodeHeartbeat(e cluster.Entry) (b cluster.Beat, err error) {
	if err := cluster.CheckEntry(e); err != nil {
		return b, err
	}
	return b, cluster.Decode(e, &b)
}

// heartbeatInterval returns the interval between two heartbeats.
func heartbeatInterval(lease time.Duration) time.Duration {
	return max(200*time.Millisecond, min(lease/10, 10*time.Second))
}

// sendHeartbeats writes heartbeats until ctx ends or another process uses this crawler's name.
func (w *Worker) sendHeartbeats(ctx context.Context) error {
	t := time.NewTicker(heartbeatInterval(w.conf.Lease))
	defer t.Stop()
	for {
		if err := w.sendHeartbeat(ctx); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.C:
		case <-w.heartbeatWanted:
		}
	}
}

// sendHeartbeat writes one heartbeat. It returns ctx's error once ctx has ended, whatever the bus returns
// then, and errNameTaken. Any other error is only logged, because the next heartbeat may succeed.
func (w *Worker) sendHeartbeat(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, max(w.conf.Lease/5, heartbeatInterval(w.conf.Lease)))
	defer cancel()
	err := w.writeHeartbeat(limited)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil || errors.Is(err, errNameTaken):
		return err
	}
	w.logError("beat", err)
	return nil
}

// requestHeartbeat requests a heartbeat now.
func (w *Worker) requestHeartbeat() {
	select {
	case w.heartbeatWanted <- struct{}{}:
	default:
	}
}

var errNameTaken = errors.New("another process uses the name of this crawler")

// writeHeartbeat writes this crawler's heartbeat. It tries once more if only the response was lost, and joins the
// cluster again if the crawler was revoked.
func (w *Worker) writeHeartbeat(ctx context.Context) error {
	err := w.writeHeartbeatOnce(ctx)
	if !errors.Is(err, cluster.ErrConflict) {
		return err
	}
	e, err := w.o.Bus.Get(ctx, cluster.WorkerPrefix+w.o.Name)
	if err != nil && !errors.Is(err, cluster.ErrNoKey) {
		return err
	}
	b, err := decodeHeartbeat(e)
	if err != nil { // written by an unknown process: handled as if a manager had revoked it
		w.logError("read the own entry", err)
		b.Revoked = true
	}
	w.mu.Lock()
	boot := w.boot
	w.mu.Unlock()
	switch {
	case e.Value == nil || b.Revoked:
		w.cancelDisownedRequests()
		w.logError("beat", cluster.ErrRevoked)
		return w.writeFirstHeartbeat(ctx, e, b)
	case e.Value != nil && b.Boot != boot:
		w.cancelDisownedRequests()
		return fmt.Errorf("%w, %s, since %s", errNameTaken, w.o.Name, b.Started.Format(time.RFC3339))
	}
	if err := w.lockHeartbeat(ctx); err != nil {
		return err
	}
	w.rev = e.Revision
	w.unlockHeartbeat()
	return w.writeHeartbeatOnce(ctx)
}

// lockHeartbeat waits until no heartbeat is being written, which may take long, or ctx ends.
func (w *Worker) lockHeartbeat(ctx context.Context) error {
	select {
	case w.beating <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (w *Worker) unlockHeartbeat() { <-w.beating }

func (w *Worker) writeHeartbeatOnce(ctx context.Context) error {
	if err := w.lockHeartbeat(ctx); err != nil {
		return err
	}
	defer w.unlockHeartbeat()
	start := w.o.Now()
	b := w.nextHeartbeat(ctx)
	data, err := json.Marshal(b)
	if err != nil {
		return err
	}
	// If Set fails, its value may still have been written.
	w.idle = w.idle || b.Idle
	rev, err := w.o.Bus.Set(ctx, cluster.WorkerPrefix+w.o.Name, data, w.rev)
	if err != nil {
		return err
	}
	w.idle = b.Idle
	w.moveFence(start, rev)
	return nil
}

// moveFence sets the fence after the bucket has accepted the heartbeat begun at start. w.beating must be held.
func (w *Worker) moveFence(start time.Time, rev uint64) {
	w.rev = rev
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fence = start.Add(w.conf.Lease * 4 / 5)
	w.stopTimer()
	w.timer = time.AfterFunc(w.fence.Sub(w.o.Now()), w.enforceFence)
	if w.left {
		w.stopTimer()
	}
	w.joined = true
	w.notifyChange()
}

func (w *Worker) stopTimer() {
	if w.timer != nil {
		w.timer.Stop()
	}
}

// enforceFence cuts all requests if no heartbeat moved the fence.
func (w *Worker) enforceFence() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.isFenced() {
		w.cancelRequests(func(*activeRequest) bool { return true })
		w.notifyChange()
	}
}

// isFenced reports whether the fence has passed, by the monotonic clock or the wall clock: the monotonic
// clock stops while the machine sleeps. w.mu must be held.
func (w *Worker) isFenced() bool {
	now := w.o.Now()
	return !now.Before(w.fence) || !now.Round(0).Before(w.fence.Round(0))
}

// cancelDisownedRequests cuts all requests, because all partitions belong to others now.
func (w *Worker) cancelDisownedRequests() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.joined = false
	w.leaseOnly(partSet{})
	w.cancelRequests(func(*activeRequest) bool { return true })
	w.notifyChange()
}

// nextHeartbeat returns the next heartbeat. w.beating must be held.
func (w *Worker) nextHeartbeat(ctx context.Context) cluster.Beat {
	idle := w.isIdle()
	w.beats++
	b := cluster.Beat{Disk: w.disk, Version: w.conf.Version, Started: w.started, Beat: w.beats, Idle: idle, Counts: w.Counts(ctx)}
	w.mu.Lock()
	defer w.mu.Unlock()
	b.Boot, b.Error, b.Owned, b.Doing = w.boot, cutText(w.problem, 300), w.own.count(), w.currentTask()
	return b
}

// Counts returns the counters of this crawler.
func (w *Worker) Counts(ctx context.Context) (c cluster.Counts) {
	c.Progress, _ = w.o.Local.Progress(ctx) // an error of the frontier ends the crawl elsewhere
	if w.o.Counts != nil {
		w.o.Counts(&c)
	}
	c.Outbox, c.Traffic = w.o.Local.OutboxLen(), w.o.Bus.Traffic()
	c.LinksSent, c.LinksTaken, c.Events = w.sent.Load(), w.taken.Load(), w.events.Load()
	c.HandedOver, c.Adopted, c.Resent = w.handedOver.Load(), w.adopted.Load(), w.resent.Load()
	return c
}

// OwnedPartitions returns the number of partitions this crawler owns. If fenced is true, it makes no requests now,
// because the cluster has had no heartbeat from it for too long.
func (w *Worker) OwnedPartitions() (partitions int, fenced bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.own.count(), !w.joined || w.isFenced()
}

func cutText(s string, n int) string { return s[:min(len(s), n)] }

// currentTask returns one word that says what this crawler does. w.mu must be held.
func (w *Worker) currentTask() string {
	switch {
	case w.left:
		return cluster.Gone
	case w.seen.drain:
		return "draining"
	case w.seen.order.Do == "":
		return cluster.DoCrawl
	}
	return w.seen.order.Do
}

// isIdle reports whether no link waits or is leased here. A link that arrives afterwards is acknowledged
// only after a later heartbeat without Idle; see receive.
func (w *Worker) isIdle() bool {
	stirs := w.newLinkEvents.Load()
	w.mu.Lock()
	for n, h := range w.holdings {
		if h.Phase != away && !w.own.has(n) {
			w.mu.Unlock()
			return false // its links are being moved
		}
	}
	w.mu.Unlock()
	return w.drained.Load() == stirs+1 && w.o.Local.OutboxLen() == 0 && w.o.Local.CountOutstanding(allHosts) == 0 && w.newLinkEvents.Load() == stirs
}

// recordNewLinks records that new links may be waiting.
func (w *Worker) recordNewLinks() { w.newLinkEvents.Add(1) }
