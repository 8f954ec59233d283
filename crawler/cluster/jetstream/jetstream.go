// Package jetstream is a cluster.Bus over NATS JetStream. It also has a NATS server in this process
// for users without one: alone, or as a node of a cluster that replicates.
//
// With Options.Bucket B there are four streams, each one raft group of its replicas:
//
//	KV_B          the bucket, history 1; read at its leader, so that Get sees every Set,
//	              but for a leader that is cut off and has not noticed yet, in 20 s at most
//	B-links       work queue, subject B.u.N of partition N, one durable consumer each
//	B-events      log of events, subject B.e.ID, of a crawler with credentials B.e.c.NAME.ID,
//	              the last of each ID
//	OBJ_B-states  objects, as `nats object` reads them
//
// Requests are messages of core NATS to B.q.NAME, which are not stored.
//
// Permissions come from credentials: an Authority issues them by role, and a node that has its
// NodeAccess admits only their holders.
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

// TLS names PEM files. The zero value is no TLS.
type TLS struct {
	CA, Cert, Key string
}

// Options say where the bus is.
type Options struct {
	URLs  []string // nats://host:port or tls://host:port of some nodes
	Creds string   // credentials file of NATS; "" for none
	// Role is what this end is about to do. Credentials of another are refused before the
	// nodes would. "" is not checked.
	Role Role
	TLS  TLS
	Name string // of this end, for the server's logs
	// Bucket begins the names of all streams, so that clusters share servers: at most 32
	// letters, digits, - and _. "" means "eventseer".
	Bucket string
	// Replicas of all streams, 1 to 5. Zero means what streams that are there have, or
	// else 1 at a server alone and 3 at a cluster, whose third node is waited for.
	Replicas int
	// MaxBytes bounds the queues of links together, each replica, and the log of events as
	// much again. Nodes set it aside: their MaxStore must be larger. Zero means what is
	// there, or else 3 GiB.
	MaxBytes int64
	Log      *slog.Logger // nil: nothing is logged
}

// Limits.
const (
	defaultBytes = 3 << 30
	dedupeWindow = 5 * time.Minute
	maxPending   = 4096             // messages of one queue that are handed out and not acknowledged
	maxID        = 256              // bytes of the ID of a message
	maxInFlight  = 1024             // publishes of one end
	callTimeout  = 5 * time.Second  // of one try
	patience     = 30 * time.Second // of all tries of a call: a new leader is elected in less
	headRoom     = 1 << 10          // bytes of headers and subject of a message
	maxForbidden = 64
)

// timing is how long an end of the bus waits. Tests wait less.
type timing struct {
	ack  time.Duration // for an acknowledgement, until a message comes again
	call time.Duration // for the answer to one try of a call
	move time.Duration // without success, until it goes to another node

	unheard time.Duration // for the first of an answer, until the question is put again
}

var usual = timing{ack: cluster.AckWait, call: callTimeout, move: 6 * time.Second, unheard: unheard}

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

	entries, objs jetstream.Stream // of the bucket and of the objects

	ctx  context.Context // of what runs in the background, until Close
	stop context.CancelFunc
	wg   sync.WaitGroup

	mu        sync.Mutex // guards below
	closed    bool
	consumers map[*consumer]struct{}
	moved     time.Time           // last gone to another node
	forbidden map[string]struct{} // subjects that the nodes refused to take from here, at most maxForbidden
}

var _ cluster.Bus = (*bus)(nil)

// Connect connects to a bus and makes its streams where they are not there yet. It
// waits until the nodes have elected who leads them, or ctx ends. Streams that are
// there are changed where an option that is set differs, or refused where they cannot be.
func Connect(ctx context.Context, o Options) (cluster.Bus, error) {
	return connect(ctx, o, usual)
}

func connect(ctx context.Context, o Options, t timing) (_ *bus, err error) {
	if o.Bucket == "" {
		o.Bucket = "eventseer"
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	b := &bus{
		o: o, time: t, log: o.Log, room: make(chan struct{}, maxInFlight), consumers: map[*consumer]struct{}{}, forbidden: map[string]struct{}{},
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
	// The bus outlives the call that makes it: its own context ends at Close.
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
		return errors.New("bus: no address of a NATS server")
	case !validBucket.MatchString(o.Bucket):
		return fmt.Errorf("bus: bucket %q: at most 32 letters, digits, - and _", o.Bucket)
	case o.Replicas < 0 || o.Replicas > 5:
		return fmt.Errorf("bus: %d replicas: 1 to 5, or 0", o.Replicas)
	case o.MaxBytes < 0:
		return fmt.Errorf("bus: MaxBytes %d is negative", o.MaxBytes)
	}
	return nil
}

const (
	dialPause = 500 * time.Millisecond // between two tries to connect
	warnEvery = 120                    // tries a warning: a minute
)

// dial connects, and tries again until ctx ends, except where the server refuses.
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
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { b.hearError(err) }),
		nats.ClosedHandler(func(nc *nats.Conn) {
			if err := nc.LastError(); err != nil && b.ctx.Err() == nil {
				b.log.Error("the bus lets this end in no more; ask who issues its credentials, and start again", "err", err)
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
		conf, err := b.o.TLS.config()
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
			b.log.Warn("no connection to the bus yet, and tried again until it comes", "servers", b.o.URLs, "err", err)
		}
		if crawler.Pause(ctx, dialPause) != nil {
			return fmt.Errorf("connect to %s: %w (%w)", strings.Join(b.o.URLs, ", "), err, ctx.Err())
		}
	}
}

// hearError takes an error that the node tells of no call.
func (b *bus) hearError(err error) {
	if !errors.Is(err, nats.ErrPermissionViolation) {
		b.log.Debug("bus", "err", err)
		return
	}
	b.log.Warn("a node refuses what the credentials do not allow", "err", err)
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

// isForbidden reports whether a node has refused a message of this subject.
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

// Close implements cluster.Bus. It waits a moment until what is given back is sent; where
// the server ends at that moment, as that of a manager whose crawl is over does, the
// server gives it to others itself, so that is no error.
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
			b.log.Debug("bus closed before all was sent", "err", err)
		}
	}
	b.nc.Close()
	return nil
}

// begin counts one more that runs in the background, unless the bus is closed.
func (b *bus) begin() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return nats.ErrConnectionClosed
	}
	b.wg.Add(1)
	return nil
}

// live is nil as long as a call makes sense.
func (b *bus) live(ctx context.Context) error {
	if b.ctx.Err() != nil {
		return nats.ErrConnectionClosed
	}
	if b.nc != nil && b.nc.IsClosed() { // not by Close
		return fmt.Errorf("%w: %w", ErrForbidden, b.nc.LastError())
	}
	return ctx.Err()
}
