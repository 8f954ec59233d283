package jetstream

import (
	"context"
	"fmt"
	"testing"
	"time"

	"eventseer/crawler/cluster"
	"eventseer/crawler/cluster/clustertest"
)

// node starts a server alone.
func node(t testing.TB, dir string) *Server {
	t.Helper()
	s, err := StartServer(ServerOptions{Name: "n1", Listen: "127.0.0.1:0", Dir: dir, MaxStore: 8 << 30})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// end opens one end of a bus.
func end(t testing.TB, o Options, ackWait time.Duration) *bus {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	b, err := connect(ctx, o, ackWait)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

func alone(ackWait time.Duration) clustertest.Setup {
	return func(t *testing.T) func(string) cluster.Bus {
		s := node(t, t.TempDir())
		return func(name string) cluster.Bus {
			return end(t, Options{URLs: []string{s.URL()}, Name: name, MaxBytes: 8 << 20}, ackWait)
		}
	}
}

// replicated is the streams of three nodes, others for each test.
func replicated(n *nodes, ackWait time.Duration) clustertest.Setup {
	tests := 0
	return func(t *testing.T) func(string) cluster.Bus {
		tests++
		o := Options{URLs: n.urls(), Bucket: fmt.Sprint("t", tests), MaxBytes: 8 << 20}
		first := end(t, o, ackWait)
		t.Cleanup(func() {
			for _, s := range first.streams() {
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
			return end(t, o, ackWait)
		}
	}
}

// TestSuiteReplicated is TestSuite with three replicas, where an answer may come from a
// node that is not up to date and a leader is elected for each stream.
func TestSuiteReplicated(t *testing.T) {
	if testing.Short() {
		t.Skip("three nodes elect leaders for a hundred streams")
	}
	clustertest.Suite(t, replicated(threeNodes(t, nil), cluster.AckWait))
}

func TestSuite(t *testing.T)      { clustertest.Suite(t, alone(cluster.AckWait)) }
func TestRedelivers(t *testing.T) { clustertest.Redelivers(t, alone(time.Second), time.Second) }
