package backlink

import (
	"bytes"
	"errors"
	"fmt"

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
}

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

var errHost = errors.New("the host of a backlink is not in the index")

// checkHosts returns an error for each host of a target that is missing in the index.
func checkHosts(tx *bolt.Tx) (broken []error) {
	hosts := tx.Bucket(hostBucket).Cursor()
	last := ""
	c := tx.Bucket(countBucket).Cursor()
	for k, _ := c.First(); k != nil; k, _ = c.Next() {
		reversed := reversedHost(string(k))
		if reversed == last {
			continue
		}
		last = reversed
		if found, _ := hosts.Seek([]byte(reversed)); string(found) != reversed {
			broken = append(broken, fmt.Errorf("%w: %q", errHost, reversed))
		}
	}
	return broken
}
