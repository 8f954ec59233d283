package store

import (
	"sync"
	"time"

	"eventseer/eventseer"
	"eventseer/eventseer/match"

	"github.com/zeebo/xxh3"
)

// maxMemo is how many event keys are kept, and as many of those before.
const maxMemo = 4096

// waitingMemo begins the keys of records that wait: no event's id has such a byte.
const waitingMemo = "\x00"

// A memo keeps what stored records are when they are compared: a record is compared with
// up to maxCandidates, and to read one takes much longer. It is safe for concurrent use.
type memo struct {
	mu          sync.Mutex // guards below
	now, before map[string]eventKey
}

// An eventKey is of a record with this content.
type eventKey struct {
	*match.EventKey
	id        eventseer.EventID
	firstSeen time.Time
	content   xxh3.Uint128
}

// older reports whether event c was found before d.
func (c eventKey) older(d eventKey) bool {
	if !c.firstSeen.Equal(d.firstSeen) {
		return c.firstSeen.Before(d.firstSeen)
	}
	return c.id < d.id
}

// of returns the eventKey of a record that is stored under a key.
func (m *memo) of(key string, record []byte) (eventKey, error) {
	content := xxh3.Hash128(record)
	if c, ok := m.get(key); ok && c.content == content {
		return c, nil
	}
	e, err := decode[eventseer.Event](record)
	if err != nil {
		return eventKey{}, err
	}
	c := eventKey{match.NewEventKey(e), e.ID, e.FirstSeen, content}
	m.put(key, c)
	return c, nil
}

func (m *memo) get(key string) (eventKey, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, ok := m.now[key]
	if !ok {
		if c, ok = m.before[key]; ok {
			m.keep(key, c)
		}
	}
	return c, ok
}

func (m *memo) put(key string, c eventKey) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.keep(key, c)
}

// keep forgets those that were not asked for since the last maxMemo. m.mu is held.
func (m *memo) keep(key string, c eventKey) {
	if m.now == nil || len(m.now) >= maxMemo {
		m.now, m.before = map[string]eventKey{}, m.now
	}
	m.now[key] = c
}
