package query

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer"

	"github.com/biter777/countries"
)

// A Doubt is a term of a query that no known event matches, even alone.
type Doubt struct {
	Term Term
	Msg  string // sentence without initial capital and full stop
	// Try is the query with the most similar known value, "" if there is none. Without is the query
	// without the term.
	Try, Without string
}

const (
	maxDoubts      = 3   // terms of a query that are examined
	maxDoubtValues = 400 // known values with which one is compared
)

// UnmatchedFacts returns the facts in a query without results that no open or closed event has. Time
// windows are not included, because it is not a mistake if nothing is due.
func UnmatchedFacts(ctx context.Context, index eventseer.Index, q eventseer.Query) ([]Doubt, error) {
	x, err := Parse(q.Text)
	if err != nil {
		return nil, err
	}
	finds := func(text string) (bool, error) {
		found, err := index.Find(ctx, eventseer.Query{Text: text, Now: q.Now, Limit: 1})
		return found.Total > 0, err
	}
	var doubts []Doubt
	var known []eventseer.Facet
	for _, t := range factTerms(x) {
		if any, err := finds(t.String()); any || err != nil {
			if err != nil {
				return nil, err
			}
			continue
		}
		if known == nil {
			found, err := index.Find(ctx, eventseer.Query{Now: q.Now, Limit: 1, Facets: true})
			if err != nil {
				return nil, err
			}
			known = found.Facets
		}
		d := Doubt{Term: t, Msg: t.unknownValueText(known), Without: x.withoutTerm(t, false).String()}
		if term := TermText(t.Field, nearestWord(t.Text, knownValues(t.Field, known))); term != "" {
			if any, err := finds(term); err != nil {
				return nil, err
			} else if any {
				d.Try = x.withReplaced(t, term)
			}
		}
		doubts = append(doubts, d)
	}
	return doubts, nil
}

// factTerms returns the terms of a query that are facts some event should have.
func factTerms(x Expr) (terms []Term) {
	for _, alternatives := range x.Clauses {
		for _, t := range alternatives {
			if t.IsFact() && !slices.Contains(single, t.Field) && len(terms) < maxDoubts {
				terms = append(terms, t)
			}
		}
	}
	return terms
}

// withReplaced returns the query with another term in the place of t.
func (x Expr) withReplaced(t Term, term string) string {
	other, _, err := parseSingleTerm(term)
	if err != nil {
		return ""
	}
	out := Expr{Excluded: x.Excluded}
	for _, alternatives := range x.Clauses {
		terms := slices.Clone(alternatives)
		for i := range terms {
			if terms[i] == t {
				terms[i] = other
			}
		}
		out.Clauses = append(out.Clauses, terms)
	}
	return out.String()
}

// lacks has for each field a phrase for "no event has it", after "no call known here".
var lacks = map[string]string{
	"country": "takes place in a country called “%s”", "city": "takes place in a city called “%s”", "where": "takes place at “%s”",
	"month": "takes place in %s", "mode": "is %s", "kind": "is a %s", "has": "has: %s",
}

// unknownValueText returns a sentence saying that no event has the value of a term.
func (t Term) unknownValueText(known []eventseer.Facet) string {
	const none = "no call known here "
	switch t.Field {
	case "rank":
		systems := rankSystems(known)
		if len(systems) == 0 {
			return "no ranks are imported here, so a search by rank finds nothing"
		}
		return none + fmt.Sprintf("is ranked %s; ranks of these systems are known: %s; write for example rank:%s:A", t.Text, strings.Join(systems, ", "), systems[0])
	case "year":
		return none + "is of such a year"
	case "kind":
		t.Text = strings.ReplaceAll(t.Text, "_", " ")
	}
	return none + fmt.Sprintf(cmp.Or(lacks[t.Field], "has the "+t.Field+" “%s”"), t.Text)
}

// knownValues returns the values of a field that a mistyped one may mean.
func knownValues(field string, known []eventseer.Facet) (values []string) {
	names := []string{field}
	switch field {
	case "rank":
		return rankSystems(known)
	case "city":
		names = []string{"where"}
	case "where":
		names = []string{"where", "country"}
	}
	for _, f := range known {
		if slices.Contains(names, f.Name) {
			for _, v := range f.Values {
				values = append(values, v.Value)
			}
		}
	}
	if field == "where" {
		for _, r := range Regions() {
			values = append(values, r.Name)
		}
	}
	if field != "where" && field != "country" {
		return values
	}
	for _, c := range countries.All() {
		values = append(values, c.String())
	}
	return values[:min(len(values), maxDoubtValues)]
}

// rankSystems returns the systems of the ranks counted in facets.
func rankSystems(known []eventseer.Facet) (systems []string) {
	for _, f := range known {
		for _, v := range f.Values {
			t, _, err := parseSingleTerm(v.Term)
			if err != nil || t.Field != "rank" {
				continue
			}
			if r, err := parseRank(":", t.Text); err == nil && r.system != "" && !slices.Contains(systems, r.system) {
				systems = append(systems, r.system)
			}
		}
	}
	slices.Sort(systems)
	return systems
}
