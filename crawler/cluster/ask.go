package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/webgraph"
)

// ErrNoCluster means that the bucket has no leader entry: no manager ever led this cluster.
var ErrNoCluster = errors.New("no manager has led this cluster yet")

// ReadConf waits until a manager has written the Conf and returns it.
func ReadConf(ctx context.Context, b Bucket) (c Conf, err error) {
	for {
		e, err := b.Get(ctx, ConfKey)
		if err == nil {
			if err = Decode(e, &c); err == nil {
				err = c.Validate()
			}
			return c, err
		}
		if !errors.Is(err, ErrNoKey) {
			return c, err
		}
		if err := crawler.WaitFor(ctx, MinLease); err != nil {
			return c, err
		}
	}
}

// Validate returns an error if c has values that no manager of this program writes.
func (c Conf) Validate() error {
	if c.Version == "" || c.Partitions < MinPartitions || c.Partitions > MaxPartitions || c.Lease < MinLease {
		return fmt.Errorf("invalid cluster settings: version %q, %d partitions, lease %s: they were written by another program", c.Version, c.Partitions, c.Lease)
	}
	return nil
}

// Equal reports whether c and o are the same configuration.
func (c Conf) Equal(o Conf) bool {
	same := bytes.Equal(c.Options, o.Options)
	c.Options, o.Options = nil, nil
	return same && reflect.DeepEqual(c, o)
}

// ReadStatus returns the status that the leader last wrote to the bucket.
func ReadStatus(ctx context.Context, b Bucket) (Status, error) {
	e, err := b.Get(ctx, LeaderKey)
	if errors.Is(err, ErrNoKey) {
		return Status{}, ErrNoCluster
	}
	var l Leader
	if err == nil {
		err = Decode(e, &l)
	}
	return l.Status, err
}

// GiveOrder writes the order that all crawlers follow from now on.
func GiveOrder(ctx context.Context, b Bucket, o Order) error {
	switch o.Do {
	case DoCrawl, DoMonitor, DoStop, DoFinish:
	default:
		return fmt.Errorf("unknown order %q", o.Do)
	}
	return changeEntry(ctx, b, OrderKey, func([]byte) any { return o })
}

// ErrNoWorker means that there is no crawler with that name.
var ErrNoWorker = errors.New("there is no such crawler")

// DrainWorker asks a crawler to hand over all its partitions and to end. If undo is set, it withdraws the
// request.
func DrainWorker(ctx context.Context, b Bucket, name string, d Drain, undo bool) error {
	if !ValidName(name) {
		return fmt.Errorf("%w: %.100q is not a valid name", ErrNoWorker, name)
	}
	if _, err := b.Get(ctx, WorkerPrefix+name); errors.Is(err, ErrNoKey) {
		return fmt.Errorf("%w: %s", ErrNoWorker, name)
	} else if err != nil {
		return err
	}
	return changeEntry(ctx, b, DrainPrefix+name, func([]byte) any {
		if undo {
			return nil
		}
		return d
	})
}

// maxTries is the number of attempts to change an entry that others change at the same time.
const maxTries = 20

// changeEntry replaces the value of an entry by the result of calling to with its old value; nil deletes the
// entry. It tries again if another process changed the entry meanwhile.
func changeEntry(ctx context.Context, b Bucket, key string, to func(old []byte) any) error {
	for range maxTries {
		e, err := b.Get(ctx, key)
		if err != nil && !errors.Is(err, ErrNoKey) {
			return err
		}
		value := to(e.Value)
		switch {
		case value == nil && e.Value == nil:
			return nil
		case value == nil:
			err = b.Delete(ctx, key, e.Revision)
		default:
			var data []byte
			if data, err = json.Marshal(value); err == nil {
				_, err = b.Set(ctx, key, data, e.Revision)
			}
		}
		if !errors.Is(err, ErrConflict) {
			return err
		}
	}
	return fmt.Errorf("entry %s: %w in each of %d attempts", key, ErrConflict, maxTries)
}

// pageWait is the timeout for the response of one crawler.
const pageWait = 10 * time.Second

// FetchRecordedPage writes a page that a crawler has recorded to w: the HTTP headers and the body. It asks the owner
// of the page's partition first, then all other crawlers, and returns ErrNoPage if none has the page.
func FetchRecordedPage(ctx context.Context, b interface {
	Bucket
	Requests
}, url string, w io.Writer) error {
	url, err := webgraph.Canonical(url)
	if err != nil {
		return err
	}
	names, err := recordingCrawlers(ctx, b, webgraph.HostOf(url))
	if err != nil {
		return err
	}
	var failed error
	for _, name := range names {
		kept, err := requestPage(ctx, b, name, url, w)
		if kept || ctx.Err() != nil {
			return err
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("crawler %s does not respond: %w", name, err))
		}
	}
	return errors.Join(fmt.Errorf("%w: %s; %d crawlers were asked", ErrNoPage, url, len(names)), failed)
}

// requestPage requests the page from one crawler. It returns kept = true as soon as the crawler sends a part
// of it.
func requestPage(ctx context.Context, b Requests, name, url string, w io.Writer) (kept bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, pageWait)
	defer cancel()
	size := 0
	err = b.Request(ctx, PageQuestion+name, []byte(url), func(part []byte) error {
		kept = true
		if size += len(part); size > MaxPage {
			return fmt.Errorf("page %s of crawler %s has more than %d bytes", url, name, MaxPage)
		}
		_, err := w.Write(part)
		return err
	})
	return kept, err
}

// recordingCrawlers returns the names of the crawlers that may have recorded pages of a host. The owner of the
// host's partition comes first.
func recordingCrawlers(ctx context.Context, b Bucket, host webgraph.Host) ([]string, error) {
	all, err := ReadAll(ctx, b)
	if err != nil {
		return nil, err
	}
	var c Conf
	if err := Decode(all[ConfKey], &c); err != nil {
		return nil, err
	}
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("%w (%w)", ErrNoCluster, err)
	}
	var p Part
	if err := Decode(all[PartKey(PartitionOf(host, c.Partitions))], &p); err != nil {
		return nil, err
	}
	var names []string
	for _, key := range slices.Sorted(maps.Keys(all)) {
		if name, ok := strings.CutPrefix(key, WorkerPrefix); ok && all[key].Value != nil && name != p.Owner {
			names = append(names, name)
		}
	}
	if p.Owner != "" {
		names = append([]string{p.Owner}, names...)
	}
	return names, nil
}

// ReadAll returns all entries of the bucket by key.
func ReadAll(ctx context.Context, b Bucket) (map[string]Entry, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	entries, err := b.Watch(ctx)
	if err != nil {
		return nil, err
	}
	all := map[string]Entry{}
	for e := range entries {
		if e.Key == "" {
			return all, nil
		}
		all[e.Key] = e
	}
	return nil, errors.Join(ctx.Err(), errors.New("the watch of the bucket ended"))
}

// PageQuestion and a crawler's name form the name under which the crawler serves its recorded pages.
const PageQuestion = "page."
