package cluster

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
)

// BadPrefix begins the keys under which a manager keeps values that cannot be read, for
// people: what stood at KEY is at BadPrefix+KEY.
const BadPrefix = "bad."

// ErrBadEntry means that the value of an entry was written by no manager or crawler of this
// program. No program acts on it; the manager that leads keeps it under BadPrefix and writes the
// entry anew.
var ErrBadEntry = errors.New("not written by a manager or crawler")

// CheckEntry returns an ErrBadEntry if no manager or crawler writes the value of an entry. A
// deleted entry is bad if members never delete it. Keys outside this package are accepted.
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
	}
	if err != nil {
		return fmt.Errorf("entry %s, revision %d: %w: %w", e.Key, e.Revision, ErrBadEntry, err)
	}
	return nil
}

// decodeChecked decodes the value of an entry. A field that T lacks is an error, because an answer
// of NATS that was led into the bucket is JSON too. Conf and Leader may be those of another
// program, as their version says.
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

// Each term and token was a change of the bucket, so that none is larger than its
// revision.

func (l Leader) validate(revision uint64) error {
	if !ValidName(l.Name) || l.Boot == "" || l.Term == 0 || l.Term > revision {
		return fmt.Errorf("leader %.100q of term %d", l.Name, l.Term)
	}
	return nil
}

func (o Order) validate() error {
	switch o.Do {
	case DoCrawl, DoMonitor, DoStop, DoFinish:
		return checkTime(o.At)
	}
	return fmt.Errorf("no crawler knows how to %.100q", o.Do)
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
		return fmt.Errorf("owner %.100q, next %.100q: no names", p.Owner, p.Next)
	case p == (Part{}):
		return errors.New("it says nothing")
	case p.Token > revision || p.Term > revision || p.Lost > p.Token:
		return fmt.Errorf("token %d, lost %d, term %d", p.Token, p.Lost, p.Term)
	case len(p.State) > maxStateName:
		return fmt.Errorf("a state with a name of %d bytes", len(p.State))
	}
	return nil
}

// maxStateName bounds the name of an object.
const maxStateName = 512

func (b Beat) validate() error {
	c := b.Counts
	switch {
	case !b.Revoked && (b.Boot == "" || b.Doing == ""):
		return errors.New("no process, or one that does nothing")
	case min(c.Pages, c.Targets, c.Outbox, c.Ended, c.Waiting, c.Leased, c.Hosts, c.Clips, b.Owned) < 0 || !(c.Spent >= 0):
		return errors.New("a count below 0")
	case c.Spent > float64(c.Ended)*maxCost+maxCost:
		return fmt.Errorf("%g pages spent on %d", c.Spent, c.Ended)
	}
	return checkTime(b.Started)
}

// maxCost is a generous bound on what one page or backlink call may cost of a budget. A crawler
// that claims to have spent more than its pages cost would end the crawl of all.
const maxCost = 1e6

// checkTime refuses times that cannot be written as JSON again.
func checkTime(t time.Time) error {
	if y := t.Year(); y < 0 || y > 9999 {
		return fmt.Errorf("a time in the year %d", y)
	}
	return nil
}
