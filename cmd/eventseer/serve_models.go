package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"eventseer/classify"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/models"
	"eventseer/webgraph"
)

const (
	modelsPoll = 2 * time.Second
)

// A modelsInUse is what judges pages in the daemon.
type modelsInUse struct {
	judge   engine.PageJudge
	version func() modelVersion
}

// A modelVersion names the model files in use: of the "data" directory or "shipped",
// and their digests.
type modelVersion struct {
	From     string          `json:"from"`
	CFP      webgraph.Digest `json:"cfp"`
	PageType webgraph.Digest `json:"page_type"`
}

func (v modelVersion) String() string {
	return fmt.Sprintf("cfp %s, page-type %s", v.CFP, v.PageType)
}

// watchModels returns the models of the data directory, which it watches until
// stop is called, or the shipped ones where it has none.
func watchModels(ctx context.Context, a *app.App) (used modelsInUse, stop func(), err error) {
	dir := filepath.Join(a.Config.Data, app.ModelsDir)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		used, err := shippedModels()
		return used, func() {}, err
	}
	live, err := classify.OpenLive(dir)
	if err != nil {
		return used, nil, err
	}
	versionOf := func(l *classify.Loaded) modelVersion { return modelVersion{"data", l.CFPFile, l.PageTypeFile} }
	a.Logf("models of %s: %s", dir, versionOf(live.Current()))
	ctx, cancel := context.WithCancel(ctx)
	tick := time.NewTicker(modelsPoll)
	var watching sync.WaitGroup
	watching.Go(func() {
		live.Watch(ctx, tick.C, func(now *classify.Loaded, err error) {
			if err != nil {
				a.Logger().Error("models refused", "cause", err)
				return
			}
			a.Logf("models swapped: %s", versionOf(now))
		})
	})
	stop = func() {
		tick.Stop()
		cancel()
		watching.Wait()
	}
	return modelsInUse{live, func() modelVersion { return versionOf(live.Current()) }}, stop, nil
}

func shippedModels() (modelsInUse, error) {
	judge, err := engine.NewPageJudge("shipped", nil)
	if err != nil {
		return modelsInUse{}, err
	}
	v := modelVersion{From: "shipped"}
	for name, digest := range map[string]*webgraph.Digest{"cfp.model": &v.CFP, "page-type.model": &v.PageType} {
		data, err := fs.ReadFile(models.Files(), name)
		if err != nil {
			return modelsInUse{}, err
		}
		*digest = webgraph.DigestOf(data)
	}
	return modelsInUse{judge, func() modelVersion { return v }}, nil
}

// serveVersion answers with the version of the models in use.
func (m modelsInUse) serveVersion(w http.ResponseWriter, _ *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(m.version()) // a visitor who has left is no error of ours
}
