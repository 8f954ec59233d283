package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/bolt"
)

// recordVersion is the first byte of every record.
//
//	1  JSON of the type in package eventseer
const recordVersion = 1

// MaxRecord bounds one stored record, in bytes.
const MaxRecord = 1 << 20

// Errors about single records, to be tested with errors.Is.
var (
	// ErrCorrupt means that a stored record cannot be read; other records can.
	ErrCorrupt = errors.New("corrupt record")
	// ErrTooLarge means that a record exceeds MaxRecord and was not stored.
	ErrTooLarge = errors.New("record too large")
)

func encodeRecord(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	if len(text) >= MaxRecord {
		return nil, fmt.Errorf("%w: it has %d bytes, at most %d are stored", ErrTooLarge, len(text), MaxRecord)
	}
	return append([]byte{recordVersion}, text...), nil
}

func decodeRecord[T any](record []byte) (v T, err error) {
	if len(record) == 0 || record[0] != recordVersion {
		return v, fmt.Errorf("%w: unknown version", ErrCorrupt)
	}
	if err := json.Unmarshal(record[1:], &v); err != nil {
		var zero T
		return zero, fmt.Errorf("%w: %w", ErrCorrupt, err)
	}
	return v, nil
}

// decodeEvent also demands that the record belongs to its key.
func decodeEvent(id, record []byte) (eventseer.Event, error) {
	e, err := decodeRecord[eventseer.Event](record)
	if err == nil && string(e.ID) != string(id) {
		err = fmt.Errorf("%w: its id %q differs from its key", ErrCorrupt, e.ID)
	}
	if err != nil {
		return eventseer.Event{ID: eventseer.EventID(id)}, fmt.Errorf("event %s: %w", id, err)
	}
	return e, nil
}

func decodeChange(seq, record []byte) (eventseer.Change, error) {
	c, err := decodeRecord[eventseer.Change](record)
	if err == nil && string(seqBytes(c.Seq)) != string(seq) {
		err = fmt.Errorf("%w: its number %d differs from its key", ErrCorrupt, c.Seq)
	}
	if err != nil {
		return eventseer.Change{Seq: seqOf(seq)}, fmt.Errorf("change %d: %w", seqOf(seq), err)
	}
	return c, nil
}

func putRecord(b *bolt.Bucket, key []byte, v any) error {
	record, err := encodeRecord(v)
	if err != nil {
		return err
	}
	return b.Put(key, record)
}

// digestOf returns a hash of the contents of a record, without the time it was read.
func digestOf(e eventseer.Event, clips []eventseer.Clip) ([]byte, error) {
	e.ID, e.FirstSeen, e.LastSeen = "", time.Time{}, time.Time{}
	ids := make([]string, len(clips))
	for i, c := range clips {
		ids[i] = c.ID
	}
	text, err := json.Marshal(struct {
		Event eventseer.Event
		Clips []string
	}{e, ids})
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	return sum[:], nil
}

// readingOf returns the stored form of a page's last reading. It is the digest of the record, and
// after it, if the version of the page is known, a hash of its name.
func readingOf(e eventseer.Event, clips []eventseer.Clip) ([]byte, error) {
	digest, err := digestOf(e, clips)
	if e.Version != "" {
		digest = append(digest, pageHash(e.Version)...)
	}
	return digest, err
}

func joinKey(parts ...string) []byte { return []byte(strings.Join(parts, "\x00")) }

func seqBytes(seq uint64) []byte { return binary.BigEndian.AppendUint64(nil, seq) }

// seqOf decodes a sequence number; an invalid one counts as 0.
func seqOf(b []byte) uint64 {
	if len(b) != 8 {
		return 0
	}
	return binary.BigEndian.Uint64(b)
}
