package main

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"eventseer/classify"
	"eventseer/eventseer/export"
	"eventseer/eventseer/search"
	"eventseer/eventseer/store"
	"eventseer/eventseer/ui"
	"eventseer/eventseer/ui/views"
)

// uiOptions are those of every web UI over a store and its index.
func (a *app) uiOptions(st *store.Store, index *search.Index) (ui.Options, error) {
	slicer, err := a.newWebSlicer()
	if err != nil {
		return ui.Options{}, err
	}
	return ui.Options{
		Store: st, Index: index, Series: st, Desk: st, Recent: st, Now: a.now, Version: fullVersion(), Log: a.logger(),
		Contact: a.config.Contact, UserAgent: userAgent(), Base: a.config.BaseURL, People: a.config.People,
		Pause: time.Duration(a.config.HostDelay), MaxCrawlDelay: time.Duration(a.config.MaxCrawlDelay), IgnoreDirectives: a.config.Directives == "ignore",
		Slicer: slicer, SliceSynonyms: true, UserHeader: a.config.UserHeader, UserProxies: fieldsOf(a.config.UserProxies),
		AdminToken: string(a.config.AdminToken), Formats: export.Formats(), JSONLD: export.JSONLD,
		Revision: func() uint64 { return revision(context.Background(), st) },
	}, nil
}

// fieldsOf splits a list of a setting.
func fieldsOf(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' })
}

// serviceHandler returns the pages of a service.
func (a *app) serviceHandler(ctx context.Context, s *service, used modelsInUse, f serveFlags) (http.Handler, error) {
	o, err := a.uiOptions(s.store, s.index)
	if err != nil {
		return nil, err
	}
	if s.monitor != nil {
		o.Versions = &pageArchive{db: s.monitor, x: a.newExtractor()}
	}
	if web, ok := o.Slicer.(webSlicer); ok {
		o.Submitter = submitter{web, pageReader{extractor: a.newExtractor(), judge: used.judge}, s.store}
	}
	if !ui.IsLocal(o.Base) && o.AdminToken == "" {
		a.logf("/admin is closed: by base-url others reach this site, and whom a proxy on this machine asks for cannot be known; set admin-token to open it")
	}
	o.Crawled, o.Panels, o.Audit = s.console.lastCrawled, a.panels(s, used), a.audit(ctx, s.readers)
	if s.mails || a.config.UserHeader != "" {
		o.Subscriptions = subscriptions{s.readers}
	}
	if a.config.Dumps {
		o.Dumps = filepath.Join(s.dir, dumpsDir)
	}
	wrappers, err := a.newWrapperUI(s.wrappers)
	if err != nil {
		return nil, err
	}
	o.Tools = map[string]http.Handler{"/wrappers": wrappers}
	if s.cluster != nil {
		o.Tools[clusterPath] = *s.cluster
	}
	if f.labels != "" {
		label, err := a.newLabelUI(ctx, used.judge, labelFlags{labels: f.labels, task: classify.TaskCFP}, f.inputs, labelUI{remote: true})
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
