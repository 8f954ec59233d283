package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// A Bus carries what managers and crawlers tell each other. All of it but requests
// survives the loss of any one node. It is safe for concurrent use; every method returns
// soon after ctx ends.
//
// It is an interface because NATS stays out of all packages except jetstream: code that needs a
// part of it names that part.
type Bus interface {
	Bucket
	Queues
	Events
	Objects
	Requests
	// Traffic counts what this end of the bus has sent and received.
	Traffic() Traffic
	// Close lets go. What was published stays.
	Close() error
}

// A Bucket holds entries by key.
type Bucket interface {
	// Get returns an entry, or ErrNoKey.
	Get(ctx context.Context, key string) (Entry, error)
	// Set writes an entry if its revision is still last, 0 if it is not there, and
	// returns its new one; otherwise it returns ErrConflict. Any other error leaves open
	// whether it was written.
	Set(ctx context.Context, key string, value []byte, last uint64) (revision uint64, err error)
	// Delete removes an entry if its revision is still last.
	Delete(ctx context.Context, key string, last uint64) error
	// Watch sends all entries that were set before the call, then one without a key, then every
	// change. When ctx ends or the bus is closed, the channel is closed. A slow reader sees the
	// last change of a key at least.
	Watch(ctx context.Context) (<-chan Entry, error)
}

// Queues are of links, one for each partition.
type Queues interface {
	// Publish puts a message into the queue of a partition and returns when a majority
	// has it. One with the ID of a message of the last minutes is taken and left out.
	// ErrFull means that the queue holds as much as it may: later again.
	Publish(ctx context.Context, part int, id string, data []byte) error
	// Consume reads the queue of a partition. Each message goes to one of all its
	// consumers, and comes again if it is not acknowledged for AckWait.
	Consume(ctx context.Context, part int) (Consumer, error)
	// Backlog counts the messages of all queues that are not acknowledged, and all that
	// ever came.
	Backlog(ctx context.Context) (Backlog, error)
}

// Events are a log of what crawlers have found.
type Events interface {
	// Announce writes an event to the log, in place of the last of its ID, and returns
	// when a majority has it. ErrFull means what it does of Queues.Publish.
	Announce(ctx context.Context, id string, data []byte) error
	// Announced returns the first event of the log after a number; ErrNoKey if there is
	// none yet. A log that never came to that number is read from its begin.
	Announced(ctx context.Context, after uint64) (Announcement, error)
}

// An Announcement is one event of the log.
type Announcement struct {
	Number uint64 // larger than that of all before it
	// From is the crawler with whose credentials it was written, which can be no other's.
	// "" where a manager wrote it, or the bus asks for no credentials.
	From string
	Data []byte
}

// Objects are kept by name.
type Objects interface {
	// PutObject stores the content of r under a name, replacing an earlier one. GetObject returns
	// it, or ErrNoKey; DeleteObject of a missing object is not an error.
	PutObject(ctx context.Context, name string, r io.Reader) error
	GetObject(ctx context.Context, name string) (io.ReadCloser, error)
	DeleteObject(ctx context.Context, name string) error
}

// Requests are questions to the process that serves a name.
type Requests interface {
	// Request sends a question to the process that serves a name and calls part with each
	// part of the answer, in order. ErrNoKey means that no process serves it. A question
	// without any response is sent again, so it may be answered twice.
	Request(ctx context.Context, name string, question []byte, part func([]byte) error) error
	// Serve answers questions put to a name until ctx ends, several at once. Parts of an
	// answer have at most MaxReply bytes; an error of answer is told to who asked.
	Serve(ctx context.Context, name string, answer func(ctx context.Context, question []byte, part func([]byte) error) error) error
}

// AckWait is after how long a message that is not acknowledged comes again.
const AckWait = 30 * time.Second

// An Entry is one key of the bucket.
type Entry struct {
	Key      string
	Value    []byte // nil where it was deleted
	Revision uint64 // larger than all before it in the whole bucket
}

// A Consumer reads one queue. One goroutine at a time may use it.
type Consumer interface {
	// Next waits up to wait for messages and returns at most limit of them; none is no error.
	Next(ctx context.Context, limit int, wait time.Duration) ([]Message, error)
	// Close gives messages that are not acknowledged back at once.
	Close() error
}

// A Message is one of a queue.
type Message struct {
	Data []byte
	// Ack means that it need not come again. Of the same message it may be called twice.
	Ack func() error
}

// Backlog counts messages of the queues.
type Backlog struct {
	Waiting uint64 // not acknowledged
	Bytes   uint64 // of them
	Ever    uint64 // that were ever published
}

// Traffic counts messages and bytes from the start of a process.
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

// Decode reads the JSON of an entry. It leaves to alone where the entry was deleted.
func Decode(e Entry, to any) error {
	if e.Value == nil {
		return nil
	}
	if err := json.Unmarshal(e.Value, to); err != nil {
		return fmt.Errorf("entry %s: %w", e.Key, err)
	}
	return nil
}
