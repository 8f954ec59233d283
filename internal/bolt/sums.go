package bolt

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/zeebo/xxh3"
	"go.etcd.io/bbolt"
)

// In a sealed file each value has a trailer: the digest of its bucket's name, its key and its value, 8
// bytes, big endian. The bucket sumsBucket has three numbers of 8 bytes for each other bucket: the number
// of keys, the sum of their digests modulo 2⁶⁴, and the counter. If a value is missing, additional or
// outdated, at least one of them is wrong.
//
// The counter of sumsBucket itself is the transaction that wrote it, with a checksum. It shows if the
// root page, and with it all sums, are from an earlier transaction than the meta page.
const (
	sumsBucket = "sums"
	trailerLen = 8
	sumLen     = 24
)

// A bucketSum is what a sealed file records about one of its buckets.
type bucketSum struct{ count, digest, sequence uint64 }

func (s bucketSum) encode() []byte {
	v := binary.BigEndian.AppendUint64(make([]byte, 0, sumLen+trailerLen), s.count)
	v = binary.BigEndian.AppendUint64(v, s.digest)
	return binary.BigEndian.AppendUint64(v, s.sequence)
}

func decodeSum(v []byte) (s bucketSum, ok bool) {
	if len(v) != sumLen {
		return s, false
	}
	return bucketSum{binary.BigEndian.Uint64(v), binary.BigEndian.Uint64(v[8:]), binary.BigEndian.Uint64(v[16:])}, true
}

// seedOf returns the seed for the digests of a bucket.
func seedOf(bucket string) uint64 { return xxh3.HashString(bucket) }

func digestOf(seed uint64, key, value []byte) uint64 {
	return xxh3.HashSeed(value, xxh3.HashSeed(key, seed))
}

// withTrailer returns a copy of value with the digest appended.
func withTrailer(value []byte, digest uint64) []byte {
	stored := make([]byte, len(value), len(value)+trailerLen)
	copy(stored, value)
	return binary.BigEndian.AppendUint64(stored, digest)
}

// trailerOf returns the digest at the end of a stored value, 0 if the value is too short.
func trailerOf(stored []byte) uint64 {
	if len(stored) < trailerLen {
		return 0
	}
	return binary.BigEndian.Uint64(stored[len(stored)-trailerLen:])
}

// withoutDigest returns a stored value without its digest and reports whether the digest is right.
func withoutDigest(seed uint64, key, stored []byte) (value []byte, ok bool) {
	n := len(stored) - trailerLen
	if n < 0 {
		return nil, false
	}
	value = stored[:n:n]
	return value, digestOf(seed, key, value) == trailerOf(stored)
}

const (
	wrongValue = "the value does not match its checksum"
	noSums     = "the file does not record what the bucket should contain"
)

func sequenceError(has, want uint64) string {
	return fmt.Sprintf("its counter is %d, but %d was written", has, want)
}

// verifiedValue returns a stored value without its digest and panics if the digest is wrong; see Bucket.
func (b *Bucket) verifiedValue(key, stored []byte) []byte {
	if !b.tx.sealed {
		return stored
	}
	value, ok := withoutDigest(b.seed, key, stored)
	if !ok {
		panic(&DamageError{Bucket: b.name, Key: bytes.Clone(key), Reason: wrongValue})
	}
	return value
}

// currentSum returns the bucket's sum within the transaction. The caller may change it.
func (b *Bucket) currentSum() *bucketSum {
	if !b.known {
		s, known := b.tx.storedSum([]byte(b.name))
		if !known {
			panic(&DamageError{Bucket: b.name, Reason: noSums})
		}
		b.sum, b.known = s, true
	}
	return &b.sum
}

// sumsBucket returns the bucket of sums of a sealed file.
func (tx *Tx) sumsBucket() *bbolt.Bucket {
	raw := tx.raw.Bucket([]byte(sumsBucket))
	if raw == nil {
		panic(&DamageError{Bucket: sumsBucket, Reason: "the bucket is missing"})
	}
	return raw
}

// storedSum returns the recorded sum of a bucket, and false if there is none.
func (tx *Tx) storedSum(bucket []byte) (s bucketSum, known bool) {
	if !tx.sealed {
		return s, false
	}
	stored := tx.sumsBucket().Get(bucket)
	if stored == nil {
		return s, false
	}
	value, ok := withoutDigest(seedOf(sumsBucket), bucket, stored)
	if ok {
		s, ok = decodeSum(value)
	}
	if !ok {
		panic(&DamageError{Bucket: sumsBucket, Key: bytes.Clone(bucket), Reason: wrongValue})
	}
	return s, true
}

// transactionCounter returns the counter of sumsBucket for a transaction: its number and 16 bits of a hash of it.
func transactionCounter(transaction uint64) uint64 {
	return transaction<<16 | xxh3.Hash(binary.BigEndian.AppendUint64(nil, transaction))&0xffff
}

// recordTransaction records in sumsBucket that this transaction wrote it. It does nothing if the file has no
// checksums.
func recordTransaction(tx *bbolt.Tx) error {
	b := tx.Bucket([]byte(sumsBucket))
	if b == nil {
		return nil
	}
	return b.SetSequence(transactionCounter(uint64(tx.ID()))) // #nosec G115 -- not negative
}

// firstTransaction is the number of the first transaction in a file, which creates its first bucket. A new file has
// the numbers 0 and 1 in its meta pages.
const firstTransaction = 2

// outdatedSums says why a counter of sumsBucket does not belong to the transaction of the meta page, "" if it
// does. Close ends with a transaction that changes nothing, so the counter may be that of the one before. The
// pages of that one are not overwritten by the last one, so an older root page in the place of the latest is
// older by two at least. Earlier versions of this program did not record a transaction and left the counter 0.
func outdatedSums(counter, transaction uint64) string {
	switch written := counter >> 16; {
	case counter == 0, counter == transactionCounter(transaction), transaction > 0 && counter == transactionCounter(transaction-1):
		return ""
	case counter != transactionCounter(written):
		return fmt.Sprintf("its counter is %d, which is not one of a transaction", counter)
	default:
		return fmt.Sprintf("it was written by transaction %d, but the last one of the file is %d: the root page is an old copy, or another program changed the file", written, transaction)
	}
}

// storeSums writes the sums of the buckets that a transaction changed.
func (tx *Tx) storeSums() error {
	if !tx.sealed {
		return nil
	}
	var raw *bbolt.Bucket
	for _, name := range slices.Sorted(maps.Keys(tx.buckets)) {
		b := tx.buckets[name]
		if !b.changed {
			continue
		}
		if raw == nil {
			raw = tx.sumsBucket()
		}
		if err := putSum(raw, name, b.sum); err != nil {
			return err
		}
		b.changed = false
	}
	return recordTransaction(tx.raw)
}

func putSum(raw *bbolt.Bucket, bucket string, s bucketSum) error {
	key, value := []byte(bucket), s.encode()
	return raw.Put(key, withTrailer(value, digestOf(seedOf(sumsBucket), key, value)))
}

// sealChunk is the number of values that Seal reads into memory at a time.
const sealChunk = 1000

// AddChecksums is a migration that adds a checksum to each value, and the sums to the file. Every kind of file
// has it once. Earlier migrations work on values without checksums; for later ones the checksums are
// added and removed automatically. It rewrites all values.
func AddChecksums(tx *Tx) error {
	if tx.sealed || OmitChecksums {
		return nil
	}
	sums := map[string]bucketSum{}
	err := tx.raw.ForEach(func(name []byte, _ *bbolt.Bucket) error {
		sums[string(name)] = bucketSum{}
		return nil
	})
	if err != nil {
		return err
	}
	raw, err := tx.raw.CreateBucket([]byte(sumsBucket))
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		s, err := sealBucket(tx.raw.Bucket([]byte(name)), seedOf(name))
		if err == nil {
			err = putSum(raw, name, s)
		}
		if err != nil {
			return fmt.Errorf("bucket %s: %w", name, err)
		}
	}
	tx.sealed, tx.buckets = true, nil
	return nil
}

// sealBucket adds checksums to the values of a bucket and returns the bucket's sum.
func sealBucket(b *bbolt.Bucket, seed uint64) (s bucketSum, err error) {
	type record struct{ key, stored []byte }
	s.sequence = b.Sequence()
	some := make([]record, 0, sealChunk)
	var next []byte // where to go on
	for {
		some = some[:0]
		c := b.Cursor() // a new cursor, because Put invalidates the previous one
		for k, v := c.Seek(next); k != nil && len(some) < sealChunk; k, v = c.Next() {
			digest := digestOf(seed, k, v)
			some = append(some, record{bytes.Clone(k), withTrailer(v, digest)})
			s.count++
			s.digest += digest
		}
		if len(some) == 0 {
			return s, nil
		}
		for _, r := range some {
			if err := b.Put(r.key, r.stored); err != nil {
				return s, err
			}
		}
		next = append(some[len(some)-1].key, 0)
	}
}

// A valueChecker compares the values that a walk finds with their checksums, and the contents of each
// bucket with the file's sums.
type valueChecker struct {
	w      *walker
	sealed bool // the file has checksums
	seed   uint64
	name   string // name of the current bucket
	found  map[string]*bucketSum
	read   map[string]uint64 // sums of the digests of the values read, by bucket
	sums   map[string]bucketSum
	wrong  []error // problems with values, at most maxProblems
	more   int
}

// checkValues makes w check values too. After finish, w.problems includes their problems.
func checkValues(w *walker) *valueChecker {
	c := &valueChecker{w: w, found: map[string]*bucketSum{}, read: map[string]uint64{}, sums: map[string]bucketSum{}}
	w.bucket = func(name string, sequence uint64) {
		c.found[name] = &bucketSum{sequence: sequence}
		c.sealed = c.sealed || name == sumsBucket
	}
	w.leaf = c.add
	return c
}

func (c *valueChecker) add(bucket string, key, stored []byte) {
	if bucket != c.name {
		c.name, c.seed = bucket, seedOf(bucket)
	}
	s := c.found[bucket]
	s.count++
	s.digest += trailerOf(stored)
	if bucket == string(metaBucket) && string(key) == string(versionKey) && len(stored) == 4+trailerLen {
		c.sealed = true
	}
	value, ok := withoutDigest(c.seed, key, stored)
	if ok {
		c.read[bucket] += trailerOf(stored)
	} else {
		c.read[bucket] += digestOf(c.seed, key, stored)
	}
	if ok && bucket == sumsBucket {
		var of bucketSum
		if of, ok = decodeSum(value); ok {
			c.sums[string(key)] = of
		}
	}
	if ok {
		return
	}
	if len(c.wrong) == maxProblems {
		c.more++
		return
	}
	c.wrong = append(c.wrong, &DamageError{Bucket: bucket, Key: bytes.Clone(key), Reason: wrongValue})
}

// bucketContents returns the contents of each bucket except the sums.
func (c *valueChecker) bucketContents() (all []Contents) {
	for _, name := range slices.Sorted(maps.Keys(c.found)) {
		if name != sumsBucket {
			s := c.found[name]
			all = append(all, Contents{Bucket: name, Values: s.count, Digest: fmt.Sprintf("%016x", c.read[name]), Counter: s.sequence})
		}
	}
	return all
}

// compareSums compares the buckets with their sums, and these with the last transaction, and reports
// differences. It does nothing if the file has no checksums.
func (c *valueChecker) compareSums(transaction uint64) {
	if len(c.found) == 0 && transaction >= firstTransaction {
		c.w.addProblemf("", 0, "it has no buckets, but transaction %d changed it: the root page is an old copy", transaction)
	}
	if !c.sealed {
		return
	}
	for _, err := range c.wrong {
		c.w.addProblem(err)
	}
	c.w.more += c.more
	if has := c.found[sumsBucket]; has != nil { // it has no sum of its own
		if reason := outdatedSums(has.sequence, transaction); reason != "" {
			c.w.addProblemf(sumsBucket, 0, "%s", reason)
		}
	}
	delete(c.found, sumsBucket)
	for _, name := range slices.Sorted(maps.Keys(c.found)) {
		has := *c.found[name]
		want, known := c.sums[name]
		switch {
		case !known:
			c.w.addProblemf(name, 0, noSums)
		case has.count != want.count:
			c.w.addProblemf(name, 0, "%d keys are found, but %d were written", has.count, want.count)
		case has.digest != want.digest:
			c.w.addProblemf(name, 0, "at least one of its %d values is older than the last one written, or was replaced together with its checksum", has.count)
		}
		if known && has.sequence != want.sequence {
			c.w.addProblemf(name, 0, "%s", sequenceError(has.sequence, want.sequence))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.sums)) {
		if c.found[name] == nil {
			c.w.addProblemf(name, 0, "the bucket with %d keys is missing", c.sums[name].count)
		}
	}
}
