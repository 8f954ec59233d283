package crawler

import (
	"container/list"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/eventseer/eventseer/webgraph"
)

// maxRuns bounds a memory to about 10 MB. Beyond it the run that was changed least recently is
// removed.
const maxRuns = 50_000

// A memory counts similar pages, and other repeated things, by key. It changes only at commits, in
// their order. Every change is stored as a note, so a resumed crawl has the same memory.
type memory struct {
	limit int

	mu    sync.RWMutex // guards below
	runs  map[uint64]*list.Element
	order *list.List // of *run, the last changed first
	clock uint64
	long  int // number of runs of length maxAlike or more
}

// A run is a sequence of consecutive pages that are alike, with its length.
type run struct {
	key     uint64
	touched uint64               // time of the last change, by the memory's clock
	length  uint32               // things in a row
	near    webgraph.Fingerprint // fingerprint of the first page of the run
}

func newMemory(limit int) *memory {
	return &memory{limit: limit, runs: map[uint64]*list.Element{}, order: list.New()}
}

// runOf returns the run of a key, the zero run if there is none.
func (m *memory) runOf(key uint64) run {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if e := m.runs[key]; e != nil {
		return *e.Value.(*run)
	}
	return run{key: key}
}

// storeRun sets the run of r's key and returns the notes that store it.
func (m *memory) storeRun(r run) []Note {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.clock++
	r.touched = m.clock
	m.setRun(r)
	notes := []Note{r.encodeNote()}
	if m.order.Len() > m.limit {
		last := m.order.Back()
		gone := m.order.Remove(last).(*run)
		delete(m.runs, gone.key)
		m.long -= gone.oneIfLong()
		notes = append(notes, Note{Key: gone.noteKey()})
	}
	return notes
}

func (m *memory) setRun(r run) {
	m.long += r.oneIfLong()
	if e := m.runs[r.key]; e != nil {
		old := e.Value.(*run)
		m.long -= old.oneIfLong()
		*old = r
		m.order.MoveToFront(e)
		return
	}
	m.runs[r.key] = m.order.PushFront(&r)
}

// hasLongRun reports whether there is a run of length maxAlike or more.
func (m *memory) hasLongRun() bool {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return m.long > 0
}

func (r run) oneIfLong() int {
	if r.length >= maxAlike {
		return 1
	}
	return 0
}

// runPrefix begins the keys of the notes of runs.
const runPrefix = "crawler/run/"

func (r run) noteKey() string { return runPrefix + fmt.Sprintf("%016x", r.key) }

// encodeNote returns the run as a note with the value near⁸ touched⁸ length⁴, big-endian.
func (r run) encodeNote() Note {
	v := binary.BigEndian.AppendUint64(make([]byte, 0, 20), uint64(r.near))
	v = binary.BigEndian.AppendUint64(v, r.touched)
	return Note{Key: r.noteKey(), Value: binary.BigEndian.AppendUint32(v, r.length)}
}

func readRun(n Note) (run, error) {
	key, err := strconv.ParseUint(strings.TrimPrefix(n.Key, runPrefix), 16, 64)
	if err == nil && len(n.Value) != 20 {
		err = errors.New("has not 20 bytes")
	}
	if err != nil {
		return run{}, fmt.Errorf("note %s: %w", n.Key, err)
	}
	be := binary.BigEndian
	return run{key: key, near: webgraph.Fingerprint(be.Uint64(n.Value)), touched: be.Uint64(n.Value[8:]), length: be.Uint32(n.Value[16:])}, nil
}

// restoreNotes restores an empty memory from its notes.
func (m *memory) restoreNotes(notes []Note) error {
	runs := make([]run, 0, len(notes))
	for _, n := range notes {
		r, err := readRun(n)
		if err != nil {
			return err
		}
		runs = append(runs, r)
	}
	slices.SortFunc(runs, func(a, b run) int { return int(int64(a.touched - b.touched)) })
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range runs {
		m.setRun(r)
		m.clock = r.touched
	}
	return nil
}
