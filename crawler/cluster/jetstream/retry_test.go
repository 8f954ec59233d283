package jetstream

import (
	"context"
	"errors"
	"fmt"
	"reflect"
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

// TestNothingIsKeptWithoutNode checks that attempts without a connected node leave no subscription or
// request. The subscriptions and requests that nats.go cannot send would stay until the process ends, the
// former also at the next node.
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
	requests := func() int { return reflect.ValueOf(b.nc).Elem().FieldByName("respMap").Len() }
	for range 3 {
		subscriptions, waiting := b.nc.NumSubscriptions(), requests()
		for range 5 {
			if ms, err := c.Next(t.Context(), 8, time.Millisecond); len(ms) > 0 || err != nil {
				t.Fatal(ms, err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			if _, err := b.Get(ctx, "order"); err == nil {
				t.Fatal("an answer without a node")
			}
			cancel()
		}
		if now := b.nc.NumSubscriptions(); now > subscriptions {
			t.Fatalf("%d subscriptions before five attempts, %d after", subscriptions, now)
		}
		if now := requests(); now > waiting {
			t.Fatalf("%d requests wait for answers before five attempts, %d after", waiting, now)
		}
	}
}

// Attempts of a call get longer, so that a slow node answers one of them.
func TestLaterAttemptsAreLonger(t *testing.T) {
	t.Parallel()
	b := end(t, Options{URLs: sharedURLs(t), Bucket: newBucket(), MaxBytes: 8 << 20}, usual)
	b.time.call, b.time.move = 100*time.Millisecond, 0
	err := b.retry(t.Context(), isTemporary, func(ctx context.Context) error {
		if deadline, _ := ctx.Deadline(); time.Until(deadline) > 4*b.time.call {
			return nil
		}
		return context.DeadlineExceeded
	})
	if err != nil {
		t.Errorf("no attempt had more than four times the time of the first: %v", err)
	}
}

// A call of Consume waits for the one before only as long as its context allows.
func TestConsumeWaitsForOther(t *testing.T) {
	t.Parallel()
	b := end(t, Options{URLs: sharedURLs(t), Bucket: newBucket(), MaxBytes: 8 << 20}, usual)
	b.creating <- struct{}{}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := b.Consume(ctx, 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("while another call requests a consumer: %v", err)
	}
	<-b.creating
	if _, err := b.Consume(t.Context(), 1); err != nil {
		t.Error(err)
	}
}
