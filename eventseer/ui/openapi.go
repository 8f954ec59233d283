package ui

import (
	_ "embed" // for the document
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

//go:embed openapi.json
var openAPIDocument []byte

// openAPI serves the description of the API to programs.
func (s *server) openAPI(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Access-Control-Allow-Origin", "*")
	web.Send(w, r, openAPIDocument, "", time.Time{})
}

// An apiPage describes the API to people, from the same document.
type apiPage struct {
	views.Frame
	Base       string
	Paths      []apiPath
	Formats    []apiFormat
	Lists      []views.Link
	PerSecond  int
	AtOnce     int
	MaxEntries int
	MaxFeed    int
}

// An apiPath is one path of the API.
type apiPath struct {
	Path, Summary string
	Params        []apiParam
	Example       string
}

type apiParam struct{ Name, Text string }

// An apiFormat is an ending of lists.
type apiFormat struct{ Ending, Text, Example string }

// An openAPIPath is what the page tells of a path.
type openAPIPath struct {
	Get struct {
		Summary    string `json:"summary"`
		Parameters []struct {
			Name, In, Description string
			Example               any
			Schema                struct{ Minimum, Maximum, Default any }
		} `json:"parameters"`
	} `json:"get"`
}

// readAPIPaths reads the paths of the document; what cannot be read is a mistake of the
// program.
func readAPIPaths() ([]apiPath, error) {
	var doc struct {
		Paths map[string]openAPIPath `json:"paths"`
	}
	if err := json.Unmarshal(openAPIDocument, &doc); err != nil {
		return nil, fmt.Errorf("openapi.json: %w", err)
	}
	var paths []apiPath
	for path, p := range doc.Paths {
		row := apiPath{Path: path, Summary: p.Get.Summary, Example: path}
		for _, param := range p.Get.Parameters {
			text := param.Description
			if param.Schema.Maximum != nil {
				text += fmt.Sprintf(" %v to %v.", param.Schema.Minimum, param.Schema.Maximum)
			}
			if param.Schema.Default != nil {
				text += fmt.Sprintf(" %v unless said.", param.Schema.Default)
			}
			row.Params = append(row.Params, apiParam{param.Name, text})
		}
		if strings.Contains(path, "{") {
			row.Example = ""
		}
		paths = append(paths, row)
	}
	slices.SortFunc(paths, func(a, b apiPath) int { return strings.Compare(a.Path, b.Path) })
	return paths, nil
}

func (s *server) apiText(r *http.Request) (web.View, error) {
	paths, err := readAPIPaths()
	if err != nil {
		return web.View{}, err
	}
	p := apiPage{
		Frame: s.Frame("API", "api"), Base: strings.TrimSuffix(s.siteBase(r), "/"), Paths: paths,
		PerSecond: web.RequestsASecond, AtOnce: web.RequestsAtOnce, MaxEntries: maxEntries, MaxFeed: maxFeedEntries,
		Lists: []views.Link{
			{Text: "/search", Href: "any search, with q and all as in its URL"}, {Text: "/closing", Href: "open calls that close within days, 7 unless said"},
			{Text: "/new", Href: "calls found, the newest first"}, {Text: "/changes", Href: "changes, the newest first"},
			{Text: "/e/ID", Href: "one call"}, {Text: "/s/ID", Href: "the editions of a series"},
		},
	}
	p.JSON = "/api/v1/openapi.json"
	for _, f := range s.Formats {
		if f.Ending != recordsEnding {
			p.Formats = append(p.Formats, apiFormat{f.Ending, f.Describe, "/search" + f.Ending})
		}
	}
	p.Formats = append(p.Formats, apiFormat{recordsEnding, "the records of this API", "/search" + recordsEnding})
	return web.View{Name: "api", Data: p}, nil
}
