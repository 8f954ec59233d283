package app

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/eventseer/eventseer/internal/text"
)

// A Rows opens an output of rows. The returned function write writes one row; end must be called after
// the last.
type Rows[T any] func(w io.Writer) (write func(T) error, end func() error)

// RowsIn writes rows in the formats jsonl and json, otherwise with show, without control
// characters.
func RowsIn[T any](format string, show func(w io.Writer, row T) error) Rows[T] {
	return func(w io.Writer) (func(T) error, func() error) {
		end := func() error { return nil }
		switch format {
		case "jsonl":
			return func(row T) error { return WriteJSONLine(w, row) }, end
		case "json":
			all := []T{}
			return func(row T) error { all = append(all, row); return nil }, func() error { return WriteJSON(w, all) }
		}
		shown := text.NewTerminal(w)
		return func(row T) error { return show(shown, row) }, end
	}
}

// A Table describes how rows are printed in the formats table, jsonl, json and csv.
type Table[T any] struct {
	Head    string             // header of the format table, with tabs between columns; "" for none
	Line    func(row T) string // a row in the format table, perhaps of several lines
	Columns []string           // of CSV
	Record  func(row T) []string
}

// NewTabWriter returns a writer that aligns tab-separated columns, with two spaces between them.
func NewTabWriter(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 0, 2, ' ', 0) }

// RowsIn returns the output of rows in a format, written one by one.
func (t Table[T]) RowsIn(format string) Rows[T] {
	switch format {
	case "jsonl", "json":
		return RowsIn[T](format, nil)
	case "csv":
		return func(w io.Writer) (func(T) error, func() error) {
			out := text.NewCSV(w)
			_ = out.Write(t.Columns) // the error also occurs for the rows
			return func(row T) error { return out.Write(t.Record(row)) }, func() error { out.Flush(); return out.Error() }
		}
	}
	return func(w io.Writer) (func(T) error, func() error) {
		out := NewTabWriter(text.NewTerminal(w))
		if t.Head != "" {
			fmt.Fprintln(out, t.Head)
		}
		line := func(row T) error {
			_, err := fmt.Fprintln(out, t.Line(row))
			return err
		}
		return line, out.Flush
	}
}

// Write writes complete rows. Without rows there is no header.
func (t Table[T]) Write(w io.Writer, format string, rows []T) error {
	if format == "json" {
		return WriteJSON(w, rows)
	}
	if len(rows) == 0 {
		t.Head = ""
	}
	write, end := t.RowsIn(format)(w)
	for _, row := range rows {
		if err := write(row); err != nil {
			return err
		}
	}
	return end()
}

// Print writes rows as the command's result.
func (t Table[T]) Print(a *App, rows []T) error {
	return a.WithOutput(func(w io.Writer) error { return t.Write(w, a.Config.Format, rows) })
}

// PrintRecord writes a record as the command's result, in the format table with show.
func (a *App) PrintRecord(record any, show func(w io.Writer) error) error {
	return a.WithOutput(func(w io.Writer) error {
		switch a.Config.Format {
		case "json":
			return WriteJSON(w, record)
		case "jsonl":
			return WriteJSONLine(w, record)
		}
		return show(w)
	})
}

// PrintLine writes a record as the command's result, in the format table with show, otherwise as a
// line of JSON.
func (a *App) PrintLine(record any, show func(w io.Writer) error) error {
	return a.WithOutput(func(w io.Writer) error {
		if a.Config.Format == "json" || a.Config.Format == "jsonl" {
			return WriteJSONLine(w, record)
		}
		return show(w)
	})
}

// Printf writes a text as the command's result, without control characters.
func (a *App) Printf(format string, args ...any) error {
	return a.WithOutput(func(w io.Writer) error {
		_, err := fmt.Fprintf(text.NewTerminal(w), format, args...)
		return err
	})
}
