package main

import (
	"fmt"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// A flagGroup is a heading of the help with its flags.
type flagGroup struct {
	title string
	flags []string
}

// crawlFlagGroups are the headings of crawl --help.
var crawlFlagGroups = []flagGroup{
	{"What is crawled", []string{"seeds", "search-seeds", "strategy", "topic", "model", "models", "min-accuracy", "backlinks", "backlink-cost", "backlink-ttl", "lists", "render", "replay", "sim"}},
	{"When it ends", []string{"budget", "time", "until-found", "min-harvest", "max-depth", "per-host", "per-domain", "per-depth"}},
	{"Politeness", []string{"host-delay", "delay-factor", "max-crawl-delay", "politeness", "robots", "directives", "rel", "blocklist", "allow-private"}},
	{"Operation", []string{"run", "resume", "workers", "record", "record-size", "admin", "admin-public"}},
	{"Measuring", []string{"targets", "kinds"}},
}

// groupFlags adds the flags for the settings in groups to cmd, and shows flags under headings; flags
// without a group come last.
func groupFlags(cmd *cobra.Command, groups []flagGroup) {
	for _, g := range groups {
		app.AddConfigFlags(cmd, g.flags...)
	}
	cmd.SetUsageFunc(func(c *cobra.Command) error {
		if c != cmd {
			return c.Root().UsageFunc()(c) // a command below inherits this function
		}
		w := c.OutOrStderr()
		fmt.Fprintf(w, "Usage:\n  %s\n", c.UseLine())
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() {
				fmt.Fprintf(w, "  %s %s\t%s\n", c.CommandPath(), sub.Use, sub.Short)
			}
		}
		grouped := map[string]bool{}
		for _, g := range groups {
			set := pflag.NewFlagSet(g.title, pflag.ContinueOnError)
			set.SortFlags = false
			for _, name := range g.flags {
				if f := c.LocalFlags().Lookup(name); f != nil {
					grouped[name] = true
					set.AddFlag(f)
				}
			}
			fmt.Fprintf(w, "\n%s:\n%s", g.title, set.FlagUsages())
		}
		rest := pflag.NewFlagSet("other", pflag.ContinueOnError)
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if !grouped[f.Name] {
				rest.AddFlag(f)
			}
		})
		_, err := fmt.Fprintf(w, "\nOther:\n%s\nEverywhere:\n%s", rest.FlagUsages(), c.InheritedFlags().FlagUsages())
		return err
	})
}

// markRequired makes flags of cmd required.
func markRequired(cmd *cobra.Command, flags ...string) {
	for _, name := range flags {
		if err := cmd.MarkFlagRequired(name); err != nil {
			panic(err) // a flag that is defined
		}
	}
}
