package edgeindex

import (
	"bufio"
	"encoding/binary"
	"hash/crc32"
	"io"

	"github.com/eventseer/eventseer/crawler/backlink/sortedlinks"
)

// An edgeWriter writes an edge index from its links in order of key; see
// edgeindex.go.
type edgeWriter struct {
	out     *bufio.Writer
	sources int // kept of one target

	at      int64  // bytes written
	block   []byte // entries of this block
	first   []byte // separator of this block
	last    []byte // key written last
	index   []byte
	blocks  uint32
	edges   int64
	targets int64
	crowded int64 // links left out because their target has enough sources
	merged  int64 // links that repeat another

	key    []byte // link to be written
	value  edgeValue
	target []byte // of that link
	has    int    // number of links to target, including this one
}

func newEdgeWriter(w io.Writer, sources int) (*edgeWriter, error) {
	e := &edgeWriter{out: bufio.NewWriterSize(w, 1<<20), sources: sources}
	_, err := e.out.WriteString(edgeMagic)
	e.at = int64(len(edgeMagic))
	return e, err
}

// add adds the next link. Links with the same ends are merged: the first non-empty anchor, nofollow
// if all have it, and the last time seen.
func (e *edgeWriter) add(key, value []byte) error {
	v, _ := readValue(value) // we wrote it
	if string(key) == string(e.key) {
		e.merged++
		if e.value.anchor == "" {
			e.value.anchor = v.anchor
		}
		e.value.nofollow = e.value.nofollow && v.nofollow
		e.value.seen = max(e.value.seen, v.seen)
		return nil
	}
	err := e.writePendingLink()
	e.key, e.value = append(e.key[:0], key...), v
	return err
}

// writePendingLink writes the pending link.
func (e *edgeWriter) writePendingLink() error {
	if len(e.key) == 0 {
		return nil
	}
	target, _ := cutKey(e.key)
	if string(target) != string(e.target) {
		e.target, e.has = append(e.target[:0], target...), 0
		e.targets++
	}
	if e.has++; e.has > e.sources {
		e.crowded++
		return nil
	}
	e.edges++
	shared := sortedlinks.CommonPrefix(e.last, e.key)
	if len(e.block) == 0 {
		e.first = append(e.first[:0], e.key[:min(shared+1, len(e.key))]...)
		shared = 0
	}
	e.block = sortedlinks.AppendEntry(e.block, shared, e.key, e.value.appendTo(nil))
	e.last = append(e.last[:0], e.key...)
	if len(e.block) < edgeBlock {
		return nil
	}
	return e.endBlock()
}

func (e *edgeWriter) endBlock() error {
	if len(e.block) == 0 {
		return nil
	}
	length := 4 + len(e.block)
	e.index = append(binary.AppendUvarint(e.index, uint64(len(e.first))), e.first...)
	e.index = binary.AppendUvarint(e.index, uint64(length))
	e.blocks++
	e.at += int64(length)
	err := e.writeParts(binary.BigEndian.AppendUint32(nil, crc32.Checksum(e.block, castagnoli)), e.block)
	e.block = e.block[:0]
	return err
}

func (e *edgeWriter) writeParts(parts ...[]byte) error {
	for _, p := range parts {
		if _, err := e.out.Write(p); err != nil {
			return err
		}
	}
	return nil
}

// finish writes the last link, the index and the footer.
func (e *edgeWriter) finish() error {
	if err := e.writePendingLink(); err != nil {
		return err
	}
	if err := e.endBlock(); err != nil {
		return err
	}
	be := binary.BigEndian
	foot := be.AppendUint64(nil, uint64(e.at))
	foot = be.AppendUint32(foot, crc32.Checksum(e.index, castagnoli))
	foot = be.AppendUint32(foot, e.blocks)
	foot = be.AppendUint64(foot, uint64(e.edges))
	foot = be.AppendUint64(foot, uint64(e.targets))
	foot = be.AppendUint32(foot, crc32.Checksum(foot, castagnoli))
	if err := e.writeParts(e.index, foot, []byte(edgeMagic)); err != nil {
		return err
	}
	return e.out.Flush()
}
