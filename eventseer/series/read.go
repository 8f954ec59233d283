package series

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/text"
)

// Limits on the data of a series.
const (
	maxID       = 100 // bytes
	maxText     = 500 // bytes of a name, an address, a source
	maxList     = 50  // names, acronyms, fields, sites, sources
	MaxRanks    = 100
	MaxRates    = 200
	maxValue    = 40       // bytes of a rank
	maxLine     = 1 << 20  // bytes of a line of a table
	MaxTable    = 32 << 20 // bytes of a file
	maxSeries   = 100_000  // of a table
	idLetters   = "abcdefghijklmnopqrstuvwxyz0123456789-"
	shownOfLine = 60 // bytes
)

// ErrBad means that a series cannot be stored.
var ErrBad = errors.New("bad series")

// Check returns an ErrBad with the reason why a series cannot be stored.
func Check(s eventseer.Series) error {
	bad := func(format string, a ...any) error {
		return fmt.Errorf("%w %.60q: %s", ErrBad, s.ID, fmt.Sprintf(format, a...))
	}
	if s.ID == "" || len(s.ID) > maxID || strings.Trim(s.ID, idLetters) != "" {
		return bad("its id must have 1 to %d characters of a-z, 0-9 and -, as series.MakeID returns", maxID)
	}
	for _, t := range slices.Concat([]string{s.Name, s.Homepage, s.DBLP, s.Wikidata, s.Parent, s.Into}, s.Names, s.Fields, s.Sites, s.Sources) {
		if len(t) > maxText {
			return bad("a text is longer than %d bytes: %.40q…", maxText, t)
		}
	}
	for _, a := range AcronymsOf(s) {
		if len(a) > maxText {
			return bad("a text is longer than %d bytes: %.40q…", maxText, a)
		}
		if IsArchive(a) {
			return bad("%q is the name of an archive or mailing list, not of a series", a)
		}
	}
	for _, list := range [][]string{s.Names, s.Acronyms, s.Fields, s.Sites, s.Sources} {
		if len(list) > maxList {
			return bad("a list has %d names, acronyms, fields, sites or sources; at most %d are allowed", len(list), maxList)
		}
	}
	if s.Parent == s.ID || s.Into == s.ID {
		return bad("its parent, or the series it is merged into, is itself")
	}
	if s.HomepageYear < 0 || s.HomepageYear > 9999 {
		return bad("the year %d of its home page is out of range", s.HomepageYear)
	}
	for _, m := range s.Months {
		if m < 1 || m > 12 || len(s.Months) > 12 {
			return bad("its months must be 1 to 12")
		}
	}
	return checkRanks(s, bad)
}

func checkRanks(s eventseer.Series, bad func(format string, a ...any) error) error {
	if len(s.Ranks) > MaxRanks || len(s.Rates) > MaxRates {
		return bad("it has more than %d ranks or %d rates", MaxRanks, MaxRates)
	}
	for _, r := range s.Ranks {
		if r.System == "" || r.System != strings.ToLower(r.System) || r.Value == "" || max(len(r.System), len(r.Value)) > maxValue {
			return bad("the rank %.60q of the system %.60q is not valid", r.Value, r.System)
		}
		if r.Year < 0 || r.Year > 9999 || len(r.Source) > maxText {
			return bad("the year %d of a rank is out of range, or its source is too long", r.Year)
		}
	}
	for _, r := range s.Rates {
		counted := r.Accepted >= 0 && r.Submitted >= 0 && (r.Submitted == 0 || r.Accepted <= r.Submitted)
		if r.Year < 1 || r.Year > 9999 || !(r.Rate >= 0 && r.Rate <= 1) || !counted || len(r.Source) > maxText {
			return bad("the rate %g, %d of %d papers in %d, is not valid", r.Rate, r.Accepted, r.Submitted, r.Year)
		}
	}
	return nil
}

// Read reads a table of series, with one JSON object per line; lines that begin with # are
// comments. It returns the line of each id too. A line that is not a series, one with the id of an
// earlier line, and series whose parents form a circle are left out, each with an error that names
// the file and the line.
func Read(table []byte, file string) (rows []eventseer.Series, lines map[string]int, errs []error) {
	if len(table) > MaxTable {
		return nil, nil, []error{fmt.Errorf("%s: the file has more than %d bytes", file, MaxTable)}
	}
	lines = map[string]int{}
	wrong := func(line int, err error) { errs = append(errs, fmt.Errorf("%s:%d: %w", file, line, err)) }
	n := 0
	for line := range bytes.Lines(bytes.TrimPrefix(table, []byte("\uFEFF"))) {
		n++
		if line = bytes.TrimSpace(line); len(line) == 0 || line[0] == '#' {
			continue
		}
		s, err := readLine(line)
		switch before, twice := lines[s.ID]; {
		case err != nil:
			wrong(n, err)
		case twice:
			wrong(n, fmt.Errorf("%w %q: line %d has it already", ErrBad, s.ID, before))
		case len(rows) >= maxSeries:
			wrong(n, fmt.Errorf("there are more than %d series; the rest is not read", maxSeries))
			return rows, lines, errs
		default:
			lines[s.ID] = n
			rows = append(rows, s)
		}
	}
	circular := map[string]bool{}
	for _, c := range Cycles(rows) {
		circular[c.ID] = true
		wrong(lines[c.ID], c.Err)
	}
	rows = slices.DeleteFunc(rows, func(s eventseer.Series) bool { return circular[s.ID] })
	return rows, lines, errs
}

func readLine(line []byte) (s eventseer.Series, err error) {
	if len(line) > maxLine {
		return s, fmt.Errorf("longer than %d bytes", maxLine)
	}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil {
		return eventseer.Series{}, fmt.Errorf("the line is not a series in JSON: %w: %s", err, text.OneLine(text.CutValid(string(line), shownOfLine), shownOfLine))
	}
	if _, err := d.Token(); err != io.EOF {
		return eventseer.Series{}, errors.New("the line has more than one JSON value")
	}
	return s, Check(s)
}

// SelectAddable returns the rows that a table can add. With them, neither parents nor merges may form a
// circle, and a parent must be known. Each other row has an error with file and line. Notes report
// acronyms that several series would share, which is not an error: a page then needs a second
// witness.
func (t *Table) SelectAddable(rows []eventseer.Series, file string, lines map[string]int) (fit []eventseer.Series, notes []string, errs []error) {
	after := map[string]eventseer.Series{}
	for _, s := range t.All() {
		after[s.ID] = s
	}
	given := map[string]bool{}
	for _, s := range rows {
		after[s.ID], given[s.ID] = Combine(after[s.ID], s), true
	}
	unfit := map[string]bool{}
	wrong := func(id string, err error) {
		if !unfit[id] && given[id] {
			errs = append(errs, fmt.Errorf("%s:%d: %w", file, lines[id], err))
			unfit[id] = true
		}
	}
	for _, c := range Cycles(slices.Collect(maps.Values(after))) {
		wrong(c.ID, c.Err)
	}
	for _, s := range rows {
		for _, id := range []string{s.Parent, s.Into} {
			if _, known := after[id]; id != "" && !known {
				wrong(s.ID, fmt.Errorf("%w %q: the series %q, its parent or the series it is merged into, is unknown", ErrBad, s.ID, id))
			}
		}
	}
	having := map[string][]string{} // acronymKey → ids
	for _, id := range slices.Sorted(maps.Keys(after)) {
		for _, a := range AcronymsOf(after[id]) {
			if key := acronymKey(a); after[id].Into == "" && !slices.Contains(having[key], id) {
				having[key] = append(having[key], id)
			}
		}
	}
	for _, s := range rows {
		if unfit[s.ID] {
			continue
		}
		fit = append(fit, s)
		for _, a := range AcronymsOf(s) {
			others := slices.DeleteFunc(slices.Clone(having[acronymKey(a)]), func(id string) bool { return id == s.ID })
			if len(others) > 0 && s.Into == "" {
				notes = append(notes, fmt.Sprintf("%s:%d: the acronym %s of series %s is also that of %s; a page needs a second witness to belong to either", file, lines[s.ID], text.OneLine(a, 40), s.ID, strings.Join(others, ", ")))
			}
		}
	}
	return fit, notes, errs
}

// Write returns a table as Read reads it, in order of id.
func Write(rows []eventseer.Series) ([]byte, error) {
	sorted := slices.Clone(rows)
	slices.SortFunc(sorted, func(a, b eventseer.Series) int { return strings.Compare(a.ID, b.ID) })
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for _, s := range sorted {
		if err := e.Encode(s); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}
