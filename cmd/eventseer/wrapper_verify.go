package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/eventseer/wrapper"
	"eventseer/eventseer/wrapper/collection"
	"eventseer/internal/text"
	"eventseer/webgraph"

	"github.com/spf13/cobra"
)

// A verifiedPage is a line of wrapper verify.
type verifiedPage struct {
	URL    string   `json:"url"`
	Passed bool     `json:"passed"`
	Failed []string `json:"failed,omitempty"`
	Error  string   `json:"error,omitempty"`
}

func newWrapperVerifyCommand(a *app.App) *cobra.Command {
	var name string
	cmd := &cobra.Command{
		Use: "verify [W INPUT…]", Short: "Say whether wrappers still read their pages rightly",
		Example: `  eventseer wrapper verify                            # those of the data directory
  eventseer wrapper verify talks.wrapper talks/       # a wrapper on pages
  eventseer wrapper verify talks.wrapper talks/ --format jsonl`,
		Long: `Say whether wrappers still read their pages rightly. What a wrapper reads on a page is
compared with what it read while it learned (Kushmerick 2000): a page fails if a third
of the fields that it should have, those with a meaning if any has one, are gone or
hold values of another type by length, digits, letters and signs, or if the template
knows less than half of its texts.

With W and INPUT a line a page says whether it passes; exit 4 if more than half fail.
Without, the wrappers of the data directory are listed that the last pages broke, with
exit 4 if there are any.`,
		Args: args(cobra.ArbitraryArgs), Annotations: formats("table", "jsonl"),
	}
	cmd.Flags().StringVar(&name, "url", "", "name of the page on stdin")
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		switch len(given) {
		case 0:
			return verifyWrappers(a)
		case 1:
			return app.Usagef("verify %s on which pages? Name them behind it", given[0])
		}
		return verifyPages(cmd.Context(), a, given[0], name, given[1:])
	}
	return cmd
}

// verifyWrappers lists the wrappers of the data directory that are set aside.
func verifyWrappers(a *app.App) error {
	named, log, err := knownWrappers(a)
	if log == nil {
		return err
	}
	var broken []collection.Named
	for _, n := range named {
		if n.Wrapper.Status == wrapper.Broken {
			broken = append(broken, n)
		}
	}
	if writeErr := printWrappers(a, broken); writeErr != nil {
		return writeErr
	}
	switch {
	case err != nil:
		return err
	case len(broken) > 0:
		return fmt.Errorf("%w: %d of %d wrappers are set aside", app.ErrGate, len(broken), len(named))
	}
	a.Logf("none of %d wrappers is set aside", len(named))
	return nil
}

// verifyPages says of each page whether a wrapper reads it rightly.
func verifyPages(ctx context.Context, a *app.App, path, name string, inputs []string) error {
	w, err := readWrapper(path)
	if err != nil {
		return err
	}
	if len(w.Ledger.Stats) == 0 {
		a.Logf("%s has no statistics of its fields, only how much of each page it knows is checked", path)
	}
	failed, all := 0, 0
	err = writePages(ctx, a, inputs, name, app.RowsIn(a.Config.Format, showVerified), func(page *webgraph.Page, err error) (verifiedPage, error) {
		all++
		v := verifiedPage{URL: page.URL}
		tree, err := engine.Parse(page, err)
		if err != nil {
			v.Error = err.Error()
			return v, err
		}
		c := w.CheckPage(w.Apply(tree))
		if v.Passed, v.Failed = c.Passed, c.Failed; !c.Passed {
			failed++
		}
		return v, nil
	})
	if err == nil && 2*failed > all {
		err = fmt.Errorf("%w: %d of %d pages fail", app.ErrGate, failed, all)
	}
	return err
}

func showVerified(w io.Writer, v verifiedPage) error {
	said := "passes"
	switch {
	case v.Error != "":
		said = "error: " + v.Error
	case !v.Passed:
		said = "fails"
	}
	if len(v.Failed) > 0 {
		said += ": " + strings.Join(v.Failed, ", ")
	}
	_, err := fmt.Fprintf(w, "%s: %s\n", text.Printable(v.URL), text.Printable(said))
	return err
}
