package jetstream

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A node that is cut off from the others answers that JetStream is unavailable. Both interfaces of
// nats.go must count as temporary, or a watch is never moved to another node.
func TestUnavailableIsTemporary(t *testing.T) {
	for _, err := range []error{
		&jetstream.APIError{Code: 503, ErrorCode: 10008, Description: "JetStream system temporarily unavailable"},
		&nats.APIError{Code: 503, ErrorCode: 10008, Description: "JetStream system temporarily unavailable"},
	} {
		if !isTemporary(fmt.Errorf("watch: %w", err)) {
			t.Errorf("%T is not temporary", err)
		}
	}
	for _, err := range []error{
		&jetstream.APIError{Code: 503, ErrorCode: codeNoStorage},
		&nats.APIError{Code: 503, ErrorCode: codeNoStorage},
		&nats.APIError{Code: 400, ErrorCode: 10003},
	} {
		if isTemporary(err) {
			t.Errorf("%T %v is temporary", err, err)
		}
	}
}

// TestNothingIsKeptWithoutNode checks that a consumer leaves no subscriptions while no node is connected.
// Those of requests that nats.go cannot send would stay until the process ends, and come to the next node.
func TestNothingIsKeptWithoutNode(t *testing.T) {
	t.Parallel()
	s := node(t, t.TempDir())
	b := end(t, Options{URLs: []string{s.URL()}, Bucket: newBucket()}, usual)
	c, err := b.Consume(t.Context(), 3)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Next(t.Context(), 8, 0); err != nil { // makes the subscriptions that stay
		t.Fatal(err)
	}
	gone := b.nc.StatusChanged(nats.RECONNECTING)
	s.Close()
	<-gone
	for range 3 {
		before := b.nc.NumSubscriptions()
		for range 5 {
			if ms, err := c.Next(t.Context(), 8, time.Millisecond); len(ms) > 0 || err != nil {
				t.Fatal(ms, err)
			}
		}
		if now := b.nc.NumSubscriptions(); now > before {
			t.Fatalf("%d subscriptions before five attempts, %d after", before, now)
		}
	}
}
