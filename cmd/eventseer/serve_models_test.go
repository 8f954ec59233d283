package main

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/serve"
	"github.com/eventseer/eventseer/models"
	"github.com/eventseer/eventseer/webgraph"
)

func TestModelsInUse(t *testing.T) {
	a := newTestApp(t)
	a.Config.Data = t.TempDir()
	var shipped serve.ModelVersion
	for _, from := range []string{"shipped", "data"} {
		used, stop, err := serve.WatchModels(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		used.ServeVersion(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/models.json", nil))
		stop()
		var got serve.ModelVersion
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if from == "shipped" {
			shipped = got
		}
		want := serve.ModelVersion{From: from, CFP: shipped.CFP, PageType: shipped.PageType}
		if got != want || got.CFP != digestOfShipped(t, "cfp.model") || used.Judge.For("") == nil {
			t.Errorf("models in use: %+v, want %+v", got, want)
		}
		copyShipped(t, filepath.Join(a.Config.Data, app.ModelsDir))
	}
}

func digestOfShipped(t *testing.T, name string) webgraph.Digest {
	t.Helper()
	data, err := fs.ReadFile(models.Files(), name)
	if err != nil {
		t.Fatal(err)
	}
	return webgraph.DigestOf(data)
}

// copyShipped puts the shipped models into dir.
func copyShipped(t *testing.T, dir string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"cfp.model", "page-type.model"} {
		data, err := fs.ReadFile(models.Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, filepath.Join(dir, name), string(data))
	}
}
