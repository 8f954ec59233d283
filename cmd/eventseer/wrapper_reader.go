package main

import (
	"eventseer/eventseer"
	"eventseer/eventseer/ingest"
	"eventseer/eventseer/wrapper/collection"
	"eventseer/webgraph"
)

// newWrapped returns what reads pages by wrappers, and teaches these, in a crawl of the
// live web; nil in a replay, which is read as it ever was.
func (a *app) newWrapped(s state, x eventseer.Extractor) (ingest.Wrapped, error) {
	if s.monitor == nil {
		return nil, nil
	}
	_, notices := wrapperFiles(s.dir)
	set := s.wrappers
	if set == nil {
		var err error
		if set, err = a.openWrappers(s); err != nil {
			return nil, err
		}
	}
	return collection.NewReader(collection.ReaderOptions{
		Set: set, Extractor: x, Known: s.store.EventOf, Notices: collection.NewNoticeLog(notices), Now: a.now,
	}), nil
}

// openWrappers opens the wrappers beside a state, whose versions of pages they are
// learned anew from.
func (a *app) openWrappers(s state) (*collection.Set, error) {
	dir, _ := wrapperFiles(s.dir)
	return collection.OpenSet(dir, collection.SetOptions{
		Archive: archive{s}, Warn: func(err error) { a.logger().Warn("wrapper", "err", err) },
	})
}

// archive gives the versions of pages that the monitor keeps.
type archive struct{ state }

func (s archive) Last(url string) (*webgraph.Page, error) { return s.previous(url) }
