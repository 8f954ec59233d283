// Package jetstream is a cluster.Bus over NATS JetStream, and a NATS server in this
// process for those who run none: alone, or as a node of a cluster that replicates.
package jetstream

import (
	"context"
	"errors"
	"log/slog"

	"eventseer/crawler/cluster"

	"github.com/nats-io/nats-server/v2/server"
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
	TLS   TLS
	Name  string // of this end, for the server's logs
	// Bucket begins the names of all streams, so that clusters share servers. "" means "eventseer".
	Bucket string
	// Replicas of all streams, 1 to 5. Zero means as many as there are nodes, at most 3.
	Replicas int
	// MaxBytes bounds the queues of links together, each replica. Zero means 4 GiB.
	MaxBytes int64
	Log      *slog.Logger
}

// Connect connects to a bus and makes its streams where they are not there yet. It
// waits until the nodes have elected who leads them, or ctx ends.
func Connect(ctx context.Context, o Options) (cluster.Bus, error) {
	_ = jetstream.WorkQueuePolicy
	return nil, errors.ErrUnsupported
}

// ServerOptions describe a node.
type ServerOptions struct {
	Name    string
	Listen  string   // host:port of clients; port 0 takes a free one
	Cluster string   // host:port of the other nodes; "" for one node alone
	Routes  []string // host:port of the other nodes
	Dir     string   // of what it stores
	TLS     TLS      // of clients and routes; with a CA both sides show a certificate
	// Users is a file of NATS credentials to accept (operator JWT) or "" for all.
	Users    string
	MaxStore int64 // bytes on disk; zero means what the disk gives
	Log      *slog.Logger
}

// A Server is a node in this process.
type Server struct{ s *server.Server }

// StartServer starts a node and returns when it takes clients.
func StartServer(o ServerOptions) (*Server, error) { return nil, errors.ErrUnsupported }

// URL is where clients of this node connect.
func (s *Server) URL() string { return s.s.ClientURL() }

// Close ends the node and returns when what it stores is closed.
func (s *Server) Close() {}
