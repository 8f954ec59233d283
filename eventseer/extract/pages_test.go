package extract

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/golden"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestPages reads the pages of testdata. Each is a txtar file with page.html or page.txt and want.json,
// which has only the fields under test. Other fields are not compared. null means that the record must not
// have the field. A key in one element of a list must not occur in other elements that do not have it in
// want.json. -update writes the read values of the fields in want.json. `eventseer testcase` creates such a
// file.
func TestPages(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 9 {
		t.Fatalf("%d cases, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if len(a.Files) != 2 || a.Files[1].Name != "want.json" {
				t.Fatal("a case is page.html or page.txt, then want.json")
			}
			var want any
			if err := json.Unmarshal(a.Files[1].Data, &want); err != nil {
				t.Fatal(err)
			}
			e, _ := newTestExtractor().Extract(parse(t, a.Files[0].Name, string(a.Files[0].Data)))
			got := project(want, plainRecord(t, e))
			diff := cmp.Diff(want, got)
			if diff == "" {
				return
			}
			if !golden.Updating() {
				t.Errorf("%s (-want +got), -update accepts it:\n%s", file, diff)
				return
			}
			text, err := json.MarshalIndent(got, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			a.Files[1].Data = append(text, '\n')
			if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// plainRecord returns a record as decoded JSON.
func plainRecord(t *testing.T, e eventseer.Event) any {
	t.Helper()
	text, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	var record any
	if err := json.Unmarshal(text, &record); err != nil {
		t.Fatal(err)
	}
	return record
}

// project returns the parts of got that want contains.
func project(want, got any) any {
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			return got
		}
		kept := map[string]any{}
		for key, inner := range w {
			if value, found := g[key]; found || inner == nil {
				kept[key] = project(inner, value)
			}
		}
		return kept
	case []any:
		g, ok := got.([]any)
		if !ok {
			return got
		}
		kept := make([]any, len(g))
		for i, value := range g {
			kept[i] = project(element(w, i), value)
		}
		return kept
	}
	return got
}

// element returns the keys that are compared in element i of a list: its own and those of all other
// elements.
func element(list []any, i int) any {
	all := map[string]any{}
	for _, other := range list {
		o, ok := other.(map[string]any)
		if !ok {
			return nil // a list of strings or numbers
		}
		for key, value := range o {
			if value != nil {
				all[key] = value
			}
		}
	}
	if i < len(list) {
		for key, value := range list[i].(map[string]any) {
			all[key] = value
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}
