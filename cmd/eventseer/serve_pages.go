package main

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"eventseer/classify"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/eventseer/exchange"
	"eventseer/eventseer/search"
	"eventseer/eventseer/store"
	"eventseer/eventseer/ui"
	"eventseer/eventseer/ui/views"
)

// uiOptions are those of every web UI over a store and its index.
func uiOptions(a *app.App, st *store.Store, index *search.Index) (ui.Options, error) {
	slicer, err := newWebSlicer(a)
	if err != nil {
		return ui.Options{}, err
	}
	return ui.Options{
		Store: st, Index: index, Series: st, Desk: st, Recent: st, Now: a.Now, Version: app.FullVersion(), Log: a.Logger(),
		Contact: a.Config.Contact, UserAgent: engine.UserAgent(), Base: a.Config.BaseURL, People: a.Config.People,
		Pause: time.Duration(a.Config.HostDelay), MaxCrawlDelay: time.Duration(a.Config.MaxCrawlDelay), IgnoreDirectives: a.Config.Directives == "ignore",
		Slicer: slicer, SliceSynonyms: true, UserHeader: a.Config.UserHeader, UserProxies: fieldsOf(a.Config.UserProxies),
		AdminToken: string(a.Config.AdminToken), Formats: exchange.Formats(), JSONLD: exchange.JSONLD,
		Revision: func() uint64 { return revision(context.Background(), st) },
	}, nil
}

// fieldsOf splits a list of a setting.
func fieldsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// serviceHandler returns the pages of a service.
func serviceHandler(ctx context.Context, a *app.App, s *service, used modelsInUse, f serveFlags) (http.Handler, error) {
	o, err := uiOptions(a, s.store, s.index)
	if err != nil {
		return nil, err
	}
	if s.monitor != nil {
		o.Versions = &pageArchive{db: s.monitor, x: engine.NewExtractor(a)}
	}
	if web, ok := o.Slicer.(webSlicer); ok {
		o.Submitter = submitter{web, pageReader{extractor: engine.NewExtractor(a), judge: used.judge}, s.store}
	}
	if !ui.IsLocal(o.Base) && o.AdminToken == "" {
		a.Logf("/admin is closed: by base-url others reach this site, and whom a proxy on this machine asks for cannot be known; set admin-token to open it")
	}
	o.Crawled, o.Panels, o.Audit = s.console.lastCrawled, panels(a, s, used), audit(ctx, a, s.readers)
	if s.mails || a.Config.UserHeader != "" {
		o.Subscriptions = subscriptions{s.readers}
	}
	if a.Config.Dumps {
		o.Dumps = filepath.Join(s.dir, dumpsDir)
	}
	wrappers, err := newWrapperUI(a, s.wrappers)
	if err != nil {
		return nil, err
	}
	o.Tools = map[string]http.Handler{"/wrappers": wrappers}
	if s.cluster != nil {
		o.Tools[clusterPath] = *s.cluster
	}
	if f.labels != "" {
		label, err := newLabelUI(ctx, a, used.judge, labelFlags{labels: f.labels, task: classify.TaskCFP}, f.inputs, labelUI{remote: true})
		if err != nil {
			return nil, err
		}
		o.Tools["/label"] = label
	}
	pages, err := ui.New(o)
	if err != nil {
		return nil, err
	}
	if w, ok := pages.(views.Warmer); ok {
		s.warm = w.Warm
	}
	mux := http.NewServeMux()
	mux.Handle("/", pages)
	mux.HandleFunc("GET /api/v1/models.json", used.serveVersion)
	return mux, nil
}
