package main

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"time"

	"eventseer/classify"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/cmd/eventseer/internal/serve"
	"eventseer/crawler/fetch"
	"eventseer/eventseer/exchange"
	"eventseer/eventseer/publish"
	"eventseer/eventseer/publish/bounce"
	"eventseer/eventseer/search"
	"eventseer/eventseer/store"
	"eventseer/eventseer/ui"
	"eventseer/eventseer/ui/views"
)

// uiOptions are those of every web UI over a store and its index.
func uiOptions(a *app.App, st *store.Store, index *search.Index, table fetch.HostTable) (ui.Options, error) {
	slicer, err := newWebSlicer(a, table)
	if err != nil {
		return ui.Options{}, err
	}
	return ui.Options{
		Store: st, Index: index, Series: st, Desk: st, Recent: st, Now: a.Now, Version: app.FullVersion(), Log: a.Logger(),
		Contact: a.Config.Contact, UserAgent: engine.UserAgent(), Base: a.Config.BaseURL, People: a.Config.People,
		Pause: time.Duration(a.Config.HostDelay), MaxCrawlDelay: time.Duration(a.Config.MaxCrawlDelay), IgnoreDirectives: a.Config.Directives == "ignore",
		Slicer: slicer, SliceSynonyms: true, UserHeader: a.Config.UserHeader, UserProxies: serve.FieldsOf(a.Config.UserProxies),
		AdminToken: string(a.Config.AdminToken), Formats: exchange.Formats(), JSONLD: exchange.JSONLD,
		Revision: func() uint64 { return serve.Revision(context.Background(), st) },
	}, nil
}

// serviceHandler returns the pages of a service.
func serviceHandler(ctx context.Context, a *app.App, s *serve.Service, used serve.ModelsInUse, f serveFlags) (http.Handler, error) {
	o, err := uiOptions(a, s.Store, s.Index, s.Hosts)
	if err != nil {
		return nil, err
	}
	if s.Monitor != nil {
		o.Versions = &pageArchive{db: s.Monitor, x: engine.NewExtractor(a)}
	}
	if web, ok := o.Slicer.(webSlicer); ok {
		o.Submitter = submitter{web, pageReader{extractor: engine.NewExtractor(a), judge: used.Judge}, s.Store}
	}
	if !ui.IsLocal(o.Base) && o.AdminToken == "" {
		a.Logf("/admin is closed: by base-url others reach this site, and whom a proxy on this machine asks for cannot be known; set admin-token to open it")
	}
	o.Crawled, o.Panels, o.Audit = s.Console.LastCrawled, append(serve.Panels(a, s, used), labPanel(a)), serve.Audit(ctx, a, s.Readers)
	if s.Mails || a.Config.UserHeader != "" {
		o.Subscriptions = serve.Subscriptions{Service: s.Readers}
	}
	if a.Config.Dumps {
		o.Dumps = filepath.Join(s.Dir, dumpsDir)
	}
	wrappers, err := newWrapperUI(a, s.Wrappers)
	if err != nil {
		return nil, err
	}
	o.Tools = map[string]http.Handler{"/wrappers": wrappers}
	if s.Cluster != nil {
		o.Tools[serve.ClusterPath] = *s.Cluster
	}
	if f.labels != "" {
		label, err := newLabelUI(ctx, a, used.Judge, labelFlags{labels: f.labels, task: classify.TaskCFP}, f.inputs, labelUI{remote: true})
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
		s.Warm = w.Warm
	}
	mux := http.NewServeMux()
	mux.Handle("/", pages)
	mux.HandleFunc("GET /api/v1/models.json", used.ServeVersion)
	return mux, nil
}

// bouncePause is how often the folder of mails that came back is read.
const bouncePause = 15 * time.Minute

// keepBounces ends mails to addresses whose mails came back, until ctx ends.
func keepBounces(ctx context.Context, a *app.App, readers *publish.Service) error {
	for ctx.Err() == nil {
		own := engine.Child(a)
		t := bounce.Taker{Readers: readers, Note: func(bounce.Note) error { return nil }}
		err := errors.Join(fetchBounces(ctx, own, mailFlags{}, &t), own.Close())
		switch {
		case err != nil && ctx.Err() == nil:
			a.Logger().Error("mails that came back are not read", "folder", a.Config.BounceFolder, "err", err)
		case t.Mails > 0:
			a.Logf("%s", &t)
		}
		engine.Rest(ctx, bouncePause)
	}
	return nil
}
