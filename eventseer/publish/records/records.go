// Package records is the file publish.db: its buckets, its keys and its records, read and
// written one by one. What they mean is up to the packages above.
package records

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/bolt"
)

// publish.db. Values are records: a version byte, then JSON. Numbers and times (nanoseconds since
// 1970) are big endian, so that keys are in their order.
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
//	told     event 0 account 0 what → told: what an account got about an event
//	star     event 0 account        → -
//	pending  account 0 seq⁸         → key of item: to be sent by the rhythm of its list
//	due      time⁸ account          → -: when the account is looked at next
//	digest   id                     → eventseer.Digest
//	queue    priority¹ time⁸ seq⁸   → queued: an email and when it is tried next
//	sent     message id             → sent
//	refused  address                → refusal
//	vote     item id                → Vote
//	audit    seq⁸                   → Entry
//	mark     reader                 → seq⁸ of the store's outbox
//	secret   "tokens"               → 32 bytes
//	edge     class¹ time⁸ event     → -: a day of an event that windows of lists may reach
//	edges    event                  → class¹ time⁸ …: its keys in edge
var (
	AccountBucket = []byte("account")
	AddressBucket = []byte("address")
	UserBucket    = []byte("user")
	ListBucket    = []byte("list")
	SessionBucket = []byte("session")
	SigninBucket  = []byte("signin")
	AskedBucket   = []byte("asked")
	ItemBucket    = []byte("item")
	StreamBucket  = []byte("stream")
	ToldBucket    = []byte("told")
	StarBucket    = []byte("star")
	PendingBucket = []byte("pending")
	DueBucket     = []byte("due")
	DigestBucket  = []byte("digest")
	QueueBucket   = []byte("queue")
	SentBucket    = []byte("sent")
	RefusedBucket = []byte("refused")
	VoteBucket    = []byte("vote")
	AuditBucket   = []byte("audit")
	MarkBucket    = []byte("mark")
	SecretBucket  = []byte("secret")
	EdgeBucket    = []byte("edge")
	EdgesBucket   = []byte("edges")
)

// migrations is append only; see bolt.Options.
var migrations = []func(*bolt.Tx) error{
	creates(
		AccountBucket, AddressBucket, UserBucket, ListBucket, SessionBucket, SigninBucket, AskedBucket, ItemBucket,
		StreamBucket, ToldBucket, StarBucket, PendingBucket, DueBucket, DigestBucket, QueueBucket, SentBucket,
		RefusedBucket, VoteBucket, AuditBucket, MarkBucket, SecretBucket,
	),
	creates(EdgeBucket, EdgesBucket),
	bolt.Seal,
}

// creates returns a migration that makes buckets.
func creates(names ...[]byte) func(*bolt.Tx) error {
	return func(tx *bolt.Tx) error {
		for _, name := range names {
			if _, err := tx.CreateBucket(name); err != nil {
				return err
			}
		}
		return nil
	}
}

// Schema returns the version of the files that this program writes.
func Schema() int { return len(migrations) }

// A DB is publish.db, open.
type DB struct {
	*bolt.DB
	// reading is held for reading, and by the writer that overwrites unused pages.
	reading sync.RWMutex
}

// Open opens or makes the file at path. Its errors are those of bolt.Open; openFile
// replaces os.OpenFile unless it is nil.
func Open(path string, mustExist bool, openFile func(string, int, os.FileMode) (*os.File, error)) (*DB, error) {
	db, err := bolt.Open(path, bolt.Options{Kind: "publish", Migrations: migrations, MustExist: mustExist, OpenFile: openFile})
	if err != nil {
		return nil, err
	}
	return &DB{DB: db}, nil
}

// Read runs f in a transaction that only reads.
func (d *DB) Read(ctx context.Context, f func(*bolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return d.Look(f)
}

// Read returns what f reads in a transaction of d.
func Read[T any](ctx context.Context, d *DB, f func(*bolt.Tx) (T, error)) (v T, err error) {
	err = d.Read(ctx, func(tx *bolt.Tx) (err error) {
		v, err = f(tx)
		return err
	})
	return v, err
}

// Look is Read that no context ends.
func (d *DB) Look(f func(*bolt.Tx) error) error {
	d.reading.RLock()
	defer d.reading.RUnlock()
	return d.View(f)
}

// Write runs f in a transaction that is kept if it returns nil.
func (d *DB) Write(ctx context.Context, f func(*bolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return d.Update(f)
}

// Scrub overwrites the pages that hold nothing. It returns false if it could not because the file
// is being read.
func (d *DB) Scrub() (done bool, err error) {
	if !d.reading.TryLock() {
		return false, nil
	}
	err = bolt.Scrub(d.DB)
	d.reading.Unlock()
	if errors.Is(err, bolt.ErrBusy) {
		return false, nil
	}
	return err == nil, err
}

// Check returns what is broken in the file, and after that what check finds.
func (d *DB) Check(check func(*bolt.Tx) []error) []error {
	d.reading.RLock()
	defer d.reading.RUnlock()
	broken := bolt.Check(d.DB)
	if len(broken) > 0 {
		return broken
	}
	err := d.View(func(tx *bolt.Tx) error {
		broken = append(broken, check(tx)...)
		return nil
	})
	if err != nil {
		broken = append(broken, err)
	}
	return broken
}

// ErrCorrupt means that a record cannot be read.
var ErrCorrupt = errors.New("corrupt record")

const recordVersion = 1

func Put(tx *bolt.Tx, bucket, key []byte, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("write %s: %w", bucket, err)
	}
	return tx.Bucket(bucket).Put(key, append([]byte{recordVersion}, data...))
}

// Get reads a record; eventseer.ErrNotFound if there is none.
func Get[T any](tx *bolt.Tx, bucket, key []byte) (v T, err error) {
	data := tx.Bucket(bucket).Get(key)
	if data == nil {
		return v, eventseer.ErrNotFound
	}
	return Decode[T](bucket, data)
}

func Decode[T any](bucket, data []byte) (v T, err error) {
	if len(data) == 0 || data[0] != recordVersion {
		return v, fmt.Errorf("%w in %s: unknown version", ErrCorrupt, bucket)
	}
	if err := json.Unmarshal(data[1:], &v); err != nil {
		return v, fmt.Errorf("%w in %s: %w", ErrCorrupt, bucket, err)
	}
	return v, nil
}

// Under yields the keys and values of a bucket whose keys begin with prefix, in order.
// The bucket must not be changed meanwhile.
func Under(tx *bolt.Tx, bucket, prefix []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(k, v []byte) bool) {
		c := tx.Bucket(bucket).Cursor()
		for k, v := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, v = c.Next() {
			if !yield(k, v) {
				return
			}
		}
	}
}

// KeysUnder returns copies of the keys under a prefix, so that they can be deleted.
func KeysUnder(tx *bolt.Tx, bucket, prefix []byte) (keys [][]byte) {
	for k := range Under(tx, bucket, prefix) {
		keys = append(keys, bytes.Clone(k))
	}
	return keys
}

// Values yields the records under a prefix, in order, each with the error of reading it.
func Values[T any](tx *bolt.Tx, bucket, prefix []byte) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, data := range Under(tx, bucket, prefix) {
			if !yield(Decode[T](bucket, data)) {
				return
			}
		}
	}
}

// DeleteUnder deletes the keys under a prefix.
func DeleteUnder(tx *bolt.Tx, bucket, prefix []byte) error {
	return DeleteIf(tx, bucket, prefix, func(_, _ []byte) bool { return true })
}

// DeleteIf deletes those keys under a prefix whose key and value are over.
func DeleteIf(tx *bolt.Tx, bucket, prefix []byte, over func(k, v []byte) bool) error {
	var old [][]byte
	for k, v := range Under(tx, bucket, prefix) {
		if over(k, v) {
			old = append(old, bytes.Clone(k))
		}
	}
	for _, k := range old {
		if err := tx.Bucket(bucket).Delete(k); err != nil {
			return err
		}
	}
	return nil
}

// Join puts a zero byte between the parts of a key; parts hold none.
func Join(parts ...string) []byte { return []byte(strings.Join(parts, "\x00")) }

// Within is join with a zero byte at the end: the prefix of the keys below.
func Within(parts ...string) []byte { return append(Join(parts...), 0) }

func Number(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func NumberOf(b []byte) uint64 {
	if len(b) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(b)
}

// Instant returns the key of a time; times before 1970 are 1970.
func Instant(t time.Time) []byte {
	if t.Year() < 1970 {
		return Number(0)
	}
	return Number(uint64(t.UnixNano()))
}

func ItemKey(account, list string, seq uint64) []byte {
	return slices.Concat(Within(account, list), Number(seq))
}

// Expire deletes the records of a bucket that have run out. What cannot be read stays for
// Check to report.
func Expire[T any](tx *bolt.Tx, bucket []byte, over func(T) bool) error {
	return DeleteIf(tx, bucket, nil, func(_, data []byte) bool {
		v, err := Decode[T](bucket, data)
		return err == nil && over(v)
	})
}

// MaxAddress bounds an address, in bytes.
const MaxAddress = 254

// AddressKey returns what makes two addresses one: mail servers make no difference between capitals
// and small letters.
func AddressKey(address string) string { return strings.ToLower(address) }

// Hidden shows the ends of an address only: "a…z@b.example".
func Hidden(address string) string {
	local, domain, ok := strings.Cut(address, "@")
	if !ok {
		return ""
	}
	r := []rune(local)
	if len(r) < 4 {
		return string(r[0]) + "…@" + domain
	}
	return string(r[0]) + "…" + string(r[len(r)-1]) + "@" + domain
}

// Reader is the name of the publisher among the readers of the store's outbox.
const Reader = "publish"

// windowsKey leads to the time up to which windows are processed, in the bucket of marks.
var windowsKey = []byte("windows")

// MarkOf returns the sequence number of the last change of the store that was published.
func MarkOf(tx *bolt.Tx) uint64 { return NumberOf(tx.Bucket(MarkBucket).Get([]byte(Reader))) }

// WindowsTold returns the time up to which windows are processed, zero if none ever were.
func WindowsTold(tx *bolt.Tx) time.Time {
	data := tx.Bucket(MarkBucket).Get(windowsKey)
	if data == nil {
		return time.Time{}
	}
	return time.Unix(0, int64(NumberOf(data))).UTC()
}

// SetWindowsTold sets what windowsTold returns.
func SetWindowsTold(tx *bolt.Tx, at time.Time) error {
	return tx.Bucket(MarkBucket).Put(windowsKey, Instant(at))
}
