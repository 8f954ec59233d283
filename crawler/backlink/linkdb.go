package backlink

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"eventseer/crawler"
	"eventseer/internal/bolt"
	"eventseer/webgraph"

	"go.etcd.io/bbolt"
)

// Limits on the reversed links.
const (
	MaxSources = 1000  // sources kept of one target
	maxScan    = 20000 // links looked at for one answer
)

// A LinkDB keeps the reversed links of our own crawls, and the answers that
// were paid for, in one bbolt file. It is safe for concurrent use.
//
//	in     target key 0x00 source  → scheme byte, nofollow byte, anchor   target key: without scheme
//	count  target key              → sources kept, uvarint
//	asked  scope                   → paid answer, JSON
type LinkDB struct{ db *bbolt.DB }

var (
	_ crawler.LinkStore  = (*LinkDB)(nil)
	_ crawler.Backlinker = (*LinkDB)(nil)

	inBucket    = []byte("in")
	countBucket = []byte("count")
	askedBucket = []byte("asked")
)

// Options say how a LinkDB is opened.
type Options struct {
	// NoSync leaves it to the system when the disk follows: kill -9 loses
	// nothing, but a power cut may break the file. For replays.
	NoSync bool
}

// OpenLinkDB opens or makes the file at path.
func OpenLinkDB(path string, o Options) (*LinkDB, error) {
	db, err := bolt.Open(path, bolt.Options{Kind: "links", Migrations: []func(*bbolt.Tx) error{
		func(tx *bbolt.Tx) error {
			for _, name := range [][]byte{inBucket, countBucket, askedBucket} {
				if _, err := tx.CreateBucketIfNotExists(name); err != nil {
					return err
				}
			}
			return nil
		},
	}})
	if err != nil {
		return nil, err
	}
	db.NoSync = o.NoSync
	return &LinkDB{db}, nil
}

// Close closes the file.
func (d *LinkDB) Close() error { return d.db.Close() }

// Add keeps the links that lead to other sites, at most MaxSources a target.
// It is idempotent.
func (d *LinkDB) Add(ctx context.Context, links []webgraph.Link) error {
	links = between(links)
	if err := ctx.Err(); err != nil || len(links) == 0 {
		return err
	}
	err := d.db.Update(func(tx *bbolt.Tx) error {
		in, counts := tx.Bucket(inBucket), tx.Bucket(countBucket)
		for _, l := range links {
			target := []byte(key(l.Target))
			k := append(append(bytes.Clone(target), 0), l.Source...)
			if in.Get(k) != nil {
				continue
			}
			n, _ := binary.Uvarint(counts.Get(target))
			if n >= MaxSources {
				continue
			}
			if err := counts.Put(target, binary.AppendUvarint(nil, n+1)); err != nil {
				return err
			}
			if err := in.Put(k, encodeLink(l)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("reversed links: %w", err)
	}
	return nil
}

// between returns the links from one site to another that have a place here.
func between(links []webgraph.Link) []webgraph.Link {
	var kept []webgraph.Link
	sites := map[webgraph.Host]string{}
	site := func(url string) string {
		host := webgraph.HostOf(url)
		if _, ok := sites[host]; !ok {
			sites[host] = webgraph.RegisteredDomain(host)
		}
		return sites[host]
	}
	for _, l := range links {
		from, to := site(l.Source), site(l.Target)
		if from != "" && to != "" && from != to && len(l.Source) <= webgraph.MaxURL && len(l.Target) <= webgraph.MaxURL {
			kept = append(kept, l)
		}
	}
	return kept
}

func encodeLink(l webgraph.Link) []byte {
	v := []byte{'h', 'f'}
	if strings.HasPrefix(l.Target, "https:") {
		v[0] = 's'
	}
	if l.NoFollow {
		v[1] = 'n'
	}
	return append(v, l.Anchor...)
}

var errBroken = errors.New("reversed link is broken")

func decodeLink(k, v []byte) (webgraph.Link, error) {
	target, source, ok := bytes.Cut(k, []byte{0})
	if !ok || len(v) < 2 {
		return webgraph.Link{}, fmt.Errorf("%w: %q", errBroken, k)
	}
	scheme := "http://"
	if v[0] == 's' {
		scheme = "https://"
	}
	return webgraph.Link{Source: string(source), Target: scheme + string(target), Anchor: string(v[2:]), NoFollow: v[1] == 'n'}, nil
}

// Links answers from our own crawl; see Service. It looks at a bounded number
// of links, so a huge scope is answered from its first pages.
func (d *LinkDB) Links(ctx context.Context, s Scope, limit int) ([]webgraph.Link, error) {
	var links []webgraph.Link
	err := d.db.View(func(tx *bbolt.Tx) error {
		c := tx.Bucket(inBucket).Cursor()
		prefix := []byte(s)
		for k, v := c.Seek(prefix); bytes.HasPrefix(k, prefix) && len(links) < maxScan; k, v = c.Next() {
			l, err := decodeLink(k, v)
			if err != nil {
				return err
			}
			links = append(links, l)
		}
		return ctx.Err()
	})
	return bySource(links, limit), err
}

// Backlinks answers from our own crawl, which takes no calls.
func (d *LinkDB) Backlinks(ctx context.Context, url string, limit int) ([]webgraph.Link, int, error) {
	for _, s := range Scopes(url) {
		if links, err := d.Links(ctx, s, limit); err != nil || len(links) > 0 {
			return links, 0, err
		}
	}
	return nil, 0, nil
}

// An answer is what a service said of a scope.
type answer struct {
	// Payer is the page that paid for it. The same page asks again only after
	// a crash, when the cost was not committed.
	Payer string          `json:"payer"`
	Limit int             `json:"limit"`
	Links []webgraph.Link `json:"links,omitempty"`
}

// serves reports whether the answer would be no longer if asked again.
func (a answer) serves(limit int) bool { return limit <= a.Limit || len(a.Links) < a.Limit }

func (d *LinkDB) asked(s Scope) (a answer, ok bool, err error) {
	err = d.db.View(func(tx *bbolt.Tx) error {
		v := tx.Bucket(askedBucket).Get([]byte(s))
		if ok = v != nil; !ok {
			return nil
		}
		return json.Unmarshal(v, &a)
	})
	return a, ok, err
}

func (d *LinkDB) remember(s Scope, a answer) error {
	v, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return d.db.Update(func(tx *bbolt.Tx) error { return tx.Bucket(askedBucket).Put([]byte(s), v) })
}

// Check reports every broken page of the file and every broken record.
func (d *LinkDB) Check() []error {
	broken := bolt.Check(d.db)
	err := d.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(inBucket).ForEach(func(k, v []byte) error {
			if _, err := decodeLink(k, v); err != nil {
				broken = append(broken, err)
			}
			return nil
		})
	})
	if err != nil {
		broken = append(broken, err)
	}
	return broken
}
