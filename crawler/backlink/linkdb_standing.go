package backlink

import (
	"fmt"

	"go.etcd.io/bbolt"
)

// Standings returns how the providers stand that were ever asked with this file,
// in order of name.
func (d *LinkDB) Standings() (all []Standing, err error) {
	err = d.db.View(func(tx *bbolt.Tx) error {
		return tx.Bucket(providerBucket).ForEach(func(k, v []byte) error {
			s, err := decodeStanding(v)
			if err != nil {
				return fmt.Errorf("%w: provider %q: %w", errKept, k, err)
			}
			all = append(all, s)
			return nil
		})
	})
	return all, err
}
