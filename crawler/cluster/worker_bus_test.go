package cluster

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"time"
)

type tmem struct {
	mu      sync.Mutex
	kv      map[string]Entry
	rev     uint64
	changed chan struct{}
	log     []Entry
	q       map[int][]*tmsg
	events  []tevent
	ids     map[string]bool
	obj     map[string][]byte
	ever    uint64
	cut     map[string]bool
}
type tmsg struct {
	data []byte
	busy bool
	done bool
}
type tevent struct {
	id   string
	data []byte
}
type tend struct {
	m    *tmem
	name string
}

func newTmem() *tmem {
	return &tmem{kv: map[string]Entry{}, changed: make(chan struct{}), q: map[int][]*tmsg{}, ids: map[string]bool{}, obj: map[string][]byte{}, cut: map[string]bool{}}
}
func (m *tmem) End(name string) *tend { return &tend{m, name} }
func (m *tmem) wake()                 { close(m.changed); m.changed = make(chan struct{}) }
func (m *tmem) Cut(name string, v bool) {
	m.mu.Lock()
	m.cut[name] = v
	m.wake()
	m.mu.Unlock()
}

var errCut = errors.New("cut")

func (e *tend) lock() error {
	e.m.mu.Lock()
	if e.m.cut[e.name] {
		e.m.mu.Unlock()
		return errCut
	}
	return nil
}
func (e *tend) Get(ctx context.Context, k string) (Entry, error) {
	if err := e.lock(); err != nil {
		return Entry{}, err
	}
	defer e.m.mu.Unlock()
	v, ok := e.m.kv[k]
	if !ok || v.Value == nil {
		return Entry{}, ErrNoKey
	}
	return v, nil
}
func (e *tend) Set(ctx context.Context, k string, v []byte, last uint64) (uint64, error) {
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
		return 0, ErrConflict
	}
	e.m.rev++
	n := Entry{k, v, e.m.rev}
	e.m.kv[k] = n
	e.m.log = append(e.m.log, n)
	e.m.wake()
	return n.Revision, nil
}
func (e *tend) Delete(ctx context.Context, k string, last uint64) error {
	_, err := e.Set(ctx, k, nil, last)
	return err
}
func (e *tend) Watch(ctx context.Context) (<-chan Entry, error) {
	if err := e.lock(); err != nil {
		return nil, err
	}
	var all []Entry
	for _, v := range e.m.kv {
		if v.Value != nil {
			all = append(all, v)
		}
	}
	at := len(e.m.log)
	e.m.mu.Unlock()
	all = append(all, Entry{})
	ch := make(chan Entry)
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
func (e *tend) Publish(ctx context.Context, q int, id string, data []byte) error {
	if err := e.lock(); err != nil {
		return err
	}
	defer e.m.mu.Unlock()
	if e.m.ids[id] {
		return nil
	}
	e.m.ids[id] = true
	e.m.q[q] = append(e.m.q[q], &tmsg{data: data})
	e.m.ever++
	e.m.wake()
	return nil
}

type tcons struct {
	e    *tend
	q    int
	mine []*tmsg
}

func (e *tend) Consume(ctx context.Context, q int) (Consumer, error) {
	return &tcons{e: e, q: q}, nil
}
func (c *tcons) Next(ctx context.Context, limit int, wait time.Duration) (out []Message, err error) {
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
				out = append(out, Message{x.data, func() error {
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
func (c *tcons) Close() error {
	c.e.m.mu.Lock()
	for _, x := range c.mine {
		x.busy = false
	}
	c.e.m.wake()
	c.e.m.mu.Unlock()
	return nil
}
func (e *tend) Backlog(ctx context.Context) (b Backlog, err error) {
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
func (e *tend) Announce(ctx context.Context, id string, data []byte) error {
	if err := e.lock(); err != nil {
		return err
	}
	defer e.m.mu.Unlock()
	for i := range e.m.events {
		if e.m.events[i].id == id {
			e.m.events[i].id = ""
		}
	}
	e.m.events = append(e.m.events, tevent{id, data})
	return nil
}
func (e *tend) Announced(ctx context.Context, after uint64) (uint64, []byte, error) {
	if err := e.lock(); err != nil {
		return 0, nil, err
	}
	defer e.m.mu.Unlock()
	for i, x := range e.m.events {
		if uint64(i) >= after && x.id != "" {
			return uint64(i + 1), x.data, nil
		}
	}
	return 0, nil, ErrNoKey
}
func (e *tend) PutObject(ctx context.Context, n string, r io.Reader) error {
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
func (e *tend) GetObject(ctx context.Context, n string) (io.ReadCloser, error) {
	if err := e.lock(); err != nil {
		return nil, err
	}
	defer e.m.mu.Unlock()
	b, ok := e.m.obj[n]
	if !ok {
		return nil, ErrNoKey
	}
	return io.NopCloser(bytes.NewReader(b)), nil
}
func (e *tend) DeleteObject(ctx context.Context, n string) error {
	if err := e.lock(); err != nil {
		return err
	}
	defer e.m.mu.Unlock()
	delete(e.m.obj, n)
	return nil
}
func (e *tend) Request(ctx context.Context, n string, q []byte, p func([]byte) error) error {
	return ErrNoKey
}
func (e *tend) Serve(ctx context.Context, n string, a func(context.Context, []byte, func([]byte) error) error) error {
	<-ctx.Done()
	return nil
}
func (e *tend) Traffic() Traffic { return Traffic{} }
func (e *tend) Close() error     { return nil }
