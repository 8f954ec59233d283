// Package clustertest has a cluster.Bus in memory for tests.
package clustertest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/eventseer/eventseer/crawler/cluster"
)

// Memory is a bus in memory for tests of managers and crawlers. Its ends can be cut off. It enforces no
// limits and serves no requests. Unacknowledged messages are delivered again only when their consumer is
// closed.
type Memory struct {
	mu      sync.Mutex
	kv      map[string]cluster.Entry
	rev     uint64
	changed chan struct{}
	log     []cluster.Entry
	q       map[int][]*queued
	events  []event
	ids     map[string]bool
	obj     map[string][]byte
	ever    uint64
	cut     map[string]bool
}

type queued struct {
	data []byte
	busy bool
	done bool
}

type event struct {
	id   string
	data []byte
}

// An End is the connection of one process to a Memory.
type End struct {
	m    *Memory
	name string
}

// NewMemory returns an empty bus.
func NewMemory() *Memory {
	return &Memory{kv: map[string]cluster.Entry{}, changed: make(chan struct{}), q: map[int][]*queued{}, ids: map[string]bool{}, obj: map[string][]byte{}, cut: map[string]bool{}}
}

// End returns the end with a name.
func (m *Memory) End(name string) *End { return &End{m, name} }

func (m *Memory) wake() { close(m.changed); m.changed = make(chan struct{}) }

// Cut cuts off the end with a name, or with false connects it again. Calls of an end that is cut off
// fail, its watches end.
func (m *Memory) Cut(name string, v bool) {
	m.mu.Lock()
	m.cut[name] = v
	m.wake()
	m.mu.Unlock()
}

// ErrCut is the error of calls of an end that is cut off.
var ErrCut = errors.New("cut")

// Objects returns the number of stored objects.
func (m *Memory) Objects() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.obj)
}

// Err returns ErrCut while the end is cut off, else nil.
func (e *End) Err() error {
	if err := e.lock(); err != nil {
		return err
	}
	e.m.mu.Unlock()
	return nil
}

func (e *End) lock() error {
	e.m.mu.Lock()
	if e.m.cut[e.name] {
		e.m.mu.Unlock()
		return ErrCut
	}
	return nil
}

// Get implements cluster.Bus.
func (e *End) Get(ctx context.Context, k string) (cluster.Entry, error) {
	if err := e.lock(); err != nil {
		return cluster.Entry{}, err
	}
	defer e.m.mu.Unlock()
	v, ok := e.m.kv[k]
	if !ok || v.Value == nil {
		return cluster.Entry{}, cluster.ErrNoKey
	}
	return v, nil
}

// Set implements cluster.Bus.
func (e *End) Set(ctx context.Context, k string, v []byte, last uint64) (uint64, error) {
	if err := e.lock(); err != nil {
		return 0, err
	}
	defer e.m.mu.Unlock()
	cur := e.m.kv[k]
	r := cur.Revision
	if cur.Value == nil {
		r = 0
	}
	if r != last {
		return 0, cluster.ErrConflict
	}
	e.m.rev++
	n := cluster.Entry{Key: k, Value: v, Revision: e.m.rev}
	e.m.kv[k] = n
	e.m.log = append(e.m.log, n)
	e.m.wake()
	return n.Revision, nil
}

// Delete implements cluster.Bus.
func (e *End) Delete(ctx context.Context, k string, last uint64) error {
	_, err := e.Set(ctx, k, nil, last)
	return err
}

// Watch implements cluster.Bus.
func (e *End) Watch(ctx context.Context) (<-chan cluster.Entry, error) {
	if err := e.lock(); err != nil {
		return nil, err
	}
	var all []cluster.Entry
	for _, v := range e.m.kv {
		if v.Value != nil {
			all = append(all, v)
		}
	}
	at := len(e.m.log)
	e.m.mu.Unlock()
	all = append(all, cluster.Entry{})
	ch := make(chan cluster.Entry)
	go func() {
		defer close(ch)
		for {
			for _, v := range all {
				select {
				case ch <- v:
				case <-ctx.Done():
					return
				}
			}
			e.m.mu.Lock()
			if e.m.cut[e.name] {
				e.m.mu.Unlock()
				return
			}
			all = e.m.log[at:len(e.m.log):len(e.m.log)]
			at = len(e.m.log)
			c := e.m.changed
			e.m.mu.Unlock()
			if len(all) == 0 {
				select {
				case <-c:
				case <-ctx.Done():
					return
				}
			}
		}
	}()
	return ch, nil
}

// Publish implements cluster.Bus.
func (e *End) Publish(ctx context.Context, q int, id string, data []byte) error {
	if err := e.lock(); err != nil {
		return err
	}
	defer e.m.mu.Unlock()
	if e.m.ids[id] {
		return nil
	}
	e.m.ids[id] = true
	e.m.q[q] = append(e.m.q[q], &queued{data: data})
	e.m.ever++
	e.m.wake()
	return nil
}

type memoryConsumer struct {
	e    *End
	q    int
	mine []*queued
}

// Consume implements cluster.Bus.
func (e *End) Consume(ctx context.Context, q int) (cluster.Consumer, error) {
	return &memoryConsumer{e: e, q: q}, nil
}

// Next implements cluster.Consumer.
func (c *memoryConsumer) Next(ctx context.Context, limit int, wait time.Duration) (out []cluster.Message, err error) {
	t := time.NewTimer(wait)
	defer t.Stop()
	for {
		if err := c.e.lock(); err != nil {
			return nil, err
		}
		for _, x := range c.e.m.q[c.q] {
			if !x.busy && !x.done && len(out) < limit {
				x.busy = true
				c.mine = append(c.mine, x)
				out = append(out, cluster.Message{Data: x.data, Ack: func() error {
					if err := c.e.lock(); err != nil {
						return err
					}
					x.done = true
					c.e.m.wake()
					c.e.m.mu.Unlock()
					return nil
				}})
			}
		}
		ch := c.e.m.changed
		c.e.m.mu.Unlock()
		if len(out) > 0 {
			return out, nil
		}
		select {
		case <-ch:
		case <-t.C:
			return nil, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Close implements cluster.Consumer.
func (c *memoryConsumer) Close() error {
	c.e.m.mu.Lock()
	for _, x := range c.mine {
		x.busy = false
	}
	c.e.m.wake()
	c.e.m.mu.Unlock()
	return nil
}

// Backlog implements cluster.Bus.
func (e *End) Backlog(ctx context.Context) (b cluster.Backlog, err error) {
	e.m.mu.Lock()
	defer e.m.mu.Unlock()
	for _, l := range e.m.q {
		for _, x := range l {
			if !x.done {
				b.Waiting++
			}
		}
	}
	b.Ever = e.m.ever
	return b, nil
}

// Announce implements cluster.Bus.
func (e *End) Announce(ctx context.Context, id string, data []byte) error {
	if err := e.lock(); err != nil {
		return err
	}
	defer e.m.mu.Unlock()
	for i := range e.m.events {
		if e.m.events[i].id == id {
			e.m.events[i].id = ""
		}
	}
	e.m.events = append(e.m.events, event{id, data})
	return nil
}

// Announced implements cluster.Bus.
func (e *End) Announced(ctx context.Context, after uint64) (a cluster.Announcement, err error) {
	if err := e.lock(); err != nil {
		return a, err
	}
	defer e.m.mu.Unlock()
	for i, x := range e.m.events {
		if uint64(i) >= after && x.id != "" {
			return cluster.Announcement{Number: uint64(i + 1), Data: x.data}, nil
		}
	}
	return a, cluster.ErrNoKey
}

// PutObject implements cluster.Bus.
func (e *End) PutObject(ctx context.Context, n string, r io.Reader) error {
	b, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if err := e.lock(); err != nil {
		return err
	}
	defer e.m.mu.Unlock()
	e.m.obj[n] = b
	return nil
}

// GetObject implements cluster.Bus.
func (e *End) GetObject(ctx context.Context, n string) (io.ReadCloser, error) {
	if err := e.lock(); err != nil {
		return nil, err
	}
	defer e.m.mu.Unlock()
	b, ok := e.m.obj[n]
	if !ok {
		return nil, cluster.ErrNoKey
	}
	return io.NopCloser(bytes.NewReader(b)), nil
}

// DeleteObject implements cluster.Bus.
func (e *End) DeleteObject(ctx context.Context, n string) error {
	if err := e.lock(); err != nil {
		return err
	}
	defer e.m.mu.Unlock()
	delete(e.m.obj, n)
	return nil
}

// Request implements cluster.Bus.
func (e *End) Request(ctx context.Context, n string, q []byte, p func([]byte) error) error {
	return cluster.ErrNoKey
}

// Serve implements cluster.Bus.
func (e *End) Serve(ctx context.Context, n string, a func(context.Context, []byte, func([]byte) error) error) error {
	<-ctx.Done()
	return nil
}

// Traffic implements cluster.Bus.
func (e *End) Traffic() cluster.Traffic { return cluster.Traffic{} }

// Close implements cluster.Bus.
func (e *End) Close() error { return nil }
