package jetstream

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler/cluster"
)

// A setup makes an empty bus, whose queues of links take 4 to 64 MiB, and returns
// what opens ends of it by name. The suite closes no end that it does not test: the
// setup's own cleanup does, and closing one twice must be harmless. Several tests set up
// their buses at once.
type setup func(t *testing.T) (open func(name string) cluster.Bus)

// suitePatience bounds what a slow machine may take for anything, such as a message that
// comes again after AckWait.
const suitePatience = 2 * time.Minute

// suite tests buses against the contract of cluster.Bus. It runs the named tests, or all, in parallel, each
// on a separate bus.
func suite(t *testing.T, in setup, names ...string) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, func(string) cluster.Bus)
	}{
		{"CompareAndSet", compareAndSet},
		{"SetRaces", setRaces},
		{"EntrySizes", entrySizes},
		{"WatchInitial", watchInitial},
		{"WatchChanges", watchChanges},
		{"WatchSlow", watchSlow},
		{"WatchEnds", watchEnds},
		{"Publish", publish},
		{"PublishDedupes", publishDedupes},
		{"PublishSizes", publishSizes},
		{"PublishFull", publishFull},
		{"Compete", compete},
		{"GivenBack", givenBack},
		{"NextWaits", nextWaits},
		{"Backlog", backlog},
		{"Announce", announce},
		{"AnnounceFull", announceFull},
		{"Objects", objects},
		{"ObjectInterrupted", objectInterrupted},
		{"Request", request},
		{"RequestFails", requestFails},
		{"RequestEnds", requestEnds},
		{"ServeTogether", serveTogether},
		{"Closed", closed},
		{"Ended", ended},
	} {
		if len(names) > 0 && !slices.Contains(names, test.name) {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(t, in(t))
		})
	}
}

// limited is the context of one test.
func limited(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), suitePatience)
	t.Cleanup(cancel)
	return ctx
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// eventually polls until ok, for at most suitePatience.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(suitePatience); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

// soon fails if f does not return.
func soon(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(suitePatience):
		t.Fatalf("%s does not return", what)
	}
}

// sample is n bytes that differ from place to place.
func sample(n int) []byte {
	b := bytes.Repeat([]byte("0123456789abcdef-"), n/17+1)[:n]
	for i := 0; i < n; i += 1 << 10 {
		b[i] = byte(i >> 10)
	}
	return b
}
