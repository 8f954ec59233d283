package jetstream

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/eventseer/eventseer/crawler/cluster"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Objects are stored in the format of nats.go's ObjectStore, but with our own code. Its Put sends the
// description before it knows that all chunks arrived and reuses the buffer of a chunk that it may send
// again, and its Get times out after 5 s.

const chunkSize = 512 << 10

func (b *bus) chunkSubject(id string) string { return "$O." + b.objectStore() + ".C." + id }

func (b *bus) metaSubject(name string) string {
	return "$O." + b.objectStore() + ".M." + base64.URLEncoding.EncodeToString([]byte(name))
}

// objectInfo returns the description of an object, or ErrNoKey.
func (b *bus) objectInfo(ctx context.Context, name string) (info jetstream.ObjectInfo, err error) {
	if name == "" || len(name) > 512 {
		return info, fmt.Errorf("the name has %d bytes, must have 1 to 512", len(name))
	}
	var m *jetstream.RawStreamMsg
	err = b.retry(ctx, isTemporary, func(ctx context.Context) (err error) {
		m, err = b.objs.GetLastMsgForSubject(ctx, b.metaSubject(name))
		return err
	})
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return info, cluster.ErrNoKey
	}
	if err != nil {
		return info, err
	}
	if err := json.Unmarshal(m.Data, &info); err != nil {
		return info, err
	}
	if info.Deleted {
		return info, cluster.ErrNoKey
	}
	return info, nil
}

// PutObject implements cluster.Bus.
func (b *bus) PutObject(ctx context.Context, name string, r io.Reader) error {
	if err := b.putObject(ctx, name, r); err != nil {
		return fmt.Errorf("put object %.600q: %w", name, err)
	}
	return nil
}

func (b *bus) putObject(ctx context.Context, name string, r io.Reader) error {
	old, err := b.objectInfo(ctx, name)
	if err != nil && !errors.Is(err, cluster.ErrNoKey) {
		return err
	}
	info := jetstream.ObjectInfo{Bucket: b.objectStore(), NUID: rand.Text()}
	info.Name, info.Opts = name, &jetstream.ObjectMetaOptions{ChunkSize: chunkSize}
	if err := b.putChunks(ctx, &info, r); err != nil {
		// ctx may have ended; without the purge the chunks would stay forever
		b.purgeSubject(context.WithoutCancel(ctx), b.chunkSubject(info.NUID))
		return err
	}
	data, err := json.Marshal(info)
	if err != nil {
		return err
	}
	m := &nats.Msg{Subject: b.metaSubject(name), Data: data, Header: nats.Header{jetstream.MsgRollup: {jetstream.MsgRollupSubject}}}
	if err := b.publishMessage(ctx, m, info.NUID+".meta"); err != nil {
		return err // keep the chunks: the description may have been stored
	}
	if old.NUID == "" {
		return nil
	}
	if err := b.purgeSubject(ctx, b.chunkSubject(old.NUID)); err != nil {
		b.log.Warn("the chunks of a replaced object could not be deleted and still use space", "object", name, "err", err)
	}
	return nil
}

// putChunks stores the chunks one after the other, because readers use the order of the stream.
func (b *bus) putChunks(ctx context.Context, info *jetstream.ObjectInfo, r io.Reader) error {
	sum, buf := sha256.New(), make([]byte, chunkSize)
	for {
		n, err := io.ReadFull(r, buf)
		if n > 0 && (err == nil || errors.Is(err, io.ErrUnexpectedEOF)) {
			sum.Write(buf[:n])
			m := &nats.Msg{Subject: b.chunkSubject(info.NUID), Data: bytes.Clone(buf[:n])}
			if err := b.publishMessage(ctx, m, fmt.Sprintf("%s.%d", info.NUID, info.Chunks)); err != nil {
				return err
			}
			info.Chunks++
			info.Size += uint64(n)
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			info.Digest = digestText(sum)
			return ctx.Err()
		}
		if err != nil {
			return err
		}
	}
}

func digestText(h hash.Hash) string {
	return "SHA-256=" + base64.URLEncoding.EncodeToString(h.Sum(nil))
}

func (b *bus) purgeSubject(ctx context.Context, subject string) error {
	return b.retry(ctx, isTemporary, func(ctx context.Context) error {
		return b.objs.Purge(ctx, jetstream.WithPurgeSubject(subject))
	})
}

// DeleteObject implements cluster.Bus.
func (b *bus) DeleteObject(ctx context.Context, name string) error {
	info, err := b.objectInfo(ctx, name)
	if errors.Is(err, cluster.ErrNoKey) {
		return nil
	}
	if err == nil {
		err = b.purgeSubject(ctx, b.metaSubject(name))
	}
	if err == nil {
		err = b.purgeSubject(ctx, b.chunkSubject(info.NUID))
	}
	if err != nil {
		return fmt.Errorf("delete object %.600q: %w", name, err)
	}
	return nil
}

// GetObject implements cluster.Bus. Reading fails if the object is replaced meanwhile or its digest is
// wrong.
func (b *bus) GetObject(ctx context.Context, name string) (io.ReadCloser, error) {
	info, err := b.objectInfo(ctx, name)
	if err != nil {
		return nil, fmt.Errorf("get object %.600q: %w", name, err)
	}
	return &objectReader{b: b, ctx: ctx, info: info, sum: sha256.New()}, nil
}

// An objectReader reads one chunk after the other.
type objectReader struct {
	b    *bus
	ctx  context.Context // the context of the call of GetObject; it also limits reading
	info jetstream.ObjectInfo
	got  uint32 // chunks
	next uint64 // sequence
	rest []byte
	sum  hash.Hash
	err  error
}

func (r *objectReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 && r.err == nil {
		r.err = r.readChunk()
	}
	if len(r.rest) == 0 {
		return 0, r.err
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func (r *objectReader) readChunk() error {
	if r.got == r.info.Chunks {
		if digestText(r.sum) != r.info.Digest {
			return fmt.Errorf("object %.600q: wrong digest", r.info.Name)
		}
		return io.EOF
	}
	var m *jetstream.RawStreamMsg
	err := r.b.retry(r.ctx, isTemporary, func(ctx context.Context) (err error) {
		m, err = r.b.objs.GetMsg(ctx, max(r.next, 1), jetstream.WithGetMsgSubject(r.b.chunkSubject(r.info.NUID)))
		return err
	})
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return fmt.Errorf("object %.600q: replaced or deleted while it was read", r.info.Name)
	}
	if err != nil {
		return fmt.Errorf("object %.600q: %w", r.info.Name, err)
	}
	r.sum.Write(m.Data)
	r.got, r.next, r.rest = r.got+1, m.Sequence+1, m.Data
	return nil
}

// Close ends reading.
func (r *objectReader) Close() error {
	r.rest, r.err = nil, io.ErrClosedPipe
	return nil
}
