package ui

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/api"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
)

func itoa(n int) string { return strconv.Itoa(n) }

func loadOpenAPI(t *testing.T, h http.Handler) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(ask(t, h, "/api/v1/openapi.json").Body.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(t.Context(), openapi3.IsOpenAPI31OrLater()); err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestOpenAPI calls each path of the document, with its examples and wrongly, and holds
// requests and answers against it.
func TestOpenAPI(t *testing.T) {
	o, _ := realWorld(t, 20)
	h := patient(newUI(o))
	doc := loadOpenAPI(t, h)
	called := 0
	for path, item := range doc.Paths.Map() {
		for _, tt := range []struct {
			name, query string
			status      int
			missing     bool
		}{
			{"examples", "", 200, false}, {"unknown", "", 404, true},
			{"wrong", "limit=x&from=x&view=x&page=x&days=x&old=x", 400, false},
		} {
			id := "icx-2027"
			if strings.Contains(path, "series") {
				id = "icx"
			}
			if tt.missing {
				id = "no-such"
			}
			target := strings.ReplaceAll(path, "{id}", id)
			if (target == path) == tt.missing && tt.missing {
				continue
			}
			hasLimit := false
			values := tt.query
			for _, p := range item.Get.Parameters {
				hasLimit = hasLimit || slices.Contains([]string{"limit", "view"}, p.Value.Name)
				if tt.status == 200 && p.Value.In == "query" && p.Value.Example != nil {
					text, err := json.Marshal(p.Value.Example)
					if err != nil {
						t.Fatal(err)
					}
					values += "&" + p.Value.Name + "=" + strings.ReplaceAll(strings.Trim(string(text), `"`), " ", "+")
				}
			}
			if tt.status == 400 && !hasLimit {
				continue
			}
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, target+"?"+strings.TrimPrefix(values, "&"), nil)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != tt.status {
				t.Errorf("%s, %s: GET %s = %d, want %d\n%.300s", path, tt.name, r.URL, w.Code, tt.status, w.Body)
				continue
			}
			called++
			in := &openapi3filter.RequestValidationInput{
				Request: r, PathParams: map[string]string{"id": id}, QueryParams: r.URL.Query(),
				Route: &routers.Route{Spec: doc, Path: path, PathItem: item, Method: http.MethodGet, Operation: item.Get},
			}
			if tt.status == 200 {
				if err := openapi3filter.ValidateRequest(t.Context(), in); err != nil {
					t.Errorf("%s: %v", path, err)
				}
			}
			answer := &openapi3filter.ResponseValidationInput{RequestValidationInput: in, Status: w.Code, Header: w.Header(), Options: &openapi3filter.Options{IncludeResponseStatus: true}}
			answer.SetBodyBytes(w.Body.Bytes())
			if err := openapi3filter.ValidateResponse(t.Context(), answer); err != nil {
				t.Errorf("%s, %s: %v", path, tt.name, err)
			}
			if w.Header().Get("Access-Control-Allow-Origin") != "*" {
				t.Errorf("%s: no other site may read it", path)
			}
		}
	}
	if called < 15 {
		t.Errorf("%d calls", called)
	}
}

// TestOpenAPIRefuses makes sure that the check above can fail.
func TestOpenAPIRefuses(t *testing.T) {
	o, _ := realWorld(t, 0)
	doc := loadOpenAPI(t, newUI(o))
	event := doc.Components.Schemas["Event"].Value
	for text, valid := range map[string]bool{
		`{"id":"a","url":"b"}`: true, `{"id":"a"}`: false, `{"id":"a","url":"b","year":"2027"}`: false,
		`{"id":"a","url":"b","event_start":"soon"}`: false, `{"id":"a","url":"b","deadlines":[{"kind":"submission"}]}`: false,
	} {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		if err := event.VisitJSON(v, openapi3.EnableJSONSchema2020()); (err == nil) != valid {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// TestOpenAPINamesAll compares the document with the records: a field that is added to
// one and not to the other fails. Answers never have the committee and the operator's own fields of an event.
func TestOpenAPINamesAll(t *testing.T) {
	o, _ := realWorld(t, 0)
	doc := loadOpenAPI(t, newUI(o))
	for name, record := range map[string]any{
		"Event": eventseer.Event{}, "Call": eventseer.Call{}, "Venue": eventseer.Venue{}, "Deadline": eventseer.Deadline{}, "Warning": eventseer.Warning{},
		"Provenance": eventseer.Provenance{}, "Evidence": eventseer.Evidence{}, "Change": eventseer.Change{}, "FieldChange": eventseer.FieldChange{},
		"Facet": eventseer.Facet{}, "FacetValue": eventseer.FacetValue{}, "Events": api.EventsAnswer{}, "Passage": api.Passage{}, "EventWithHistory": api.EventAnswer{},
		"Series": eventseer.Series{}, "KnownSeries": eventseer.KnownSeries{}, "SeriesWithEditions": api.SeriesAnswer{}, "Edition": api.EditionAnswer{}, "Changes": api.ChangesAnswer{},
		"Diff": api.DiffAnswer{}, "Suggestions": api.SuggestAnswer{}, "Status": api.StatusAnswer{}, "Problem": api.APIProblem{},
	} {
		var fields, documented []string
		for f := range reflect.TypeOf(record).Fields() {
			if key, _, _ := strings.Cut(f.Tag.Get("json"), ","); key != "-" && key != "committee" && (name != "Event" || key != "other") {
				fields = append(fields, key)
			}
		}
		for key := range doc.Components.Schemas[name].Value.Properties {
			documented = append(documented, key)
		}
		slices.Sort(fields)
		slices.Sort(documented)
		if !slices.Equal(fields, documented) {
			t.Errorf("%s has %v, the document %v", name, fields, documented)
		}
	}
}
