package jetstream

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/cluster"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// queueNames returns the subject and the consumer's name for a partition.
func (b *bus) queueNames(part int) (subject, consumer string, err error) {
	if part < 0 || part >= cluster.MaxPartitions {
		return "", "", fmt.Errorf("queue of partition %d: partitions are 0 to %d", part, cluster.MaxPartitions-1)
	}
	n := strconv.Itoa(part)
	return b.o.Bucket + ".u." + n, "u-" + n, nil
}

// Publish implements cluster.Bus.
func (b *bus) Publish(ctx context.Context, part int, id string, data []byte) error {
	subject, name, err := b.queueNames(part)
	if err == nil {
		err = checkMessage(id, data)
	}
	if err == nil {
		// IDs are unique within the whole stream, so the ID includes the queue.
		err = b.publishMessage(ctx, &nats.Msg{Subject: subject, Data: data}, name+":"+id)
	}
	if err != nil {
		return fmt.Errorf("publish links of partition %d: %w", part, err)
	}
	return nil
}

func checkMessage(id string, data []byte) error {
	if len(data) > cluster.MaxMessage {
		return fmt.Errorf("the message has %d bytes, at most %d are allowed", len(data), cluster.MaxMessage)
	}
	if id == "" || len(id) > maxID {
		return fmt.Errorf("the ID of a message has %d bytes, must have 1 to %d", len(id), maxID)
	}
	return nil
}

// Backlog implements cluster.Bus.
func (b *bus) Backlog(ctx context.Context) (l cluster.Backlog, err error) {
	err = b.retry(ctx, isTemporary, func(ctx context.Context) error {
		s, err := b.leaderStream(ctx, b.linkStream())
		if err != nil {
			return err
		}
		st := s.CachedInfo().State
		l = cluster.Backlog{Waiting: st.Msgs, Bytes: st.Bytes, Ever: st.LastSeq}
		return nil
	})
	if err != nil {
		return l, fmt.Errorf("backlog of links: %w", err)
	}
	return l, nil
}

// Consume implements cluster.Bus. All consumers of a queue share one consumer of the server. The calls of a bus
// request them one by one: nodes answer requests for information only when no request for a consumer waits, and
// a single node syncs several files for each, so requests for all partitions at once would stop the cluster.
func (b *bus) Consume(ctx context.Context, part int) (cluster.Consumer, error) {
	subject, name, err := b.queueNames(part)
	if err != nil {
		return nil, err
	}
	c := &consumer{b: b, subject: subject, open: map[uint64]jetstream.Msg{}}
	select {
	case b.creating <- struct{}{}:
		defer func() { <-b.creating }()
	case <-ctx.Done():
		return nil, fmt.Errorf("consume %s: %w", subject, ctx.Err())
	case <-b.ctx.Done():
		return nil, fmt.Errorf("consume %s: %w", subject, nats.ErrConnectionClosed)
	}
	err = b.retry(ctx, isTemporary, func(ctx context.Context) (err error) {
		c.c, err = b.js.CreateOrUpdateConsumer(ctx, b.linkStream(), jetstream.ConsumerConfig{
			Durable: name, FilterSubject: subject, AckPolicy: jetstream.AckExplicitPolicy,
			AckWait: b.time.ack, MaxDeliver: -1, MaxAckPending: maxPending,
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("consume %s: %w", subject, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nil, nats.ErrConnectionClosed
	}
	b.consumers[c] = struct{}{}
	return c, nil
}

type consumer struct {
	b       *bus
	c       jetstream.Consumer
	subject string

	mu     sync.Mutex // guards below
	closed bool
	open   map[uint64]jetstream.Msg // delivered and not acknowledged, by sequence number
}

// maxPull is the time limit of one request, so that a missing leader is noticed.
const maxPull = 5 * time.Second

// Next implements cluster.Consumer. It fetches only the messages that it returns. So no message waits
// here while another consumer is idle.
func (c *consumer) Next(ctx context.Context, limit int, wait time.Duration) ([]cluster.Message, error) {
	limit = max(1, min(limit, maxPending))
	deadline := time.Now().Add(wait)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.b.ctx, cancel)()
	for {
		if err := c.ensureConsumer(ctx); err != nil {
			return nil, fmt.Errorf("next of %s: %w", c.subject, err)
		}
		ms, err := c.requestMessages(ctx, limit, 0)
		if left := time.Until(deadline); err == nil && len(ms) == 0 && left > 0 {
			if ms, err = c.requestMessages(ctx, 1, min(left, maxPull)); len(ms) == 1 && limit > 1 {
				var more []cluster.Message
				more, err = c.requestMessages(ctx, limit-1, 0)
				ms = append(ms, more...)
			}
		}
		switch {
		case len(ms) > 0:
			return ms, nil
		case err != nil && !isTemporary(err) && ctx.Err() == nil:
			return nil, fmt.Errorf("next of %s: %w", c.subject, err)
		case !time.Now().Before(deadline):
			return nil, nil
		case err != nil:
			_ = crawler.WaitFor(ctx, min(100*time.Millisecond, time.Until(deadline))) // checkOpen returns an error if ctx has ended
		}
	}
}

func (c *consumer) ensureConsumer(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return errClosed
	}
	return c.b.checkOpen(ctx)
}

var errClosed = errors.New("the consumer is closed")

// requestMessages requests messages once. If wait is 0 it returns those available, otherwise it waits for the first.
func (c *consumer) requestMessages(ctx context.Context, limit int, wait time.Duration) ([]cluster.Message, error) {
	if !c.b.nc.IsConnected() { // nats.go would keep the subscription of a request that it cannot send
		return nil, nats.ErrDisconnected
	}
	var batch jetstream.MessageBatch
	var err error
	if wait == 0 {
		batch, err = c.c.FetchNoWait(limit)
	} else {
		// The node ends the request, not a context: messages sent just before the end of a context would
		// be delivered again only after AckWait.
		batch, err = c.c.Fetch(limit, jetstream.FetchMaxWait(max(wait, 20*time.Millisecond)))
	}
	if err != nil {
		return nil, err
	}
	var ms []cluster.Message
	for {
		select {
		case m, ok := <-batch.Messages():
			if !ok {
				return ms, batch.Error()
			}
			if got, err := c.keepMessage(m); err == nil {
				ms = append(ms, got)
			}
		case <-ctx.Done():
			c.returnMessages(batch)
			return ms, ctx.Err()
		}
	}
}

// returnMessages returns, in the background, the messages that an abandoned request still receives.
func (c *consumer) returnMessages(batch jetstream.MessageBatch) {
	back := func() {
		for m := range batch.Messages() {
			m.Nak()
		}
	}
	if c.b.registerBackgroundWork() != nil {
		back() // Close has begun: a request without wait ends within a second
		return
	}
	go func() {
		defer c.b.wg.Done()
		back()
	}()
}

func (c *consumer) keepMessage(m jetstream.Msg) (cluster.Message, error) {
	meta, err := m.Metadata()
	if err != nil {
		return cluster.Message{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return cluster.Message{}, m.Nak()
	}
	seq := meta.Sequence.Stream
	c.open[seq] = m
	return cluster.Message{Data: m.Data(), Ack: func() error { return c.acknowledge(seq, m) }}, nil
}

func (c *consumer) acknowledge(seq uint64, m jetstream.Msg) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := m.Ack(); err != nil && !errors.Is(err, jetstream.ErrMsgAlreadyAckd) {
		return fmt.Errorf("acknowledge a message of %s: %w", c.subject, err)
	}
	if c.open[seq] == m {
		delete(c.open, seq)
	}
	return nil
}

// Close implements cluster.Consumer.
func (c *consumer) Close() error {
	c.b.mu.Lock()
	delete(c.b.consumers, c)
	c.b.mu.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for _, m := range c.open {
		if err := m.Nak(); err != nil && !errors.Is(err, jetstream.ErrMsgAlreadyAckd) {
			c.b.log.Warn("a message could not be returned and is delivered again after AckWait", "queue", c.subject, "err", err)
			break
		}
	}
	c.open = nil
	return nil
}

// The log of events is a stream with one subject per ID. It keeps the last message of each subject.

func (b *bus) eventSubjects() string { return b.o.Bucket + ".e.>" }

// writerOf returns the crawler whose credentials wrote a message of the log. It returns "" for a manager,
// or on a bus without credentials. Nodes let a crawler write only to subjects with its name.
func (b *bus) writerOf(subject string) string {
	rest, ok := strings.CutPrefix(subject, b.o.Bucket+".e.c.")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, ".")
	return name
}

// Announce implements cluster.Bus.
func (b *bus) Announce(ctx context.Context, id string, data []byte) error {
	err := checkMessage(id, data)
	if err == nil {
		subject := b.o.Bucket + ".e."
		if b.who.Role == RoleCrawler {
			subject += "c." + b.o.Name + "."
		}
		subject += base64.RawURLEncoding.EncodeToString([]byte(id))
		// The random ID only joins the retries of this call: an event may return to an earlier value.
		err = b.publishMessage(ctx, &nats.Msg{Subject: subject, Data: data}, "e:"+rand.Text())
	}
	if err != nil {
		return fmt.Errorf("announce %.100q: %w", id, err)
	}
	return nil
}

// Announced implements cluster.Bus.
func (b *bus) Announced(ctx context.Context, after uint64) (a cluster.Announcement, err error) {
	err = b.retry(ctx, isTemporary, func(ctx context.Context) (err error) {
		a, err = b.announcedOnce(ctx, after)
		return err
	})
	if err != nil {
		return cluster.Announcement{}, fmt.Errorf("events after %d: %w", after, err)
	}
	return a, nil
}

func (b *bus) announcedOnce(ctx context.Context, after uint64) (a cluster.Announcement, err error) {
	s, err := b.leaderStream(ctx, b.eventStream()) // for the last sequence number
	if err != nil {
		return a, err
	}
	last := s.CachedInfo().State.LastSeq
	switch {
	case last < after:
		after = 0
	case last == after:
		return a, cluster.ErrNoKey
	}
	m, err := s.GetMsg(ctx, after+1, jetstream.WithGetMsgSubject(b.eventSubjects()))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return a, cluster.ErrNoKey
	}
	if err != nil {
		return a, err
	}
	return cluster.Announcement{Number: m.Sequence, From: b.writerOf(m.Subject), Data: m.Data}, nil
}
