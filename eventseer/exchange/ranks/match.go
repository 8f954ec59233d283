package ranks

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/series"
	"github.com/eventseer/eventseer/eventseer/store"
)

// An Outcome is the result of matching the rows of a table.
type Outcome struct {
	series  []eventseer.Series // to be stored, in order of id
	Matched int                // rows of known series
	Alone   []Row              // rows of series without events
	Other   []Row              // rows of other series with the same acronym
	Unfit   []error            // series that cannot be stored
}

// A matcher finds the series of a table's rows: by DBLP's key, by the acronym, or by the title. If
// a known series with the acronym has a very different title, the row belongs to another series. Of
// several rows with one acronym, the one with the most similar title is used.
type matcher struct {
	st     *store.Store
	byDBLP map[string]string // key → id
	titles map[string]string // id → name of the series; "" if it has none
	known  map[string]bool
	table  *series.Table
}

func newMatcher(ctx context.Context, st *store.Store) (*matcher, error) {
	m := &matcher{st: st, byDBLP: map[string]string{}, titles: map[string]string{}, known: map[string]bool{}}
	var err error
	if m.table, err = st.Table(ctx); err != nil {
		return nil, err
	}
	for _, s := range m.table.All() {
		m.titles[s.ID] = s.Name
		if s.DBLP != "" {
			m.byDBLP[s.DBLP] = s.ID
		}
	}
	return m, nil
}

// loadSeries loads a series once.
func (m *matcher) loadSeries(ctx context.Context, id string) (known bool, err error) {
	if known, ok := m.known[id]; ok {
		return known, nil
	}
	editions, err := m.st.Editions(ctx, id)
	if err != nil && !errors.Is(err, store.ErrCorrupt) {
		return false, err
	}
	if m.known[id] = len(editions) > 0; m.known[id] && m.titles[id] == "" {
		m.titles[id] = editions[0].Title
	}
	return m.known[id], nil
}

// matchRows finds the series of all rows.
func (m *matcher) matchRows(ctx context.Context, rows []Row) (out Outcome, err error) {
	of := map[string][]Row{}
	for _, row := range rows {
		id, err := m.seriesOf(ctx, row)
		if err != nil {
			return out, err
		}
		of[id] = append(of[id], row)
	}
	for _, id := range slices.Sorted(maps.Keys(of)) {
		if id == "" {
			out.Other = append(out.Other, of[id]...)
			continue
		}
		s := eventseer.Series{ID: id}
		for _, row := range m.rowsOfSeries(id, of[id], &out) {
			if m.known[id] {
				out.Matched++
			} else {
				out.Alone = append(out.Alone, row)
			}
			s = withRow(s, row, m.table.Has(id))
		}
		if len(s.Ranks)+len(s.Rates) > 0 {
			out.series = append(out.series, s)
		}
	}
	byLine := func(a, b Row) int { return cmp.Compare(a.line, b.line) }
	slices.SortStableFunc(out.Alone, byLine)
	slices.SortStableFunc(out.Other, byLine)
	return out, nil
}

// seriesOf returns the id of the most probable series of a row, "" if there is none.
func (m *matcher) seriesOf(ctx context.Context, row Row) (string, error) {
	if id := m.byDBLP[row.dblp]; row.dblp != "" && id != "" {
		_, err := m.loadSeries(ctx, id)
		return id, err
	}
	if match, ok := m.table.Match(series.Page{Acronym: row.acronym, Title: row.title}); ok {
		_, err := m.loadSeries(ctx, match.Series.ID)
		return match.Series.ID, err
	}
	var ids []string
	add := func(e eventseer.Event) {
		if id := series.Of(e); id != "" {
			ids = append(ids, id)
		}
	}
	add(eventseer.Event{Acronym: row.acronym, Title: row.title})
	for part := range strings.SplitSeq(row.acronym, "/") {
		add(eventseer.Event{Acronym: part})
	}
	add(eventseer.Event{Title: row.title})
	if _, name, ok := strings.Cut(row.dblp, "/"); ok {
		add(eventseer.Event{Acronym: name})
	}
	for _, id := range ids {
		known, err := m.loadSeries(ctx, id)
		if err != nil || known {
			return id, err
		}
	}
	if len(ids) == 0 {
		return "", nil
	}
	return ids[0], nil
}

// rowsOfSeries returns the rows of the series, without those with a very different title. Of two rows for
// one round of a system, or one year, it returns the one with the more similar title.
func (m *matcher) rowsOfSeries(id string, rows []Row, out *Outcome) (kept []Row) {
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Compare(titleSimilarity(b.title, m.titles[id], id), titleSimilarity(a.title, m.titles[id], id))
	})
	type round struct {
		system     string
		year, rate int
	}
	seen := map[round]string{}
	for _, row := range rows {
		r := round{row.rank.System, row.rank.Year, row.rate.Year}
		title, twice := seen[r]
		if titleSimilarity(row.title, m.titles[id], id) == 0 || twice && !strings.EqualFold(title, row.title) {
			out.Other = append(out.Other, row)
			continue
		}
		seen[r] = row.title
		kept = append(kept, row)
	}
	return kept
}

// titleSimilarity returns the likeness of two titles. It is 0 if they have no subject word in common, 1
// if they have the same ones, ½ if one has only the id of the series.
func titleSimilarity(a, b, id string) float64 {
	wordsA, wordsB := subjectWords(a, id), subjectWords(b, id)
	if len(wordsA) == 0 || len(wordsB) == 0 {
		return 0.5
	}
	both := 0
	for w := range wordsA {
		if wordsB[w] {
			both++
		}
	}
	return float64(both) / float64(max(len(wordsA), len(wordsB)))
}

// commonWords are in titles whatever the subject.
var commonWords = map[string]bool{
	"conference": true, "international": true, "workshop": true, "symposium": true, "annual": true, "european": true, "asian": true, "proceedings": true,
	"ieee": true, "joint": true, "with": true, "from": true, "and": true, "meeting": true, "congress": true, "national": true, "world": true, "the": true, "for": true,
}

// subjectWords returns the stems, by their first letters, of the words of a title that describe its
// subject, without those of the series' id.
func subjectWords(title, id string) map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if len(w) < 3 || commonWords[w] || w == id {
			continue
		}
		words[w[:min(len(w), 6)]] = true
	}
	return words
}

// withRow adds the data of a row to a series; the name only if the series is unknown.
func withRow(s eventseer.Series, row Row, known bool) eventseer.Series {
	if !known {
		s.Acronym, s.Name, s.DBLP = cmp.Or(s.Acronym, row.acronym), cmp.Or(s.Name, row.title), cmp.Or(s.DBLP, row.dblp)
	}
	if row.rank.Value != "" {
		s.Ranks = append(s.Ranks, row.rank)
	}
	if row.rate.Year != 0 {
		s.Rates = append(s.Rates, row.rate)
	}
	return s
}
