package publish

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"eventseer/eventseer"
	"eventseer/internal/bolt"

	"go.etcd.io/bbolt"
)

// Check reads the whole file at path, which no process may have open, and returns what is
// broken in it.
func Check(path string, openFile func(string, int, os.FileMode) (*os.File, error)) ([]error, error) {
	db, err := bolt.Open(path, bolt.Options{Kind: "publish", Private: true, Migrations: migrations, MustExist: true, OpenFile: openFile})
	if err != nil {
		return nil, err
	}
	return checkDB(db), db.Close()
}

// Check returns what is broken in the file.
func (s *Service) Check() []error {
	s.reading.RLock()
	defer s.reading.RUnlock()
	return checkDB(s.db)
}

func checkDB(db *bbolt.DB) []error {
	broken := bolt.Check(db)
	err := db.View(func(tx *bbolt.Tx) error {
		c := checker{tx: tx}
		c.records()
		c.accounts()
		c.lists()
		c.streams()
		c.queue()
		c.edges()
		broken = append(broken, c.broken...)
		return nil
	})
	if err != nil {
		broken = append(broken, err)
	}
	return broken
}

type checker struct {
	tx     *bbolt.Tx
	broken []error
}

func (c *checker) say(format string, args ...any) {
	c.broken = append(c.broken, fmt.Errorf("publish: "+format, args...))
}

// records reads every record.
func (c *checker) records() {
	checkAll[account](c, accountBucket)
	checkAll[keptList](c, listBucket)
	checkAll[session](c, sessionBucket)
	checkAll[signin](c, signinBucket)
	checkAll[asked](c, askedBucket)
	checkAll[eventseer.Item](c, itemBucket)
	checkAll[told](c, toldBucket)
	checkAll[eventseer.Digest](c, digestBucket)
	checkAll[queued](c, queueBucket)
	checkAll[sent](c, sentBucket)
	checkAll[refusal](c, refusedBucket)
	checkAll[Vote](c, voteBucket)
	checkAll[Entry](c, auditBucket)
}

func checkAll[T any](c *checker, bucket []byte) {
	for k, v := range under(c.tx, bucket, nil) {
		if _, err := decode[T](bucket, v); err != nil {
			c.say("%s %q: %w", bucket, k, err)
		}
	}
}

// accounts checks that names, stars and what is due agree with the accounts.
func (c *checker) accounts() {
	for _, index := range [][]byte{addressBucket, userBucket} {
		for name, id := range under(c.tx, index, nil) {
			a, err := getAccount(c.tx, string(id))
			if errors.Is(err, eventseer.ErrNotFound) || err == nil && a.Address != string(name) && a.User != string(name) {
				c.say("%s leads to account %s, which is another", index, id)
			}
		}
	}
	for k := range under(c.tx, starBucket, nil) {
		_, id, _ := strings.Cut(string(k), "\x00")
		if _, err := getAccount(c.tx, id); err != nil {
			c.say("a star is of account %q: %w", id, err)
		}
	}
	for k := range under(c.tx, dueBucket, nil) {
		if a, err := getAccount(c.tx, string(k[8:])); err != nil || string(dueKey(a.Due, a.ID)) != string(k) {
			c.say("account %q is due at a time that it does not know", k[8:])
		}
	}
	for k, v := range under(c.tx, accountBucket, nil) {
		a, err := decode[account](accountBucket, v)
		if err == nil && mailed(a) && c.tx.Bucket(dueBucket).Get(dueKey(a.Due, a.ID)) == nil {
			c.say("account %s is never due", k)
		}
	}
}

// lists checks that lists have accounts.
func (c *checker) lists() {
	for k, v := range under(c.tx, listBucket, nil) {
		l, err := decode[keptList](listBucket, v)
		if err != nil {
			continue
		}
		if _, err := getAccount(c.tx, l.Account); err != nil {
			c.say("list %q has no account: %w", k, err)
		}
		if string(join(l.Account, l.ID)) != string(k) {
			c.say("list %q says that it is %s of %s", k, l.ID, l.Account)
		}
	}
}

// streams counts the items of each stream.
func (c *checker) streams() {
	counts := map[string]uint64{}
	for k := range under(c.tx, itemBucket, nil) {
		if len(k) < 9 {
			c.say("item %q has no number", k)
			continue
		}
		counts[string(k[:len(k)-9])]++
	}
	for k, v := range under(c.tx, streamBucket, nil) {
		if counts[string(k)] != numberOf(v) {
			c.say("stream %q has %d items and says %d", k, counts[string(k)], numberOf(v))
		}
		delete(counts, string(k))
	}
	for k := range counts {
		c.say("stream %q is not counted", k)
	}
}

// queue checks that letters can be found.
func (c *checker) queue() {
	for k := range under(c.tx, queueBucket, nil) {
		if len(k) != 17 || k[0] != first && k[0] != second {
			c.say("queue has the key %q", k)
		}
	}
}

// edges checks that the days of events are found both ways.
func (c *checker) edges() {
	n := 0
	for id, edges := range under(c.tx, edgesBucket, nil) {
		for edge := range slices.Chunk(edges, edgeSize) {
			if n++; c.tx.Bucket(edgeBucket).Get(slices.Concat(edge, id)) == nil {
				c.say("a day of event %q is not found by its time", id)
			}
		}
	}
	for range under(c.tx, edgeBucket, nil) {
		n--
	}
	if n != 0 {
		c.say("%d days of events are kept for none", -n)
	}
}
