package frontier

import (
	"bytes"
	"encoding/binary"
	"math"

	"github.com/eventseer/eventseer/crawler/frontier/hosts"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/zeebo/xxh3"
)

// A bucket is one of the buckets whose keys have a fixed length.
type bucket uint8

const (
	queueBucket bucket = iota
	dueBucket
	leaseBucket
	doneBucket
	textBucket
	hostBucket
	journalBucket
	awayBucket
	buckets
)

var (
	bucketNames   = [buckets][]byte{[]byte("queue"), []byte("due"), []byte("lease"), []byte("done"), []byte("text"), []byte("host"), []byte("journal"), []byte("away")}
	bucketKeySize = [buckets]int{20, 16, 8, 8, 8, 4, 8, 8}
	noteBucket    = []byte("note")
	countBucket   = []byte("count")
	countKey      = []byte("count")
	seedKey       = []byte("seed")
)

// A bucketKey is a key of one of the buckets.
type bucketKey struct {
	in  bucket
	key [20]byte
}

func (p *bucketKey) bytes() []byte { return p.key[:bucketKeySize[p.in]] }

func (p *bucketKey) compare(q *bucketKey) int { return bytes.Compare(p.key[:], q.key[:]) }

func bucketKeyOf(in bucket, key []byte) bucketKey {
	p := bucketKey{in: in}
	copy(p.key[:], key)
	return p
}

func queueKey(host hosts.ID, k hosts.LinkKey) bucketKey {
	p := bucketKey{in: queueBucket}
	binary.BigEndian.PutUint32(p.key[:], uint32(host))
	binary.BigEndian.PutUint64(p.key[4:], k.Rank)
	binary.BigEndian.PutUint64(p.key[12:], k.Seq)
	return p
}

// splitQueueKey splits the key of a place in queue.
func (p *bucketKey) splitQueueKey() (hosts.ID, hosts.LinkKey) {
	return hosts.ID(binary.BigEndian.Uint32(p.key[:])), hosts.LinkKey{Rank: binary.BigEndian.Uint64(p.key[4:]), Seq: binary.BigEndian.Uint64(p.key[12:])}
}

// held is the time of links in due that wait for a budget instead of a time.
const held = math.MaxInt64

func dueKey(at, seq uint64) bucketKey {
	p := bucketKey{in: dueBucket}
	binary.BigEndian.PutUint64(p.key[:], at)
	binary.BigEndian.PutUint64(p.key[8:], seq)
	return p
}

// splitDueKey splits the key of a place in due.
func (p *bucketKey) splitDueKey() (at, seq uint64) {
	return binary.BigEndian.Uint64(p.key[:]), binary.BigEndian.Uint64(p.key[8:])
}

// numberedKey returns a place in a bucket whose keys are numbers.
func numberedKey(in bucket, n uint64) bucketKey {
	p := bucketKey{in: in}
	binary.BigEndian.PutUint64(p.key[:], n)
	return p
}

func (p *bucketKey) number() uint64 { return binary.BigEndian.Uint64(p.key[:]) }

func hostKey(id hosts.ID) bucketKey {
	p := bucketKey{in: hostBucket}
	binary.BigEndian.PutUint32(p.key[:], uint32(id))
	return p
}

// textKey returns the place of the first page of a host with a text.
func textKey(host webgraph.Host, text uint64) bucketKey {
	return numberedKey(textBucket, xxh3.HashStringSeed(string(host), text))
}

// hostOf is webgraph.HostOf, which parses, made quick for the common case.
func hostOf(url string) webgraph.Host {
	start := len("https://")
	if len(url) < start {
		return ""
	}
	if url[:start] != "https://" {
		if start = len("http://"); url[:start] != "http://" {
			return ""
		}
	}
	end := start
	for end < len(url) && isHostByte(url[end]) {
		end++
	}
	if end < len(url) && end > start && url[end] == '/' {
		return webgraph.Host(url[start:end])
	}
	return webgraph.HostOf(url)
}

func isHostByte(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '.'
}
