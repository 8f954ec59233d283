package linkruns

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"

	"github.com/eventseer/eventseer/internal/bolt"
)

const (
	fanIn      = 6         // runs of a level that are merged
	maxFanIn   = 4 * fanIn // runs merged at once
	firstLevel = 1 << 20   // runs of fewer bytes are of level 0; those of each further level are fanIn times as large
	maxLevel   = 16
	mergeBytes = 4 << 20 // bytes of blocks that a step of a merge writes
)

// levelOf returns the level of a run of the given size.
func levelOf(size uint64) (level int) {
	for limit := uint64(firstLevel); size >= limit && level < maxLevel; limit *= fanIn {
		level++
	}
	return level
}

// A Merger merges runs: as soon as fanIn runs that are next to each other in age have at most one level,
// they become one. Each link is thus written once per level. The zero value is ready for use.
//
// A merge has many steps, in order of key. A step moves the links up to some key to the new run. If a merge is
// interrupted, what it has moved and what remains are runs like others, and are merged again later.
type Merger struct {
	active    []merge
	stepBytes int // bytes of blocks that a step writes; 0 means mergeBytes
}

// A merge is a merge in progress. It is not changed, but replaced by each step.
type merge struct {
	into   run
	from   []uint64     // runs in order of age
	filter sourceFilter // state after the last step; its last key is the last one that was moved
	last   []byte       // last key that was written
}

// clone returns a copy that shares no memory with f.
func (f sourceFilter) clone() sourceFilter {
	f.last = bytes.Clone(f.last)
	return f
}

// Step does a step of each merge that is due, with at most so many sources of each page. It returns the
// state after it, which the caller uses if the transaction is committed.
func (m Merger) Step(tx *bolt.Tx, sources int) (after Merger, err error) {
	runs, err := listRuns(tx)
	if err != nil {
		return m, err
	}
	id, err := nextID(tx, runs)
	if err != nil {
		return m, err
	}
	after.stepBytes = m.stepBytes
	active := slices.Clone(m.active)
	busy := map[uint64]bool{}
	for i, g := range active {
		for _, from := range g.from {
			busy[from] = true
		}
		busy[g.into.id] = true
		id = max(id, active[i].into.id+1)
	}
	for group := nextGroup(runs, busy); group != nil; group = nextGroup(runs, busy) {
		g := merge{into: run{id: id, age: group[0].age}, filter: sourceFilter{most: sources}}
		id++
		for _, r := range group {
			g.from = append(g.from, r.id)
			busy[r.id] = true
		}
		active = append(active, g)
	}
	for _, g := range active {
		g, done, err := g.step(tx, cmp.Or(m.stepBytes, mergeBytes))
		if err != nil {
			return m, err
		}
		if !done {
			after.active = append(after.active, g)
		}
	}
	return after, nil
}

// nextGroup returns the next runs to be merged, nil if there are none. Runs are given in order of age.
func nextGroup(runs []run, busy map[uint64]bool) []run {
	for level := range maxLevel + 1 {
		begin := 0
		for i := range len(runs) + 1 {
			if i < len(runs) && !busy[runs[i].id] && levelOf(runs[i].bytes) <= level {
				continue
			}
			if i-begin >= fanIn {
				return runs[begin:min(i, begin+maxFanIn)]
			}
			begin = i + 1
		}
	}
	return nil
}

// step moves the next links to the new run, until it has written most bytes. It reads them before it writes, because a write invalidates
// cursors.
func (g merge) step(tx *bolt.Tx, most int) (after merge, done bool, err error) {
	type block struct{ begin, stored []byte }
	var written []block
	size := 0
	g.filter = g.filter.clone()
	w := blockWriter{last: bytes.Clone(g.last), put: func(begin, stored []byte) error {
		written = append(written, block{bytes.Clone(begin), bytes.Clone(stored)})
		size += len(begin) + len(stored)
		return nil
	}}
	var all []*source
	start := append(bytes.Clone(g.filter.last), 0) // the next possible key
	if g.filter.last == nil {
		start = nil
	}
	for i, id := range g.from {
		s, err := sourceOfRun(tx, id, start, i)
		if err != nil {
			return g, false, err
		}
		all = append(all, s)
	}
	done = true
	err = mergeSources(all, func(key, value []byte) (bool, error) {
		if size >= most {
			done = false
			return false, nil
		}
		if !g.filter.accepts(key) {
			return true, nil
		}
		return true, w.add(key, value)
	})
	if err == nil {
		err = w.endBlock()
	}
	if err != nil {
		return g, false, err
	}
	g.last = w.last
	blocks, prefix := tx.Bucket(blockBucket), runKey(g.into.id)
	blocks.FillFromEnd()
	for _, b := range written {
		if err := blocks.Put(append(prefix[:runLen:runLen], b.begin...), b.stored); err != nil {
			return g, false, err
		}
	}
	g.into.bytes += uint64(size) // #nosec G115 -- a size
	if g.into.bytes > 0 {
		if err := g.into.store(tx); err != nil {
			return g, false, err
		}
	}
	return g, done, g.removeMoved(tx, done)
}

// removeMoved removes the blocks of which all links have been moved, and with all, the runs.
func (g merge) removeMoved(tx *bolt.Tx, all bool) error {
	runs, err := listRuns(tx)
	if err != nil {
		return err
	}
	blocks := tx.Bucket(blockBucket)
	for _, r := range runs {
		if !slices.Contains(g.from, r.id) {
			continue
		}
		var moved [][]byte
		size := 0
		prefix := runKey(r.id)
		c := blocks.Cursor()
		k, v := c.Seek(prefix)
		for bytes.HasPrefix(k, prefix) {
			next, stored := c.Next()
			isLast := !bytes.HasPrefix(next, prefix)
			// The links of a block are smaller than the beginning of the next one.
			if !all && (isLast || bytes.Compare(next[runLen:], g.filter.last) > 0) {
				break
			}
			moved = append(moved, bytes.Clone(k))
			size += len(k) - runLen + len(v)
			k, v = next, stored
		}
		for _, k := range moved {
			if err := blocks.Delete(k); err != nil {
				return err
			}
		}
		if all {
			if err := tx.Bucket(runBucket).Delete(runKey(r.id)); err != nil {
				return err
			}
			continue
		}
		r.bytes -= min(r.bytes, uint64(size)) // #nosec G115 -- a size
		if err := r.store(tx); err != nil {
			return err
		}
	}
	return nil
}

// AdoptRuns stores the records of runs that lack one, after a repair.
func AdoptRuns(tx *bolt.Tx) error {
	missing, err := runsWithoutRecord(tx)
	for _, r := range missing {
		if err := r.store(tx); err != nil {
			return err
		}
	}
	return err
}

// LacksRecords reports whether AdoptRuns has something to do.
func LacksRecords(tx *bolt.Tx) (bool, error) {
	missing, err := runsWithoutRecord(tx)
	return len(missing) > 0, err
}

// runsWithoutRecord returns the runs with blocks but without a record. Their size is not known: they are
// treated as small.
func runsWithoutRecord(tx *bolt.Tx) (missing []run, err error) {
	c := tx.Bucket(blockBucket).Cursor()
	for k, _ := c.First(); k != nil; {
		if len(k) <= runLen {
			return nil, damagef(blockBucket, k, "it is not the key of a block")
		}
		id := binary.BigEndian.Uint64(k)
		if tx.Bucket(runBucket).Get(runKey(id)) == nil {
			missing = append(missing, run{id: id, age: id})
		}
		if id == 1<<64-1 {
			break
		}
		k, _ = c.Seek(runKey(id + 1))
	}
	return missing, nil
}
