package main

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"

	"eventseer/crawler/cluster"
	"eventseer/crawler/cluster/jetstream"

	"github.com/spf13/cobra"
)

// clusterFlags say where a cluster is, and who asks.
type clusterFlags struct {
	urls     []string
	creds    string
	tls      jetstream.TLS
	bucket   string
	replicas int
	name     string
}

// clusterFlagNames are the flags that addClusterFlags adds.
var clusterFlagNames = []string{"nats", "nats-creds", "nats-ca", "nats-cert", "nats-key", "bucket", "replicas", "name"}

func addClusterFlags(cmd *cobra.Command, f *clusterFlags) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.urls, "nats", nil, "nats://HOST:PORT or tls://HOST:PORT of some nodes of NATS (default nats://127.0.0.1:4222)")
	flags.StringVar(&f.creds, "nats-creds", "", "credentials file of NATS")
	flags.StringVar(&f.tls.CA, "nats-ca", "", "file of certificates in PEM that the nodes' may be signed by")
	flags.StringVar(&f.tls.Cert, "nats-cert", "", "certificate in PEM to show to the nodes")
	flags.StringVar(&f.tls.Key, "nats-key", "", "its private key")
	flags.StringVar(&f.bucket, "bucket", "eventseer", "name of the cluster: clusters of other names may share the nodes")
	flags.IntVar(&f.replicas, "replicas", 0, "copies of all that the nodes keep; 0 is 3 in a cluster of nodes and 1 at a lone one")
	flags.StringVar(&f.name, "name", "", "name in the cluster, the same after a restart (default that of this machine)")
}

// defaultNode is where a cluster is looked for.
const defaultNode = "nats://127.0.0.1:4222"

// who is the name of this process in the cluster.
func (f clusterFlags) who() string {
	if f.name != "" {
		return f.name
	}
	host, err := os.Hostname()
	if err != nil || host == "" {
		return "eventseer"
	}
	name := notOfNames.ReplaceAllString(host, "-")
	return name[:min(len(name), cluster.MaxName)]
}

var notOfNames = regexp.MustCompile(`[^a-zA-Z0-9_-]+`)

// connect connects to the bus of a cluster, which closes with the command.
func (a *app) connect(ctx context.Context, f clusterFlags) (cluster.Bus, error) {
	o := jetstream.Options{
		URLs: f.urls, Creds: f.creds, TLS: f.tls, Name: f.who(), Bucket: f.bucket, Replicas: f.replicas, Log: a.logger(),
	}
	if len(o.URLs) == 0 {
		o.URLs = []string{defaultNode}
	}
	bus, err := jetstream.Connect(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("cluster at %s: %w; `eventseer control --nats-listen` starts one", strings.Join(o.URLs, ","), err)
	}
	a.onClose(bus.Close)
	return bus, nil
}
