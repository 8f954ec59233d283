package main

import (
	"encoding/json"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/models"
	"eventseer/webgraph"
)

func TestModelsInUse(t *testing.T) {
	a := newTestApp(t)
	a.Config.Data = t.TempDir()
	var shipped modelVersion
	for _, from := range []string{"shipped", "data"} {
		used, stop, err := watchModels(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		used.serveVersion(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/models.json", nil))
		stop()
		var got modelVersion
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if from == "shipped" {
			shipped = got
		}
		want := modelVersion{From: from, CFP: shipped.CFP, PageType: shipped.PageType}
		if got != want || got.CFP != digestOfShipped(t, "cfp.model") || used.judge.For("") == nil {
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
