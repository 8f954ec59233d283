package jetstream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/cluster"

	"github.com/nats-io/nats.go/jetstream"
)

func (b *bus) entryStream() string { return "KV_" + b.o.Bucket }
func (b *bus) linkStream() string  { return b.o.Bucket + "-links" }
func (b *bus) eventStream() string { return b.o.Bucket + "-events" }
func (b *bus) objectStore() string { return b.o.Bucket + "-states" }

func (b *bus) streamConfigs() []jetstream.StreamConfig {
	bytes := b.o.MaxBytes
	if bytes == 0 {
		bytes = defaultBytes
	}
	queue := jetstream.StreamConfig{
		Retention: jetstream.WorkQueuePolicy, Discard: jetstream.DiscardNew, Duplicates: dedupeWindow,
		MaxMsgSize: cluster.MaxMessage + headRoom, Storage: jetstream.FileStorage,
	}
	links, events := queue, queue
	links.Name, links.Subjects, links.MaxBytes = b.linkStream(), []string{b.o.Bucket + ".u.*"}, bytes
	links.MaxConsumers = cluster.MaxPartitions // the default of servers is 1,000
	events.Name, events.Subjects, events.MaxBytes = b.eventStream(), []string{b.o.Bucket + ".e.*", b.o.Bucket + ".e.c.*.*"}, bytes
	events.Retention, events.MaxMsgsPerSubject = jetstream.LimitsPolicy, 1
	bucket := jetstream.StreamConfig{ // like a bucket of nats.go, but without reads at followers
		Name: b.entryStream(), Subjects: []string{b.entrySubject(">")}, MaxMsgsPerSubject: 1,
		AllowRollup: true, DenyDelete: true, Discard: jetstream.DiscardNew, Duplicates: 2 * time.Minute,
		MaxMsgSize: cluster.MaxEntry + headRoom, Storage: jetstream.FileStorage,
		MaxConsumers: 4 * cluster.MaxWorkers, // each Watch is one
	}
	store := b.objectStore()
	objects := jetstream.StreamConfig{
		Name: "OBJ_" + store, Subjects: []string{"$O." + store + ".C.>", "$O." + store + ".M.>"},
		AllowRollup: true, Discard: jetstream.DiscardNew, Storage: jetstream.FileStorage,
	}
	return []jetstream.StreamConfig{bucket, links, events, objects}
}

// makeStreams creates the streams that do not exist. It waits until there are enough nodes and they have
// leaders.
func (b *bus) makeStreams(ctx context.Context) error {
	for _, c := range b.streamConfigs() {
		if b.who.isLimited() {
			break // a manager makes them
		}
		for told := false; ; {
			err := b.makeStream(ctx, c)
			if err == nil {
				break
			}
			if n, _ := errorCode(err); !isTemporary(err) && n != codeNoPeers {
				return fmt.Errorf("stream %s: %w", c.Name, err)
			}
			if !told {
				b.log.Warn("the bus is not ready; waiting for its nodes", "stream", c.Name, "err", err)
				told = true
			}
			if crawler.WaitFor(ctx, 250*time.Millisecond) != nil {
				return fmt.Errorf("stream %s: %w (%w): do enough nodes run for its replicas?", c.Name, err, ctx.Err())
			}
		}
	}
	if err := b.awaitNames(ctx); err != nil {
		return err
	}
	var err error
	return b.retry(ctx, isTemporary, func(ctx context.Context) error {
		if b.kv, err = b.js.KeyValue(ctx, b.o.Bucket); err != nil {
			return err
		}
		if b.entries, err = b.js.Stream(ctx, b.entryStream()); err != nil || b.who.Role == RoleReader {
			return err // a reader does not need objects
		}
		b.objs, err = b.js.Stream(ctx, "OBJ_"+b.objectStore())
		return err
	})
}

// awaitNames waits until the leader of the cluster lists all streams. It is not the leader of a stream:
// it may apply agreed changes last, and until then responds as if the stream did not exist.
func (b *bus) awaitNames(ctx context.Context) error {
	again := func(err error) bool { return isTemporary(err) || errors.Is(err, jetstream.ErrStreamNotFound) }
	if b.who.isLimited() {
		again = isTemporary
	}
	for _, c := range b.streamConfigs() {
		err := b.retry(ctx, again, func(ctx context.Context) error {
			_, err := b.js.StreamNameBySubject(ctx, c.Subjects[0])
			return err
		})
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			return fmt.Errorf("stream %s: %w", c.Name, cluster.ErrNoCluster)
		}
		if err != nil {
			return fmt.Errorf("stream %s: %w", c.Name, err)
		}
	}
	return nil
}

// leaderStream returns a stream with the state of its leader. It returns errNoLeader if there is no leader; then a
// replica responds with its own state.
func (b *bus) leaderStream(ctx context.Context, stream string) (jetstream.Stream, error) {
	s, err := b.js.Stream(ctx, stream)
	if err != nil {
		return nil, err
	}
	if c := s.CachedInfo().Cluster; c != nil && c.Leader == "" {
		return nil, errNoLeader
	}
	return s, nil
}

func (b *bus) makeStream(ctx context.Context, want jetstream.StreamConfig) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	s, err := b.js.Stream(ctx, want.Name)
	if err == nil {
		return b.adjustStream(ctx, s.CachedInfo().Config, want)
	}
	if !errors.Is(err, jetstream.ErrStreamNotFound) {
		return err
	}
	want.Replicas = b.o.Replicas
	if want.Replicas == 0 {
		want.Replicas = 3
	}
	_, err = b.js.CreateStream(ctx, want)
	if n, _ := errorCode(err); n == codeNoCluster && b.o.Replicas == 0 {
		want.Replicas = 1
		_, err = b.js.CreateStream(ctx, want)
	}
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		return nil // another client created it meanwhile with the same settings
	}
	if n, _ := errorCode(err); n == codeNoStorage {
		return fmt.Errorf("%w: nodes need space for %d bytes: raise MaxStore or lower MaxBytes", err, want.MaxBytes)
	}
	return err
}

// adjustStream changes an existing stream to the settings in the options. It returns an error if that is
// impossible.
func (b *bus) adjustStream(ctx context.Context, have, want jetstream.StreamConfig) error {
	switch {
	case have.Retention != want.Retention, have.Storage != want.Storage, have.Discard != want.Discard,
		!isSubset(have.Subjects, want.Subjects), have.AllowDirect:
		return fmt.Errorf("it exists already with other settings (%v, %v, subjects %q): choose another bucket",
			have.Retention, have.Storage, have.Subjects)
	}
	next := have
	next.Subjects = want.Subjects // older programs created the event stream with fewer subjects
	if b.o.Replicas > 0 {
		next.Replicas = b.o.Replicas
	}
	if b.o.MaxBytes > 0 && want.MaxBytes > 0 {
		next.MaxBytes = want.MaxBytes
	}
	if next.Replicas == have.Replicas && next.MaxBytes == have.MaxBytes && slices.Equal(next.Subjects, have.Subjects) {
		return nil
	}
	_, err := b.js.UpdateStream(ctx, next)
	return err
}

// isSubset reports whether some is not empty and all contains each of its elements.
func isSubset(some, all []string) bool {
	return len(some) > 0 && !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
}
