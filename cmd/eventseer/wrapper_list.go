package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/eventseer/wrapper"
	"eventseer/eventseer/wrapper/collection"
	"eventseer/internal/text"

	"github.com/spf13/cobra"
)

// A listedWrapper is a line of wrapper list.
type listedWrapper struct {
	Name    string         `json:"name"`
	Host    string         `json:"host"`
	Pattern string         `json:"pattern"`
	Kind    wrapper.Kind   `json:"kind"`
	Status  wrapper.Status `json:"status"`
	Pages   int            `json:"pages"`
	// Named fields have a meaning, open ones none; those that are ignored are neither.
	Named int `json:"named"`
	Open  int `json:"open"`
	// Failed are the last pages that did not read as the wrapper knows them.
	Failed []wrapper.Check `json:"failed,omitempty"`
}

func newWrapperListCommand(a *app.App) *cobra.Command {
	var notices bool
	cmd := &cobra.Command{
		Use: "list", Short: "List the wrappers of the data directory, or what they have to tell", Args: args(cobra.NoArgs), Annotations: formats("table", "jsonl"),
		Example: "  eventseer wrapper list\n  eventseer wrapper list --notices\n  eventseer wrapper list --format jsonl",
		Long: `List the wrappers that crawls and the monitor learned: how many pages they know, how
far they are trusted, and how many of their fields have a meaning. A wrapper that is
active reads the pages of its template; while it learns, or after its pages changed
so that it broke, the general extractor reads them.

--notices lists what a person was told: new fields to name, wrappers set aside,
learned anew and trusted again.`,
	}
	cmd.Flags().BoolVar(&notices, "notices", false, "list what a person was told instead")
	cmd.RunE = func(*cobra.Command, []string) error {
		named, log, err := knownWrappers(a)
		if log == nil {
			return err
		}
		if notices {
			return listNotices(a, log)
		}
		if writeErr := printWrappers(a, named); writeErr != nil {
			return writeErr
		}
		return err
	}
	return cmd
}

// knownWrappers returns the wrappers of the data directory and their notices. Beside an
// error about files that cannot be read it returns the others; the log is nil if there
// is no data directory.
func knownWrappers(a *app.App) ([]collection.Named, *collection.NoticeLog, error) {
	data, err := app.DataDir(a)
	if err != nil {
		return nil, nil, err
	}
	dir, notices := engine.WrapperFiles(data)
	log := collection.NewNoticeLog(notices)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		a.Logf("no wrapper is learned yet; `eventseer crawl` and `eventseer monitor` learn them")
		return nil, log, nil
	}
	set, err := collection.OpenSet(dir, collection.SetOptions{})
	if err != nil {
		return nil, nil, err
	}
	named, err := set.List()
	if err != nil {
		err = fmt.Errorf("%w: %w", app.ErrPartly, err)
	}
	return named, log, err
}

func printWrappers(a *app.App, named []collection.Named) error {
	list := make([]listedWrapper, len(named))
	for i, n := range named {
		list[i] = listedWrapperOf(n)
	}
	return listedWrapperTable.Print(a, list)
}

var listedWrapperTable = app.Table[listedWrapper]{Head: "NAME\tKIND\tSTATUS\tPAGES\tNAMED\tOPEN\tPATTERN", Line: func(l listedWrapper) string {
	return fmt.Sprintf("%s\t%s\t%s\t%d\t%d\t%d\t%s", text.Printable(l.Name), l.Kind, l.Status, l.Pages, l.Named, l.Open, text.Printable(l.Pattern))
}}

func listedWrapperOf(n collection.Named) listedWrapper {
	w := n.Wrapper
	l := listedWrapper{Name: n.Name, Host: w.Host, Pattern: w.Pattern, Kind: w.Kind, Status: w.Status, Pages: w.Pages, Named: w.Annotated()}
	for _, f := range w.Fields {
		if f.Meaning == "" && !f.Ignored {
			l.Open++
		}
	}
	for _, c := range w.Ledger.Recent {
		if !c.Passed {
			l.Failed = append(l.Failed, c)
		}
	}
	return l
}

func listNotices(a *app.App, log *collection.NoticeLog) error {
	notices, err := log.List()
	if err != nil {
		return err
	}
	return noticeTable.Print(a, notices)
}

var noticeTable = app.Table[wrapper.Notice]{Line: func(n wrapper.Notice) string {
	return fmt.Sprintf("%s\t%s\t%s\t%s", n.At.UTC().Format(time.DateTime), n.Kind, text.Printable(n.Pattern), text.Printable(n.Text))
}}
