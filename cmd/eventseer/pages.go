package main

import (
	"context"
	"io"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/webgraph"
)

// writePages writes a row for each page of INPUT arguments as the command's result. Of a
// page that cannot be read, read returns a row that says so, and the error; then the
// command ends with exit 3. name is that of a page on stdin.
func writePages[T any](ctx context.Context, a *app.App, inputs []string, name string, rows app.Rows[T], read func(page *webgraph.Page, err error) (T, error)) error {
	var t engine.Tally
	err := a.WithOutput(func(w io.Writer) error {
		write, end := rows(w)
		for page, err := range engine.PagesOfInputs(ctx, a, inputs, name) {
			row, err := read(page, err)
			t.Note(err)
			if err := write(row); err != nil {
				return err
			}
		}
		return end()
	})
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return t.Err()
}
