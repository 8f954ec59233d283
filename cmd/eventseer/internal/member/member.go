// Package member makes a process a member of a cluster, as its manager or as a worker:
// the connection, the settings that all workers share, events as messages, and the
// turns of a worker.
package member

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/crawler/cluster"
	"eventseer/crawler/cluster/jetstream"
)

// Keys of the config that say where a cluster is and who asks, and those of a node of
// NATS in this process.
var (
	FlagNames       = []string{"nats", "nats-creds", "nats-ca", "nats-cert", "nats-key", "bucket", "replicas", "name"}
	ServerFlagNames = []string{"nats-listen", "nats-cluster", "nats-routes", "nats-config", "nats-open", "nats-store"}
)

// Name is the name of this process in its cluster.
func Name(c app.Config) string {
	if c.Name != "" {
		return c.Name
	}
	host, err := os.Hostname()
	if err != nil || host == "" {
		return "eventseer"
	}
	name := notOfNames.ReplaceAllString(host, "-")
	return name[:min(len(name), cluster.MaxName)]
}

var notOfNames = regexp.MustCompile(`[^a-zA-Z0-9_-]+`)

// TLS is what the nodes of a cluster are spoken to with, and speak with.
func TLS(c app.Config) jetstream.TLS {
	return jetstream.TLS{CA: c.NatsCA, Cert: c.NatsCert, Key: c.NatsKey}
}

// SplitList reads what is separated by commas.
func SplitList(text string) (parts []string) {
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// Connect connects to the bus of the cluster, which closes with the command.
func Connect(ctx context.Context, a *app.App) (cluster.Bus, error) {
	c := a.Config
	bus, err := jetstream.Connect(ctx, jetstream.Options{
		URLs: SplitList(c.Nats), Creds: c.NatsCreds, TLS: TLS(c), Name: Name(c), Bucket: c.Bucket, Replicas: c.Replicas, MaxBytes: int64(c.NatsStore), Log: a.Logger(),
	})
	if err != nil {
		return nil, fmt.Errorf("cluster at %s: %w; `eventseer control --nats-listen` starts one", c.Nats, err)
	}
	a.OnClose(bus.Close)
	return bus, nil
}
