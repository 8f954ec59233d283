package api

import (
	_ "embed" // for the document
	"encoding/json"
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

//go:embed openapi.json
var OpenAPIDocument []byte

// An APIPath is one path of the API.
type APIPath struct {
	Path, Summary string
	Params        []apiParam
	Example       string
}

type apiParam struct{ Name, Text string }

// An APIFormat is an ending of lists.
type APIFormat struct{ Ending, Text, Example string }

// An openAPIPath is the part of a path's description shown on the page.
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

// ReadAPIPaths reads the paths of the document. An error is a bug in the program.
func ReadAPIPaths() ([]APIPath, error) {
	var doc struct {
		Paths map[string]openAPIPath `json:"paths"`
	}
	if err := json.Unmarshal(OpenAPIDocument, &doc); err != nil {
		return nil, fmt.Errorf("openapi.json: %w", err)
	}
	var paths []APIPath
	for path, p := range doc.Paths {
		row := APIPath{Path: path, Summary: p.Get.Summary, Example: path}
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
	slices.SortFunc(paths, func(a, b APIPath) int { return strings.Compare(a.Path, b.Path) })
	return paths, nil
}

// parametersOf are the parameters in queries that the document has, by path.
var parametersOf = sync.OnceValue(func() map[string][]string {
	var doc struct {
		Paths map[string]openAPIPath `json:"paths"`
	}
	_ = json.Unmarshal(OpenAPIDocument, &doc) // ReadAPIPaths reports errors
	known := map[string][]string{}
	for path, p := range doc.Paths {
		names := []string{}
		for _, param := range p.Get.Parameters {
			if param.In == "query" {
				names = append(names, param.Name)
			}
		}
		known[path] = names
	}
	return known
})

// ParametersOf returns the names of the query parameters of a path of the API, in the order of the
// document. ok is false if the document does not have the path.
func ParametersOf(path string) (names []string, ok bool) {
	known := parametersOf()
	if names, ok = known[path]; ok {
		return names, true
	}
	for template, names := range known {
		before, rest, isTemplate := strings.Cut(template, "{")
		_, after, _ := strings.Cut(rest, "}")
		if id, ok := strings.CutPrefix(path, before); isTemplate && ok {
			if id, ok := strings.CutSuffix(id, after); ok && id != "" && !strings.Contains(id, "/") {
				return names, true
			}
		}
	}
	return nil, false
}

type SitemapIndex struct {
	XMLName xml.Name     `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 sitemapindex"`
	Maps    []SitemapURL `xml:"sitemap"`
}

type SitemapURLs struct {
	XMLName xml.Name     `xml:"http://www.sitemaps.org/schemas/sitemap/0.9 urlset"`
	URLs    []SitemapURL `xml:"url"`
}

type SitemapURL struct {
	Loc     string `xml:"loc"`
	LastMod string `xml:"lastmod,omitempty"`
}

func LastMod(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// An OpenSearch describes the search for browsers (OpenSearch 1.1).
type OpenSearch struct {
	XMLName     xml.Name        `xml:"http://a9.com/-/spec/opensearch/1.1/ OpenSearchDescription"`
	ShortName   string          `xml:"ShortName"`
	Description string          `xml:"Description"`
	Language    string          `xml:"Language"`
	Input       string          `xml:"InputEncoding"`
	Image       OpenSearchImage `xml:"Image"`
	URLs        []OpenSearchURL `xml:"Url"`
}

type OpenSearchImage struct {
	Type string `xml:"type,attr"`
	URL  string `xml:",chardata"`
}

type OpenSearchURL struct {
	Type     string `xml:"type,attr"`
	Rel      string `xml:"rel,attr,omitempty"`
	Template string `xml:"template,attr"`
}
