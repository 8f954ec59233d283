package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/bolt"

	"github.com/klauspost/compress/zstd"
)

// The bucket of the main texts of pages:
//
//	text  hash(URL) version⁴ → format, flags, seen⁸, digest¹⁶, text by zstd
//
// Versions of a page are numbered from 1; an unchanged text does not make a version. Texts belong
// to pages, not to events, so that events can be merged and split without moving them.
var textBucket = []byte("text")

// maxVersions bounds the stored texts of one page; the newest are retained.
const maxVersions = 4

const (
	textFormat = 1
	textHead   = 2 + 8 + hashSize // bytes before the compressed text
	// knownBefore is a flag: the page had been read before texts were stored, so its first text is
	// not new.
	knownBefore = 1
)

func addTexts(tx *bolt.Tx) error {
	_, err := tx.CreateBucketIfNotExists(textBucket)
	return err
}

// The coders are shared: EncodeAll and DecodeAll are safe for concurrent use.
var (
	textEncoder = mustCoder(zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderConcurrency(1)))
	textDecoder = mustCoder(zstd.NewReader(nil, zstd.WithDecoderMaxMemory(2*eventseer.MaxPageText), zstd.WithDecoderConcurrency(1)))
)

func mustCoder[T any](coder T, err error) T {
	if err != nil { // invalid options: a bug in the program
		panic(err)
	}
	return coder
}

// A storedText is a version of a page's text; text is compressed.
type storedText struct {
	flags  byte
	seen   time.Time
	digest []byte
	text   []byte
}

func parseText(value []byte) (t storedText, err error) {
	if len(value) < textHead || value[0] != textFormat {
		return t, fmt.Errorf("%w: the text is not stored in format %d", ErrCorrupt, textFormat)
	}
	seen := time.Unix(int64(binary.BigEndian.Uint64(value[2:])), 0).UTC() // #nosec G115 -- as it was written
	return storedText{value[1], seen, value[10:textHead], value[textHead:]}, nil
}

// decompress decompresses the text and compares it with its digest.
func (t storedText) decompress() (string, error) {
	text, err := textDecoder.DecodeAll(t.text, nil)
	switch {
	case err != nil:
		return "", fmt.Errorf("%w: %w", ErrCorrupt, err)
	case len(text) > eventseer.MaxPageText || !bytes.Equal(textDigest(text), t.digest):
		return "", fmt.Errorf("%w: the text differs from the one that was stored", ErrCorrupt)
	}
	return string(text), nil
}

func textDigest(text []byte) []byte {
	sum := sha256.Sum256(text)
	return sum[:hashSize]
}

// putText stores the text of a page as its newest version and reports whether it changed. A text
// older than the newest is ignored.
func putText(tx *bolt.Tx, url, text string, seen time.Time) (changed bool, err error) {
	if text == "" {
		return false, nil
	}
	text = eventseer.CutPageText(text)
	prefix, digest := pageHash(url), textDigest([]byte(text))
	number, flags := uint32(1), byte(0)
	var keys [][]byte
	for k, v := range keysWithPrefix(tx, textBucket, prefix) {
		keys = append(keys, bytes.Clone(k))
		number = binary.BigEndian.Uint32(k[hashSize:]) + 1
		if t, err := parseText(v); err == nil && (bytes.Equal(t.digest, digest) || t.seen.After(seen)) {
			changed = false
			continue
		}
		changed = true
	}
	if len(keys) > 0 && !changed {
		return false, nil
	}
	if len(keys) == 0 && len(pageEvents(tx, url)) > 0 {
		flags = knownBefore
	}
	b := tx.Bucket(textBucket)
	for _, k := range keys[:max(0, len(keys)-maxVersions+1)] {
		if err := b.Delete(k); err != nil {
			return false, err
		}
	}
	value := append([]byte{textFormat, flags}, seqBytes(uint64(seen.Unix()))...) // #nosec G115 -- read the same way
	value = textEncoder.EncodeAll([]byte(text), append(value, digest...))
	return true, b.Put(binary.BigEndian.AppendUint32(prefix, number), value)
}

// textOf returns the text of a page before a time, the newest if it is zero; false if there is
// none.
func textOf(tx *bolt.Tx, url string, before time.Time) (t eventseer.PageText, ok bool, err error) {
	var found storedText
	for _, v := range keysWithPrefix(tx, textBucket, pageHash(url)) {
		version, bad := parseText(v)
		if bad != nil {
			err = bad
			continue
		}
		isFirst := !ok && version.flags&knownBefore != 0
		if before.IsZero() || isFirst || version.seen.Before(before.Truncate(time.Second)) {
			found, ok = version, true
		}
	}
	if !ok {
		return t, false, err
	}
	text, err := found.decompress()
	return eventseer.PageText{URL: url, Text: text, Seen: found.seen}, err == nil, err
}

// putTexts stores the texts of pages that another store sent with an event.
func putTexts(tx *bolt.Tx, texts []eventseer.PageText) (changed bool, err error) {
	for _, t := range texts[:min(len(texts), eventseer.MaxTexts)] {
		one, err := putText(tx, t.URL, t.Text, t.Seen)
		if err != nil {
			return changed, fmt.Errorf("text of %s: %w", t.URL, err)
		}
		changed = changed || one
	}
	return changed, nil
}

// reportChangedTexts adds an event with changed texts to the outbox, if nothing else changed: since is the
// number of the last change before.
func reportChangedTexts(tx *bolt.Tx, since uint64, change eventseer.Change) error {
	if change.Event == "" || tx.Bucket(changeBucket).Sequence() > since {
		return nil
	}
	return putOutbox(tx, &eventseer.Change{Event: change.Event, At: change.At, Page: change.Page})
}

// checkTexts checks that each text can be read.
func (c *checker) checkTexts() {
	c.forEach(textBucket, func(k, v []byte) {
		t, err := parseText(v)
		if err == nil {
			_, err = t.decompress()
		}
		if err == nil && len(k) != hashSize+4 {
			err = fmt.Errorf("%w: its key has %d bytes", ErrCorrupt, len(k))
		}
		if err != nil {
			c.addFault("text of page %x: %w", k, err)
		}
	})
}
