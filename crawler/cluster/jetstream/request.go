package jetstream

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/eventseer/eventseer/crawler/cluster"

	"github.com/nats-io/nats.go"
)

// A response is a series of requests to the inbox of the requesting process. Each part waits for the
// reply, so that only one is in transit and the order is kept. The header Kind says what each message is.
const (
	kind     = "Kind"
	kindPart = "part"
	kindEnd  = "end"
	kindFail = "fail" // with the error's text
	kindBusy = "busy" // still at work
	kindNone = "none" // the serving process has stopped serving the name
)

const (
	busyEvery            = 2 * time.Second
	responseTimeout      = 20 * time.Second // after which the responding process counts as dead
	firstResponseTimeout = 5 * time.Second  // without any response, until a request is sent again
	partWait             = time.Minute      // for the requesting process to accept a part
	leaveWait            = 5 * time.Second  // for the node to process the end of a subscription
	maxAnswers           = 64               // concurrent responses of one Serve
	maxError             = 1 << 10
)

func (b *bus) requestSubject(name string) (string, error) {
	if name == "" || len(name) > 256 {
		return "", fmt.Errorf("the name has %d bytes, must have 1 to 256", len(name))
	}
	if validKey.MatchString(name) {
		return b.o.Bucket + ".q." + name, nil
	}
	return b.o.Bucket + ".r." + base64.RawURLEncoding.EncodeToString([]byte(name)), nil
}

// Request implements cluster.Bus.
func (b *bus) Request(ctx context.Context, name string, question []byte, part func([]byte) error) error {
	err := b.sendRequest(ctx, name, question, part)
	if err != nil {
		return fmt.Errorf("ask %.300q: %w", name, err)
	}
	return nil
}

func (b *bus) sendRequest(ctx context.Context, name string, question []byte, part func([]byte) error) error {
	if err := b.checkOpen(ctx); err != nil {
		return err
	}
	subject, err := b.requestSubject(name)
	if err != nil {
		return err
	}
	if len(question) > cluster.MaxReply {
		return fmt.Errorf("the request has %d bytes, at most %d are allowed", len(question), cluster.MaxReply)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(b.ctx, cancel)()
	err = b.requestOnce(ctx, subject, question, b.time.firstResponse, part)
	if err == errNoResponse {
		// A node may send requests to a server that has left until all nodes know this, and these are
		// lost. By now they know, so another server responds or there is none.
		err = b.requestOnce(ctx, subject, question, responseTimeout, part)
	}
	return err
}

var errNoResponse = fmt.Errorf("nothing was heard: %w", context.DeadlineExceeded)

// requestOnce sends a request once and waits for the first message of the response for at most wait. A server
// whose response is abandoned ends it.
func (b *bus) requestOnce(ctx context.Context, subject string, question []byte, wait time.Duration, part func([]byte) error) error {
	inbox := b.nc.NewInbox()
	sub, err := b.nc.SubscribeSync(inbox)
	if err != nil {
		return err
	}
	defer sub.Unsubscribe()
	if err := b.nc.PublishMsg(&nats.Msg{Subject: subject, Reply: inbox, Data: question}); err != nil {
		return err
	}
	for heard := false; ; heard, wait = true, responseTimeout {
		once, done := context.WithTimeout(ctx, wait)
		m, err := sub.NextMsgWithContext(once)
		done()
		switch {
		case err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
			if !heard {
				return errNoResponse
			}
			return fmt.Errorf("the response ended early, nothing arrived for %v: %w", responseTimeout, err)
		case errors.Is(err, nats.ErrNoResponders):
			return cluster.ErrNoKey
		case err != nil:
			return err
		}
		end, err := handleReply(m, part)
		if end || err != nil {
			return err
		}
	}
}

// handleReply handles one message of a response and replies to it.
func handleReply(m *nats.Msg, part func([]byte) error) (end bool, err error) {
	reply := nats.NewMsg(m.Reply)
	switch m.Header.Get(kind) {
	case kindPart:
		if part == nil {
			break
		}
		if err := part(m.Data); err != nil {
			reply.Header.Set(kind, kindFail)
			m.RespondMsg(reply)
			return true, err
		}
	case kindEnd:
		end = true
	case kindFail:
		end, err = true, fmt.Errorf("answered: %.1024s", m.Data)
	case kindBusy:
	case kindNone:
		end, err = true, cluster.ErrNoKey
	default:
		return true, fmt.Errorf("the response has the unknown kind %.20q: does a process of another version respond?", m.Header.Get(kind))
	}
	if e := m.RespondMsg(reply); e != nil && err == nil && !end {
		err = e
	}
	return end, err
}

// Serve implements cluster.Bus.
func (b *bus) Serve(ctx context.Context, name string, answer func(ctx context.Context, question []byte, part func([]byte) error) error) error {
	subject, err := b.requestSubject(name)
	if err == nil {
		err = b.registerBackgroundWork()
	}
	if err != nil {
		return fmt.Errorf("serve %.300q: %w", name, err)
	}
	defer b.wg.Done()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(b.ctx, cancel)()
	questions := make(chan *nats.Msg, maxAnswers)
	// In a queue group, only one of the servers with the same name gets each request.
	sub, err := b.nc.ChanQueueSubscribe(subject, "s", questions)
	if err != nil {
		return fmt.Errorf("serve %.300q: %w", name, err)
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	defer b.endSubscription(sub, questions)
	room := make(chan struct{}, maxAnswers)
	for {
		select {
		case <-ctx.Done():
			return b.checkOpen(ctx)
		case m := <-questions:
			select {
			case room <- struct{}{}:
			case <-ctx.Done():
				return b.checkOpen(ctx)
			}
			wg.Go(func() {
				defer func() { <-room }()
				b.serveRequest(ctx, m, answer)
			})
		}
	}
}

// endSubscription ends a subscription and refuses the requests that arrived before the node knew of it. No other
// server gets these.
func (b *bus) endSubscription(sub *nats.Subscription, questions <-chan *nats.Msg) {
	defer sub.Unsubscribe()
	if sub.Drain() != nil || b.nc.FlushTimeout(leaveWait) != nil {
		return
	}
	for {
		select {
		case m := <-questions:
			none := nats.NewMsg(m.Reply)
			none.Header.Set(kind, kindNone)
			if err := b.nc.PublishMsg(none); err != nil {
				return
			}
		default:
			return
		}
	}
}

var errRequesterGone = errors.New("who asked has left")

func (b *bus) serveRequest(ctx context.Context, m *nats.Msg, answer func(context.Context, []byte, func([]byte) error) error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var busy sync.WaitGroup
	stopped := make(chan struct{})
	busy.Go(func() { b.signalBusy(ctx, m.Reply, stopped, cancel) })
	err := answer(ctx, m.Data, func(data []byte) error {
		if len(data) > cluster.MaxReply {
			return fmt.Errorf("a part of the response has %d bytes, at most %d are allowed", len(data), cluster.MaxReply)
		}
		return b.sendReply(ctx, m.Reply, kindPart, data)
	})
	close(stopped)
	last, text := kindEnd, ""
	if err != nil {
		last, text = kindFail, err.Error()
	}
	// The end is sent even if ctx has ended, which may be the reason for it.
	told, done := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer done()
	if err := b.sendReply(told, m.Reply, last, []byte(text[:min(len(text), maxError)])); err != nil && !errors.Is(err, errRequesterGone) {
		b.log.Debug("the requesting process did not confirm the end of a response", "err", err)
	}
	busy.Wait()
}

// signalBusy signals regularly that a response is being prepared. It cancels the response if the requesting
// process has left.
func (b *bus) signalBusy(ctx context.Context, to string, stopped <-chan struct{}, cancel context.CancelCauseFunc) {
	tick := time.NewTicker(busyEvery)
	defer tick.Stop()
	for {
		select {
		case <-stopped:
			return
		case <-ctx.Done():
			return
		case <-tick.C:
			once, done := context.WithTimeout(ctx, busyEvery)
			err := b.sendReply(once, to, kindBusy, nil)
			done()
			if errors.Is(err, errRequesterGone) {
				cancel(err)
			}
		}
	}
}

// sendReply sends a message of a response and waits until it is accepted.
func (b *bus) sendReply(ctx context.Context, to, what string, data []byte) error {
	ctx, cancel := context.WithTimeout(ctx, partWait)
	defer cancel()
	reply, err := b.nc.RequestMsgWithContext(ctx, &nats.Msg{Subject: to, Data: data, Header: nats.Header{kind: {what}}})
	if errors.Is(err, nats.ErrNoResponders) || err == nil && reply.Header.Get(kind) == kindFail {
		return errRequesterGone
	}
	return err
}
