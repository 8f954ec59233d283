package publish

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"eventseer/eventseer"
	"eventseer/eventseer/publish/message"

	"go.etcd.io/bbolt"
)

// Priorities of the queue: sign-in mails go ahead of digests.
const (
	first  byte = 'a'
	second byte = 'b'
)

// Kinds of letters.
const (
	confirmLetter = "confirm"
	digestLetter  = "digest"
)

// A queued letter is kept as what it is made from: its text is made when it is sent, so
// that no secret lies in the queue, and what was left or forgotten meanwhile is not sent.
type queued struct {
	ID      string    `json:"id"` // Message-ID
	Kind    string    `json:"kind"`
	Address string    `json:"address"`
	Account string    `json:"account,omitempty"`
	Name    string    `json:"name"` // of the sign-in or the digest
	At      time.Time `json:"at"`
	Tries   int       `json:"tries,omitempty"`
	// Sending is when the last try began, if it is not known how it ended.
	Sending time.Time `json:"sending,omitzero"`
	Error   string    `json:"error,omitempty"` // of the last try
}

// sent is what is kept of a letter that was sent, so that bounces find its reader.
type sent struct {
	Address string    `json:"address"`
	At      time.Time `json:"at"`
}

// A refusal is why an address gets nothing any more.
type refusal struct {
	Why string    `json:"why"`
	At  time.Time `json:"at"`
}

// messageID makes the Message-ID of a letter.
func (s *Service) messageID(kind, name string) string {
	return kind + "." + name + "@" + s.host
}

func enqueue(tx *bbolt.Tx, priority byte, at time.Time, q queued) error {
	seq, err := tx.Bucket(queueBucket).NextSequence()
	if err != nil {
		return err
	}
	return put(tx, queueBucket, queueKey(priority, at, seq), q)
}

func queueKey(priority byte, at time.Time, seq uint64) []byte {
	return slices.Concat([]byte{priority}, instant(at), number(seq))
}

// dueOf returns when a queued letter is tried next.
func dueOf(key []byte) time.Time { return time.Unix(0, int64(numberOf(key[1:9]))) }

// nextLetter returns the letter to be sent now: of the first priority that has one. Else
// wait is the time until one may be tried, 0 of an empty queue.
func nextLetter(tx *bbolt.Tx, now time.Time) (key []byte, q queued, wait time.Duration, err error) {
	c := tx.Bucket(queueBucket).Cursor()
	for _, p := range []byte{first, second} {
		k, v := c.Seek([]byte{p})
		if len(k) != 17 || k[0] != p {
			continue
		}
		if until := dueOf(k).Sub(now); until > 0 {
			if wait == 0 || until < wait {
				wait = until
			}
			continue
		}
		q, err = decode[queued](queueBucket, v)
		return bytes.Clone(k), q, 0, err
	}
	return nil, q, wait, nil
}

// backoff returns how long a letter waits after so many tries, and false when it is given
// up: after five days.
func backoff(tries int) (time.Duration, bool) {
	waits := []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour}
	const most = 24
	if tries >= most {
		return 0, false
	}
	return waits[min(max(tries, 1), len(waits))-1], true
}

// letter makes the text of a queued letter. It returns eventseer.ErrNotFound of what is
// not to be sent any more.
func (s *Service) letter(tx *bbolt.Tx, q queued) (message.Email, error) {
	if q.Kind == confirmLetter {
		return s.confirmLetter(tx, q)
	}
	return s.digestLetter(tx, q)
}

func (s *Service) confirmLetter(tx *bbolt.Tx, q queued) (message.Email, error) {
	token := s.seal(signinToken, q.Name, 0)
	kept, err := s.signinOf(tx, token)
	if err != nil {
		return message.Email{}, err
	}
	l, err := message.Confirm(s.o.Site, q.Address, s.o.Site.Base+"signin/"+token, kept.List, q.At)
	l.ID = q.ID
	return l, err
}

func (s *Service) digestLetter(tx *bbolt.Tx, q queued) (message.Email, error) {
	a, err := getAccount(tx, q.Account)
	if err != nil {
		return message.Email{}, err
	}
	d, err := get[eventseer.Digest](tx, digestBucket, []byte(q.Name))
	if err != nil {
		return message.Email{}, err
	}
	switch {
	case a.Refused != "" || !a.Left.IsZero() || a.Address == "":
		return message.Email{}, fmt.Errorf("%w: the reader has left", eventseer.ErrNotFound)
	case a.Paused.After(s.now()):
		return message.Email{}, pausedError{a.Paused}
	}
	d, err = withoutLeft(tx, d)
	if err != nil {
		return message.Email{}, err
	}
	links, err := s.links(tx, a, d)
	if err != nil {
		return message.Email{}, err
	}
	l, err := message.Digest(s.o.Site, a.Address, d, links, eventseer.NamedZone(a.Zone))
	l.ID, l.Unsubscribe = q.ID, links.LeaveAll
	l.ListID, l.ListName = "clips."+s.host, s.o.Site.Name
	if len(d.Sections) == 1 && d.Sections[0].List.ID != "" {
		list := d.Sections[0].List
		l.ListID, l.ListName, l.Unsubscribe = list.ID+".clips."+s.host, list.Name, links.Leave(list.ID)
	}
	return l, err
}

// A pausedError says until when a reader wants nothing.
type pausedError struct{ until time.Time }

func (e pausedError) Error() string {
	return "the reader has paused until " + e.until.Format(time.RFC3339)
}

// withoutLeft takes the sections out of a digest whose lists were left or removed since.
func withoutLeft(tx *bbolt.Tx, d eventseer.Digest) (eventseer.Digest, error) {
	var kept []eventseer.Section
	for _, s := range d.Sections {
		if s.List.ID != "" {
			l, err := getList(tx, d.Account, s.List.ID)
			if errors.Is(err, eventseer.ErrNotFound) || err == nil && !l.Left.IsZero() {
				continue
			}
			if err != nil {
				return d, err
			}
		}
		kept = append(kept, s)
	}
	if len(kept) == 0 {
		return d, fmt.Errorf("%w: its lists were left", eventseer.ErrNotFound)
	}
	if len(kept) < len(d.Sections) {
		d.Sections = kept
		d.Subject = message.Subject(d)
	}
	return d, nil
}

// hostOf returns the host of a site, for Message-IDs.
func hostOf(base string) string {
	_, rest, _ := strings.Cut(base, "://")
	host, _, _ := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(host, ':'); at > 0 && !strings.HasSuffix(host, "]") {
		host = host[:at]
	}
	if host == "" || strings.Trim(host, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-") != "" {
		return "eventseer.invalid"
	}
	return host
}
