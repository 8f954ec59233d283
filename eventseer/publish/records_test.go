package publish

import "github.com/eventseer/eventseer/internal/bolt"

// eachRecord calls f with every key and value of the file.
func (w *world) eachRecord(f func(bucket string, k, v []byte)) {
	w.t.Helper()
	err := w.db.View(func(tx *bolt.Tx) error {
		return tx.ForEach(func(name []byte, b *bolt.Bucket) error {
			return b.ForEach(func(k, v []byte) error {
				f(string(name), k, v)
				return nil
			})
		})
	})
	if err != nil {
		w.t.Fatal(err)
	}
}
