package worker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"
	"strconv"
	"sync/atomic"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/webgraph"

	"golang.org/x/sync/errgroup"
)

// maxMoves is the number of partitions that move at the same time.
const maxMoves = 4

// movePartitions takes over and hands over partitions until ctx ends.
func (w *Worker) movePartitions(ctx context.Context) error {
	for {
		changed, committed := w.changeChannel(), w.o.Local.Changed()
		waits, err := w.advancePartitions(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			w.logError("take over or hand over partitions", err)
			if err := crawler.WaitFor(ctx, heartbeatInterval(w.conf.Lease)); err != nil {
				return err
			}
			continue
		}
		if !waits {
			committed = nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		case <-committed:
		}
	}
}

// advancePartitions moves every partition one step further. It reports whether some steps wait for leased links.
// Each step may be repeated.
func (w *Worker) advancePartitions(ctx context.Context) (waits bool, err error) {
	if !w.updateOwned() {
		return false, nil
	}
	var waiting atomic.Bool
	g := errgroup.Group{}
	g.SetLimit(maxMoves)
	for n := range w.conf.Partitions {
		step := w.nextStep(n)
		if step == nil {
			continue
		}
		g.Go(func() error {
			err := step(ctx)
			if errors.Is(err, errLeased) {
				waiting.Store(true)
				return nil
			}
			if errors.Is(err, cluster.ErrConflict) {
				return nil // the watch brings its current value
			}
			return err
		})
	}
	err = g.Wait()
	w.updateOwned()
	return waiting.Load(), err
}

// errLeased means that a step waits for leased links.
var errLeased = errors.New("links of these hosts are being fetched")

// nextStep returns the next step for partition n, nil if there is none.
func (w *Worker) nextStep(n int) func(context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	p, h, wanted := w.seen.parts[n], w.holdings[n], w.isWanted(n)
	mine := p.Owner == w.o.Name
	m := partitionMove{w, n, p, h}
	switch {
	case p.Lost > h.Seen:
		return m.resendLinks
	case h.Phase == left && mine && p.Token == h.Token:
		return m.handOver
	case h.Phase == left && p.Lost != h.Token+1:
		return m.forgetPartition
	case w.isOwned(n) && !wanted:
		return m.releasePartition
	case w.isOwned(n) && h.State != "":
		return m.deleteState
	case w.isOwned(n):
		return nil
	case h.Phase == taking && h.Token == p.Token+1 && (mine || p.Owner == "" && wanted):
		return m.claimPartition
	case h.Phase != away:
		return m.forfeitPartition
	case mine:
		return m.recordLoss
	case p.Owner == "" && wanted:
		return m.adoptPartition
	}
	return nil
}

// A partitionMove is the data for one step of moving a partition.
type partitionMove struct {
	w *Worker
	n int
	p cluster.PartEntry
	h partitionRecord
}

func (m partitionMove) contains(h webgraph.Host) bool {
	return cluster.PartitionOf(h, m.w.conf.Partitions) == m.n
}

// writePart writes the entry of the partition. It returns ErrConflict if another process changed it.
func (m partitionMove) writePart(ctx context.Context, p cluster.Part) error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	rev, err := m.w.o.Bus.Set(ctx, cluster.PartKey(m.n), data, m.p.Revision)
	if err != nil {
		return err
	}
	return m.w.applyEntry(cluster.Entry{Key: cluster.PartKey(m.n), Value: data, Revision: rev})
}

// resendLinks puts all links that were ever sent to the partition back into the outbox.
func (m partitionMove) resendLinks(ctx context.Context) error {
	h := m.h
	h.Seen = m.p.Lost
	m.w.recordNewLinks()
	defer m.w.recordNewLinks()
	n, err := m.w.o.Local.Resend(ctx, m.contains, h.encodeNote(m.n))
	if err != nil {
		return err
	}
	m.w.resent.Add(uint64(n))
	m.w.setPartitionRecord(m.n, h)
	return nil
}

// releasePartition writes the state of the partition as an object and gives up the ownership. It waits until none
// of its links is leased.
func (m partitionMove) releasePartition(ctx context.Context) error {
	if m.w.o.Local.CountOutstanding(m.contains) > 0 {
		return errLeased
	}
	name := "state." + strconv.Itoa(m.n) + "." + strconv.FormatUint(m.p.Token, 10)
	if err := m.exportState(ctx, name); err != nil {
		return err
	}
	h := partitionRecord{Phase: left, Token: m.p.Token, State: name, Seen: m.h.Seen}
	if err := m.w.commitPartitionRecord(ctx, m.n, h); err != nil {
		return err
	}
	m.h = h
	return m.handOver(ctx)
}

const stateFiles = "eventseer-*.state" // pattern for names in the folder of temporary files

// exportState writes the state of the partition as an object. It uses a temporary file, because the frontier's
// database file cannot grow while it is read, and the bus may be slow.
func (m partitionMove) exportState(ctx context.Context, name string) error {
	f, err := os.CreateTemp("", stateFiles)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if err := m.w.o.Local.Export(ctx, m.contains, f); err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return m.w.o.Bus.PutObject(ctx, name, f)
}

// handOver writes to the bucket that the partition has no owner and where its state is.
func (m partitionMove) handOver(ctx context.Context) error {
	p := m.p.Part
	p.Owner, p.State, p.Token = "", m.h.State, p.Token+1
	err := m.writePart(ctx, p)
	if err == nil {
		m.w.handedOver.Add(1)
	}
	return err
}

// forgetPartition deletes a handed-over partition from the frontier.
func (m partitionMove) forgetPartition(ctx context.Context) error {
	if err := m.w.o.Local.MarkSent(ctx, m.contains); err != nil {
		return err
	}
	return m.w.commitPartitionRecord(ctx, m.n, partitionRecord{Seen: m.h.Seen})
}

// forfeitPartition gives up a partition that was taken away from this crawler. It sends its state, so that the new
// owner does not fetch pages again. It also sends the waiting links as links, because the crawler that
// imports the state may have lost the partition as well.
func (m partitionMove) forfeitPartition(ctx context.Context) error {
	if m.w.o.Local.CountOutstanding(m.contains) > 0 {
		return errLeased
	}
	m.w.recordNewLinks()
	defer m.w.recordNewLinks()
	if err := m.sendState(ctx); err != nil {
		return err
	}
	if err := m.w.o.Local.MoveToOutbox(ctx, m.contains); err != nil {
		return err
	}
	return m.w.commitPartitionRecord(ctx, m.n, partitionRecord{Seen: m.h.Seen})
}

// sendState sends the state of the partition to its owner. The name of the object is the same if it is
// sent again after a crash.
func (m partitionMove) sendState(ctx context.Context) error {
	name := m.h.State
	if m.h.Phase != left {
		name = "late." + strconv.Itoa(m.n) + "." + m.w.disk + "." + strconv.FormatUint(m.h.Token, 10)
		if err := m.exportState(ctx, name); err != nil {
			return err
		}
	}
	data, err := cluster.PackState(name)
	if err != nil {
		return err
	}
	return m.w.o.Bus.Publish(ctx, m.n, name, data)
}

// claimPartition makes this crawler the owner of the partition.
func (m partitionMove) claimPartition(ctx context.Context) error {
	if !m.w.ensureNotShownIdle(ctx) {
		return errors.New("the bucket still shows this crawler as idle")
	}
	p := m.p.Part
	p.Owner, p.State, p.Token = m.w.o.Name, "", m.h.Token
	return m.writePart(ctx, p)
}

// deleteState deletes the object whose state was imported.
func (m partitionMove) deleteState(ctx context.Context) error {
	if err := m.w.o.Bus.DeleteObject(ctx, m.h.State); err != nil {
		return err
	}
	h := m.h
	h.State = ""
	return m.w.commitPartitionRecord(ctx, m.n, h)
}

// recordLoss records that this crawler owns a partition without having its state, so that all crawlers resend
// its links.
func (m partitionMove) recordLoss(ctx context.Context) error {
	p := m.p.Part
	p.Owner, p.State, p.Token = m.w.o.Name, "", p.Token+1
	p.Lost = p.Token
	h := partitionRecord{Phase: taking, Token: p.Token, Seen: m.h.Seen}
	if err := m.writePart(ctx, p); err != nil {
		return err
	}
	m.w.o.Log.Warn("the state of a partition is lost; all crawlers send its links again", "crawler", m.w.o.Name, "partition", m.n)
	return m.w.commitPartitionRecord(ctx, m.n, h)
}

// adoptPartition imports the state that the last owner wrote and makes this crawler the owner of the partition.
func (m partitionMove) adoptPartition(ctx context.Context) error {
	h := partitionRecord{Phase: taking, Token: m.p.Token + 1, State: m.p.State, Seen: m.h.Seen}
	if m.p.State == "" {
		if err := m.w.commitPartitionRecord(ctx, m.n, h); err != nil {
			return err
		}
	} else {
		r, err := m.w.o.Bus.GetObject(ctx, m.p.State)
		if errors.Is(err, cluster.ErrNoKey) {
			return m.recordLoss(ctx)
		}
		if err != nil {
			return err
		}
		m.w.recordNewLinks()
		err = m.w.o.Local.Import(ctx, r, h.encodeNote(m.n))
		m.w.recordNewLinks()
		if err = errors.Join(err, r.Close()); err != nil {
			return err
		}
		m.w.setPartitionRecord(m.n, h)
		m.w.adopted.Add(1)
	}
	m.h = h
	return m.claimPartition(ctx)
}

// A partSet is a set of partitions.
type partSet [cluster.MaxPartitions / 64]uint64

func (s *partSet) has(n int) bool { return s[n/64]>>(n%64)&1 == 1 }

func (s *partSet) add(n int) { s[n/64] |= 1 << (n % 64) }

func (s *partSet) count() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// hostFilter returns a function that reports whether a host belongs to the set, where n is the number of
// partitions. Later changes of the set do not affect it.
func (s *partSet) hostFilter(n int) func(webgraph.Host) bool {
	set := *s
	return func(h webgraph.Host) bool { return set.has(cluster.PartitionOf(h, n)) }
}

// updateOwned makes the frontier lease links of the partitions that this crawler owns and is to keep. It
// reports whether this crawler may take part in the crawl.
func (w *Worker) updateOwned() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.seen.ready || !w.joined || w.isFenced() {
		return false
	}
	var own partSet
	for n := range w.conf.Partitions {
		if w.isOwned(n) && w.isWanted(n) {
			own.add(n)
		}
	}
	w.leaseOnly(own)
	return true
}

// dropDisownedPartitions stops the frontier from leasing links of partitions that were taken away. Otherwise each such link
// would be leased and given back in a tight loop. w.mu must be held.
func (w *Worker) dropDisownedPartitions() {
	var own partSet
	for n := range w.conf.Partitions {
		if w.own.has(n) && w.seen.parts[n].Owner == w.o.Name {
			own.add(n)
		}
	}
	w.leaseOnly(own)
}

// leaseOnly makes the frontier lease links of the given partitions only. w.mu must be held.
func (w *Worker) leaseOnly(own partSet) {
	if own == w.own {
		return
	}
	w.own = own
	w.recordNewLinks()
	w.o.Local.SetOwned(own.hostFilter(w.conf.Partitions))
	w.recordNewLinks()
	w.notifyChange()
}

// isOwned reports whether this crawler owns partition n and has all of its state. w.mu must be held.
func (w *Worker) isOwned(n int) bool {
	p, h := w.seen.parts[n], w.holdings[n]
	return p.Owner == w.o.Name && h.Phase == taking && h.Token == p.Token
}

// isWanted reports whether a partition is to be owned. w.mu is held.
func (w *Worker) isWanted(n int) bool { return w.seen.parts[n].Next == w.o.Name && !w.seen.drain }

// A partitionRecord is what a frontier has recorded about a partition.
type partitionRecord struct {
	Phase phase  `json:"phase,omitempty"`
	Token uint64 `json:"token,omitempty"`
	// State is the name of the object with the partition's state in phase left. In other phases it is an
	// object to be deleted.
	State string `json:"state,omitempty"`
	// Seen is the value of Part.Lost for which the links were sent again.
	Seen uint64 `json:"seen,omitempty"`
}

// A phase is the progress of moving a partition to or from this crawler.
type phase string

// The phases.
const (
	away   phase = ""       // only links sent to other owners are here
	taking phase = "taking" // the whole state is here; the bucket has Token or is about to get it
	left   phase = "left"   // the whole state is in the object; the bucket has Token+1 or is about to get it
)

const holdingPrefix = notePrefix + "part/"

func (h partitionRecord) encodeNote(n int) crawler.Note {
	value, err := json.Marshal(h)
	if err != nil {
		panic(err) // strings and numbers only
	}
	return crawler.Note{Key: fmt.Sprintf("%s%04d", holdingPrefix, n), Value: value}
}

func readPartitionRecord(number string, value []byte) (n int, h partitionRecord, err error) {
	n, err = strconv.Atoi(number)
	if err == nil && (n < 0 || n >= cluster.MaxPartitions) {
		err = fmt.Errorf("partition %d cannot be", n)
	}
	if err == nil {
		err = json.Unmarshal(value, &h)
	}
	if err != nil {
		err = fmt.Errorf("store the note %s%s in the frontier: %w", holdingPrefix, number, err)
	}
	return n, h, err
}

// commitPartitionRecord records a holding.
func (w *Worker) commitPartitionRecord(ctx context.Context, n int, h partitionRecord) error {
	if err := w.storeNotes(ctx, h.encodeNote(n)); err != nil {
		return err
	}
	w.setPartitionRecord(n, h)
	return nil
}

// setPartitionRecord stores a holding, which the frontier has recorded, in memory.
func (w *Worker) setPartitionRecord(n int, h partitionRecord) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.holdings[n] = h
	w.notifyChange()
}

// recordNextTokens records the next token for every owned partition, so that they can be claimed again. Another
// crawler that is about to take one finds its entry changed.
func (w *Worker) recordNextTokens(ctx context.Context) error {
	w.mu.Lock()
	next := map[int]partitionRecord{}
	var notes []crawler.Note
	for n := range w.conf.Partitions {
		p, h := w.seen.parts[n], w.holdings[n]
		if h.Phase == taking && p.Owner == w.o.Name && p.Token == h.Token {
			h.Token++
			next[n] = h
			notes = append(notes, h.encodeNote(n))
		}
	}
	w.mu.Unlock()
	if err := w.storeNotes(ctx, notes...); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for n, h := range next {
		w.holdings[n] = h
	}
	return nil
}
