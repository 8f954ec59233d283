package views

import (
	"cmp"
	"slices"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"
)

// A FacetGroup is the list of values of one field by which a search can be narrowed.
type FacetGroup struct {
	Title  string
	Values []facetRow
	More   []facetRow // shown on request
	Other  int        // events with values in neither list
}

// A facetRow is one value. Href is the search with it added to the chosen values of its facet; if
// it is chosen, the search that excludes it.
type facetRow struct {
	Text, Count, Href string
	Chosen            bool
}

var facetTitles = map[string]string{
	"field": "Field", "topic": "Topic", "kind": "Kind", "country": "Country", "where": "Region", "mode": "How to take part", "rank": "Rank",
	"month": "Month it takes place", "due": "Next deadline",
}

// facetOrder are the facets in display order, those by which most searches begin first.
var facetOrder = []string{"field", "rank", "where", "mode", "kind", "due", "country", "topic", "month"}

const MaxFacetRows = 5 // values shown of each facet at first, besides those chosen

// excludes are the facets whose values a second click excludes. A window of deadlines is removed
// instead, because the next wider one includes it.
var excludes = map[string]bool{"field": true, "topic": true, "kind": true, "country": true, "where": true, "mode": true, "rank": true, "month": true}

// unfolds are the facets with more values under "More"; for the others the page would be too large.
var unfolds = map[string]bool{"field": true}

// FacetsOf returns the facets of a search. It also lists the terms of the query that facets can
// set, each with a link to the search without it.
func FacetsOf(facets []eventseer.Facet, f Frame) (groups []FacetGroup, chosen []Link) {
	x, err := query.Parse(f.Query)
	if err != nil {
		return nil, nil
	}
	href := func(x query.Expr, err error) string {
		text := x.String()
		if err != nil || len(text) > query.MaxText {
			return ""
		}
		return f.SearchHref(text)
	}
	names := map[string]string{}
	facets = slices.Clone(facets)
	slices.SortStableFunc(facets, func(a, b eventseer.Facet) int {
		return slices.Index(facetOrder, a.Name) - slices.Index(facetOrder, b.Name)
	})
	for _, facet := range facets {
		g := FacetGroup{Title: facetTitles[facet.Name], Other: facet.Other}
		for i, v := range facet.Values {
			row := facetRow{Text: Clip(v.Value, 60), Count: thousandsText(v.Count), Chosen: x.Has(v.Term)}
			names[v.Term] = row.Text
			switch rest, err := x.Without(v.Term); {
			case !row.Chosen:
				row.Href = href(x.With(v.Term))
			case excludes[facet.Name] && err == nil:
				row.Href = href(rest.With("-" + v.Term))
			default:
				row.Href = href(rest, err)
			}
			switch {
			case row.Href == "":
			case i >= MaxFacetRows && !row.Chosen && !unfolds[facet.Name]:
				g.Other += v.Count
			case i >= MaxFacetRows && !row.Chosen:
				g.More = append(g.More, row)
			default:
				g.Values = append(g.Values, row)
			}
		}
		if g.Title != "" && len(g.Values) > 0 {
			groups = append(groups, g)
		}
	}
	return groups, chosenTerms(x, names, href)
}

// chosenTerms returns the terms of a query that are in a field of a facet.
func chosenTerms(x query.Expr, names map[string]string, href func(query.Expr, error) string) (chosen []Link) {
	add := func(t query.Term, not string) {
		if facetTitles[t.Field] == "" && t.Field != "id" {
			return
		}
		term := t.String()
		text := not + cmp.Or(names[term], Clip(term, 60))
		if not != "" {
			term = "-" + term
		}
		if to := href(x.Without(term)); to != "" {
			chosen = append(chosen, Link{Text: text, Href: to})
		}
	}
	for _, alternatives := range x.Clauses {
		for _, t := range alternatives {
			add(t, "")
		}
	}
	for _, t := range x.Excluded {
		add(t, "not ")
	}
	return chosen
}
