package backlink

import (
	"bytes"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/crawler/backlink/linkruns"
	"github.com/eventseer/eventseer/internal/bolt"
)

// migrations update the file format; append only.
var migrations = []func(*bolt.Tx) error{
	func(tx *bolt.Tx) error { return makeBuckets(tx, inBucket, countBucket, []byte("asked")) },
	// Version 2 adds the index of hosts, and entries of a Chain with their provider and time. Earlier
	// entries had neither and came from links files, so they are dropped.
	func(tx *bolt.Tx) error {
		err := makeBuckets(tx, hostBucket, providerBucket, answers.bucket, answers.due, promises.bucket, promises.due)
		if err != nil {
			return err
		}
		if err := tx.DeleteBucket([]byte("asked")); err != nil {
			return err
		}
		return indexHosts(tx)
	},
	bolt.AddChecksums,
	writeRuns,
}

// The buckets of links before version 4:
//
//	in     target without scheme 0x00 source → scheme byte, nofollow byte, anchor
//	count  target                            → sources kept, uvarint
//	host   reversed host                     → -       hosts of targets: org.conf.www:8080
var (
	inBucket    = []byte("in")
	countBucket = []byte("count")
	hostBucket  = []byte("host")
)

// Schema returns the version of the files that this program writes.
func Schema() int { return len(migrations) }

func makeBuckets(tx *bolt.Tx, names ...[]byte) error {
	for _, name := range names {
		if _, err := tx.CreateBucketIfNotExists(name); err != nil {
			return err
		}
	}
	return nil
}

// indexHosts adds the hosts of all targets to the index, one transaction step per host.
func indexHosts(tx *bolt.Tx) error {
	hosts := tx.Bucket(hostBucket)
	c := tx.Bucket(countBucket).Cursor()
	for k, _ := c.First(); k != nil; {
		host := hostKey(string(k))
		if err := hosts.Put([]byte(reversedHost(host)), nil); err != nil {
			return err
		}
		k, _ = c.Seek(append(bytes.TrimSuffix([]byte(host), []byte("/")), '/'+1))
	}
	return nil
}

// migratedLinks is the number of bytes of links in memory during the migration to runs.
const migratedLinks = 32 << 20

// writeRuns is the migration to version 4: the links are in runs. Entries that no version of this program
// can have written are an error.
func writeRuns(tx *bolt.Tx) error {
	if err := linkruns.CreateBuckets(tx); err != nil {
		return err
	}
	var pending linkruns.Pending
	err := tx.Bucket(inBucket).ForEach(func(k, v []byte) error {
		l, err := decodeEntry(k, v)
		if err != nil {
			return err
		}
		pending.Add(l.Target, l.Source, appendLinkValue(nil, l))
		if pending.Size() < migratedLinks {
			return nil
		}
		err = linkruns.WriteRun(tx, &pending, MaxSources)
		pending.Reset()
		return err
	})
	if err == nil {
		err = linkruns.WriteRun(tx, &pending, MaxSources)
	}
	for _, name := range [][]byte{inBucket, countBucket, hostBucket} {
		if err == nil {
			err = tx.DeleteBucket(name)
		}
	}
	return err
}

// reversedHost reverses the host of a target, so that hosts of a domain are adjacent:
// www.conf.org:8080/x becomes org.conf.www:8080. Addresses are unchanged.
func reversedHost(k string) string {
	k = strings.TrimSuffix(hostKey(k), "/")
	host, port := k, ""
	if i := strings.LastIndexByte(k, ':'); i > strings.LastIndexByte(k, ']') {
		host, port = k[:i], k[i:]
	}
	if IsAddress(host) {
		return k
	}
	labels := strings.Split(host, ".")
	slices.Reverse(labels)
	return strings.Join(labels, ".") + port
}
