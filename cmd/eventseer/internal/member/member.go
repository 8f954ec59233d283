// Package member makes a process a member of a cluster, as its manager or as a worker. It provides
// the connection, the settings common to all workers, events as messages, and the turns of a
// worker.
package member

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/crawler/cluster/jetstream"
	"github.com/eventseer/eventseer/crawler/frontier"
	"github.com/eventseer/eventseer/eventseer/store"
	"github.com/eventseer/eventseer/models"
)

// Config keys for the cluster and the client, and those for a NATS node in this process.
var (
	FlagNames       = []string{"nats", "nats-creds", "nats-ca", "nats-cert", "nats-key", "bucket", "replicas", "name"}
	ServerFlagNames = []string{"nats-listen", "nats-cluster", "nats-routes", "nats-config", "nats-open", "nats-store"}
)

// Name returns the name of this process in its cluster.
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

// TLSSettings returns the TLS settings for the nodes of a cluster, as client and as node.
func TLSSettings(c app.Config) jetstream.TLS {
	return jetstream.TLS{CA: c.NatsCA, Cert: c.NatsCert, Key: c.NatsKey}
}

// ConnectToBus connects to the bus of the cluster in a role; it is closed with the command. A crawler
// waits until there is a cluster.
func ConnectToBus(ctx context.Context, a *app.App, role jetstream.Role) (cluster.Bus, error) {
	c := a.Config
	o := jetstream.Options{
		URLs: app.SplitList(c.Nats), Creds: credentialsPath(a, role), Role: role, TLS: TLSSettings(c), Name: Name(c), Bucket: c.Bucket, Replicas: c.Replicas, MaxBytes: int64(c.NatsStore), Log: a.Logger(),
	}
	bus, err := jetstream.Connect(ctx, o)
	for told := false; role == jetstream.RoleCrawler && errors.Is(err, cluster.ErrNoCluster); told = true {
		if !told {
			a.Logf("waiting for the manager of cluster %s", c.Bucket)
		}
		if err := crawler.WaitFor(ctx, time.Second); err != nil {
			return nil, err
		}
		bus, err = jetstream.Connect(ctx, o)
	}
	if errors.Is(err, jetstream.ErrForbidden) && o.Creds == "" {
		err = fmt.Errorf("%w; --nats-creds names credentials, which `eventseer control issue` makes; on the machine of a manager --data of the manager is enough", err)
	}
	if errors.Is(err, jetstream.ErrForbidden) {
		return nil, fmt.Errorf("%w: cluster at %s: %w", app.ErrRefused, c.Nats, err)
	}
	if err != nil {
		return nil, fmt.Errorf("cluster at %s: %w; `eventseer control --nats-listen` starts one", c.Nats, err)
	}
	a.OnClose(bus.Close)
	return bus, nil
}

// Settings are the settings common to all crawlers of a cluster.
type Settings struct {
	Strategy    string  `json:"strategy"`
	Topic       string  `json:"topic,omitempty"`       // a discipline
	TopicModel  string  `json:"topic_model,omitempty"` // otherwise the SHA-256 of a model, an object of the bus
	MinAccuracy float64 `json:"min_accuracy"`
	MaxDepth    int     `json:"max_depth"`
	Seed        uint64  `json:"seed"`

	Models []string `json:"models,omitempty"` // SHA-256 of the models in the place of shipped ones, objects of the bus

	BacklinkCost  float64       `json:"backlink_cost"`
	HostDelay     time.Duration `json:"host_delay"` // nanoseconds
	DelayFactor   float64       `json:"delay_factor"`
	MaxCrawlDelay time.Duration `json:"max_crawl_delay"` // nanoseconds
	Politeness    string        `json:"politeness"`
	PerHost       int           `json:"per_host"`
	PerDomain     int           `json:"per_domain"`
	PerDepth      int           `json:"per_depth"`
	Robots        string        `json:"robots"`
	Directives    string        `json:"directives"`
	Rel           string        `json:"rel"`
	Lists         string        `json:"lists"`
	Render        string        `json:"render"`
}

// Keys are the config keys of the settings that a crawler gets from its cluster.
var Keys = []string{
	"strategy", "seed", "backlink-cost", "host-delay", "delay-factor", "max-crawl-delay", "politeness", "per-host", "per-domain", "per-depth",
	"robots", "directives", "rel", "lists", "render",
}

// SettingsOf returns the settings in a config.
func SettingsOf(c app.Config) Settings {
	return Settings{
		Strategy: c.Strategy, Seed: c.Seed, BacklinkCost: c.BacklinkCost, HostDelay: time.Duration(c.HostDelay), DelayFactor: c.DelayFactor,
		MaxCrawlDelay: time.Duration(c.MaxCrawlDelay), Politeness: c.Politeness, PerHost: c.PerHost, PerDomain: c.PerDomain, PerDepth: c.PerDepth,
		Robots: c.Robots, Directives: c.Directives, Rel: c.Rel, Lists: c.Lists, Render: c.Render,
	}
}

// Apply sets the settings in a config.
func (s Settings) Apply(c *app.Config) {
	c.Strategy, c.Seed, c.BacklinkCost, c.HostDelay, c.DelayFactor = s.Strategy, s.Seed, s.BacklinkCost, app.Duration(s.HostDelay), s.DelayFactor
	c.MaxCrawlDelay, c.Politeness, c.PerHost, c.PerDomain, c.PerDepth = app.Duration(s.MaxCrawlDelay), s.Politeness, s.PerHost, s.PerDomain, s.PerDepth
	c.Robots, c.Directives, c.Rel, c.Lists, c.Render = s.Robots, s.Directives, s.Rel, s.Lists, s.Render
}

// Encode returns the settings as Conf.Options, and the version of a cluster with them and this
// program. The version covers the program, its files, and its models.
func (s Settings) Encode() (options []byte, version string, err error) {
	if options, err = json.Marshal(s); err != nil {
		return nil, "", err
	}
	shipped, err := shippedHash()
	if err != nil {
		return nil, "", err
	}
	sum := sha256.Sum256(options)
	return options, fmt.Sprintf("%s/frontier%d/store%d/models-%.12s/options-%.12s", app.FullVersion(), frontier.Schema(), store.Schema(), shipped, hex.EncodeToString(sum[:])), nil
}

// shippedHash returns the hash of all models in this program.
func shippedHash() (string, error) {
	sum := sha256.New()
	files := models.Files()
	err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, path)
		fmt.Fprintf(sum, "%s %d\n", path, len(data))
		sum.Write(data)
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}

// ReadSettings decodes Conf.Options. Crawlers of another program are refused by the version.
func ReadSettings(c cluster.Conf) (s Settings, err error) {
	if err := json.Unmarshal(c.Options, &s); err != nil {
		return s, fmt.Errorf("%w: its options were written by another program: %w", cluster.ErrVersion, err)
	}
	_, version, err := s.Encode()
	if err == nil && version != c.Version {
		err = fmt.Errorf("%w: %s, this crawler has %s", cluster.ErrVersion, c.Version, version)
	}
	return s, err
}

// maxModelFile bounds a model from the bus.
const maxModelFile = 1 << 30

// modelObject returns the name of a model on the bus.
func modelObject(hash string) string { return "model." + hash }

// PublishModel stores a model file on the bus.
func PublishModel(ctx context.Context, bus cluster.Bus, path, hash string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := bus.PutObject(ctx, modelObject(hash), f); err != nil {
		return fmt.Errorf("model %s: %w", path, err)
	}
	return nil
}

// fetchModel returns the file of a model of the cluster, from the data directory or else the bus.
func fetchModel(ctx context.Context, a *app.App, bus cluster.Bus, hash string) (path string, err error) {
	path = filepath.Join(a.Config.Data, "models", hash+".model")
	if got, err := hashOfModel(path); err == nil && got == hash {
		return path, nil
	}
	r, err := bus.GetObject(ctx, modelObject(hash))
	if errors.Is(err, cluster.ErrNoKey) {
		return "", fmt.Errorf("model %s of the cluster is not on the bus: start the manager again with its --topic and --model", hash)
	}
	if err != nil {
		return "", err
	}
	defer r.Close()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "model-*.part")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(f, io.LimitReader(r, maxModelFile))
	if err = errors.Join(err, f.Close()); err == nil {
		if got, hashErr := hashOfModel(f.Name()); hashErr != nil || got != hash {
			err = fmt.Errorf("model %s was damaged on the bus, it arrived as %s: %w", hash, got, classify.ErrIncompatible)
		} else {
			err = os.Rename(f.Name(), path)
		}
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return path, nil
}

// hashOfModel returns the SHA-256 of a file that contains a model.
func hashOfModel(path string) (hash string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	data, err := io.ReadAll(io.LimitReader(f, maxModelFile))
	if err == nil {
		_, err = classify.ReadMeta(data)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:]), err
}

// IsFile reports whether a file with that name exists.
func IsFile(path string) bool {
	info, err := os.Stat(path)
	return path != "" && err == nil && info.Mode().IsRegular()
}
