package text

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"
)

// A CSV writes tables for people so that a spreadsheet reads no cell as a formula. Data for programs,
// such as labelled pages, is written with encoding/csv directly.
type CSV struct {
	out *csv.Writer
	row []string
}

// NewCSV returns a writer of tables to w.
func NewCSV(w io.Writer) *CSV { return &CSV{out: csv.NewWriter(w)} }

// Write writes a row. Cells that are not numbers are written without control characters, as DisarmFormula
// returns them.
func (c *CSV) Write(row []string) error {
	c.row = c.row[:0]
	for _, cell := range row {
		if !isNumber(cell) {
			cell = DisarmFormula(shown(cell))
		}
		c.row = append(c.row, cell)
	}
	return c.out.Write(c.row)
}

// isNumber reports whether a cell is a number as strconv.ParseFloat reads it.
func isNumber(cell string) bool {
	if cell == "" || !strings.Contains("0123456789+-.iInN", cell[:1]) {
		return false
	}
	_, err := strconv.ParseFloat(cell, 64)
	return err == nil
}

// shown returns s as a Terminal writes it.
func shown(s string) string {
	for i := range len(s) {
		if c := s[i]; (c < ' ' || c >= 0x7F) && c != '\n' && c != '\t' {
			return strings.Map(ShownRune, s)
		}
	}
	return s
}

// WriteAll writes rows, flushes, and returns the first error.
func (c *CSV) WriteAll(rows [][]string) error {
	for _, row := range rows {
		if err := c.Write(row); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

// Flush writes buffered rows; Error reports whether that or an earlier row failed.
func (c *CSV) Flush() { c.out.Flush() }

// Error returns the error of an earlier Write or Flush.
func (c *CSV) Error() error { return c.out.Error() }
