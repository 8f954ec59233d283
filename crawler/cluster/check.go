package cluster

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// BadPrefix is the prefix of keys under which the leader stores copies of unreadable values for
// inspection: the value of KEY is copied to BadPrefix+KEY.
const BadPrefix = "bad."

// ErrBadEntry means that no manager or crawler of this program can have written the value of an entry. No
// program uses such a value. The leader copies it to BadPrefix and writes the entry again.
var ErrBadEntry = errors.New("the entry was not written by a manager or crawler of this program")

// CheckEntry returns an ErrBadEntry if no manager or crawler writes the value of an entry. Deleted
// entries are invalid if no member of a cluster deletes them. Keys outside this package are accepted.
func CheckEntry(e Entry) error {
	kind, name, _ := strings.Cut(e.Key, ".")
	var err error
	switch {
	case e.Value == nil && (e.Key == ConfKey || e.Key == LeaderKey || e.Key == OrderKey):
		err = errors.New("deleted")
	case e.Value == nil:
		return nil
	case e.Key == ConfKey:
		err = decodeChecked(e, Conf.Validate)
	case e.Key == LeaderKey:
		err = decodeChecked(e, func(l Leader) error { return l.validate(e.Revision) })
	case e.Key == OrderKey:
		err = decodeChecked(e, Order.validate)
	case kind+"." == PartPrefix:
		err = decodeChecked(e, func(p Part) error { return p.validate(e.Revision) })
	case kind+"." == WorkerPrefix && ValidName(name):
		err = decodeChecked(e, Beat.validate)
	case kind+"." == DrainPrefix:
		err = decodeChecked(e, Drain.validate)
	case kind+"." == ManagerPrefix:
		err = decodeChecked(e, func(ManagerState) error { return nil })
	}
	if err != nil {
		return fmt.Errorf("entry %s, revision %d: %w: %w", e.Key, e.Revision, ErrBadEntry, err)
	}
	return nil
}

// decodeChecked decodes the value of an entry and validates it. A field that T does not have is an error,
// because other JSON, such as a response of NATS, may end up in the bucket. Conf and Leader may have
// additional fields, since another version of the program may have written them.
func decodeChecked[T any](e Entry, validate func(T) error) error {
	var v T
	d := json.NewDecoder(bytes.NewReader(e.Value))
	if e.Key != ConfKey && e.Key != LeaderKey {
		d.DisallowUnknownFields()
	}
	if err := d.Decode(&v); err != nil {
		return err
	}
	return validate(v)
}

// Every term and token was created by a change of the bucket, so none is larger than the revision of its
// entry.

func (l Leader) validate(revision uint64) error {
	if !ValidName(l.Name) || l.Boot == "" || l.Term == 0 || l.Term > revision {
		return fmt.Errorf("the leader %.100q of term %d is not valid", l.Name, l.Term)
	}
	return nil
}

func (o Order) validate() error {
	switch o.Do {
	case DoCrawl, DoMonitor, DoStop, DoFinish:
		return checkTime(o.At)
	}
	return fmt.Errorf("unknown order %.100q", o.Do)
}

func (d Drain) validate() error {
	if d == (Drain{}) {
		return errors.New("it says nothing")
	}
	return checkTime(d.At)
}

func (p Part) validate(revision uint64) error {
	named := func(s string) bool { return s == "" || ValidName(s) }
	switch {
	case !named(p.Owner) || !named(p.Next):
		return fmt.Errorf("the owner %.100q or the next owner %.100q is not a valid name", p.Owner, p.Next)
	case p == (Part{}):
		return errors.New("it says nothing")
	case p.Token > revision || p.Term > revision || p.Lost > p.Token:
		return fmt.Errorf("the token %d, the lost token %d or the term %d is out of range", p.Token, p.Lost, p.Term)
	case len(p.State) > maxStateName:
		return fmt.Errorf("the name of a state has %d bytes, too many", len(p.State))
	}
	return nil
}

// maxStateName is the largest length of the name of an object, in bytes.
const maxStateName = 512

func (b Beat) validate() error {
	c := b.Counts
	switch {
	case !b.Revoked && (b.Boot == "" || b.Doing == ""):
		return errors.New("boot or doing is empty, but must be set")
	case min(c.Pages, c.Targets, c.Outbox, c.Ended, c.Waiting, c.Leased, c.Hosts, c.Clips, b.Owned) < 0 || !(c.Spent >= 0):
		return errors.New("a count below 0")
	case c.Spent > float64(c.Ended)*maxCost+maxCost:
		return fmt.Errorf("%g pages of budget are spent on %d pages, more than they can cost", c.Spent, c.Ended)
	}
	return checkTime(b.Started)
}

// maxCost is a generous upper bound on the budget that one page or backlink call consumes. Without it, a
// crawler with a false count could end the whole crawl.
const maxCost = 1e6

// checkTime returns an error if t cannot be encoded as JSON.
func checkTime(t time.Time) error {
	if y := t.Year(); y < 0 || y > 9999 {
		return fmt.Errorf("the year %d of a time is not from 0 to 9999", y)
	}
	return nil
}
