//go:build unix

package bolt

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// cpu is the processor time of this process.
func cpu(tb testing.TB) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkChecksums compares files with checksums and without in processor time, in turns: the median of
// the quotients of rounds. A file without Seal among its migrations has none.
func BenchmarkChecksums(b *testing.B) {
	const keys, size, perTx = 20_000, 600, 100
	value := make([]byte, size)
	for i := range value {
		value[i] = byte(rand.N(256))
	}
	round := func(migrations []func(*Tx) error) (put, get time.Duration) {
		db, err := Open(filepath.Join(b.TempDir(), "c.db"), Options{Kind: "store", Migrations: migrations})
		if err != nil {
			b.Fatal(err)
		}
		r, began := rand.New(rand.NewPCG(1, 2)), cpu(b)
		for range keys / perTx {
			err = errors.Join(err, db.Update(func(tx *Tx) error {
				for range perTx {
					if err := tx.Bucket([]byte("a")).Put(fmt.Appendf(nil, "key %d", r.IntN(keys)), value); err != nil {
						return err
					}
				}
				return nil
			}))
		}
		put, began = cpu(b)-began, cpu(b)
		for range 10 * keys / perTx {
			err = errors.Join(err, db.View(func(tx *Tx) error {
				for range perTx {
					tx.Bucket([]byte("a")).Get(fmt.Appendf(nil, "key %d", r.IntN(keys)))
				}
				return nil
			}))
		}
		get = cpu(b) - began
		if err = errors.Join(err, db.Close()); err != nil {
			b.Fatal(err)
		}
		return put, get
	}
	var puts, gets []float64
	for b.Loop() {
		barePut, bareGet := round(makes(2))
		put, get := round(sealed())
		puts, gets = append(puts, float64(put)/float64(barePut)), append(gets, float64(get)/float64(bareGet))
	}
	slices.Sort(puts)
	slices.Sort(gets)
	b.ReportMetric(puts[len(puts)/2], "put-quotient")
	b.ReportMetric(gets[len(gets)/2], "get-quotient")
}
