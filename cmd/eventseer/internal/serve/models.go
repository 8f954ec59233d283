package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/models"
	"github.com/eventseer/eventseer/webgraph"
)

const (
	modelsPoll = 2 * time.Second
)

// A ModelsInUse judges pages in a service.
type ModelsInUse struct {
	Judge   engine.PageJudge
	version func() ModelVersion
}

// A ModelVersion describes the model files in use: from the "data" directory or "shipped", and
// their digests.
type ModelVersion struct {
	From     string          `json:"from"`
	CFP      webgraph.Digest `json:"cfp"`
	PageType webgraph.Digest `json:"page_type"`
}

// String names the version.
func (v ModelVersion) String() string {
	return fmt.Sprintf("cfp %s, page-type %s", v.CFP, v.PageType)
}

// WatchModels returns the models of the data directory, which it watches until stop is called; those
// that it lacks are the shipped ones.
func WatchModels(ctx context.Context, a *app.App) (used ModelsInUse, stop func(), err error) {
	dir := filepath.Join(a.Config.Data, app.ModelsDir)
	live, err := classify.OpenLive(dir, models.Files())
	if err != nil {
		return used, nil, fmt.Errorf("%w; `eventseer model rollback TASK` puts the model before in use", err)
	}
	versionOf := func(l *classify.Loaded) ModelVersion {
		if !l.Own {
			return ModelVersion{"shipped", l.CFPFile, l.PageTypeFile}
		}
		return ModelVersion{"data", l.CFPFile, l.PageTypeFile}
	}
	if live.Current().Own {
		a.Logf("models of %s: %s", dir, versionOf(live.Current()))
	}
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
	return ModelsInUse{live, func() ModelVersion { return versionOf(live.Current()) }}, stop, nil
}

// ShippedModels returns the models included in the program, which nothing replaces.
func ShippedModels() (ModelsInUse, error) {
	judge, err := judges.Set{}.PageJudge()
	if err != nil {
		return ModelsInUse{}, err
	}
	v := ModelVersion{From: "shipped"}
	for name, digest := range map[string]*webgraph.Digest{"cfp.model": &v.CFP, "page-type.model": &v.PageType} {
		data, err := fs.ReadFile(models.Files(), name)
		if err != nil {
			return ModelsInUse{}, err
		}
		*digest = webgraph.DigestOf(data)
	}
	return ModelsInUse{judge, func() ModelVersion { return v }}, nil
}

// ServeVersion responds with the version of the models in use.
func (m ModelsInUse) ServeVersion(w http.ResponseWriter, _ *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	_ = json.NewEncoder(w).Encode(m.version()) // a visitor who has left is not an error
}
