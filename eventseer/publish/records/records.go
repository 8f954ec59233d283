// Package records defines the file publish.db: its buckets, keys and records. Other packages define what the
// records mean.
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

// Layout of publish.db. Values are records: a version byte, then JSON. Numbers and times (nanoseconds since
// 1970) are big endian, so that keys sort in their order.
//
//	account  id                     → account
//	address  address                → id of the account
//	user     name in the header     → id of the account
//	list     account 0 id           → keptList
//	session  sha256(token)          → session
//	signin   sha256(token)          → signin: purpose of a mailed link
//	asked    kind¹ who              → asked: last requests of an address or client
//	item     account 0 list 0 seq⁸  → eventseer.Item: items of lists; list "" for starred events
//	stream   account 0 list         → n⁸: number of items of the list
//	told     event 0 account 0 what → told: what an account was sent about an event
//	star     event 0 account        → -
//	pending  account 0 seq⁸         → key of item: to be sent by the rhythm of its list
//	due      time⁸ account          → -: next time to process the account
//	digest   id                     → eventseer.Digest
//	queue    priority¹ time⁸ seq⁸   → queued: a mail and the time of its next try
//	sent     message id             → sent
//	refused  address                → refusal
//	vote     item id                → Vote
//	audit    seq⁸                   → Entry
//	mark     reader                 → seq⁸ of the store's outbox
//	secret   "tokens"               → 32 bytes
//	edge     class¹ time⁸ event     → -: a day of an event that date windows of lists may reach
//	edges    event                  → class¹ time⁸ …: its keys in edge
//	article  event                  → article: a page that is read before readers are notified
//	articles day 0 account          → n⁸: pages read for an account on a day; account "" for all
var (
	AccountBucket = []byte("account")
	AddressBucket = []byte("address")
	UserBucket    = []byte("user")
	ListBucket    = []byte("list")
	SessionBucket = []byte("session")
	SigninBucket  = []byte("signin")
	RequestBucket = []byte("asked")
	ItemBucket    = []byte("item")
	StreamBucket  = []byte("stream")
	ReportBucket  = []byte("told")
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

	ArticleBucket      = []byte("article")
	ArticleCountBucket = []byte("articles")
)

// migrations may only be appended to; see bolt.Options.
var migrations = []func(*bolt.Tx) error{
	createBuckets(
		AccountBucket, AddressBucket, UserBucket, ListBucket, SessionBucket, SigninBucket, RequestBucket, ItemBucket,
		StreamBucket, ReportBucket, StarBucket, PendingBucket, DueBucket, DigestBucket, QueueBucket, SentBucket,
		RefusedBucket, VoteBucket, AuditBucket, MarkBucket, SecretBucket,
	),
	createBuckets(EdgeBucket, EdgesBucket),
	bolt.AddChecksums,
	createBuckets(ArticleBucket, ArticleCountBucket),
}

// createBuckets returns a migration that creates buckets.
func createBuckets(names ...[]byte) func(*bolt.Tx) error {
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

// A DB is an open publish.db.
type DB struct {
	*bolt.DB
	// reading is read-locked by readers. Scrub locks it to overwrite unused pages.
	reading sync.RWMutex
}

// Open opens or creates the file at path. Its errors are those of bolt.Open. If openFile is not nil, it
// replaces os.OpenFile.
func Open(path string, mustExist bool, openFile func(string, int, os.FileMode) (*os.File, error)) (*DB, error) {
	db, err := bolt.Open(path, bolt.Options{Kind: "publish", Migrations: migrations, MustExist: mustExist, OpenFile: openFile})
	if err != nil {
		return nil, err
	}
	return &DB{DB: db}, nil
}

// Read runs f in a read-only transaction.
func (d *DB) Read(ctx context.Context, f func(*bolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return d.ReadNow(f)
}

// Read returns the result of f in a read-only transaction of d.
func Read[T any](ctx context.Context, d *DB, f func(*bolt.Tx) (T, error)) (v T, err error) {
	err = d.Read(ctx, func(tx *bolt.Tx) (err error) {
		v, err = f(tx)
		return err
	})
	return v, err
}

// ReadNow is like Read but without a context.
func (d *DB) ReadNow(f func(*bolt.Tx) error) error {
	d.reading.RLock()
	defer d.reading.RUnlock()
	return d.View(f)
}

// Write runs f in a transaction, which is committed if f returns nil.
func (d *DB) Write(ctx context.Context, f func(*bolt.Tx) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return d.Update(f)
}

// OverwriteUnused overwrites unused pages of the file. done is false if the file is being read.
func (d *DB) OverwriteUnused() (done bool, err error) {
	if !d.reading.TryLock() {
		return false, nil
	}
	err = bolt.OverwriteUnused(d.DB)
	d.reading.Unlock()
	if errors.Is(err, bolt.ErrBusy) {
		return false, nil
	}
	return err == nil, err
}

// Check returns the errors found in the file. If the file itself is intact, these are the errors returned by
// check.
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

// Get returns a record, or eventseer.ErrNotFound if there is none.
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

// WithPrefix returns an iterator over the keys and values of a bucket whose keys begin with prefix, in order. The
// bucket must not be changed during the iteration.
func WithPrefix(tx *bolt.Tx, bucket, prefix []byte) iter.Seq2[[]byte, []byte] {
	return func(yield func(k, v []byte) bool) {
		c := tx.Bucket(bucket).Cursor()
		for k, v := c.Seek(prefix); k != nil && bytes.HasPrefix(k, prefix); k, v = c.Next() {
			if !yield(k, v) {
				return
			}
		}
	}
}

// KeysWithPrefix returns copies of the keys under a prefix, so that they can be deleted.
func KeysWithPrefix(tx *bolt.Tx, bucket, prefix []byte) (keys [][]byte) {
	for k := range WithPrefix(tx, bucket, prefix) {
		keys = append(keys, bytes.Clone(k))
	}
	return keys
}

// Values returns an iterator over the records with a key prefix, in order, each with an error if it is
// corrupt.
func Values[T any](tx *bolt.Tx, bucket, prefix []byte) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, data := range WithPrefix(tx, bucket, prefix) {
			if !yield(Decode[T](bucket, data)) {
				return
			}
		}
	}
}

// DeletePrefix deletes all keys with a prefix.
func DeletePrefix(tx *bolt.Tx, bucket, prefix []byte) error {
	return DeleteIf(tx, bucket, prefix, func(_, _ []byte) bool { return true })
}

// DeleteIf deletes the keys with a prefix for which over returns true.
func DeleteIf(tx *bolt.Tx, bucket, prefix []byte, over func(k, v []byte) bool) error {
	var old [][]byte
	for k, v := range WithPrefix(tx, bucket, prefix) {
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

// JoinKey returns a key of parts separated by zero bytes. Parts must not contain zero bytes.
func JoinKey(parts ...string) []byte { return []byte(strings.Join(parts, "\x00")) }

// PrefixKey is JoinKey with a zero byte at the end. It is the prefix of the keys with further parts.
func PrefixKey(parts ...string) []byte { return append(JoinKey(parts...), 0) }

func NumberKey(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }

func NumberOf(b []byte) uint64 {
	if len(b) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(b)
}

// TimeKey returns the key of a time. Times before 1970 have the key of 1970.
func TimeKey(t time.Time) []byte {
	if t.Year() < 1970 {
		return NumberKey(0)
	}
	return NumberKey(uint64(t.UnixNano()))
}

func ItemKey(account, list string, seq uint64) []byte {
	return slices.Concat(PrefixKey(account, list), NumberKey(seq))
}

// DeleteExpired deletes the records of a bucket for which over returns true. Corrupt records are kept, so that Check
// reports them.
func DeleteExpired[T any](tx *bolt.Tx, bucket []byte, over func(T) bool) error {
	return DeleteIf(tx, bucket, nil, func(_, data []byte) bool {
		v, err := Decode[T](bucket, data)
		return err == nil && over(v)
	})
}

// MaxAddress is the maximum length of a mail address, in bytes.
const MaxAddress = 254

// AddressKey returns an address in lower case, because mail servers ignore case.
func AddressKey(address string) string { return strings.ToLower(address) }

// MaskAddress returns an address with all but its ends hidden, such as "a…z@b.example". It returns "" if there is
// no @.
func MaskAddress(address string) string {
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

// Reader is the name of the publisher as a reader of the store's outbox.
const Reader = "publish"

// windowsKey is the key in MarkBucket of the time up to which date windows are processed.
var windowsKey = []byte("windows")

// ReaderPosition returns the sequence number of the last change of the store that was published.
func ReaderPosition(tx *bolt.Tx) uint64 { return NumberOf(tx.Bucket(MarkBucket).Get([]byte(Reader))) }

// WindowsDone returns the time up to which date windows are processed, or zero.
func WindowsDone(tx *bolt.Tx) time.Time {
	data := tx.Bucket(MarkBucket).Get(windowsKey)
	if data == nil {
		return time.Time{}
	}
	return time.Unix(0, int64(NumberOf(data))).UTC()
}

// SetWindowsDone sets the time that WindowsDone returns.
func SetWindowsDone(tx *bolt.Tx, at time.Time) error {
	return tx.Bucket(MarkBucket).Put(windowsKey, TimeKey(at))
}
