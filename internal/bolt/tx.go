package bolt

import (
	"sync/atomic"

	"go.etcd.io/bbolt"
)

// A DB is an open database file. It is safe for concurrent use; its transactions are not.
type DB struct {
	*bbolt.DB
	wrote  atomic.Bool // a transaction was committed
	sealed atomic.Bool // values have checksums; see Seal
}

// View runs f in a read-only transaction. If f meets damage, View returns an ErrDamaged that describes
// it.
func (db *DB) View(f func(*Tx) error) (err error) {
	defer db.DamageHandler()(&err)
	return db.DB.View(func(tx *bbolt.Tx) error { return f(db.newTx(tx)) })
}

// Update runs f in a transaction that is committed if f returns nil, and rolled back otherwise. Damage is
// returned as by View.
func (db *DB) Update(f func(*Tx) error) (err error) {
	defer db.DamageHandler()(&err)
	err = db.DB.Update(func(tx *bbolt.Tx) error { return db.runUpdate(tx, f) })
	if err == nil {
		db.wrote.Store(true)
	}
	return err
}

// Batch is like Update, but concurrent calls may share a transaction. The function f may be called
// several times.
func (db *DB) Batch(f func(*Tx) error) (err error) {
	defer db.DamageHandler()(&err)
	err = db.DB.Batch(func(tx *bbolt.Tx) error { return db.runUpdate(tx, f) })
	if err == nil {
		db.wrote.Store(true)
	}
	return err
}

// runUpdate runs f in a write transaction and returns damage as an error. A panic would make bbolt roll back by
// reading the whole file.
func (db *DB) runUpdate(tx *bbolt.Tx, f func(*Tx) error) (err error) {
	defer db.DamageHandler()(&err)
	t := db.newTx(tx)
	if err := f(t); err != nil {
		return err
	}
	return t.storeSums()
}

// Begin begins a transaction that can only be rolled back. The caller ends it, and handles damage with
// Guard.
func (db *DB) Begin(writable bool) (*Tx, error) {
	tx, err := db.DB.Begin(writable)
	if err != nil {
		return nil, err
	}
	return db.newTx(tx), nil
}

// Close waits for running transactions and closes the file. If something was written, it first commits an
// empty transaction: then both meta pages refer to the same contents, so that nothing is lost if one of
// them is.
func (db *DB) Close() (err error) {
	if db.wrote.Swap(false) {
		defer db.DamageHandler()(&err)
		err = db.DB.Update(func(*bbolt.Tx) error { return nil })
	}
	if closed := db.DB.Close(); closed != nil {
		return closed
	}
	return err
}

func (db *DB) newTx(tx *bbolt.Tx) *Tx {
	return &Tx{raw: tx, db: db, sealed: db.sealed.Load()}
}

// A Tx is a transaction. It must not be used concurrently.
type Tx struct {
	raw     *bbolt.Tx
	db      *DB
	sealed  bool
	buckets map[string]*Bucket // those asked for
}

// Rollback ends a transaction and discards its changes.
func (tx *Tx) Rollback() error { return tx.raw.Rollback() }

// Bucket returns the bucket with a name, nil if there is none.
func (tx *Tx) Bucket(name []byte) *Bucket {
	if b, ok := tx.buckets[string(name)]; ok {
		return b
	}
	raw := tx.raw.Bucket(name)
	if raw == nil {
		if _, known := tx.storedSum(name); known {
			panic(&DamageError{Bucket: string(name), Reason: "the bucket is missing"})
		}
		return nil
	}
	return tx.addBucket(name, raw)
}

func (tx *Tx) addBucket(name []byte, raw *bbolt.Bucket) *Bucket {
	b := &Bucket{raw: raw, tx: tx, name: string(name)}
	if tx.sealed {
		b.seed = seedOf(b.name)
	}
	if tx.buckets == nil {
		tx.buckets = map[string]*Bucket{}
	}
	tx.buckets[b.name] = b
	return b
}

// CreateBucket creates a bucket. It returns an error if the bucket exists.
func (tx *Tx) CreateBucket(name []byte) (*Bucket, error) {
	raw, err := tx.raw.CreateBucket(name)
	if err != nil {
		return nil, err
	}
	b := tx.addBucket(name, raw)
	b.known, b.changed = true, true
	return b, nil
}

// CreateBucketIfNotExists returns a bucket and creates it if it does not exist.
func (tx *Tx) CreateBucketIfNotExists(name []byte) (*Bucket, error) {
	if b := tx.Bucket(name); b != nil {
		return b, nil
	}
	return tx.CreateBucket(name)
}

// DeleteBucket removes a bucket with its contents.
func (tx *Tx) DeleteBucket(name []byte) error {
	if err := tx.raw.DeleteBucket(name); err != nil {
		return err
	}
	delete(tx.buckets, string(name))
	if !tx.sealed {
		return nil
	}
	return tx.sumsBucket().Delete(name)
}

// ForEach calls f for each bucket, in order of names.
func (tx *Tx) ForEach(f func(name []byte, b *Bucket) error) error {
	return tx.raw.ForEach(func(name []byte, _ *bbolt.Bucket) error {
		if string(name) == sumsBucket {
			return nil
		}
		return f(name, tx.Bucket(name))
	})
}

// A Bucket holds keys and values. Keys and values that it returns are valid until the end of the
// transaction and must not be changed. If a value does not match its checksum, the method panics with a
// *DamageError, which Guard converts to an error.
type Bucket struct {
	raw  *bbolt.Bucket
	tx   *Tx
	name string
	seed uint64 // seed of digests, from the bucket's name

	known   bool // sum is read
	changed bool // the sum must be stored at the end of the transaction
	sum     bucketSum
}

// Get returns the value of a key, nil if there is none.
func (b *Bucket) Get(key []byte) []byte {
	v := b.raw.Get(key)
	if v == nil {
		return nil
	}
	return b.verifiedValue(key, v)
}

// Put sets the value of a key. The key must not be empty; both are copied.
func (b *Bucket) Put(key, value []byte) error {
	if !b.tx.sealed {
		return b.raw.Put(key, value)
	}
	s := b.currentSum()
	digest := digestOf(b.seed, key, value)
	old := b.raw.Get(key)
	if err := b.raw.Put(key, withTrailer(value, digest)); err != nil {
		return err
	}
	if old == nil {
		s.count++
	} else {
		s.digest -= trailerOf(old)
	}
	s.digest += digest
	b.changed = true
	return nil
}

// Delete removes a key. If the key does not exist, it does nothing.
func (b *Bucket) Delete(key []byte) error {
	var old []byte
	if b.tx.sealed {
		old = b.raw.Get(key)
	}
	if err := b.raw.Delete(key); err != nil {
		return err
	}
	b.subtractFromSum(old)
	return nil
}

// subtractFromSum subtracts a stored value that is being removed from the bucket's sum.
func (b *Bucket) subtractFromSum(old []byte) {
	if old == nil {
		return
	}
	s := b.currentSum()
	s.count--
	s.digest -= trailerOf(old)
	b.changed = true
}

// ForEach calls f for each key and value in key order, until f returns an error. The function f must not
// change the bucket.
func (b *Bucket) ForEach(f func(key, value []byte) error) error {
	return b.raw.ForEach(func(key, value []byte) error { return f(key, b.verifiedValue(key, value)) })
}

// Len returns the number of keys in the bucket.
func (b *Bucket) Len() int {
	if !b.tx.sealed {
		return b.raw.Stats().KeyN
	}
	return int(b.currentSum().count) // #nosec G115 -- keys that fit a file
}

// Sequence returns the bucket's counter.
func (b *Bucket) Sequence() uint64 {
	if !b.tx.sealed {
		return b.raw.Sequence()
	}
	n := b.raw.Sequence()
	if want := b.currentSum().sequence; n != want {
		panic(&DamageError{Bucket: b.name, Reason: sequenceError(n, want)})
	}
	return n
}

// SetSequence sets the bucket's counter.
func (b *Bucket) SetSequence(n uint64) error {
	if err := b.raw.SetSequence(n); err != nil || !b.tx.sealed {
		return err
	}
	b.currentSum().sequence, b.changed = n, true
	return nil
}

// NextSequence increments the bucket's counter and returns it.
func (b *Bucket) NextSequence() (uint64, error) {
	n := b.Sequence() + 1
	return n, b.SetSequence(n)
}

// FillFromEnd makes bbolt fill pages completely. Call it if keys are added in ascending order.
func (b *Bucket) FillFromEnd() { b.raw.FillPercent = 1 }

// Cursor returns a cursor over the bucket.
func (b *Bucket) Cursor() *Cursor { return &Cursor{raw: b.raw.Cursor(), b: b} }

// A Cursor moves through a bucket in key order. Its methods return a nil key if there is none. After a
// change of the bucket it must be positioned again.
type Cursor struct {
	raw *bbolt.Cursor
	b   *Bucket
	at  []byte // stored value at the current position
}

func (c *Cursor) verifiedPair(key, value []byte) (k, v []byte) {
	if c.at = value; key == nil {
		return nil, nil
	}
	return key, c.b.verifiedValue(key, value)
}

// First moves to the first key.
func (c *Cursor) First() (key, value []byte) { return c.verifiedPair(c.raw.First()) }

// Last moves to the last key.
func (c *Cursor) Last() (key, value []byte) { return c.verifiedPair(c.raw.Last()) }

// Next moves to the next key.
func (c *Cursor) Next() (key, value []byte) { return c.verifiedPair(c.raw.Next()) }

// Prev moves to the previous key.
func (c *Cursor) Prev() (key, value []byte) { return c.verifiedPair(c.raw.Prev()) }

// Seek moves to the given key or, if it does not exist, to the next one.
func (c *Cursor) Seek(key []byte) (k, value []byte) { return c.verifiedPair(c.raw.Seek(key)) }

// Delete removes the key at the current position.
func (c *Cursor) Delete() error {
	if err := c.raw.Delete(); err != nil || !c.b.tx.sealed {
		return err
	}
	c.b.subtractFromSum(c.at)
	return nil
}
