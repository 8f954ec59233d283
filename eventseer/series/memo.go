package series

import (
	"crypto/sha256"
	"encoding/binary"
	"sync"

	"github.com/eventseer/eventseer/eventseer"
)

// maxMemo bounds the records whose series a table caches: about 100 bytes each.
const maxMemo = 16384

// A seriesCache caches the series of records by the fields that Of reads. The store needs that of one
// event several times while it adds a page. It is safe for concurrent use; its zero value is empty.
type seriesCache struct {
	mu    sync.Mutex
	known map[[sha256.Size]byte]string // guarded by mu
}

// cachedOrFound returns the value cached for key, otherwise the result of find, which it caches. A full memo
// is emptied.
func (m *seriesCache) cachedOrFound(key [sha256.Size]byte, find func() string) string {
	m.mu.Lock()
	id, ok := m.known[key]
	m.mu.Unlock()
	if ok {
		return id
	}
	id = find()
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil || len(m.known) >= maxMemo {
		m.known = map[[sha256.Size]byte]string{}
	}
	m.known[key] = id
	return id
}

// seriesCacheKey returns a digest of all that Of reads of a record.
func seriesCacheKey(e eventseer.Event) [sha256.Size]byte {
	p := PageOf(e)
	var b []byte
	add := func(fields ...string) {
		b = binary.AppendUvarint(b, uint64(len(fields)))
		for _, f := range fields {
			b = append(binary.AppendUvarint(b, uint64(len(f))), f...)
		}
	}
	add(p.Acronym, p.Title, p.Parent, p.Place, string(p.Kind))
	add(p.Addresses...)
	add(p.Topics...)
	return sha256.Sum256(binary.AppendVarint(b, int64(e.Year)))
}
