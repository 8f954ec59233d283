// Package ranks reads tables of ranks and of rates of acceptance, finds the series of their rows,
// and stores them.
package ranks

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/eventseer"
)

// Limits of a table of ranks.
const (
	MaxFile     = 32 << 20 // bytes
	maxRows     = 200_000
	maxRow      = 16 << 10 // bytes
	maxColumns  = 100
	maxText     = 400 // bytes read of a cell
	maxRowLines = 5   // of one row, whose quoted fields may contain line breaks
)

// A Row is the data of a table's row on a series: a rank, a rate, or both.
type Row struct {
	line           int // from 1
	acronym, title string
	dblp           string // key, "conf/icx"
	rank           eventseer.Rank
	rate           eventseer.Rate
}

// Defaults are the values of properties that a table does not state.
type Defaults struct {
	System string
	Year   int
	Source string
}

// columnNames are the known names of columns in tables, letters and digits only.
var columnNames = map[string][]string{
	"acronym":   {"acronym", "acr", "abbreviation", "shortname", "conference", "conf", "series", "venue"},
	"title":     {"title", "name", "fullname", "conferencename", "conferencetitle"},
	"dblp":      {"dblp", "dblpkey", "dblpurl", "dblplink"},
	"rank":      {"ggsrating", "rank", "rating", "corerank", "corerating", "ccfrank", "tier"},
	"system":    {"system", "ranking"},
	"year":      {"year", "round"},
	"source":    {"source"},
	"accepted":  {"accepted", "acceptedpapers", "numaccepted", "nbaccepted"},
	"submitted": {"submitted", "submissions", "submittedpapers", "numsubmitted"},
	"rate":      {"acceptancerate", "rate", "acceptance", "ar"},
}

// coreColumns are the columns of the CORE portal's export, which has no header.
var coreColumns = map[string]int{"title": 1, "acronym": 2, "source": 3, "rank": 4}

// A table is the position of the columns in a table.
type table struct {
	columns map[string]int
	Defaults
	ggs bool
}

// Read reads a table of ranks or of acceptance rates. It is the export of the CORE portal, the GGS
// ratings, or any table with a header. Rows that cannot be read are left out; bad has an error of
// each, with its line.
func Read(text []byte, d Defaults) (rows []Row, bad []error, err error) {
	if len(text) > MaxFile {
		return nil, nil, fmt.Errorf("more than %d bytes", MaxFile)
	}
	plain := strings.ToValidUTF8(strings.TrimPrefix(string(text), "\uFEFF"), "\uFFFD")
	table := table{Defaults: d}
	for n, cells := range tableRows(plain, separatorOf(plain), func(line int, err error) { bad = append(bad, rowError(line, err)) }) {
		if table.columns == nil {
			header, err := table.readHeader(cells)
			if err != nil {
				return nil, bad, err
			}
			if header {
				continue
			}
		}
		row, err := table.readRow(cells)
		row.line = n
		switch {
		case err != nil:
			bad = append(bad, rowError(n, err))
		case row.rank.Value != "" || row.rate.Year != 0:
			rows = append(rows, row)
		}
		if len(rows) > maxRows {
			return nil, bad, fmt.Errorf("more than %d rows", maxRows)
		}
	}
	if table.columns == nil {
		return nil, bad, errors.New("it holds no rows")
	}
	return rows, bad, nil
}

func rowError(line int, err error) error { return fmt.Errorf("line %d: %w", line, err) }

// separatorOf returns the separator of cells in the first line.
func separatorOf(text string) rune {
	first, _, _ := strings.Cut(text, "\n")
	best := ','
	for _, sep := range ";\t" {
		if strings.Count(first, string(sep)) > strings.Count(first, string(best)) {
			best = sep
		}
	}
	return best
}

// tableRows yields the rows of a table with their line numbers. A line that is not a row is
// reported, and reading continues with the next line.
func tableRows(text string, sep rune, wrong func(line int, err error)) func(yield func(int, []string) bool) {
	return func(yield func(int, []string) bool) {
		lines := strings.SplitAfter(text, "\n")
		for at := 0; at < len(lines); {
			if strings.TrimSpace(lines[at]) == "" {
				at++
				continue
			}
			cells, used, err := readCSVRow(lines[at:], sep)
			switch {
			case err != nil:
				wrong(at+1, err)
			case !yield(at+1, cells):
				return
			}
			at += used
		}
	}
}

// readCSVRow reads the row that begins with the first line, and returns its number of lines: one if it
// is not a row.
func readCSVRow(lines []string, sep rune) (cells []string, used int, err error) {
	row := ""
	for n, line := range lines[:min(len(lines), maxRowLines)] {
		if row += line; len(row) > maxRow {
			return nil, 1, fmt.Errorf("longer than %d bytes", maxRow)
		}
		r := csv.NewReader(strings.NewReader(row))
		r.Comma, r.FieldsPerRecord = sep, -1
		cells, rowErr := r.Read()
		if rowErr == nil {
			if _, more := r.Read(); more == io.EOF && len(cells) <= maxColumns {
				return cells, n + 1, nil
			}
			rowErr = fmt.Errorf("more than %d cells", maxColumns)
		}
		if err == nil {
			err = rowErr
		}
	}
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		err = parse.Err
	}
	return nil, 1, err
}

// readHeader finds the columns from the first row, and reports whether it is a header.
func (t *table) readHeader(cells []string) (header bool, err error) {
	columns := map[string]int{}
	for column, names := range columnNames {
		for _, name := range names {
			i := slices.IndexFunc(cells, func(cell string) bool { return bareName(cell) == name })
			if _, known := columns[column]; i >= 0 && !known {
				columns[column] = i
				t.ggs = t.ggs || name == "ggsrating"
			}
		}
	}
	has := func(column string) bool { _, ok := columns[column]; return ok }
	if (has("acronym") || has("title") || has("dblp")) && (has("rank") || has("rate") || has("accepted")) {
		t.columns = columns
		return true, nil
	}
	if _, err := strconv.Atoi(cells[0]); err == nil && len(cells) > coreColumns["rank"] {
		t.columns = coreColumns
		return false, nil
	}
	return false, fmt.Errorf("its first row names neither a series (acronym, title, dblp) nor a rank (rank) or a rate (accepted and submitted, rate): %.200q", cells)
}

// bareName returns the letters and digits of a column's name in lower case.
func bareName(cell string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, cell)
}

// readRow reads one row. A row without rank and rate, or with a word for "no rank", is not an error.
func (t *table) readRow(cells []string) (row Row, err error) {
	cell := func(column string) string {
		if i, ok := t.columns[column]; ok && i < len(cells) {
			return strings.Join(strings.Fields(cells[i]), " ")
		}
		return ""
	}
	row.acronym, row.title, row.dblp = cell("acronym"), cell("title"), dblpKey(cell("dblp"))
	if row.acronym == "" && row.title == "" && row.dblp == "" {
		return row, errors.New("it names no series")
	}
	source := cell("source")
	for _, text := range []string{row.acronym, row.title, row.dblp, source, cell("rank"), cell("system")} {
		if len(text) > maxText {
			return row, fmt.Errorf("a cell is longer than %d bytes", maxText)
		}
	}
	system, round := systemOf(source)
	year, err := yearOf(cell("year"), round, t.Year)
	if err != nil {
		return row, err
	}
	if value := cell("rank"); hasRank(value) {
		row.rank = eventseer.Rank{
			System: cmp.Or(strings.ToLower(cell("system")), system, map[bool]string{true: "ggs"}[t.ggs], t.System),
			Value:  value, Year: year, Source: cmp.Or(source, t.Source),
		}
		if row.rank.System == "" {
			return row, errors.New("the row does not name the system of its rank; give it with --system")
		}
	}
	row.rate, err = rateOf(cell("accepted"), cell("submitted"), cell("rate"))
	if err != nil || row.rate == (eventseer.Rate{}) {
		return row, err
	}
	if row.rate.Year = year; year == 0 {
		return row, errors.New("the row has a rate without a year; give the year with --year")
	}
	row.rate.Source = cmp.Or(source, t.Source)
	return row, nil
}

// portalSource matches the rounds named by the CORE portal: CORE2023, ICORE2026.
var portalSource = regexp.MustCompile(`(?i)^(?:i?core|era)\s?(\d{4})$`)

func systemOf(source string) (system, year string) {
	if m := portalSource.FindStringSubmatch(source); m != nil {
		return "core", m[1]
	}
	return "", ""
}

// yearOf returns the first available year.
func yearOf(cell, round string, otherwise int) (int, error) {
	if cell == "" {
		cell = round
	}
	if cell == "" {
		return otherwise, nil
	}
	year, err := strconv.Atoi(cell)
	if err != nil || year < 1950 || year > 2100 {
		return 0, fmt.Errorf("%.40q is no year", cell)
	}
	return year, nil
}

// hasRank reports whether a cell contains a rank, not a word for "none".
func hasRank(value string) bool {
	switch strings.ToLower(value) {
	case "", "-", "n", "n/a", "na", "none", "unranked", "tbr", "work in progress", "not ranked":
		return false
	}
	return true
}

// rateOf reads an acceptance rate: 0.21, 21, 21.3 % or 21,3 %, and its numbers of papers.
func rateOf(accepted, submitted, share string) (r eventseer.Rate, err error) {
	if accepted != "" {
		if r.Accepted, err = countOf(accepted); err != nil {
			return r, err
		}
	}
	if submitted != "" {
		if r.Submitted, err = countOf(submitted); err != nil {
			return r, err
		}
	}
	if r.Submitted > 0 && r.Accepted > r.Submitted {
		return r, fmt.Errorf("%d accepted of %d", r.Accepted, r.Submitted)
	}
	if share == "" || !hasRank(share) {
		return r, nil
	}
	number, percent := strings.CutSuffix(strings.ReplaceAll(share, " ", ""), "%")
	r.Rate, err = strconv.ParseFloat(strings.Replace(number, ",", ".", 1), 64)
	if percent || r.Rate > 1 {
		r.Rate /= 100
	}
	if err != nil || !(r.Rate >= 0 && r.Rate <= 1) {
		return eventseer.Rate{}, fmt.Errorf("%.40q is no rate", share)
	}
	return r, nil
}

func countOf(cell string) (int, error) {
	n, err := strconv.Atoi(strings.TrimSuffix(cell, ".0"))
	if err != nil || n < 0 || n > 1_000_000 {
		return 0, fmt.Errorf("%.40q is not a number of papers", cell)
	}
	return n, nil
}

// dblpKey returns the key in a cell with the key or its address: "conf/icx".
func dblpKey(cell string) string {
	for _, kind := range []string{"conf/", "journals/"} {
		if i := strings.Index(cell, kind); i >= 0 {
			name, _, _ := strings.Cut(cell[i+len(kind):], "/")
			return kind + name
		}
	}
	return ""
}
