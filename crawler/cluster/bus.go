package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// A Bus carries the messages between managers and crawlers. Everything except requests survives the loss
// of any one node. It is safe for concurrent use; every method returns soon after ctx ends.
//
// It is an interface so that only package jetstream imports NATS. Code that needs only some of its
// methods declares an interface with those.
type Bus interface {
	Bucket
	Queues
	Events
	Objects
	Requests
	// Traffic returns what this process has sent and received over the bus.
	Traffic() Traffic
	// Close closes the connection. Published data stays on the bus.
	Close() error
}

// A Bucket holds entries by key.
type Bucket interface {
	// Get returns an entry, or ErrNoKey.
	Get(ctx context.Context, key string) (Entry, error)
	// Set writes an entry if its revision is still last (0: if it does not exist) and returns its new
	// revision; otherwise it returns ErrConflict. After any other error the entry may or may not have
	// been written.
	Set(ctx context.Context, key string, value []byte, last uint64) (revision uint64, err error)
	// Delete removes an entry if its revision is still last.
	Delete(ctx context.Context, key string, last uint64) error
	// Watch sends all entries that exist at the time of the call, then one without a key, then every
	// change. The channel is closed when ctx ends or the bus is closed. A slow reader may miss changes,
	// but never the last one of a key.
	Watch(ctx context.Context) (<-chan Entry, error)
}

// Queues hold links: one queue per partition.
type Queues interface {
	// Publish appends a message to the queue of a partition and returns when a majority of the nodes has
	// it. A message with the ID of one of the last minutes is dropped without an error. ErrFull means
	// that the queue has reached its size limit: try again later.
	Publish(ctx context.Context, part int, id string, data []byte) error
	// Consume opens a consumer of the queue of a partition. Each message goes to one of the queue's
	// consumers, and is delivered again if it is not acknowledged within AckWait.
	Consume(ctx context.Context, part int) (Consumer, error)
	// Backlog returns the numbers of messages in all queues that are not acknowledged, and of all that
	// were ever published.
	Backlog(ctx context.Context) (Backlog, error)
}

// Events is a log of the events that crawlers have found.
type Events interface {
	// Announce writes an event to the log, replacing the previous one with the same ID, and returns when
	// a majority of the nodes has it. ErrFull means the same as in Queues.Publish.
	Announce(ctx context.Context, id string, data []byte) error
	// Announced returns the first event of the log whose number is larger than after, or ErrNoKey if
	// there is none yet. If the log never reached the number after, Announced returns its first event.
	Announced(ctx context.Context, after uint64) (Announcement, error)
}

// An Announcement is one event of the log.
type Announcement struct {
	Number uint64 // larger than the numbers of all earlier ones
	// From is the crawler whose credentials wrote the event; no other crawler can write with them. It is
	// "" if a manager wrote it or the bus uses no credentials.
	From string
	Data []byte
}

// Objects stores byte streams by name.
type Objects interface {
	// PutObject stores the content of r under a name, replacing an earlier object. GetObject returns it,
	// or ErrNoKey. DeleteObject returns no error if the object does not exist.
	PutObject(ctx context.Context, name string, r io.Reader) error
	GetObject(ctx context.Context, name string) (io.ReadCloser, error)
	DeleteObject(ctx context.Context, name string) error
}

// Requests carries requests to the process that serves a name, and the responses.
type Requests interface {
	// Request sends a question to the process that serves a name and calls part with each part of the
	// response, in order. ErrNoKey means that no process serves the name. If no response arrives, the
	// question is sent again, so it may be processed twice.
	Request(ctx context.Context, name string, question []byte, part func([]byte) error) error
	// Serve answers requests to a name until ctx ends, several at the same time. The function answer
	// sends the response in parts of at most MaxReply bytes; its error is sent to the process that asked.
	Serve(ctx context.Context, name string, answer func(ctx context.Context, question []byte, part func([]byte) error) error) error
}

// AckWait is the time after which an unacknowledged message is delivered again.
const AckWait = 30 * time.Second

// An Entry is one key of the bucket with its value.
type Entry struct {
	Key      string
	Value    []byte // nil if the key was deleted
	Revision uint64 // larger than all earlier ones of the whole bucket
}

// A Consumer reads one queue. It must not be used concurrently.
type Consumer interface {
	// Next waits up to wait for messages and returns at most limit of them. If none comes, it returns
	// none and no error.
	Next(ctx context.Context, limit int, wait time.Duration) ([]Message, error)
	// Close returns the unacknowledged messages to the queue at once.
	Close() error
}

// A Message is a message of a queue.
type Message struct {
	Data []byte
	// Ack acknowledges the message, so that it is not delivered again. It may be called more than once.
	Ack func() error
}

// A Backlog holds the numbers of messages in all queues.
type Backlog struct {
	Waiting uint64 // not acknowledged
	Bytes   uint64 // of them
	Ever    uint64 // that were ever published
}

// Traffic holds the numbers of messages and bytes since the process started.
type Traffic struct {
	Sent, Received           uint64 // messages
	SentBytes, ReceivedBytes uint64
	Reconnects               uint64
}

// Add adds o to t.
func (t *Traffic) Add(o Traffic) {
	t.Sent += o.Sent
	t.Received += o.Received
	t.SentBytes += o.SentBytes
	t.ReceivedBytes += o.ReceivedBytes
	t.Reconnects += o.Reconnects
}

// Decode decodes the JSON value of an entry into to. It does not change to if the entry was deleted.
func Decode(e Entry, to any) error {
	if e.Value == nil {
		return nil
	}
	if err := json.Unmarshal(e.Value, to); err != nil {
		return fmt.Errorf("entry %s: %w", e.Key, err)
	}
	return nil
}
