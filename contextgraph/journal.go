package contextgraph

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"strconv"
	"sync"

	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"
)

// A Journal stores the state of builds in one file: one line per answer and one per page. A build that is
// restarted with the journal reads its earlier answers from it and continues where it was killed, so it
// gives the same graph as an uninterrupted build. Failures are not stored, so that they are tried again.
//
// Each line is "CRC-32 of the rest, a space, JSON"; the first one is a journalHead. Lines are written to
// the operating system at once: kill -9 loses only the query in progress. An incomplete line at the end
// is cut off, and a damaged line within the file is skipped. A Journal is safe for concurrent use by one
// process. A nil *Journal stores nothing.
type Journal struct {
	mu    sync.Mutex // guards below
	file  *os.File
	size  int64
	at    map[string]lineSpan // place of each entry, by kind and URL
	stats JournalStats
	err   error // error of a write; nothing is stored after it
}

// JournalStats are statistics on the use of a journal.
type JournalStats struct {
	Calls     int     // requests for queries since the journal was opened
	Cost      float64 // of these
	Fetched   int     // pages fetched since then
	Kept      int     // answers and pages read from the journal
	TornBytes int64   // incomplete or damaged lines, which were skipped
}

type lineSpan struct {
	offset int64
	length int
}

// A journalHead identifies a file as a journal, and the providers of its answers.
type journalHead struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Source  string `json:"source"`
}

const (
	journalFormat  = "eventseer graph state"
	journalVersion = 1
	maxJournalLine = 64 << 20 // in bytes: more than MaxPerPage links take
	crcDigits      = 8
)

// ErrOtherJournal is returned for the journal of builds with other providers.
var ErrOtherJournal = errors.New("the state belongs to a build with other providers: use the same backlinks and pages, or name another file")

// A JournalError is an error of the file itself, which ends a build.
type JournalError struct{ Err error }

func (e *JournalError) Error() string { return "state of the build: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *JournalError) Unwrap() error { return e.Err }

// OpenJournal opens the journal at path or creates it. The argument source names the providers of
// backlinks and pages. If the journal has another source, it returns ErrOtherJournal.
func OpenJournal(path, source string) (*Journal, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, &JournalError{err}
	}
	j := &Journal{file: file, at: map[string]lineSpan{}}
	if err := j.loadFile(source); err != nil {
		return nil, errors.Join(&JournalError{fmt.Errorf("%s: %w", path, err)}, file.Close())
	}
	return j, nil
}

// loadFile reads the file, or writes its head if it is empty.
func (j *Journal) loadFile(source string) error {
	want := journalHead{journalFormat, journalVersion, source}
	r := bufio.NewReader(j.file)
	head, read, whole := false, int64(0), int64(0)
	for {
		body, length, err := readJournalLine(r)
		if errors.Is(err, io.EOF) || errors.Is(err, errIncomplete) && !head {
			break
		}
		read += int64(length)
		if errors.Is(err, errIncomplete) {
			continue
		}
		if err != nil {
			return err
		}
		if !head {
			var h journalHead
			if err := json.Unmarshal(body, &h); err != nil || h.Format != want.Format || h.Version != want.Version {
				return errors.New("the file is not a build state that this program can read")
			}
			if h != want {
				return ErrOtherJournal
			}
			head = true
		} else if err := j.indexEntry(body, lineSpan{read - int64(length), length}); err != nil {
			return err
		}
		j.size = read
		whole += int64(length)
	}
	end, err := j.file.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if !head && end > 0 {
		return errors.New("the file is not a build state: name another file")
	}
	j.stats.TornBytes = end - whole
	if err := j.file.Truncate(j.size); err != nil || head {
		return err
	}
	return j.appendEntry("", want)
}

// errIncomplete means that a line is incomplete or damaged.
var errIncomplete = errors.New("torn line")

// readJournalLine returns the JSON of the next line and the line's length. For a damaged line it returns
// errIncomplete and the number of bytes read.
func readJournalLine(r *bufio.Reader) (body []byte, length int, err error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > maxJournalLine {
			return nil, len(line) + len(part), errIncomplete
		}
		line = append(line, part...)
		if err == nil {
			break
		}
		if errors.Is(err, io.EOF) && len(line) > 0 {
			return nil, len(line), errIncomplete
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return nil, 0, err
		}
	}
	if len(line) < crcDigits+2 || line[crcDigits] != ' ' {
		return nil, len(line), errIncomplete
	}
	body = line[crcDigits+1 : len(line)-1]
	if sum, err := strconv.ParseUint(string(line[:crcDigits]), 16, 32); err != nil || uint32(sum) != crc32.ChecksumIEEE(body) {
		return nil, len(line), errIncomplete
	}
	return body, len(line), nil
}

// An entry is a line of the journal: an answer or a page.
type entry struct {
	Key    string     `json:"key"`
	Answer *Backlinks `json:"answer,omitempty"`
	Page   *Page      `json:"page,omitempty"`
}

// indexEntry stores the place of the entry in a line.
func (j *Journal) indexEntry(body []byte, at lineSpan) error {
	var e struct {
		Key string `json:"key"`
	}
	if err := json.Unmarshal(body, &e); err != nil {
		return err
	}
	j.at[e.Key] = at
	j.stats.Kept++
	return nil
}

// appendEntry writes a line with a single write. The entry can be found by key; "" is for the head.
func (j *Journal) appendEntry(key string, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	line := fmt.Appendf(nil, "%08x %s\n", crc32.ChecksumIEEE(body), body)
	if len(line) > maxJournalLine {
		return fmt.Errorf("the entry of %.100s is longer than %d bytes", key, maxJournalLine)
	}
	if _, err := j.file.WriteAt(line, j.size); err != nil {
		return err
	}
	if key != "" {
		j.at[key] = lineSpan{j.size, len(line)}
	}
	j.size += int64(len(line))
	return nil
}

// storedEntry returns the entry stored under a key; ok is false if there is none.
func (j *Journal) storedEntry(key string) (e entry, ok bool, err error) {
	if j == nil {
		return e, false, nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	s, ok := j.at[key]
	if !ok {
		return e, false, nil
	}
	line := make([]byte, s.length)
	if _, err := j.file.ReadAt(line, s.offset); err != nil {
		return e, false, &JournalError{err}
	}
	body, _, err := readJournalLine(bufio.NewReader(bytes.NewReader(line)))
	if err == nil {
		err = json.Unmarshal(body, &e)
	}
	if err != nil {
		return e, false, &JournalError{err}
	}
	return e, true, nil
}

// addEntry counts the cost of an entry and stores it if keep is set.
func (j *Journal) addEntry(e entry, spent JournalStats, keep bool) error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.stats.Calls += spent.Calls
	j.stats.Cost += spent.Cost
	j.stats.Fetched += spent.Fetched
	if !keep {
		return nil
	}
	if j.err == nil {
		j.err = j.appendEntry(e.Key, e)
	}
	if j.err != nil {
		return &JournalError{j.err}
	}
	return nil
}

// cachedBacklinks returns an answer from the journal, or queries and stores it.
func (j *Journal) cachedBacklinks(ctx context.Context, asker BacklinkSource, url string, limit int) (Backlinks, error) {
	key := fmt.Sprintf("in %d %s", limit, url)
	if e, ok, err := j.storedEntry(key); err != nil || ok && e.Answer != nil {
		return valueOrZero(e.Answer), err
	}
	a, err := asker.Backlinks(ctx, url, limit)
	a = a.withoutUnusedParts(limit)
	if err != nil {
		a.Links = nil
	}
	kept := j.addEntry(entry{Key: key, Answer: &a}, JournalStats{Calls: a.Calls, Cost: a.Cost}, err == nil)
	return a, errors.Join(err, kept)
}

// withoutUnusedParts returns the parts of an answer that a graph needs, with at most limit links.
func (a Backlinks) withoutUnusedParts(limit int) Backlinks {
	told := a.Links
	if a.Calls, a.Dropped = max(a.Calls, 0), max(a.Dropped, 0); !(a.Cost >= 0) || math.IsInf(a.Cost, 1) {
		a.Cost = 0
	}
	a.Links = nil
	for _, l := range told[:min(limit, len(told))] {
		if max(len(l.Source), len(l.Target)) <= 2*webgraph.MaxURL { // twice, because its canonical form may be shorter
			a.Links = append(a.Links, webgraph.Link{Source: l.Source, Target: l.Target, Anchor: text.CutRunes(l.Anchor, webgraph.MaxAnchor), NoFollow: l.NoFollow})
		}
	}
	a.Dropped += len(told) - len(a.Links)
	return a
}

// cachedPage returns a page from the journal, or fetches and stores it.
func (j *Journal) cachedPage(ctx context.Context, f Fetcher, url string) (Page, error) {
	key := "page " + url
	if e, ok, err := j.storedEntry(key); err != nil || ok && e.Page != nil {
		return valueOrZero(e.Page), err
	}
	p, err := f.Fetch(ctx, url)
	if !(p.CFPScore >= 0 && p.CFPScore <= 1) {
		p.CFPScore = 0
	}
	kept := j.addEntry(entry{Key: key, Page: &p}, JournalStats{Fetched: 1}, err == nil)
	return p, errors.Join(err, kept)
}

func valueOrZero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// Stats returns statistics on the use of the journal; zero for nil.
func (j *Journal) Stats() JournalStats {
	if j == nil {
		return JournalStats{}
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.stats
}

// Close syncs the file to disk and closes it.
func (j *Journal) Close() error {
	if j == nil {
		return nil
	}
	return errors.Join(j.file.Sync(), j.file.Close())
}
