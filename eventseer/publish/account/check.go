package account

import (
	"errors"
	"fmt"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish/queue"
	"github.com/eventseer/eventseer/eventseer/publish/records"
	"github.com/eventseer/eventseer/internal/bolt"
)

// Check returns the inconsistencies in the records of accounts, lists, items and mails.
func Check(tx *bolt.Tx) []error {
	c := checker{tx: tx}
	c.checkRecords()
	c.checkAccounts()
	c.checkLists()
	c.checkStreams()
	c.checkQueue()
	return c.broken
}

type checker struct {
	tx     *bolt.Tx
	broken []error
}

func (c *checker) addFault(format string, args ...any) {
	c.broken = append(c.broken, fmt.Errorf("publish: "+format, args...))
}

// checkRecords checks that every record can be read.
func (c *checker) checkRecords() {
	checkAll[Account](c, records.AccountBucket)
	checkAll[List](c, records.ListBucket)
	checkAll[session](c, records.SessionBucket)
	checkAll[signInRequest](c, records.SigninBucket)
	checkAll[requestLog](c, records.RequestBucket)
	checkAll[eventseer.Item](c, records.ItemBucket)
	checkAll[reportRecord](c, records.ReportBucket)
	checkAll[eventseer.Digest](c, records.DigestBucket)
	checkAll[queue.Mail](c, records.QueueBucket)
	checkAll[queue.SentRecord](c, records.SentBucket)
	checkAll[mailRefusal](c, records.RefusedBucket)
	checkAll[Vote](c, records.VoteBucket)
	checkAll[Entry](c, records.AuditBucket)
}

func checkAll[T any](c *checker, bucket []byte) {
	for k, v := range records.WithPrefix(c.tx, bucket, nil) {
		if _, err := records.Decode[T](bucket, v); err != nil {
			c.addFault("%s %q: %w", bucket, k, err)
		}
	}
}

// checkAccounts checks that the indexes of names, stars and due times agree with the accounts.
func (c *checker) checkAccounts() {
	for _, index := range [][]byte{records.AddressBucket, records.UserBucket} {
		for name, id := range records.WithPrefix(c.tx, index, nil) {
			a, err := Get(c.tx, string(id))
			if errors.Is(err, eventseer.ErrNotFound) || err == nil && a.Address != string(name) && a.User != string(name) {
				c.addFault("%s leads to account %s, which has another name", index, id)
			}
		}
	}
	for k := range records.WithPrefix(c.tx, records.StarBucket, nil) {
		_, id, _ := strings.Cut(string(k), "\x00")
		if _, err := Get(c.tx, id); err != nil {
			c.addFault("a star belongs to account %q: %w", id, err)
		}
	}
	for k := range records.WithPrefix(c.tx, records.DueBucket, nil) {
		if a, err := Get(c.tx, string(k[8:])); err != nil || string(DueKey(a.Due, a.ID)) != string(k) {
			c.addFault("account %q is in the schedule at another time than its own", k[8:])
		}
	}
	for a, err := range records.Values[Account](c.tx, records.AccountBucket, nil) {
		if err == nil && ReceivesMail(a) && c.tx.Bucket(records.DueBucket).Get(DueKey(a.Due, a.ID)) == nil {
			c.addFault("account %s is missing in the schedule", a.ID)
		}
	}
}

// checkLists checks that lists belong to accounts.
func (c *checker) checkLists() {
	for k, v := range records.WithPrefix(c.tx, records.ListBucket, nil) {
		l, err := records.Decode[List](records.ListBucket, v)
		if err != nil {
			continue
		}
		if _, err := Get(c.tx, l.Account); err != nil {
			c.addFault("list %q has no account: %w", k, err)
		}
		if string(records.JoinKey(l.Account, l.ID)) != string(k) {
			c.addFault("list %q names itself %s of account %s, which is not its key", k, l.ID, l.Account)
		}
	}
}

// checkStreams checks the number of items in each stream.
func (c *checker) checkStreams() {
	counts := map[string]uint64{}
	for k := range records.WithPrefix(c.tx, records.ItemBucket, nil) {
		if len(k) < 9 {
			c.addFault("item %q has no number", k)
			continue
		}
		counts[string(k[:len(k)-9])]++
	}
	for k, v := range records.WithPrefix(c.tx, records.StreamBucket, nil) {
		if counts[string(k)] != records.NumberOf(v) {
			c.addFault("stream %q has %d items, but counts %d", k, counts[string(k)], records.NumberOf(v))
		}
		delete(counts, string(k))
	}
	for k := range counts {
		c.addFault("stream %q is not counted", k)
	}
}

// checkQueue checks the keys of queued mails.
func (c *checker) checkQueue() {
	for k := range records.WithPrefix(c.tx, records.QueueBucket, nil) {
		if len(k) != 17 || k[0] != queue.SignIns && k[0] != queue.Digests {
			c.addFault("the queue has the invalid key %q", k)
		}
	}
}
