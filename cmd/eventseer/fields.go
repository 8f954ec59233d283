package main

import (
	"io"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/eventseer/field"

	"github.com/spf13/cobra"
)

// fieldTable is the output of fields, one field per row.
var fieldTable = app.Table[field.Field]{
	Head: "field\tdiscipline\tname\tdescription",
	Line: func(f field.Field) string {
		return f.ID + "\t" + f.Discipline + "\t" + f.Name + "\t" + f.Description
	},
	Columns: []string{"id", "discipline", "name", "description"},
	Record:  func(f field.Field) []string { return []string{f.ID, f.Discipline, f.Name, f.Description} },
}

func newFieldsCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "fields", Short: "List the fields of research and practice that events are filed under",
		Example: `  eventseer fields
  eventseer find --field databases --due 60d`,
		Args: usageArgs(cobra.NoArgs), Annotations: formatAnnotations("table", "jsonl", "json", "csv"),
		RunE: func(*cobra.Command, []string) error {
			return a.WithOutput(func(w io.Writer) error {
				write, end := fieldTable.RowsIn(a.Config.Format)(w)
				for _, f := range field.All() {
					if err := write(f); err != nil {
						return err
					}
				}
				return end()
			})
		},
	}
}
