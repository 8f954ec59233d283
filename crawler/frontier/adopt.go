package frontier

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"reflect"
	"time"

	"eventseer/crawler"
	"eventseer/webgraph"
)

// maxAdopted is the most bytes of entries taken in in one commit.
const maxAdopted = 4 << 20

// Adopt takes in what Export wrote, in several commits, and notes with the last, once
// the stream was found whole. Of a link known twice the state that is further on
// counts: one that ended, the later of two; of two that wait the higher score, and the
// place of the one here. Of a host the later due time counts, and the larger counts.
// It may be repeated, after an error too.
func (f *Frontier) Adopt(ctx context.Context, r io.Reader, notes ...crawler.Note) error {
	if err := checkNotes(notes); err != nil {
		return err
	}
	s, err := newStreamReader(r)
	if err != nil {
		return fmt.Errorf("frontier: adopt: %w", err)
	}
	defer s.close()
	for {
		part, err := s.part()
		whole := errors.Is(err, io.EOF)
		if err != nil && !whole {
			return fmt.Errorf("frontier: adopt: %w", err)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if whole {
			part.notes = notes
		}
		if err := f.commit(nil, part.adopt); err != nil || whole {
			return err
		}
	}
}

// A part is what one commit takes in.
type part struct {
	hosts []Host
	links []adopted
	notes []crawler.Note
}

type adopted struct {
	rec   Record
	first bool // of its host with its text
}

// part reads entries enough for a commit. It returns io.EOF with the last.
func (s *streamReader) part() (p part, err error) {
	for size := 0; size < maxAdopted && len(p.links)+len(p.hosts) < maxMoved; {
		kind, entry, err := s.next()
		if err != nil {
			return p, err
		}
		size += len(entry)
		switch kind {
		case hostEntry:
			err = p.host(entry)
		case linkEntry:
			err = p.link(entry)
		default:
			err = errStream
		}
		if err != nil {
			return p, err
		}
	}
	return p, nil
}

func (p *part) host(entry []byte) error {
	h, err := decodeHost(entry)
	if err == nil && (h.Name == "" || hostOf("https://"+string(h.Name)+"/") != h.Name) {
		err = errBroken
	}
	p.hosts = append(p.hosts, h)
	return err
}

func (p *part) link(entry []byte) error {
	if len(entry) == 0 {
		return errBroken
	}
	marks := entry[0]
	rec, err := decodeRecord(entry[1:])
	switch {
	case err != nil:
		return err
	case marks > wasInterrupted|firstWithText, len(rec.URL) > webgraph.MaxURL, hostOf(rec.URL) == "", len(rec.Clips) > MaxClips,
		rec.State != Waiting && rec.State != Ended && rec.State != Dropped && rec.State != Alias:
		return fmt.Errorf("a link that no frontier exports (%.200q, %v)", rec.URL, rec.State)
	}
	rec.Interrupted = marks&wasInterrupted != 0 && rec.State == Waiting
	rec.Held = false
	p.links = append(p.links, adopted{rec, marks&firstWithText != 0})
	return nil
}

func (p *part) adopt(t *txn) error {
	for _, h := range p.hosts {
		t.adoptHost(h)
	}
	for i := range p.links {
		if err := t.adoptLink(&p.links[i]); err != nil {
			return err
		}
	}
	t.b.notes = append(t.b.notes, p.notes...)
	return nil
}

// adoptHost joins what was known of a host elsewhere with what is known here. It rests
// its pause from now, since clocks may differ.
func (t *txn) adoptHost(in Host) {
	e := t.hosts.hosts[t.hostID(in.Name, t.now)]
	h := joinHosts(e.record(), in.within(t.now))
	if e.fetched == 0 && h.Fetched > 0 {
		t.count.hosts++
	}
	asked := h.Asked
	h = t.hosts.rest(h, t.now)
	h.Asked = asked
	t.hosts.become(e, h)
}

// within bounds the times of a host's record, which were told by another clock.
func (h Host) within(now time.Time) Host {
	for _, past := range []*time.Time{&h.Asked, &h.FirstFailure, &h.LastFailure} {
		*past = earliest(*past, now)
	}
	h.Due = earliest(h.Due, now.Add(MaxBackoff))
	return h
}

func earliest(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// joinHosts is what is known of a host by two who have asked it.
func joinHosts(a, b Host) Host {
	h, old := a, b
	if b.Asked.After(a.Asked) {
		h, old = b, a
	}
	h.Due = latest(a.Due, b.Due)
	h.Fetched, h.Bytes = max(a.Fetched, b.Fetched), max(a.Bytes, b.Bytes)
	h.CrawlDelay = max(a.CrawlDelay, b.CrawlDelay)
	h.Latency, h.Addr = cmp.Or(h.Latency, old.Latency), cmp.Or(h.Addr, old.Addr)
	if old.Asked.Equal(h.Asked) && old.Failures > h.Failures {
		h.Failures, h.FirstFailure, h.LastFailure, h.Reason, h.Dead = old.Failures, old.FirstFailure, old.LastFailure, old.Reason, old.Dead
	}
	return h
}

// adoptLink takes in a link. One in hand here is left alone.
func (t *txn) adoptLink(l *adopted) error {
	rec := l.rec
	hash := t.hash(rec.URL)
	s := t.seen.get(hash)
	var old Record
	switch s.standing() {
	case isLeased:
		return nil
	case unseen:
	default:
		var ok bool
		var err error
		if old, ok, err = t.record(t.r, s, rec.URL); err != nil || !ok {
			return err
		}
		if old.State != Away && old.State != Sent {
			if rec = join(&old, &rec); reflect.DeepEqual(old, rec) {
				return t.adoptText(hash, l, &rec)
			}
		}
		t.remove(s, rec.URL)
	}
	if rec.Seq = old.Seq; old.State != Waiting || rec.State != Waiting {
		rec.Seq = t.count.seq
		t.count.seq++
	}
	t.count.clips += uint64(len(rec.Clips) - len(old.Clips))
	switch {
	case rec.State != Waiting:
		t.retire(hash, &rec)
	case rec.Interrupted:
		t.enqueue(hash, &rec)
	default:
		t.wait(hash, &rec)
	}
	return t.adoptText(hash, l, &rec)
}

// adoptText notes a page as the first of its host with its text if it was that
// elsewhere, and there is none here.
func (t *txn) adoptText(hash uint64, l *adopted, rec *Record) error {
	if !l.first || rec.Text == 0 || rec.Text != l.rec.Text {
		return nil
	}
	host := answerHost(rec)
	twin, err := t.twin(t.r, host, rec.Text)
	if err != nil || twin != nil {
		return err
	}
	id := t.hostID(hostOf(rec.URL), t.now)
	t.b.set(textPlace(host, rec.Text), binary.BigEndian.AppendUint32(be64(hash), uint32(id)))
	return nil
}

// stage says how far a link has come: one that waits for another visit has ended once.
func (r *Record) stage() int {
	switch {
	case r.State == Ended, r.Fate != "" && r.State != Alias:
		return 3
	case r.State == Alias:
		return 2
	case r.State == Dropped:
		return 1
	}
	return 0
}

// join is the state of a link that is known here, a, and elsewhere, b.
func join(a, b *Record) Record {
	switch order := cmp.Or(cmp.Compare(b.stage(), a.stage()), b.At.Compare(a.At)); {
	case order > 0, order == 0 && a.State != Waiting && b.State == Waiting:
		return *b
	case order < 0, a.State != Waiting, b.State != Waiting:
		return *a
	}
	r := *a
	if b.Proposed > a.Proposed {
		r.way(b.candidate(), b.Proposed)
	}
	r.Score = max(a.Score, b.Score)
	r.Interrupted, r.Crashes = a.Interrupted || b.Interrupted, max(a.Crashes, b.Crashes)
	if b.Tries > a.Tries {
		r.Tries, r.Due, r.Reason, r.Status = b.Tries, b.Due, b.Reason, b.Status
	}
	return r
}
