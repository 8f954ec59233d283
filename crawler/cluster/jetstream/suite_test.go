package jetstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/internal/nightly"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// node starts a single server.
func node(t testing.TB, dir string) *Server {
	t.Helper()
	s, err := StartServer(ServerOptions{Name: "n1", Listen: "127.0.0.1:0", Dir: dir, MaxStore: 8 << 30})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// sharedNode is a single server for all tests that do not stop it, each with its own bucket. TestMain stops
// it.
var sharedNode = sync.OnceValues(func() (*Server, error) {
	dir, err := os.MkdirTemp("", "jetstream")
	if err != nil {
		return nil, err
	}
	s, err := StartServer(ServerOptions{Name: "n1", Listen: "127.0.0.1:0", Dir: dir, MaxStore: 8 << 30})
	if err != nil {
		return nil, err
	}
	stopShared = func() {
		s.Close()
		os.RemoveAll(dir)
	}
	return s, nil
})

var stopShared = func() {}

func sharedURLs(t testing.TB) []string {
	t.Helper()
	s, err := sharedNode()
	if err != nil {
		t.Fatal(err)
	}
	return []string{s.URL()}
}

var buckets atomic.Int64

// newBucket names a bucket that no other test uses.
func newBucket() string { return fmt.Sprint("t", buckets.Add(1)) }

// end opens one end of a bus.
func end(t testing.TB, o Options, wait timing) *bus {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	b, err := connectWithTiming(ctx, o, wait)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// acked is usual with another wait for acknowledgements.
func acked(wait time.Duration) timing {
	w := usual
	w.ack = wait
	return w
}

// at is a setup of buses at some nodes, in a bucket for each test.
func at(urls []string, wait timing) setup {
	return func(t *testing.T) func(string) cluster.Bus {
		o := Options{URLs: urls, Bucket: newBucket(), MaxBytes: 8 << 20}
		first := end(t, o, wait)
		t.Cleanup(func() {
			for _, s := range first.streamConfigs() {
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				defer cancel()
				if err := first.js.DeleteStream(ctx, s.Name); err != nil {
					t.Log(err)
				}
			}
		})
		return func(name string) cluster.Bus {
			o := o
			o.Name = name
			return end(t, o, wait)
		}
	}
}

func TestSuite(t *testing.T) {
	t.Parallel()
	suite(t, at(sharedURLs(t), usual))
}

// TestSuiteReplicated is a part of TestSuite with three replicas. An answer may come from a node
// that is not up to date, and a leader is elected for each stream.
func TestSuiteReplicated(t *testing.T) {
	t.Parallel()
	suite(t, at(threeNodes(t, nil).urls(), usual), "CompareAndSet", "WatchChanges", "Compete", "Announce", "Objects", "Request")
}

// TestSuiteReplicatedWhole is all of it.
func TestSuiteReplicatedWhole(t *testing.T) {
	nightly.SkipUnlessNightly(t)
	t.Parallel()
	suite(t, at(threeNodes(t, nil).urls(), usual))
}

func TestRedelivers(t *testing.T) {
	t.Parallel()
	redelivers(t, at(sharedURLs(t), acked(time.Second)), time.Second)
}

// A deaf bucket lets some requests for a watch wait for an answer that was lost.
type deaf struct {
	jetstream.KeyValue
	lost atomic.Int32
}

func (d *deaf) WatchAll(ctx context.Context, opts ...jetstream.WatchOpt) (jetstream.KeyWatcher, error) {
	if d.lost.Add(-1) >= 0 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return d.KeyValue.WatchAll(ctx, opts...)
}

// If the response to a watch is lost, as when no node leads the bucket, the watch is requested again.
func TestWatchAnswerIsLost(t *testing.T) {
	t.Parallel()
	wait := usual
	wait.call = 100 * time.Millisecond
	b := end(t, Options{URLs: sharedURLs(t), Bucket: newBucket(), MaxBytes: 8 << 20}, usual)
	b.time = wait
	lost := &deaf{KeyValue: b.kv}
	lost.lost.Store(2)
	b.kv = lost
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	entries, err := b.Watch(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if e, open := <-entries; !open || e.Key != "" {
		t.Errorf("%+v, %v", e, open)
	}
}

// A behind bucket is read at a replica that lacks recent entries, and reports so. It sends the mark
// of nats.go first and the missing entries only then, the oldest first.
type behind struct {
	jetstream.KeyValue
	missing []jetstream.KeyValueEntry
	catchUp chan struct{} // closed: the replica does
}

func (b *behind) WatchAll(context.Context, ...jetstream.WatchOpt) (jetstream.KeyWatcher, error) {
	w := &replica{updates: make(chan jetstream.KeyValueEntry, 1+len(b.missing))}
	w.updates <- nil
	go func() {
		<-b.catchUp
		for _, e := range b.missing {
			w.updates <- e
		}
	}()
	return w, nil
}

type replica struct {
	jetstream.KeyWatcher
	updates chan jetstream.KeyValueEntry
}

func (r *replica) Updates() <-chan jetstream.KeyValueEntry { return r.updates }
func (r *replica) Stop() error                             { close(r.updates); return nil }

// A watch that reads a lagging replica waits for all that was set before it began. It sends the
// last of each key, then the marker.
func TestWatchReplicaLags(t *testing.T) {
	t.Parallel()
	b := end(t, Options{URLs: sharedURLs(t), Bucket: newBucket(), MaxBytes: 8 << 20}, usual)
	replica := &behind{KeyValue: b.kv, catchUp: make(chan struct{})}
	change := func(key, value string, last uint64) uint64 {
		revision := set(t, b, key, value, last)
		e, err := b.kv.GetRevision(limited(t), key, revision)
		must(t, err)
		replica.missing = append(replica.missing, e)
		return revision
	}
	x := change("x", "old", 0)
	y := change("y", "1", 0)
	x = change("x", "new", x)
	later := make([]uint64, 2)
	b.kv = replica
	w := startWatch(t, limited(t), b)
	b.kv = replica.KeyValue
	later[0] = change("y", "2", y)
	later[1] = change("x", "newest", x)
	select {
	case e := <-w:
		t.Errorf("watched %+v of a replica that has nothing", e)
	case <-time.After(50 * time.Millisecond):
	}
	close(replica.catchUp)
	wantNext(t, w, "y", "1", y)
	wantNext(t, w, "x", "new", x)
	wantNext(t, w, "", "", 0)
	wantNext(t, w, "y", "2", later[0])
	wantNext(t, w, "x", "newest", later[1])
}

// proxy is the way to the shared node and back, on which answers are lost while it is silent.
func proxy(t *testing.T) (url string, silent *atomic.Bool) {
	t.Helper()
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	silent = new(atomic.Bool)
	go func() {
		for {
			client, err := server.Accept()
			if err != nil {
				return
			}
			node, err := net.Dial("tcp", strings.TrimPrefix(sharedURLs(t)[0], "nats://"))
			if err != nil {
				t.Error(err)
				return
			}
			go func() {
				defer node.Close()
				_, _ = io.Copy(node, client)
			}()
			go func() {
				answers := make([]byte, 64<<10)
				for {
					n, err := node.Read(answers)
					if err != nil {
						return
					}
					if !silent.Load() {
						_, _ = client.Write(answers[:n])
					}
				}
			}()
		}
	}()
	return "nats://" + server.Addr().String(), silent
}

// throughProxy opens an end behind a proxy, whose calls wait a short time for each answer.
func throughProxy(t *testing.T) (b *bus, silent *atomic.Bool) {
	t.Helper()
	url, silent := proxy(t)
	b = end(t, Options{URLs: []string{url}, Bucket: newBucket(), MaxBytes: 8 << 20}, usual)
	b.time.call = 100 * time.Millisecond
	return b, silent
}

// A change of the bucket whose answer is lost, as where its leader changes, is sent again,
// and stored once.
func TestChangeAnswerIsLost(t *testing.T) {
	t.Parallel()
	b, silent := throughProxy(t)
	lose := func() {
		silent.Store(true)
		time.AfterFunc(250*time.Millisecond, func() { silent.Store(false) })
	}
	lose()
	first := set(t, b, "x", "1", 0)
	wantEntry(t, b, "x", "1", first)
	lose()
	second := set(t, b, "x", "2", first)
	if second != first+1 {
		t.Errorf("revision %d after %d: stored more than once", second, first)
	}
	lose()
	must(t, b.Delete(limited(t), "x", second))
	lose()
	if again := set(t, b, "x", "3", 0); again != second+2 {
		t.Errorf("revision %d after %d and a deletion", again, second)
	}
}

// A question that is lost, as one to an end that has just left is, is put again.
func TestQuestionIsLost(t *testing.T) {
	t.Parallel()
	b := end(t, Options{URLs: sharedURLs(t), Bucket: newBucket(), MaxBytes: 8 << 20}, usual)
	b.time.firstResponse = 100 * time.Millisecond
	// first loses the first question.
	first := func(name string, then func(*nats.Msg)) *nats.Subscription {
		subject, err := b.requestSubject(name)
		must(t, err)
		lost := false
		sub, err := b.nc.Subscribe(subject, func(m *nats.Msg) {
			if lost {
				then(m)
			}
			lost = true
		})
		must(t, err)
		return sub
	}
	must(t, first("left", nil).AutoUnsubscribe(1))
	if err := b.Request(limited(t), "left", nil, nil); !errors.Is(err, cluster.ErrNoKey) {
		t.Errorf("after the last server left: %v", err)
	}
	echo := func(_ context.Context, question []byte, part func([]byte) error) error { return part(question) }
	first("moved", func(m *nats.Msg) { go b.serveRequest(t.Context(), m, echo) })
	var got string
	if err := b.Request(limited(t), "moved", []byte("q"), func(p []byte) error { got += string(p); return nil }); err != nil || got != "q" {
		t.Errorf("%q, %v", got, err)
	}
}

// A server that ends while an end closes is not an error of that end. The manager of a finished
// crawl ends as soon as the last crawler has reported.
func TestServerEndsWhileClosing(t *testing.T) {
	t.Parallel()
	b, silent := throughProxy(t)
	silent.Store(true)
	if err := b.Close(); err != nil {
		t.Errorf("Close beside a server that ends: %v", err)
	}
}
