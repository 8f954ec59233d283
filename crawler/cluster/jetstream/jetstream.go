// Package jetstream is a cluster.Bus over NATS JetStream. It can also run a NATS server in this process
// for users without one: as a single server, or as a node of a cluster that replicates.
//
// With Options.Bucket B there are four streams, each one raft group of its replicas:
//
//	KV_B          the bucket, history 1; read at its leader, so that Get sees every Set,
//	              except from a leader that is cut off and has not noticed it, for at most 20 s
//	B-links       work queue, subject B.u.N for partition N, one durable consumer each
//	B-events      log of events, subject B.e.ID; from a crawler with credentials B.e.c.NAME.ID;
//	              the last message of each ID
//	OBJ_B-states  objects, in the format of `nats object`
//
// Requests are messages of core NATS to B.q.NAME, which are not stored.
//
// Permissions come from credentials: an Authority issues them by role, and a node with its NodeAccess
// admits only their holders.
package jetstream

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/cluster"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// TLS names PEM files. The zero value means no TLS.
type TLS struct {
	CA, Cert, Key string
}

// Options describe the connection to the bus.
type Options struct {
	URLs  []string // nats://host:port or tls://host:port of at least one node
	Creds string   // credentials file of NATS; "" for none
	// Role is the role that the caller needs. Credentials of another role are refused before connecting.
	// "" is not checked.
	Role Role
	TLS  TLS
	Name string // of this client, for the server's logs
	// Bucket is the prefix of the names of all streams, so that clusters can share servers: at most 32
	// letters, digits, - and _. "" means "eventseer".
	Bucket string
	// Replicas is the number of replicas of all streams, 1 to 5. Zero keeps that of existing streams. For
	// new ones zero means 1 on a single server and 3 in a cluster; then Connect waits for the third node.
	Replicas int
	// MaxBytes is the size limit of all queues of links together, per replica, and also that of the log
	// of events. Nodes reserve this space, so their MaxStore must be larger. Zero keeps the limit of
	// existing streams, or means 3 GiB.
	MaxBytes int64
	Log      *slog.Logger // nil: nothing is logged
}

// Limits.
const (
	defaultBytes = 3 << 30
	dedupeWindow = 5 * time.Minute
	maxPending   = 4096             // unacknowledged messages of one queue
	maxID        = 256              // length of a message ID in bytes
	maxInFlight  = 1024             // publishes of one end
	callTimeout  = 5 * time.Second  // of the first attempts of a call
	patience     = 30 * time.Second // time limit for all attempts of a call; the election of a new leader is faster
	headRoom     = 1 << 10          // size of a message's headers and subject in bytes
	maxForbidden = 64
)

// A timing holds the time limits of a client. Tests use shorter ones.
type timing struct {
	ack  time.Duration // for an acknowledgement, before a message is delivered again
	call time.Duration // for the response to the first attempts of a call
	move time.Duration // without success, before the client moves to another node

	firstResponse time.Duration // for the first response, before a request is sent again
}

var usual = timing{ack: cluster.AckWait, call: callTimeout, move: 6 * time.Second, firstResponse: firstResponseTimeout}

var validBucket = regexp.MustCompile(`^[-_a-zA-Z0-9]{1,32}$`)

// bus is one end.
type bus struct {
	o    Options
	who  Holder // of Options.Creds
	time timing
	log  *slog.Logger
	nc   *nats.Conn
	js   jetstream.JetStream
	kv   jetstream.KeyValue
	room chan struct{} // in flight publishes
	// creating holds one element while a consumer is requested.
	creating chan struct{}

	entries, objs jetstream.Stream // streams of the bucket and of the objects

	ctx  context.Context // context of background work, until Close
	stop context.CancelFunc
	wg   sync.WaitGroup

	mu        sync.Mutex // guards below
	closed    bool
	consumers map[*consumer]struct{}
	moved     time.Time           // time of the last move to another node
	forbidden map[string]struct{} // subjects on which the nodes refused messages of this client, at most maxForbidden
}

var _ cluster.Bus = (*bus)(nil)

// Connect connects to a bus and creates the streams that do not exist. It waits until the nodes have
// elected leaders for them, or ctx ends. If a set option differs from an existing stream, the stream is
// changed; if that is impossible, Connect returns an error.
func Connect(ctx context.Context, o Options) (cluster.Bus, error) {
	return connectWithTiming(ctx, o, usual)
}

func connectWithTiming(ctx context.Context, o Options, t timing) (_ *bus, err error) {
	if o.Bucket == "" {
		o.Bucket = "eventseer"
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	b := &bus{
		o: o, time: t, log: o.Log, room: make(chan struct{}, maxInFlight), creating: make(chan struct{}, 1), consumers: map[*consumer]struct{}{}, forbidden: map[string]struct{}{},
	}
	if o.Creds != "" {
		if b.who, err = ReadHolder(o.Creds); err == nil {
			err = b.who.check(o, time.Now())
		}
		if err != nil {
			return nil, fmt.Errorf("bus: %w", err)
		}
	}
	if b.log == nil {
		b.log = slog.New(slog.DiscardHandler)
	}
	// The bus lives longer than this call: its own context ends at Close.
	b.ctx, b.stop = context.WithCancel(context.WithoutCancel(ctx))
	defer func() {
		if err != nil {
			b.Close()
		}
	}()
	if err := b.dial(ctx); err != nil {
		return nil, err
	}
	if b.js, err = jetstream.New(b.nc, jetstream.WithPublishAsyncMaxPending(2*maxInFlight),
		jetstream.WithPublishAsyncTimeout(callTimeout), jetstream.WithDefaultTimeout(callTimeout)); err != nil {
		return nil, err
	}
	if err := b.makeStreams(ctx); err != nil {
		return nil, fmt.Errorf("bus %s: %w", o.Bucket, err)
	}
	return b, nil
}

func (o Options) check() error {
	switch {
	case len(o.URLs) == 0:
		return errors.New("bus: no address of a NATS server is set")
	case !validBucket.MatchString(o.Bucket):
		return fmt.Errorf("bus: bucket %q must have at most 32 letters, digits, - and _", o.Bucket)
	case o.Replicas < 0 || o.Replicas > 5:
		return fmt.Errorf("bus: Replicas is %d, must be 0 to 5", o.Replicas)
	case o.MaxBytes < 0:
		return fmt.Errorf("bus: MaxBytes is %d, must not be negative", o.MaxBytes)
	}
	return nil
}

const (
	dialPause = 500 * time.Millisecond // pause between two attempts to connect
	warnEvery = 120                    // number of attempts per warning: one warning a minute
)

// dial connects, and tries again until ctx ends unless the server refuses.
func (b *bus) dial(ctx context.Context) error {
	opts := []nats.Option{
		nats.Name(b.o.Name), nats.MaxReconnects(-1), nats.ReconnectBufSize(-1), nats.Timeout(callTimeout),
		nats.ReconnectWait(250 * time.Millisecond), nats.PingInterval(10 * time.Second), nats.MaxPingsOutstanding(2),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if b.ctx.Err() == nil {
				b.log.Warn("bus disconnected", "err", err)
			}
		}),
		nats.ReconnectHandler(func(nc *nats.Conn) { b.log.Info("bus connected again", "server", nc.ConnectedUrlRedacted()) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { b.handleNodeError(err) }),
		nats.ClosedHandler(func(nc *nats.Conn) {
			if err := nc.LastError(); err != nil && b.ctx.Err() == nil {
				b.log.Error("the nodes no longer admit this process; ask for new credentials, and start again", "err", err)
			}
		}),
	}
	if b.o.Creds != "" {
		opts = append(opts, nats.UserCredentials(b.o.Creds))
	}
	if prefix := b.who.inboxPrefix(); prefix != "" {
		opts = append(opts, nats.CustomInboxPrefix(prefix))
	}
	if b.o.TLS != (TLS{}) {
		conf, err := b.o.TLS.loadConfig()
		if err != nil {
			return err
		}
		opts = append(opts, nats.Secure(conf))
	}
	for try := 0; ; try++ {
		nc, err := nats.Connect(strings.Join(b.o.URLs, ","), opts...)
		if err == nil {
			b.nc = nc
			return nil
		}
		if isOneOf(err, nats.ErrAuthorization, nats.ErrAuthExpired, nats.ErrAuthRevoked, nats.ErrAccountAuthExpired) {
			return fmt.Errorf("connect to %s: %w: %w", strings.Join(b.o.URLs, ", "), ErrForbidden, err)
		}
		if !isNetwork(err) {
			return fmt.Errorf("connect to %s: %w", strings.Join(b.o.URLs, ", "), err)
		}
		if try%warnEvery == 0 {
			b.log.Warn("no connection to the bus yet; trying again", "servers", b.o.URLs, "err", err)
		}
		if crawler.WaitFor(ctx, dialPause) != nil {
			return fmt.Errorf("connect to %s: %w (%w)", strings.Join(b.o.URLs, ", "), err, ctx.Err())
		}
	}
}

// handleNodeError handles an error that the node reports without reference to a call.
func (b *bus) handleNodeError(err error) {
	if !errors.Is(err, nats.ErrPermissionViolation) {
		b.log.Debug("bus", "err", err)
		return
	}
	b.log.Warn("a node refuses a request that the credentials do not allow", "err", err)
	subject, ok := strings.CutPrefix(err.Error(), nats.ErrPermissionViolation.Error()+": ")
	if !ok {
		return
	}
	if _, quoted, ok := strings.Cut(subject, `"`); ok {
		subject, _, _ = strings.Cut(quoted, `"`)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.forbidden) < maxForbidden {
		b.forbidden[subject] = struct{}{}
	}
}

// isForbidden reports whether a node has refused a message with this subject.
func (b *bus) isForbidden(subject string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, ok := b.forbidden[subject]
	return ok
}

// Traffic implements cluster.Bus.
func (b *bus) Traffic() cluster.Traffic {
	s := b.nc.Stats()
	return cluster.Traffic{Sent: s.OutMsgs, SentBytes: s.OutBytes, Received: s.InMsgs, ReceivedBytes: s.InBytes, Reconnects: s.Reconnects}
}

// Close implements cluster.Bus. It waits a moment until returned messages are sent. If the server ends at
// the same time, as in a manager whose crawl is over, the server returns them itself, so that is no
// error.
func (b *bus) Close() error {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return nil
	}
	b.closed = true
	var all []*consumer
	for c := range b.consumers {
		all = append(all, c)
	}
	b.mu.Unlock()
	b.stop()
	for _, c := range all {
		c.Close()
	}
	b.wg.Wait()
	if b.nc == nil {
		return nil
	}
	if b.nc.IsConnected() {
		if err := b.nc.FlushTimeout(b.time.call); err != nil {
			b.log.Debug("the bus was closed before everything was sent", "err", err)
		}
	}
	b.nc.Close()
	return nil
}

// registerBackgroundWork registers background work, for which Close waits. It returns an error if the bus is closed.
func (b *bus) registerBackgroundWork() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nats.ErrConnectionClosed
	}
	b.wg.Add(1)
	return nil
}

// checkOpen returns an error if ctx has ended or the bus is closed.
func (b *bus) checkOpen(ctx context.Context) error {
	if b.ctx.Err() != nil {
		return nats.ErrConnectionClosed
	}
	if b.nc != nil && b.nc.IsClosed() { // not by Close
		return fmt.Errorf("%w: %w", ErrForbidden, b.nc.LastError())
	}
	return ctx.Err()
}
