package backlink

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
)

// A journal contains the links that are not in the database yet, because the database stores many sorted links
// together. The journal is a file of frames, one per call of Add:
//
//	length⁴ crc⁴ entry…   an entry: length of key, key, length of value, value; lengths as uvarint
//
// The key of an entry is its target without scheme, 0x00 and its source.
//
// An incomplete frame at the end was never acknowledged and is ignored.
type journal struct {
	f      *os.File
	size   int64
	noSync bool
	buf    []byte
}

const frameHead = 8

var errJournal = errors.New("the journal of backlinks cannot be read")

// openJournal opens or creates the file at path and calls f for each entry. An incomplete end is
// removed.
func openJournal(path string, noSync bool, f func(key, value []byte) error) (*journal, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	j := &journal{f: file, noSync: noSync}
	if err := j.read(f); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return j, nil
}

// read calls f for each entry of the complete frames and removes the rest.
func (j *journal) read(f func(key, value []byte) error) error {
	data, err := io.ReadAll(j.f)
	if err != nil {
		return fmt.Errorf("%w: %w", errJournal, err)
	}
	for rest := data; len(rest) >= frameHead; {
		length, sum := int64(binary.BigEndian.Uint32(rest)), binary.BigEndian.Uint32(rest[4:])
		if int64(len(rest)-frameHead) < length || length == 0 {
			break
		}
		frame := rest[frameHead : frameHead+length]
		if crc32.ChecksumIEEE(frame) != sum {
			break
		}
		for len(frame) > 0 {
			var key, value []byte
			key, frame = cutBytes(frame)
			value, frame = cutBytes(frame)
			if err := f(key, value); err != nil {
				return fmt.Errorf("%w: %w", errJournal, err)
			}
		}
		j.size += frameHead + length
		rest = rest[frameHead+length:]
	}
	if err := j.f.Truncate(j.size); err != nil {
		return fmt.Errorf("%w: %w", errJournal, err)
	}
	return nil
}

// cutBytes splits off a length-prefixed string. The checksum has already detected damage.
func cutBytes(b []byte) (s, rest []byte) {
	n, w := binary.Uvarint(b)
	if w <= 0 || n > uint64(len(b)-w) {
		return nil, nil
	}
	return b[w : w+int(n)], b[w+int(n):]
}

// beginFrame starts a frame.
func (j *journal) beginFrame() { j.buf = append(j.buf[:0], make([]byte, frameHead)...) }

// putLink adds a link to the frame.
func (j *journal) putLink(target, source string, value []byte) {
	j.buf = append(binary.AppendUvarint(j.buf, uint64(len(target)+1+len(source))), target...)
	j.buf = append(append(j.buf, 0), source...)
	j.buf = append(binary.AppendUvarint(j.buf, uint64(len(value))), value...)
}

// writeFrame appends the frame, and returns when it is on disk.
func (j *journal) writeFrame() error {
	frame := j.buf[frameHead:]
	if len(frame) == 0 {
		return nil
	}
	binary.BigEndian.PutUint32(j.buf, uint32(len(frame)))
	binary.BigEndian.PutUint32(j.buf[4:], crc32.ChecksumIEEE(frame))
	if _, err := j.f.WriteAt(j.buf, j.size); err != nil {
		return err // an incomplete frame; the next one overwrites it
	}
	j.size += int64(len(j.buf))
	if j.noSync {
		return nil
	}
	return j.f.Sync()
}

// clearFrames forgets all frames.
func (j *journal) clearFrames() error {
	j.size = 0
	return j.f.Truncate(0)
}
