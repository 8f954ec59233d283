package jetstream

import (
	"context"
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

func TestSuite(t *testing.T)      { clustertest.Suite(t, alone(cluster.AckWait)) }
func TestRedelivers(t *testing.T) { clustertest.Redelivers(t, alone(time.Second), time.Second) }
