package bolt

import (
	"sync/atomic"

	"go.etcd.io/bbolt"
)

// A DB is an open database file. It is safe for concurrent use; its transactions are not.
type DB struct {
	*bbolt.DB
	wrote atomic.Bool // a transaction was committed
}

// View runs f in a transaction that only reads. Damage that f meets is returned as an
// ErrDamaged that names it.
func (db *DB) View(f func(*Tx) error) (err error) {
	defer db.Guard()(&err)
	return db.DB.View(func(tx *bbolt.Tx) error { return f(db.transaction(tx)) })
}

// Update runs f in a transaction that is committed if f returns nil, and undone otherwise.
// Damage that f meets is returned as View does.
func (db *DB) Update(f func(*Tx) error) (err error) {
	defer db.Guard()(&err)
	err = db.DB.Update(func(tx *bbolt.Tx) error { return db.run(tx, f) })
	if err == nil {
		db.wrote.Store(true)
	}
	return err
}

// Batch is Update that shares a transaction with others that are called at the same time; f may
// be called several times.
func (db *DB) Batch(f func(*Tx) error) (err error) {
	defer db.Guard()(&err)
	err = db.DB.Batch(func(tx *bbolt.Tx) error { return db.run(tx, f) })
	if err == nil {
		db.wrote.Store(true)
	}
	return err
}

// run runs f in a transaction that writes. Damage is returned as an error, since bbolt undoes a
// panicking transaction by reading the whole file.
func (db *DB) run(tx *bbolt.Tx, f func(*Tx) error) (err error) {
	defer db.Guard()(&err)
	return f(db.transaction(tx))
}

// Begin begins a transaction; see Guard. Who begins it ends it.
func (db *DB) Begin(writable bool) (*Tx, error) {
	tx, err := db.DB.Begin(writable)
	if err != nil {
		return nil, err
	}
	return db.transaction(tx), nil
}

// Close closes the file, after the transactions under way. If something was written, a last
// transaction changes nothing: then both meta pages lead to the same contents, and a lost or
// an older one loses nothing.
func (db *DB) Close() (err error) {
	if db.wrote.Swap(false) {
		defer db.Guard()(&err)
		err = db.DB.Update(func(*bbolt.Tx) error { return nil })
	}
	if closed := db.DB.Close(); closed != nil {
		return closed
	}
	return err
}

func (db *DB) transaction(tx *bbolt.Tx) *Tx { return &Tx{raw: tx, db: db} }

// A Tx is a transaction. It is for one goroutine.
type Tx struct {
	raw *bbolt.Tx
	db  *DB
}

// Rollback ends a transaction and undoes what it wrote.
func (tx *Tx) Rollback() error { return tx.raw.Rollback() }

// Bucket returns a bucket, nil if there is none of that name.
func (tx *Tx) Bucket(name []byte) *Bucket { return bucketOf(tx.raw.Bucket(name)) }

// CreateBucket makes a bucket, which must not be there.
func (tx *Tx) CreateBucket(name []byte) (*Bucket, error) {
	b, err := tx.raw.CreateBucket(name)
	return bucketOf(b), err
}

// CreateBucketIfNotExists makes a bucket unless it is there.
func (tx *Tx) CreateBucketIfNotExists(name []byte) (*Bucket, error) {
	b, err := tx.raw.CreateBucketIfNotExists(name)
	return bucketOf(b), err
}

// DeleteBucket removes a bucket with all it holds.
func (tx *Tx) DeleteBucket(name []byte) error { return tx.raw.DeleteBucket(name) }

// ForEach calls f with each bucket, in order of names.
func (tx *Tx) ForEach(f func(name []byte, b *Bucket) error) error {
	return tx.raw.ForEach(func(name []byte, b *bbolt.Bucket) error { return f(name, bucketOf(b)) })
}

// A Bucket holds keys and values. Keys and values that it returns are valid until the end of
// the transaction and must not be changed.
type Bucket struct{ raw *bbolt.Bucket }

func bucketOf(b *bbolt.Bucket) *Bucket {
	if b == nil {
		return nil
	}
	return &Bucket{b}
}

// Get returns the value of a key, nil if there is none.
func (b *Bucket) Get(key []byte) []byte { return b.raw.Get(key) }

// Put sets the value of a key. The key must not be empty; both are copied.
func (b *Bucket) Put(key, value []byte) error { return b.raw.Put(key, value) }

// Delete removes a key; it is no error if it is not there.
func (b *Bucket) Delete(key []byte) error { return b.raw.Delete(key) }

// ForEach calls f with each key and value in order of keys, until f returns an error. f must
// not change the bucket.
func (b *Bucket) ForEach(f func(key, value []byte) error) error { return b.raw.ForEach(f) }

// Len returns how many keys the bucket has.
func (b *Bucket) Len() int { return b.raw.Stats().KeyN }

// Sequence returns the bucket's counter.
func (b *Bucket) Sequence() uint64 { return b.raw.Sequence() }

// SetSequence sets the bucket's counter.
func (b *Bucket) SetSequence(n uint64) error { return b.raw.SetSequence(n) }

// NextSequence raises the bucket's counter and returns it.
func (b *Bucket) NextSequence() (uint64, error) { return b.raw.NextSequence() }

// FillFromEnd says that keys are added in ascending order: pages are filled to their end.
func (b *Bucket) FillFromEnd() { b.raw.FillPercent = 1 }

// Cursor returns a cursor over the bucket.
func (b *Bucket) Cursor() *Cursor { return &Cursor{b.raw.Cursor()} }

// A Cursor moves through a bucket in order of keys. Its methods return nil keys where there
// is nothing. After a change of the bucket it must be placed anew.
type Cursor struct{ raw *bbolt.Cursor }

// First moves to the first key.
func (c *Cursor) First() (key, value []byte) { return c.raw.First() }

// Last moves to the last key.
func (c *Cursor) Last() (key, value []byte) { return c.raw.Last() }

// Next moves to the next key.
func (c *Cursor) Next() (key, value []byte) { return c.raw.Next() }

// Prev moves to the key before.
func (c *Cursor) Prev() (key, value []byte) { return c.raw.Prev() }

// Seek moves to a key or, where it is not there, to the next.
func (c *Cursor) Seek(key []byte) (k, value []byte) { return c.raw.Seek(key) }

// Delete removes the key at which the cursor is.
func (c *Cursor) Delete() error { return c.raw.Delete() }
