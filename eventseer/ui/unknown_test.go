package ui

import (
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer/ui/api"
)

// Parameters that nothing knows are ignored by every ending and by the API: the answer
// is the same, and so are the addresses in it.
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
	paths = append(paths, "/api/v1/events.json", "/api/v1/changes.json", "/api/v1/status.json", "/api/v1/suggest.json", api.SuggestPath)
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

// What the API's document offers is known.
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
