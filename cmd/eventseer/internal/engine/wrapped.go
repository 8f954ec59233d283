package engine

import (
	"path/filepath"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/eventseer"
	"eventseer/eventseer/ingest"
	"eventseer/eventseer/wrapper/collection"
	"eventseer/webgraph"
)

// newWrapped returns what reads pages by wrappers, and teaches these, in a crawl of the
// live web; nil in a replay, which is read as it ever was.
func newWrapped(a *app.App, s State, x eventseer.Extractor) (ingest.Wrapped, error) {
	if s.Monitor == nil {
		return nil, nil
	}
	_, notices := WrapperFiles(s.Dir)
	set := s.Wrappers
	if set == nil {
		var err error
		if set, err = OpenWrappers(a, s); err != nil {
			return nil, err
		}
	}
	return collection.NewReader(collection.ReaderOptions{
		Set: set, Extractor: x, Known: s.Store.EventOf, Notices: collection.NewNoticeLog(notices), Now: a.Now,
	}), nil
}

// OpenWrappers opens the wrappers beside a state, whose versions of pages they are
// learned anew from.
func OpenWrappers(a *app.App, s State) (*collection.Set, error) {
	dir, _ := WrapperFiles(s.Dir)
	return collection.OpenSet(dir, collection.SetOptions{
		Archive: Archive{s}, Warn: func(err error) { a.Logger().Warn("wrapper", "err", err) },
	})
}

// Archive gives the versions of pages that the monitor keeps.
type Archive struct{ State }

// Last returns the version of a page that is stored, nil if there is none.
func (s Archive) Last(url string) (*webgraph.Page, error) { return s.previous(url) }

// WrapperFiles are where the wrappers of a data directory and their notices are.
func WrapperFiles(dir string) (set, notices string) {
	return filepath.Join(dir, "wrappers"), filepath.Join(dir, "wrappers", "notices.jsonl")
}
