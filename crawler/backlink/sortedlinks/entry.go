package sortedlinks

import (
	"encoding/binary"
	"errors"
)

// MaxLength is the largest length within an entry in bytes.
const MaxLength = 64 << 10

// ErrEntry means that bytes are not entries, or are truncated.
var ErrEntry = errors.New("an entry is damaged, truncated or out of order")

// An entry consists of three lengths as uvarints and two strings:
//
//	shared own of; own bytes of the key, of bytes of the value
//
// Its key shares its first bytes with the key before in the block.

// AppendEntry appends an entry whose key shares its first bytes with the one before.
func AppendEntry(b []byte, shared int, key, value []byte) []byte {
	b = binary.AppendUvarint(b, uint64(shared))          // #nosec G115 -- a length
	b = binary.AppendUvarint(b, uint64(len(key)-shared)) // #nosec G115 -- likewise
	b = binary.AppendUvarint(b, uint64(len(value)))
	return append(append(b, key[shared:]...), value...)
}

// CutEntry splits off the first entry. The slice key contains the key before, which is empty for the first
// entry, and is reused. A key that is not larger than the one before is an error.
func CutEntry(key, entries []byte) (newKey, value, rest []byte, err error) {
	var lengths [3]int
	for i := range lengths {
		n, w := binary.Uvarint(entries)
		if w <= 0 || n > MaxLength {
			return nil, nil, nil, ErrEntry
		}
		lengths[i], entries = int(n), entries[w:] // #nosec G115 -- at most MaxLength
	}
	shared, own, of := lengths[0], lengths[1], lengths[2]
	if shared > len(key) || own+of > len(entries) {
		return nil, nil, nil, ErrEntry
	}
	if own == 0 || shared < len(key) && entries[0] <= key[shared] {
		return nil, nil, nil, ErrEntry
	}
	key = append(key[:shared], entries[:own]...)
	return key, entries[own : own+of], entries[own+of:], nil
}

// CommonPrefix returns how many bytes a and b share at their beginning.
func CommonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for ; i+8 <= n; i += 8 {
		if binary.LittleEndian.Uint64(a[i:]) != binary.LittleEndian.Uint64(b[i:]) {
			break
		}
	}
	for ; i < n && a[i] == b[i]; i++ {
	}
	return i
}
