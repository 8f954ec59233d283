// Package menu groups the commands of the program for people. A few everyday ones come first, then
// all by purpose; research commands are also below lab, data and model.
package menu

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"

	"github.com/spf13/cobra"
)

// Everyday are the commands that eventseer --help shows.
var Everyday = strings.Fields("start demo crawl serve find show export import monitor backup doctor config status")

// Groups are the headings of eventseer help all with the commands under each.
var Groups = []struct{ Title, Commands string }{
	{"Begin:", "start demo init doctor config version"},
	{"Find and serve calls:", "find show series fields export import serve status clip publish mail user"},
	{"Correct:", "edit merge split hide pin unpin curation"},
	{"Crawl and watch:", "crawl monitor control worker diff backlinks robots web graph"},
	{"Look at pages:", "classify extract analyze slice wrapper testcase"},
	{"Keep the data:", "check backup migrate compact healthcheck"},
	{"Learn and measure:", "train eval model label data lab"},
}

// Below maps commands that can also be called below another one.
var Below = map[string]string{
	"lab":   "web graph backlinks",
	"model": "train eval label classify",
	"data":  "extract analyze slice wrapper testcase",
}

// delegatesKey is the annotation of a command that is an alias of another one.
const delegatesKey = "delegates"

// ArrangeCommands puts the commands of root under their headings, sets its help, and adds the aliases.
func ArrangeCommands(root *cobra.Command) {
	for _, g := range Groups {
		root.AddGroup(&cobra.Group{ID: g.Title, Title: g.Title})
		for name := range strings.FieldsSeq(g.Commands) {
			if cmd, _, err := root.Find([]string{name}); err == nil && cmd != root {
				cmd.GroupID = g.Title
			}
		}
	}
	for parent, names := range Below {
		for name := range strings.FieldsSeq(names) {
			addAlias(root, parent, name)
		}
	}
	all := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, given []string) {
		if cmd != root {
			all(cmd, given)
			return
		}
		_ = writeRootHelp(root.OutOrStdout(), root) // the reader may have gone
	})
	root.SetHelpCommand(&cobra.Command{
		Use: "help [COMMAND|all]", Short: "Show the help of a command, or all commands by purpose",
		RunE: func(_ *cobra.Command, given []string) error {
			if slices.Equal(given, []string{"all"}) {
				all(root, nil)
				return nil
			}
			cmd, rest, err := root.Find(given)
			if err != nil || len(rest) > 0 {
				return app.Usagef("there is no command %q; `eventseer help all` lists them", strings.Join(given, " "))
			}
			return cmd.Help()
		},
	})
}

// addAlias adds a command below parent that is an alias of one of root.
func addAlias(root *cobra.Command, parent, name string) {
	above, _, err := root.Find([]string{parent})
	target, _, targetErr := root.Find([]string{name})
	if err != nil || targetErr != nil {
		return
	}
	above.AddCommand(&cobra.Command{
		Use: target.Use, Short: target.Short + " (eventseer " + name + ")", DisableFlagParsing: true,
		Annotations:       map[string]string{delegatesKey: name},
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil },
		RunE: func(cmd *cobra.Command, given []string) error {
			root.SetArgs(append([]string{name}, given...))
			return root.ExecuteContext(cmd.Context())
		},
	})
}

// IsAlias reports whether a command is an alias of another one, which has the manual.
func IsAlias(cmd *cobra.Command) bool { return cmd.Annotations[delegatesKey] != "" }

// HideAliases removes aliases from lists and manuals.
func HideAliases(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		for _, sub := range cmd.Commands() {
			sub.Hidden = sub.Hidden || IsAlias(sub)
		}
	}
}

// writeRootHelp writes the help of root: the everyday commands, and where the others are listed.
func writeRootHelp(w io.Writer, root *cobra.Command) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Examples:\n%s\n\n%s\n\nUsage:\n  %s COMMAND\n\nEveryday commands:\n", root.Example, root.Short, root.Name())
	for _, name := range Everyday {
		if cmd, _, err := root.Find([]string{name}); err == nil && cmd != root {
			fmt.Fprintf(&b, "  %-11s %s\n", name, cmd.Short)
		}
	}
	fmt.Fprintf(&b, `
More:
  eventseer help all            all commands, by purpose
  eventseer COMMAND --help      examples and flags of a command; manual pages: eventseer man --dir man1
  eventseer lab, data, model    research commands: comparisons of crawls, datasets, classifiers

Flags:
%s`, root.LocalFlags().FlagUsages())
	_, err := io.WriteString(w, b.String())
	return err
}
