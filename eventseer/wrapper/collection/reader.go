package collection

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/wrapper"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/record"
	"github.com/eventseer/eventseer/internal/atomicfile"
)

// ReaderOptions are the options of NewReader.
type ReaderOptions struct {
	// Set has the wrappers. Extractor reads pages and the values of wrappers. Both are required.
	Set       *Set
	Extractor eventseer.Extractor
	// Known returns the stored event of a page, or eventseer.ErrNotFound. If it is nil, only the results of
	// Extractor are known.
	Known func(ctx context.Context, url string) (eventseer.Event, error)
	// Notices stores notices for the operator. If it is nil, notices are dropped.
	Notices *NoticeLog
	// Now returns the time for pages without a fetch time. Nil means time.Now.
	Now func() time.Time
}

// A Reader reads pages by the wrappers of a Set and updates the wrappers. It implements ingest.Lister.
type Reader struct {
	o ReaderOptions
}

func NewReader(o ReaderOptions) *Reader {
	if o.Now == nil {
		o.Now = time.Now
	}
	return &Reader{o}
}

// Learn implements ingest.WrapperReader. It updates and verifies the wrapper of the page's template.
func (r *Reader) Learn(ctx context.Context, t *tagtree.Tree, read eventseer.Event) error {
	known, err := r.knownEvent(ctx, t.Page.URL)
	if err != nil {
		return err
	}
	return r.updateWrapper(t, []eventseer.Event{read, withoutWrapperValues(known)}, func(*Lesson) error { return nil })
}

// knownEvent returns the stored event of a page, or the zero Event if there is none.
func (r *Reader) knownEvent(ctx context.Context, url string) (e eventseer.Event, err error) {
	if r.o.Known != nil {
		if e, err = r.o.Known(ctx, url); errors.Is(err, eventseer.ErrNotFound) {
			err = nil
		}
	}
	return e, err
}

// updateWrapper updates the wrapper of a page by the known events of the page, then calls use. It stores notices for
// the operator.
func (r *Reader) updateWrapper(t *tagtree.Tree, known []eventseer.Event, use func(*Lesson) error) error {
	at := t.Page.FetchedAt
	if at.IsZero() {
		at = r.o.Now()
	}
	var notices []wrapper.Notice
	err := r.o.Set.LearnPage(t, func(l *Lesson) error {
		notices = r.teachPage(l, t, at.UTC(), known)
		return use(l)
	})
	if r.o.Notices != nil {
		err = errors.Join(err, r.o.Notices.Add(notices...))
	}
	return err
}

// teachPage updates the wrapper of a page and returns notices. A wrapper that stays disabled is learned again. It
// learns from archived copies of its newest pages if there are enough, otherwise from further pages, once all
// of the last ones failed.
func (r *Reader) teachPage(l *Lesson, t *tagtree.Tree, at time.Time, events []eventseer.Event) []wrapper.Notice {
	w := l.Wrapper
	if w == nil || w.IsVerified(t) {
		return nil
	}
	notices := w.UpdateFromPage(t, l.Read(), at, append(events, l.ListedEvents()...)...)
	if w.Status != wrapper.Broken {
		return notices
	}
	if !l.RelearnFromArchive(wrapper.ActivePages) {
		if w.CountFailed() < wrapper.Window {
			return notices
		}
		w.RestartLearning()
	}
	return append(notices, wrapper.Notice{
		At: at, Kind: wrapper.Reinduced, Host: w.Host, Pattern: w.Pattern,
		Text: fmt.Sprintf("the wrapper is learned again, from %d pages so far; it is trusted when it has read %d correctly", w.Pages, wrapper.ActivePages),
	})
}

// Read implements ingest.WrapperReader. ok is false if the page has no active wrapper or does not pass its checks.
func (r *Reader) Read(t *tagtree.Tree, read eventseer.Event) (e eventseer.Event, ok bool) {
	err := r.o.Set.View(t, func(l *Lesson) error {
		w := l.Wrapper
		if w == nil || w.Status != wrapper.Active || l.Kind != wrapper.RecordPage || w.CountAnnotated() == 0 {
			return nil
		}
		reading := w.Apply(t)
		if c := w.CheckPage(reading); c.Passed {
			rec := w.Record(t, reading, r.o.Extractor, read)
			e, ok = rec.Event, rec.IsImportable(w)
		}
		return nil
	})
	return e, ok && err == nil
}

// withoutWrapperValues returns an event without the values that wrappers read, because a wrapper must not confirm
// itself.
func withoutWrapperValues(e eventseer.Event) eventseer.Event {
	read := func(field string) bool { return e.Sources[field].Rule == eventseer.WrapperRule }
	if read("title") {
		e.Title = ""
	}
	if read("acronym") {
		e.Acronym = ""
	}
	if read("location") {
		e.Location = nil
	}
	if read("topics") {
		e.Topics = nil
	}
	if read("committee") {
		e.Committee = nil
	}
	if read("submission_url") {
		e.SubmissionURL = ""
	}
	if read("publisher") {
		e.Publisher = ""
	}
	e.Deadlines = slices.DeleteFunc(slices.Clone(e.Deadlines), func(d eventseer.Deadline) bool { return d.Source.Rule == eventseer.WrapperRule })
	return e
}

// Limits on the log of notices.
const (
	maxNotices    = 200
	maxNoticeFile = 4 << 20 // bytes read of its file
)

// A NoticeLog stores the last notices in a file, one JSON object per line, oldest first. It is safe for
// concurrent use by one process.
type NoticeLog struct {
	path string
	mu   sync.Mutex // held while the file is rewritten
}

// NewNoticeLog returns the log at path. The file need not exist.
func NewNoticeLog(path string) *NoticeLog { return &NoticeLog{path: path} }

// Add appends notices and removes the oldest ones beyond maxNotices. The file is replaced atomically, so that
// a crash leaves the old or the new one.
func (l *NoticeLog) Add(notices ...wrapper.Notice) error {
	if len(notices) == 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	all, err := l.List()
	if err != nil {
		return err
	}
	all = append(all, notices...)
	if err := os.MkdirAll(filepath.Dir(l.path), 0o755); err != nil {
		return fmt.Errorf("notices: %w", err)
	}
	err = atomicfile.Write(l.path, func(w io.Writer) (err error) {
		out := json.NewEncoder(w)
		for _, n := range all[max(0, len(all)-maxNotices):] {
			err = errors.Join(err, out.Encode(n))
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("notices: %w", err)
	}
	return nil
}

// List returns the notices, oldest first. Invalid lines are skipped.
func (l *NoticeLog) List() (notices []wrapper.Notice, err error) {
	data, err := os.ReadFile(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("notices: %w", err)
	}
	for line := range bytes.Lines(data[:min(len(data), maxNoticeFile)]) {
		var n wrapper.Notice
		if json.Unmarshal(line, &n) == nil && n.Kind != "" {
			notices = append(notices, n)
		}
	}
	return notices, nil
}

// List reads a category page and calls take with the new or changed records on its lists. They are weak
// evidence: a record's own page takes precedence. A record without a known event has at least a title and a
// date. If take fails or the process crashes, the record is passed again later.
func (r *Reader) List(ctx context.Context, t *tagtree.Tree, take func(eventseer.Event) error) error {
	return r.updateWrapper(t, nil, func(l *Lesson) error {
		if l.Kind != wrapper.CategoryPage {
			return nil
		}
		return r.readList(ctx, l, t, take)
	})
}

func (r *Reader) readList(ctx context.Context, l *Lesson, t *tagtree.Tree, take func(eventseer.Event) error) error {
	due := l.pendingRows()
	if len(due) == 0 {
		return nil
	}
	for _, region := range record.Find(t) {
		list, err := r.listingOf(ctx, t, region)
		if err != nil {
			return err
		}
		if list.SetMeanings(); len(list.Meanings) == 0 {
			continue
		}
		for _, rec := range list.Records {
			row := due[rec.URL]
			if row == nil || row.Taken {
				continue
			}
			if e, ok := list.Event(rec); ok {
				if row.Before != nil {
					list.SetExtendedFrom(e.Deadlines, rec, row.Before)
				}
				if err := take(e); err != nil {
					return err
				}
			}
			row.Taken = true
		}
	}
	return nil
}

// pendingRows returns the rows of this category page that were not taken yet, by URL.
func (l *Lesson) pendingRows() map[string]*Row {
	due := map[string]*Row{}
	for _, table := range l.site.tables {
		if table.URL != l.tree.Page.URL {
			continue
		}
		for i := range table.Rows {
			if row := &table.Rows[i]; !row.Taken {
				due[row.URL] = row
			}
		}
	}
	return due
}

// listingOf returns a list with the known events of its records.
func (r *Reader) listingOf(ctx context.Context, t *tagtree.Tree, region record.Region) (*wrapper.Listing, error) {
	list := &wrapper.Listing{Tree: t, Extractor: r.o.Extractor}
	for i, own := range ownPages(region.Records) {
		if own.URL == "" {
			continue
		}
		rec := wrapper.ListedRecord{URL: own.URL, Values: []wrapper.Value{{Text: own.Anchor}}}
		fields := region.Records[i].Fields
		for _, f := range fields[:min(len(fields), wrapper.MaxRowFields)] {
			rec.Values = append(rec.Values, wrapper.Value{Text: f.Text, Node: f.Node})
		}
		var err error
		if rec.Known, err = r.knownEvent(ctx, own.URL); err != nil {
			return nil, err
		}
		list.Records = append(list.Records, rec)
	}
	return list, nil
}
