package linkruns

import (
	"encoding/binary"

	"github.com/eventseer/eventseer/internal/bolt"
)

// maxProblems is the largest number of problems that Check returns.
const maxProblems = 100

// Check returns the damage of the runs: blocks that cannot be decoded, keys out of order, blocks and records
// of unknown runs. It calls f for each link of each run, and includes its errors.
func Check(tx *bolt.Tx, f func(key, value []byte) error) (problems []error) {
	add := func(err error) {
		if err != nil && len(problems) < maxProblems {
			problems = append(problems, err)
		}
	}
	_, err := listRuns(tx)
	add(err)
	c, r, id := tx.Bucket(blockBucket).Cursor(), (*runReader)(nil), uint64(0)
	for k, v := c.First(); k != nil; k, v = c.Next() {
		if len(k) <= runLen {
			add(damagef(blockBucket, k, "it is not the key of a block"))
			continue
		}
		if next := binary.BigEndian.Uint64(k); r == nil || next != id {
			r, id = &runReader{prefix: runKey(next)}, next
			if tx.Bucket(runBucket).Get(r.prefix) == nil {
				add(damagef(blockBucket, k, "the run %d is not recorded", id))
			}
		}
		add(r.checkBlock(k, v, f))
	}
	return problems
}

// checkBlock calls f for all links of a block and returns the first error.
func (r *runReader) checkBlock(k, stored []byte, f func(key, value []byte) error) error {
	if _, err := r.openBlock(k, stored); err != nil {
		return err
	}
	for {
		if err := f(r.key, r.value); err != nil {
			return damagef(blockBucket, k, "%v", err)
		}
		if len(r.rest) == 0 {
			return nil
		}
		if _, err := r.next(); err != nil {
			return err
		}
	}
}
