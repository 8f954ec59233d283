package ui

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer/ui/api"
)

// Parameters that nothing knows are ignored by every ending: the answer is the same, and so
// are the addresses in it.
func TestUnknownParametersAreIgnored(t *testing.T) {
	o, _ := realWorld(t, 10)
	h := patient(newUI(o))
	endings := []string{recordsEnding}
	for _, f := range o.Formats {
		endings = append(endings, f.Ending)
	}
	var paths []string
	for _, ending := range endings {
		for _, list := range []string{"/search", "/new", "/changes", "/closing", "/e/icx-2027", "/s/icx"} {
			paths = append(paths, list+ending)
		}
	}
	paths = append(paths, api.SuggestPath)
	for _, path := range paths {
		plain, with := ask(t, h, path+"?q=data&limit=2"), ask(t, h, path+"?q=data&x=1&limit=2&utm_source=mail&x=%FF")
		if plain.Code != with.Code || plain.Body.String() != with.Body.String() {
			t.Errorf("GET %s: %d with an unknown parameter, %d without, or another answer", path, with.Code, plain.Code)
		}
		if a, b := plain.Header().Values("Link"), with.Header().Values("Link"); strings.Contains(strings.Join(b, ""), "utm_") || len(a) != len(b) {
			t.Errorf("GET %s: Link %q, without the parameter %q", path, b, a)
		}
	}
}

// The API refuses parameters that the path does not have in its document, and names those it has.
func TestUnknownParametersAreRefused(t *testing.T) {
	o, _ := realWorld(t, 10)
	h := patient(newUI(o))
	for path, known := range map[string]string{
		"/api/v1/events.json": "q, all, sort, fields, facets, passages, from, limit", "/api/v1/changes.json": "limit", "/api/v1/suggest.json": "q, limit",
		"/api/v1/status.json": "takes none", "/api/v1/events/icx-2027.json": "takes none", "/api/v1/series/icx.json": "takes none",
	} {
		if w := ask(t, h, path); w.Code != 200 {
			t.Errorf("GET %s = %d", path, w.Code)
		}
		for _, unknown := range []string{"x=1", "utm_source=mail", "alarm=1", "%FF=1"} {
			w := ask(t, h, path+"?"+unknown)
			if w.Code != 400 || !strings.Contains(w.Body.String(), "is unknown") || !strings.Contains(w.Body.String(), known) {
				t.Errorf("GET %s?%s = %d %.300s", path, unknown, w.Code, w.Body)
			}
		}
	}
}

// TestFieldsOfRecords requests some fields of records, and one that does not exist.
func TestFieldsOfRecords(t *testing.T) {
	o, _ := realWorld(t, 10)
	h := patient(newUI(o))
	var answer struct {
		Total  int
		Events []map[string]any
	}
	if err := json.Unmarshal(ask(t, h, "/api/v1/events.json?fields=title,+deadlines&limit=3").Body.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	if len(answer.Events) != 3 || answer.Total < 3 {
		t.Errorf("%d of %d records", len(answer.Events), answer.Total)
	}
	for _, e := range answer.Events {
		if len(e) != 4 || e["id"] == nil || e["title"] == nil || e["deadlines"] == nil {
			t.Errorf("a record is %v", e)
		}
	}
	if w := ask(t, h, "/api/v1/events.json?fields=titel"); w.Code != 400 || !strings.Contains(w.Body.String(), "titel") {
		t.Errorf("an unknown field: %d %s", w.Code, w.Body)
	}
	if w := ask(t, h, "/api/v1/events.json?from=500000"); w.Code != 200 {
		t.Errorf("far into the list: %d %s", w.Code, w.Body)
	}
}

// Everything that the API's document offers is known.
func TestKnownParameters(t *testing.T) {
	w := fullWorld()
	for path, item := range loadOpenAPI(t, newUI(Options{Store: w, Index: w})).Paths.Map() {
		for _, p := range item.Get.Parameters {
			if p.Value.In == "query" && !slices.Contains(parameters, p.Value.Name) {
				t.Errorf("%s takes %q, which requests lose", path, p.Value.Name)
			}
		}
	}
}
