package member

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/crawler/cluster/manager"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/curate"
	"github.com/eventseer/eventseer/eventseer/exchange"
	"github.com/eventseer/eventseer/eventseer/store"
)

// A message carries an event from a crawler of a cluster to the managers, or a correction from a
// manager to the others. It is JSON in the form of a line of `show`, compressed by gzip if that is
// shorter, because the log is permanent.
type message struct {
	// From is the name of the crawler or manager.
	From  string           `json:"from"`
	Event eventseer.Event  `json:"event,omitzero"`
	Clips []eventseer.Clip `json:"clips,omitempty"`
	// Pages are the records of each page of the event, if there are several: editors split by them.
	Pages []eventseer.Event `json:"page_records,omitempty"`
	// Texts are the main texts of the event's pages.
	Texts []eventseer.PageText `json:"texts,omitempty"`
	// Correction is nil in the message of an event.
	Correction *eventseer.Correction `json:"correction,omitempty"`
}

// encodeEvent returns the message of an event, of at most limit bytes, and what had to be left out
// for that, "" if nothing. Data that no other crawler can find again is left out last: title,
// dates, place and where they were read.
func encodeEvent(m message, limit int) (data []byte, left string, err error) {
	for _, cut := range []struct {
		left string
		trim func(*message)
	}{
		{"", func(*message) {}},
		{"the texts of its pages except the first", func(m *message) { m.Texts = m.Texts[:min(len(m.Texts), 1)] }},
		{"the texts of its pages", func(m *message) { m.Texts = nil }},
		{"the texts and records of its pages", func(m *message) { m.Pages = nil }},
		{"the texts and records of its pages and the older half of its clips", func(m *message) { m.Clips = slices.Clone(m.Clips[len(m.Clips)/2:]) }},
		{"the texts of its pages and its clips", func(m *message) { m.Clips = nil }},
		{"the texts of its pages, its clips and trail", func(m *message) { m.Event.Trail = nil }},
		{"the texts of its pages, its clips, trail and related pages", func(m *message) { m.Event.Related = nil }},
		{"the texts of its pages, its clips, trail, related pages and committee", func(m *message) { m.Event.Committee = nil }},
		{"the texts of its pages, its clips, trail, pages, committee and topics", func(m *message) { m.Event.Pages, m.Event.Topics = nil, nil }},
	} {
		left = cut.left
		cut.trim(&m)
		if data, err = json.Marshal(m); err != nil {
			return nil, "", err
		}
		zipped, err := gzipBytes(data)
		if err != nil {
			return nil, "", err
		}
		if len(zipped) < len(data) {
			data = zipped
		}
		if len(data) <= limit {
			return data, left, nil
		}
	}
	return nil, "", fmt.Errorf("event %s: it has %d bytes without its lists, more than the %d of a message", m.Event.ID, len(data), limit)
}

func gzipBytes(data []byte) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	_, err = z.Write(data)
	if err = errors.Join(err, z.Close()); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// decodeMessage reads a message, of at most exchange.MaxRecord bytes once decompressed.
func decodeMessage(data []byte) (message, error) {
	var m message
	r, err := exchange.Gunzipped(bytes.NewReader(data))
	if err != nil {
		return m, err
	}
	text, err := io.ReadAll(io.LimitReader(r, exchange.MaxRecord+1))
	switch {
	case err != nil:
		return m, err
	case len(text) > exchange.MaxRecord:
		return m, fmt.Errorf("longer than %d bytes", exchange.MaxRecord)
	}
	var corrected struct {
		Correction *eventseer.Correction `json:"correction"`
	}
	if err := json.Unmarshal(text, &corrected); err == nil && corrected.Correction != nil {
		return message{Correction: corrected.Correction}, nil
	}
	e, ok, err := exchange.ReadRecord(text)
	switch {
	case err != nil:
		return m, err
	case !ok:
		return m, errors.New("not a record of an event")
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return m, err
	}
	m.Event = e
	return m, nil
}

// A Sink stores the events of crawlers in the store of a manager.
type Sink struct {
	Store interface {
		eventseer.Store
		PutRemote(ctx context.Context, from string, e eventseer.Event, clips []eventseer.Clip, pages []eventseer.Event, texts ...eventseer.PageText) (eventseer.EventID, error)
		PutCorrections(ctx context.Context, all []eventseer.Correction, ofCluster bool) error
	}
	Warn func(format string, args ...any)
}

var _ manager.Sink = Sink{}

// sinkReader is the reader under which the store records how many events were stored.
const sinkReader = eventseer.OtherLog + "cluster"

// LastStored implements cluster.Sink.
func (s Sink) LastStored(ctx context.Context) (uint64, error) {
	return s.Store.ReaderPosition(ctx, sinkReader)
}

// SetLastStored implements cluster.Sink.
func (s Sink) SetLastStored(ctx context.Context, number uint64) error {
	return s.Store.SetReaderPosition(ctx, sinkReader, number)
}

// StoreAnnouncement implements cluster.Sink: a crawler's record of an event replaces its earlier
// one, and a manager's correction is merged with known ones. Invalid messages are reported and left
// out.
func (s Sink) StoreAnnouncement(ctx context.Context, a cluster.Announcement) error {
	m, err := decodeMessage(a.Data)
	if err != nil {
		s.Warn("a crawler has published a message that is not an event: %v", err)
		return nil
	}
	if a.From != "" && (m.Correction != nil || m.From != a.From) {
		s.Warn("crawler %s has published a message of another member, as %q: left out; `eventseer control revoke %s` ends its credentials", a.From, m.From, a.From)
		return nil
	}
	if m.Correction != nil {
		err := s.Store.PutCorrections(ctx, []eventseer.Correction{*m.Correction}, true)
		if errors.Is(err, curate.ErrBad) {
			s.Warn("a manager has published a message that is not a correction: %v", err)
			return nil
		}
		return err
	}
	if m.Event.URL == "" || m.Event.ID == "" || m.From == "" || strings.ContainsRune(m.From, 0) {
		s.Warn("a crawler has published an event without a name, id or address: %.200q", []string{m.From, string(m.Event.ID), m.Event.URL})
		return nil
	}
	_, err = s.Store.PutRemote(ctx, m.From, m.Event, m.Clips, m.Pages, m.Texts...)
	return err
}

// publisherReader is the name under which the store records how far a crawler has published its
// changes. maxPublish is the number of changes read at once.
const (
	publisherReader = "cluster"
	maxPublish      = 256
)

// A publishedStore is a store whose events are published to a cluster.
type publishedStore interface {
	eventseer.Store
	eventseer.TextStore
	PageRecords(ctx context.Context, id eventseer.EventID) ([]eventseer.Event, error)
}

// A publisher publishes the changed events of a store to a cluster.
type publisher struct {
	name    string // of the crawler
	store   publishedStore
	publish func(ctx context.Context, id string, data []byte) error
	warn    func(format string, args ...any)
}

// publishNext publishes the events of the next changes, each once, moves the mark past them, and returns
// the number of changes. After kill -9 it begins again at the mark.
func (p publisher) publishNext(ctx context.Context) (n int, err error) {
	mark, err := p.store.ReaderPosition(ctx, publisherReader)
	if err != nil {
		return 0, err
	}
	known := map[eventseer.EventID]bool{}
	var order []eventseer.EventID
	for c, err := range p.store.Outbox(ctx, mark) {
		switch {
		case errors.Is(err, store.ErrCorrupt):
			p.warn("change %d is not published: %v; run `eventseer check` for details", c.Seq, err)
		case err != nil:
			return 0, err
		default:
			if !known[c.Event] {
				order = append(order, c.Event)
			}
			known[c.Event] = true
		}
		mark = c.Seq
		if n++; n == maxPublish {
			break
		}
	}
	for _, id := range order {
		if err := p.publishEvent(ctx, id); err != nil {
			return 0, err
		}
	}
	if n == 0 {
		return 0, ctx.Err()
	}
	return n, p.store.SetReaderPosition(ctx, publisherReader, mark)
}

// publishEvent publishes an event in its present state.
func (p publisher) publishEvent(ctx context.Context, id eventseer.EventID) error {
	m := message{From: p.name}
	var err error
	if m.Event, err = p.store.Event(ctx, id); err == nil {
		m.Clips, err = p.store.Clips(ctx, id)
	}
	if err == nil {
		m.Pages, err = p.store.PageRecords(ctx, id)
	}
	if err == nil {
		m.Texts, err = p.store.Texts(ctx, id, time.Time{})
	}
	switch {
	case errors.Is(err, store.ErrCorrupt), errors.Is(err, eventseer.ErrNotFound): // publish the other events nevertheless
		p.warn("event %s is not published: %v", id, err)
		return nil
	case err != nil:
		return err
	}
	data, left, err := encodeEvent(m, cluster.MaxMessage)
	switch {
	case err != nil:
		p.warn("event %s is not published: %v", id, err)
		return nil
	case left != "":
		p.warn("event %s is published without %s, because a message has at most %d bytes; the store of this process has all of it", id, left, cluster.MaxMessage)
	}
	return p.publish(ctx, string(id), data)
}
