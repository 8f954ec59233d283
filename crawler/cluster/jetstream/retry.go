package jetstream

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/cluster"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Error codes of the server for which nats.go has no names.
const (
	codeNoPeers      = 10005 // too few nodes for the number of replicas
	codeNoResources  = 10023
	codeNoStorage    = 10047
	codeNoCluster    = 10074 // several replicas on a single server
	codeStoreFailed  = 10077
	codeSameInFlight = 10158 // a message with the same ID is being stored
	codeWrongLast    = 10071
	codeWrongLastToo = 10164
)

// errorCode returns the code and the status of an error of the server, 0 and 0 for other errors. Watches of
// nats.go return errors of its older interface.
func errorCode(err error) (jetstream.ErrorCode, int) {
	if e, ok := errors.AsType[*nats.APIError](err); ok {
		return jetstream.ErrorCode(e.ErrorCode), e.Code
	}
	if e, ok := errors.AsType[*jetstream.APIError](err); ok {
		return e.ErrorCode, e.Code
	}
	return 0, 0
}

// isFull reports whether err means that a stream is full.
func isFull(err error) bool {
	c, _ := errorCode(err)
	return c == codeNoResources || c == codeNoStorage || c == codeStoreFailed && strings.Contains(err.Error(), "maximum")
}

// isConflict reports whether err means that the last revision was wrong.
func isConflict(err error) bool {
	c, _ := errorCode(err)
	return c == codeWrongLast || c == codeWrongLastToo || errors.Is(err, jetstream.ErrKeyExists)
}

func isOneOf(err error, targets ...error) bool {
	return slices.ContainsFunc(targets, func(target error) bool { return errors.Is(err, target) })
}

var errNoLeader = errors.New("the stream has no leading node")

// isTemporary reports whether err may disappear with a new leader or a new connection.
func isTemporary(err error) bool {
	c, status := errorCode(err)
	return isOneOf(err, nats.ErrTimeout, context.DeadlineExceeded, jetstream.ErrAsyncPublishTimeout, jetstream.ErrNoHeartbeat,
		jetstream.ErrServerShutdown, nats.ErrNoResponders, jetstream.ErrNoStreamResponse, nats.ErrReconnectBufExceeded,
		nats.ErrDisconnected, nats.ErrNoServers, jetstream.ErrTooManyStalledMsgs, errNoLeader) ||
		c == codeSameInFlight || status == 503 && !isFull(err)
}

// isNetwork reports whether err means that the server cannot be reached, possibly not yet.
func isNetwork(err error) bool {
	if errors.Is(err, nats.ErrNoServers) || errors.Is(err, nats.ErrTimeout) {
		return true
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return false
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return false
	}
	if e, ok := errors.AsType[*net.OpError](err); ok && e.Op == "remote error" {
		return false // the server refuses this client's certificate
	}
	_, ok := errors.AsType[net.Error](err)
	return ok
}

// retry calls try until it returns nil or an error for which again is false. It ends after patience, or
// when ctx or the bus ends. Each attempt is limited to timing.call, and after timing.move to twice the time of
// the one before: a node that is slow answers every request that it has received, so short attempts would only
// add to its work. While no node is connected, the attempts fail without a call of try.
func (b *bus) retry(ctx context.Context, again func(error) bool, try func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	defer context.AfterFunc(b.ctx, cancel)()
	wait, limit, began := 50*time.Millisecond, b.time.call, time.Now()
	for {
		if err := b.checkOpen(ctx); err != nil {
			return err
		}
		err := nats.ErrDisconnected
		if b.nc.IsConnected() { // nats.go never forgets a request that it could not send
			once, done := context.WithTimeout(ctx, limit)
			err = try(once)
			done()
		}
		if err == nil || !again(err) {
			return err
		}
		if time.Since(began) > b.time.move {
			b.moveToOtherNode()
			limit *= 2
		}
		if crawler.WaitFor(ctx, wait) != nil {
			return fmt.Errorf("%w (%w)", err, ctx.Err())
		}
		wait = min(2*wait, time.Second)
	}
}

// moveToOtherNode connects to another node, because this one may be cut off from the other nodes. If there is no
// other, or none can be reached, the client reconnects to this one.
func (b *bus) moveToOtherNode() {
	b.mu.Lock()
	ready := !b.closed && time.Since(b.moved) > 2*b.time.move && len(b.nc.Servers()) > 1 && b.nc.IsConnected()
	if ready {
		b.moved = time.Now()
	}
	b.mu.Unlock()
	if ready {
		b.log.Warn("this node does not respond for the cluster; connecting to another one", "server", b.nc.ConnectedUrlRedacted())
		b.nc.ForceReconnect()
	}
}

// publishMessage stores a message of links or events, after waiting until few enough are in transit.
func (b *bus) publishMessage(ctx context.Context, m *nats.Msg, id string) error {
	if err := b.checkOpen(ctx); err != nil {
		return err
	}
	select {
	case b.room <- struct{}{}:
		defer func() { <-b.room }()
	case <-ctx.Done():
		return ctx.Err()
	case <-b.ctx.Done():
		return nats.ErrConnectionClosed
	}
	_, err := b.storeMessage(ctx, m, id)
	if isFull(err) {
		return fmt.Errorf("%w: %w", cluster.ErrFull, err)
	}
	return err
}

// storeMessage stores a message and returns its number in the stream. Because of the message ID it can be sent
// again after an error.
func (b *bus) storeMessage(ctx context.Context, m *nats.Msg, id string) (number uint64, err error) {
	if m.Header == nil {
		m.Header = nats.Header{}
	}
	m.Header.Set(nats.MsgIdHdr, id)
	err = b.retry(ctx, isTemporary, func(ctx context.Context) error {
		f, err := b.js.PublishMsgAsync(&nats.Msg{Subject: m.Subject, Header: m.Header, Data: m.Data})
		if err != nil {
			return err
		}
		select {
		case ack := <-f.Ok():
			number = ack.Sequence
			return nil
		case err := <-f.Err():
			return err
		case <-ctx.Done():
			if b.isForbidden(m.Subject) {
				return fmt.Errorf("%w: write %s", ErrForbidden, m.Subject)
			}
			return ctx.Err()
		}
	})
	return number, err
}

// loadConfig returns the TLS configuration from the files: a CA to trust and a certificate to present.
func (t TLS) loadConfig() (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if t.CA != "" {
		pem, err := os.ReadFile(t.CA)
		if err != nil {
			return nil, err
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s contains no certificate in PEM", t.CA)
		}
	}
	if (t.Cert == "") != (t.Key == "") {
		return nil, errors.New("TLS: set both a certificate and its key")
	}
	if t.Cert != "" {
		cert, err := tls.LoadX509KeyPair(t.Cert, t.Key)
		if err != nil {
			return nil, fmt.Errorf("TLS: %w", err)
		}
		c.Certificates = []tls.Certificate{cert}
	}
	return c, nil
}
