package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/eventseer/wrapper/collection"
	"eventseer/eventseer/wrapper/fields"
	"eventseer/internal/bolt"
	"eventseer/internal/text"

	"github.com/spf13/cobra"
)

// A joinedRecord is one line of `wrapper join --format jsonl`.
type joinedRecord struct {
	URL    string         `json:"url"`
	Listed []listedRecord `json:"listed"` // by category pages, the newest first
	// Fields are what the wrapper reads on the record's own page.
	Wrapper string              `json:"wrapper,omitempty"`
	Fields  map[string][]string `json:"fields,omitempty"`
}

type listedRecord struct {
	Category string   `json:"category"`
	Anchor   string   `json:"anchor"`
	Fields   []string `json:"fields"`
}

func newWrapperJoinCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "join", Short: "List what category pages and the pages of their records say together", Args: args(cobra.NoArgs), Annotations: formats("table", "jsonl"),
		Example: "  eventseer wrapper join\n  eventseer wrapper join --format jsonl -o records.jsonl",
		Long: `List the records of the category pages that were seen, such as lists of talks or of
calls, each with what its own page says: the two are joined by the address of that
page. Of a page that was kept the wrapper of its template, if there is one, gives
the fields.`,
	}
	cmd.RunE = func(*cobra.Command, []string) error {
		set, err := joinedSet(a)
		if set == nil {
			return err
		}
		return a.WithOutput(func(w io.Writer) error {
			return set.Join(func(j collection.JoinedRecord) error {
				if a.Config.Format == "jsonl" {
					return app.WriteJSONLine(w, joinedRecordOf(j))
				}
				return showJoined(w, joinedRecordOf(j), j)
			})
		})
	}
	return cmd
}

// joinedSet returns the wrappers of the data directory with the versions of pages that
// the monitor keeps, nil if nothing was learned yet.
func joinedSet(a *app.App) (*collection.Set, error) {
	data, err := app.DataDir(a)
	if err != nil {
		return nil, err
	}
	dir, _ := engine.WrapperFiles(data)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		a.Logf("no wrapper is learned yet; `eventseer crawl` and `eventseer monitor` learn them")
		return nil, nil
	}
	o := collection.SetOptions{Warn: func(err error) { a.Logger().Warn("wrapper", "err", err) }}
	switch m, err := engine.KnownMonitor(a); {
	case err == nil:
		o.Archive = engine.Archive{State: engine.State{Monitor: m}}
	case !errors.Is(err, bolt.ErrMissing):
		return nil, err
	}
	return collection.OpenSet(dir, o)
}

func joinedRecordOf(j collection.JoinedRecord) joinedRecord {
	out := joinedRecord{URL: j.URL, Wrapper: j.Name}
	for _, r := range j.Rows {
		out.Listed = append(out.Listed, listedRecord{r.Category, r.Anchor, r.Fields})
	}
	if j.Wrapper != nil {
		read := fields.Record{Fields: make(map[string][]string)}
		read.Read(j.Wrapper, j.Reading)
		out.Fields = read.Fields
	}
	return out
}

// showJoined shows a record: its newest row, then the fields of its own page.
func showJoined(w io.Writer, r joinedRecord, j collection.JoinedRecord) error {
	if _, err := fmt.Fprintf(w, "%s\n", text.Printable(r.URL)); err != nil {
		return err
	}
	for i, content := range r.Listed[0].Fields {
		if content == "" {
			continue
		}
		if _, err := fmt.Fprintf(w, "  %-20s %s\n", fmt.Sprintf("column %d", i+1), text.Printable(content)); err != nil {
			return err
		}
	}
	if j.Wrapper == nil {
		return nil
	}
	return fields.WriteValues(w, j.Wrapper, r.Fields)
}
