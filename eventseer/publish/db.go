package publish

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"eventseer/eventseer"

	"go.etcd.io/bbolt"
)

// publish.db. Values are records: a version byte, then JSON. Numbers and times
// (nanoseconds since 1970) are big endian, so that keys are in their order.
//
//	account  id                     → account
//	address  address                → id of the account
//	user     name by the header     → id of the account
//	list     account 0 id           → keptList
//	session  sha256(token)          → session
//	signin   sha256(token)          → signin: what a mailed link is for
//	asked    kind¹ who              → asked: the last tries of an address or an asker
//	item     account 0 list 0 seq⁸  → eventseer.Item: the streams of lists, of starred events with list ""
//	stream   account 0 list         → n⁸: items of the stream
//	told     event 0 account 0 what → told: what an account was told of an event
//	star     event 0 account        → -
//	pending  account 0 seq⁸         → key of item: to be sent by the rhythm of its list
//	due      time⁸ account          → -: when the account is looked at next
//	digest   id                     → eventseer.Digest
//	queue    priority¹ time⁸ seq⁸   → queued: a letter and when it is tried next
//	sent     message id             → sent
//	refused  address                → refusal
//	vote     item id                → Vote
//	audit    seq⁸                   → Entry
//	mark     reader                 → seq⁸ of the store's outbox
//	secret   "tokens"               → 32 bytes
//	edge     class¹ time⁸ event     → -: a day of an event that windows of lists may reach
//	edges    event                  → class¹ time⁸ …: its keys in edge
var (
	accountBucket = []byte("account")
	addressBucket = []byte("address")
	userBucket    = []byte("user")
	listBucket    = []byte("list")
	sessionBucket = []byte("session")
	signinBucket  = []byte("signin")
	askedBucket   = []byte("asked")
	itemBucket    = []byte("item")
	streamBucket  = []byte("stream")
	toldBucket    = []byte("told")
	starBucket    = []byte("star")
	pendingBucket = []byte("pending")
	dueBucket     = []byte("due")
	digestBucket  = []byte("digest")
	queueBucket   = []byte("queue")
	sentBucket    = []byte("sent")
	refusedBucket = []byte("refused")
	voteBucket    = []byte("vote")
	auditBucket   = []byte("audit")
	markBucket    = []byte("mark")
	secretBucket  = []byte("secret")
	edgeBucket    = []byte("edge")
	edgesBucket   = []byte("edges")
)

// migrations is append only; see bolt.Options.
var migrations = []func(*bbolt.Tx) error{
	func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{
			accountBucket, addressBucket, userBucket, listBucket, sessionBucket, signinBucket, askedBucket, itemBucket,
			streamBucket, toldBucket, starBucket, pendingBucket, dueBucket, digestBucket, queueBucket, sentBucket,
			refusedBucket, voteBucket, auditBucket, markBucket, secretBucket,
		} {
			if _, err := tx.CreateBucket(name); err != nil {
				return err
			}
		}
		return nil
	},
	func(tx *bbolt.Tx) error {
		for _, name := range [][]byte{edgeBucket, edgesBucket} {
			if _, err := tx.CreateBucket(name); err != nil {
				return err
			}
		}
		return nil
	},
}

// ErrCorrupt says that a record cannot be read.
var ErrCorrupt = errors.New("corrupt record")

const recordVersion = 1

func put(tx *bbolt.Tx, bucket, key []byte, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write %s: %w", bucket, err)
	}
	return tx.Bucket(bucket).Put(key, append([]byte{recordVersion}, data...))
}

// get reads a record; eventseer.ErrNotFound where there is none.
func get[T any](tx *bbolt.Tx, bucket, key []byte) (v T, err error) {
	data := tx.Bucket(bucket).Get(key)
	if data == nil {
		return v, eventseer.ErrNotFound
	}
	return decode[T](bucket, data)
}

func decode[T any](bucket, data []byte) (v T, err error) {
	if len(data) == 0 || data[0] != recordVersion {
		return v, fmt.Errorf("%w in %s: unknown version", ErrCorrupt, bucket)
	}
	if err := json.Unmarshal(data[1:], &v); err != nil {
		return v, fmt.Errorf("%w in %s: %w", ErrCorrupt, bucket, err)
	}
	return v, nil
}

// under yields the keys and values of a bucket whose keys begin with prefix, in order.
// The bucket must not be changed meanwhile.
func under(tx *bbolt.Tx, bucket, prefix []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(k, v []byte) bool) {
		c := tx.Bucket(bucket).Cursor()
		for k, v := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, v = c.Next() {
			if !yield(k, v) {
				return
			}
		}
	}
}

// keysUnder returns copies of the keys under a prefix, so that they can be deleted.
func keysUnder(tx *bbolt.Tx, bucket, prefix []byte) (keys [][]byte) {
	for k := range under(tx, bucket, prefix) {
		keys = append(keys, bytes.Clone(k))
	}
	return keys
}

func deleteUnder(tx *bbolt.Tx, bucket, prefix []byte) error {
	for _, k := range keysUnder(tx, bucket, prefix) {
		if err := tx.Bucket(bucket).Delete(k); err != nil {
			return err
		}
	}
	return nil
}

// join puts a zero byte between the parts of a key; parts hold none.
func join(parts ...string) []byte { return []byte(strings.Join(parts, "\x00")) }

// within is join with a zero byte at the end: the prefix of the keys below.
func within(parts ...string) []byte { return append(join(parts...), 0) }

func number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func numberOf(b []byte) uint64 {
	if len(b) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(b)
}

// instant is the key of a time; times before 1970 are 1970.
func instant(t time.Time) []byte {
	if t.Year() < 1970 {
		return number(0)
	}
	return number(uint64(t.UnixNano()))
}

func itemKey(account, list string, seq uint64) []byte {
	return slices.Concat(within(account, list), number(seq))
}
