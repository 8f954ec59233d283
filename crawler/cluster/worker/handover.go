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

// maxMoves is how many partitions are on the move at once.
const maxMoves = 4

// keepPartitions takes and hands over partitions until ctx ends.
func (w *Worker) keepPartitions(ctx context.Context) error {
	for {
		changed, committed := w.change(), w.o.Local.Changed()
		waits, err := w.makeTurn(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			w.tell("take or hand over partitions", err)
			if err := crawler.Pause(ctx, beatEvery(w.conf.Lease)); err != nil {
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

// makeTurn brings every partition one step further. It reports whether some wait for
// requests in hand. Each step may be repeated.
func (w *Worker) makeTurn(ctx context.Context) (waits bool, err error) {
	if !w.reown() {
		return false, nil
	}
	var waiting atomic.Bool
	g := errgroup.Group{}
	g.SetLimit(maxMoves)
	for n := range w.conf.Partitions {
		step := w.next(n)
		if step == nil {
			continue
		}
		g.Go(func() error {
			err := step(ctx)
			if errors.Is(err, errInHand) {
				waiting.Store(true)
				return nil
			}
			if errors.Is(err, cluster.ErrConflict) {
				return nil // the watch brings what it is now
			}
			return err
		})
	}
	err = g.Wait()
	w.reown()
	return waiting.Load(), err
}

// errInHand means that a step waits for requests in hand.
var errInHand = errors.New("hosts are in hand")

// next returns the next step for a partition, nil if there is none.
func (w *Worker) next(n int) func(context.Context) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	p, h, wanted := w.seen.parts[n], w.held[n], w.wanted(n)
	mine := p.Owner == w.o.Name
	m := move{w, n, p, h}
	switch {
	case p.Lost > h.Seen:
		return m.resend
	case h.Phase == left && mine && p.Token == h.Token:
		return m.handOver
	case h.Phase == left && p.Lost != h.Token+1:
		return m.forget
	case w.owned(n) && !wanted:
		return m.release
	case w.owned(n) && h.State != "":
		return m.clear
	case w.owned(n):
		return nil
	case h.Phase == taking && h.Token == p.Token+1 && (mine || p.Owner == "" && wanted):
		return m.claim
	case h.Phase != away:
		return m.forfeit
	case mine:
		return m.lose
	case p.Owner == "" && wanted:
		return m.adopt
	}
	return nil
}

// A move is a step of a partition.
type move struct {
	w *Worker
	n int
	p cluster.PartEntry
	h holding
}

func (m move) of(h webgraph.Host) bool { return cluster.PartitionOf(h, m.w.conf.Partitions) == m.n }

// put changes the entry of the partition if no other has.
func (m move) put(ctx context.Context, p cluster.Part) error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	rev, err := m.w.o.Bus.Set(ctx, cluster.PartKey(m.n), data, m.p.Revision)
	if err != nil {
		return err
	}
	return m.w.learn(cluster.Entry{Key: cluster.PartKey(m.n), Value: data, Revision: rev})
}

// resend makes what was ever sent there wait again.
func (m move) resend(ctx context.Context) error {
	h := m.h
	h.Seen = m.p.Lost
	m.w.stir()
	defer m.w.stir()
	n, err := m.w.o.Local.Resend(ctx, m.of, h.note(m.n))
	if err != nil {
		return err
	}
	m.w.resent.Add(uint64(n))
	m.w.holds(m.n, h)
	return nil
}

// release writes all that is known of the partition, once nothing is in hand.
func (m move) release(ctx context.Context) error {
	if m.w.o.Local.InHand(m.of) > 0 {
		return errInHand
	}
	name := "state." + strconv.Itoa(m.n) + "." + strconv.FormatUint(m.p.Token, 10)
	if err := m.export(ctx, name); err != nil {
		return err
	}
	h := holding{Phase: left, Token: m.p.Token, State: name, Seen: m.h.Seen}
	if err := m.w.noteHolding(ctx, m.n, h); err != nil {
		return err
	}
	m.h = h
	return m.handOver(ctx)
}

const stateFiles = "eventseer-*.state" // below the folder for temporary files

// export writes all that is known of the partition as an object. A file is between:
// the frontier's cannot grow while it is read, and the bus may be slow.
func (m move) export(ctx context.Context, name string) error {
	f, err := os.CreateTemp("", stateFiles)
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	if err := m.w.o.Local.Export(ctx, m.of, f); err != nil {
		return err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return err
	}
	return m.w.o.Bus.PutObject(ctx, name, f)
}

// handOver reports that the state is written.
func (m move) handOver(ctx context.Context) error {
	p := m.p.Part
	p.Owner, p.State, p.Token = "", m.h.State, p.Token+1
	err := m.put(ctx, p)
	if err == nil {
		m.w.handedOver.Add(1)
	}
	return err
}

// forget drops what was handed over.
func (m move) forget(ctx context.Context) error {
	if err := m.w.o.Local.Forget(ctx, m.of); err != nil {
		return err
	}
	return m.w.noteHolding(ctx, m.n, holding{Seen: m.h.Seen})
}

// forfeit gives up a partition that was taken away. Its state is sent too, so that the new owner
// does not request what was fetched here. What waits is sent as links too, since who takes the
// state in may have lost the partition as well.
func (m move) forfeit(ctx context.Context) error {
	if m.w.o.Local.InHand(m.of) > 0 {
		return errInHand
	}
	m.w.stir()
	defer m.w.stir()
	if err := m.sendAfter(ctx); err != nil {
		return err
	}
	if err := m.w.o.Local.Forfeit(ctx, m.of); err != nil {
		return err
	}
	return m.w.noteHolding(ctx, m.n, holding{Seen: m.h.Seen})
}

// sendAfter has the owner of the partition take in what is known of it here. The name
// of the object is the same if it is sent again after a crash.
func (m move) sendAfter(ctx context.Context) error {
	name := m.h.State
	if m.h.Phase != left {
		name = "late." + strconv.Itoa(m.n) + "." + m.w.disk + "." + strconv.FormatUint(m.h.Token, 10)
		if err := m.export(ctx, name); err != nil {
			return err
		}
	}
	data, err := cluster.PackState(name)
	if err != nil {
		return err
	}
	return m.w.o.Bus.Publish(ctx, m.n, name, data)
}

// claim makes the partition this crawler's.
func (m move) claim(ctx context.Context) error {
	if !m.w.unidle(ctx) {
		return errors.New("the bucket still says that this crawler is idle")
	}
	p := m.p.Part
	p.Owner, p.State, p.Token = m.w.o.Name, "", m.h.Token
	return m.put(ctx, p)
}

// clear deletes the object that was taken in.
func (m move) clear(ctx context.Context) error {
	if err := m.w.o.Bus.DeleteObject(ctx, m.h.State); err != nil {
		return err
	}
	h := m.h
	h.State = ""
	return m.w.noteHolding(ctx, m.n, h)
}

// lose reports that this crawler owns a partition of which it knows nothing.
func (m move) lose(ctx context.Context) error {
	p := m.p.Part
	p.Owner, p.State, p.Token = m.w.o.Name, "", p.Token+1
	p.Lost = p.Token
	h := holding{Phase: taking, Token: p.Token, Seen: m.h.Seen}
	if err := m.put(ctx, p); err != nil {
		return err
	}
	m.w.o.Log.Warn("the state of a partition is lost: all crawlers send its links again", "crawler", m.w.o.Name, "partition", m.n)
	return m.w.noteHolding(ctx, m.n, h)
}

// adopt takes in what the last owner left and makes the partition this crawler's.
func (m move) adopt(ctx context.Context) error {
	h := holding{Phase: taking, Token: m.p.Token + 1, State: m.p.State, Seen: m.h.Seen}
	if m.p.State == "" {
		if err := m.w.noteHolding(ctx, m.n, h); err != nil {
			return err
		}
	} else {
		r, err := m.w.o.Bus.GetObject(ctx, m.p.State)
		if errors.Is(err, cluster.ErrNoKey) {
			return m.lose(ctx)
		}
		if err != nil {
			return err
		}
		m.w.stir()
		err = m.w.o.Local.Adopt(ctx, r, h.note(m.n))
		m.w.stir()
		if err = errors.Join(err, r.Close()); err != nil {
			return err
		}
		m.w.holds(m.n, h)
		m.w.adopted.Add(1)
	}
	m.h = h
	return m.claim(ctx)
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

// owns returns what holds of the hosts of the set, of n partitions, as it is now.
func (s *partSet) owns(n int) func(webgraph.Host) bool {
	set := *s
	return func(h webgraph.Host) bool { return set.has(cluster.PartitionOf(h, n)) }
}

// reown lets the frontier hand out what is owned and is to stay. It reports whether
// this crawler may take part.
func (w *Worker) reown() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.seen.ready || !w.joined || w.past() {
		return false
	}
	var own partSet
	for n := range w.conf.Partitions {
		if w.owned(n) && w.wanted(n) {
			own.add(n)
		}
	}
	w.handOut(own)
	return true
}

// shed stops the frontier from handing out what was taken away: each such link would be
// refused and given back, as fast as can be. w.mu is held.
func (w *Worker) shed() {
	var own partSet
	for n := range w.conf.Partitions {
		if w.own.has(n) && w.seen.parts[n].Owner == w.o.Name {
			own.add(n)
		}
	}
	w.handOut(own)
}

// handOut lets the frontier hand out links of some partitions. w.mu is held.
func (w *Worker) handOut(own partSet) {
	if own == w.own {
		return
	}
	w.own = own
	w.stir()
	w.o.Local.Own(own.owns(w.conf.Partitions))
	w.stir()
	w.wake()
}

// owned reports whether a partition is this crawler's, and all of it here. w.mu is held.
func (w *Worker) owned(n int) bool {
	p, h := w.seen.parts[n], w.held[n]
	return p.Owner == w.o.Name && h.Phase == taking && h.Token == p.Token
}

// wanted reports whether a partition is to be owned. w.mu is held.
func (w *Worker) wanted(n int) bool { return w.seen.parts[n].Next == w.o.Name && !w.seen.drain }

// A holding is what a frontier has noted of a partition.
type holding struct {
	Phase phase  `json:"phase,omitempty"`
	Token uint64 `json:"token,omitempty"`
	// State is the object that is written where Phase is left, else one to be deleted.
	State string `json:"state,omitempty"`
	// Seen is the Part.Lost whose links were sent again.
	Seen uint64 `json:"seen,omitempty"`
}

// A phase says how far a crawler is with a partition.
type phase string

// The phases.
const (
	away   phase = ""       // nothing of it is here but links that were sent
	taking phase = "taking" // all of it is here; the bucket gets, or has, this token
	left   phase = "left"   // all of it is in the object; the bucket gets, or has, the token after this
)

const holdingPrefix = notePrefix + "part/"

func (h holding) note(n int) crawler.Note {
	value, err := json.Marshal(h)
	if err != nil {
		panic(err) // strings and numbers only
	}
	return crawler.Note{Key: fmt.Sprintf("%s%04d", holdingPrefix, n), Value: value}
}

func readHolding(number string, value []byte) (n int, h holding, err error) {
	n, err = strconv.Atoi(number)
	if err == nil && (n < 0 || n >= cluster.MaxPartitions) {
		err = fmt.Errorf("partition %d cannot be", n)
	}
	if err == nil {
		err = json.Unmarshal(value, &h)
	}
	if err != nil {
		err = fmt.Errorf("note %s%s of the frontier: %w", holdingPrefix, number, err)
	}
	return n, h, err
}

// noteHolding records a holding.
func (w *Worker) noteHolding(ctx context.Context, n int, h holding) error {
	if err := w.note(ctx, h.note(n)); err != nil {
		return err
	}
	w.holds(n, h)
	return nil
}

// holds remembers a holding that was noted.
func (w *Worker) holds(n int, h holding) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held[n] = h
	w.wake()
}

// reclaim offers all that was owned for taking, at the next token. A member that is about to take
// it finds it changed.
func (w *Worker) reclaim(ctx context.Context) error {
	w.mu.Lock()
	next := map[int]holding{}
	var notes []crawler.Note
	for n := range w.conf.Partitions {
		p, h := w.seen.parts[n], w.held[n]
		if h.Phase == taking && p.Owner == w.o.Name && p.Token == h.Token {
			h.Token++
			next[n] = h
			notes = append(notes, h.note(n))
		}
	}
	w.mu.Unlock()
	if err := w.note(ctx, notes...); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for n, h := range next {
		w.held[n] = h
	}
	return nil
}
