package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/tools"
	"github.com/eventseer/eventseer/eventseer/wrapper"
	"github.com/eventseer/eventseer/eventseer/wrapper/annotate"
	"github.com/eventseer/eventseer/eventseer/wrapper/collection"
)

// A wrapperStore provides the wrappers of a data directory to the web UI.
type wrapperStore struct {
	set     *collection.Set
	notices *collection.NoticeLog

	mu   sync.Mutex // guards below
	done map[string][]annotate.Step
}

var _ tools.Wrappers = (*wrapperStore)(nil)

// newWrapperUI returns the pages of the data directory's wrappers, for ui.Options.Tools.
func newWrapperUI(a *app.App, set *collection.Set) (http.Handler, error) {
	_, notices := engine.WrapperFiles(a.Config.Data)
	shelf := &wrapperStore{set: set, notices: collection.NewNoticeLog(notices), done: make(map[string][]annotate.Step)}
	return tools.NewWrappers(tools.WrapperOptions{
		Wrappers: shelf, Meanings: wrapper.Meanings(), Now: a.Now, Version: app.FullVersion(), Log: a.Logger(),
	})
}

// List implements tools.Wrappers.
func (s *wrapperStore) List(context.Context) ([]tools.Wrapper, error) {
	named, err := s.set.List()
	list := make([]tools.Wrapper, len(named))
	for i, n := range named {
		list[i] = summaryOf(n.Name, n.Wrapper)
	}
	return list, err
}

// Notices implements tools.Wrappers.
func (s *wrapperStore) Notices(context.Context) ([]tools.WrapperNotice, error) {
	all, err := s.notices.List()
	notices := make([]tools.WrapperNotice, len(all))
	for i, n := range all {
		notices[i] = tools.WrapperNotice{At: n.At, Host: n.Host, Pattern: n.Pattern, Text: n.Text}
	}
	return notices, err
}

// Wrapper implements tools.Wrappers.
func (s *wrapperStore) Wrapper(_ context.Context, name string) (tools.Wrapper, error) {
	named, err := s.set.List()
	for _, n := range named {
		if n.Name == name {
			return s.withFields(n), nil
		}
	}
	return tools.Wrapper{}, errors.Join(eventseer.ErrNotFound, err)
}

func summaryOf(name string, w *wrapper.Wrapper) tools.Wrapper {
	u := tools.Wrapper{Name: name, Host: w.Host, Pattern: w.Pattern, Kind: string(w.Kind), Status: string(w.Status), Pages: w.Pages}
	for _, f := range w.Fields {
		switch {
		case f.Ignored:
		case f.Meaning == "":
			u.Open++
		default:
			u.Named++
		}
	}
	return u
}

func (s *wrapperStore) withFields(n collection.Named) tools.Wrapper {
	u := summaryOf(n.Name, n.Wrapper)
	s.mu.Lock()
	u.CanUndo = len(s.done[n.Name]) > 0
	s.mu.Unlock()
	for _, f := range (&annotate.Annotation{W: n.Wrapper}).UnansweredFields(true) {
		field := tools.WrapperField{
			ID: f.ID, Path: f.Path, Note: strings.TrimPrefix(annotate.PlaceNote(f), ", "), Meaning: f.Meaning, Evidence: f.By == wrapper.ByEvidence,
			Strength: f.Strength, Ignored: f.Ignored, Repeats: f.Repeats, Seen: f.Seen,
		}
		for _, x := range f.Examples {
			field.Examples = append(field.Examples, x.Value)
		}
		for _, p := range n.Wrapper.Proposals(f) {
			field.Proposals = append(field.Proposals, tools.WrapperProposal(p))
		}
		u.Fields = append(u.Fields, field)
	}
	return u
}

// SetMeaning implements tools.Wrappers.
func (s *wrapperStore) SetMeaning(_ context.Context, name, field, meaning string) error {
	return s.updateWrapper(name, func(n *annotate.Annotation) error { return n.Rename(field, meaning) })
}

// IgnoreField implements tools.Wrappers.
func (s *wrapperStore) IgnoreField(_ context.Context, name, field string) error {
	return s.updateWrapper(name, func(n *annotate.Annotation) error { return n.Ignore(field) })
}

// Undo implements tools.Wrappers.
func (s *wrapperStore) Undo(_ context.Context, name string) (field string, err error) {
	err = s.updateWrapper(name, func(n *annotate.Annotation) error {
		var err error
		field, err = n.Undo()
		return err
	})
	if errors.Is(err, annotate.ErrNothingDone) {
		return "", nil
	}
	return field, err
}

// updateWrapper calls step, which changes a wrapper, and saves the wrapper.
func (s *wrapperStore) updateWrapper(name string, step func(*annotate.Annotation) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := &annotate.Annotation{Save: func(*wrapper.Wrapper) error { return nil }, Done: s.done[name]}
	err := s.set.Update(name, func(w *wrapper.Wrapper) error {
		n.W = w
		return step(n)
	})
	if errors.Is(err, collection.ErrNoWrapper) || errors.Is(err, wrapper.ErrNoField) {
		return fmt.Errorf("%w: %w", eventseer.ErrNotFound, err)
	}
	if err != nil {
		return err
	}
	s.done[name] = n.Done[max(0, len(n.Done)-maxUndo):]
	return nil
}

// maxUndo is the number of decisions that can be undone for each wrapper.
const maxUndo = 50
