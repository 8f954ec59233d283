package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/member"
	"eventseer/cmd/eventseer/internal/serve"
	"eventseer/crawler/cluster"
	"eventseer/crawler/cluster/manager"
	"eventseer/internal/text"

	"github.com/spf13/cobra"
)

// asking adds what all questions to a cluster share.
func asking(cmd *cobra.Command) *cobra.Command {
	groupFlags(cmd, []flagGroup{{"Where the cluster is", member.FlagNames}})
	return cmd
}

// ask connects to a cluster and asks.
func ask(ctx context.Context, a *app.App, question func(context.Context, cluster.Bus) error) error {
	ctx, cancel := context.WithTimeout(ctx, serve.AskTime)
	defer cancel()
	bus, err := member.Connect(ctx, a)
	if err != nil {
		return err
	}
	err = question(ctx, bus)
	if errors.Is(err, cluster.ErrNoCluster) {
		return fmt.Errorf("%w: `eventseer control` starts one; --bucket %s names the cluster", err, a.Config.Bucket)
	}
	return err
}

func newControlStatusCommand(a *app.App) *cobra.Command {
	return asking(&cobra.Command{
		Use: "status", Short: "Show crawlers, partitions and what is under way", Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return ask(cmd.Context(), a, func(ctx context.Context, bus cluster.Bus) error {
				s, err := cluster.ReadStatus(ctx, bus)
				if err != nil {
					return err
				}
				return a.WithOutput(func(w io.Writer) error {
					if a.Config.Format == "json" || a.Config.Format == "jsonl" {
						return json.NewEncoder(w).Encode(s)
					}
					return writeCluster(w, s)
				})
			})
		},
	})
}

// writeCluster shows a cluster to people.
func writeCluster(w io.Writer, s cluster.Status) error {
	fmt.Fprintf(w, "%s\n\n", clusterLine(s))
	t := app.NewTabWriter(w)
	fmt.Fprintln(t, "CRAWLER\tSTATE\tSILENT\tPARTITIONS\tPAGES\tCALLS\tWAITING\tOUTBOX\tSENT\tTAKEN\tLAST TROUBLE")
	for _, c := range s.Workers {
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\n", c.Name, c.State, c.Silent.Round(time.Second), len(c.Parts),
			c.Counts.Pages, c.Counts.Targets, c.Counts.Waiting, c.Counts.Outbox, c.Counts.LinksSent, c.Counts.LinksTaken, text.OneLine(c.Error, 80))
	}
	return t.Flush()
}

// clusterLine is the state of a cluster in a sentence or two.
func clusterLine(s cluster.Status) string {
	line := fmt.Sprintf("%s leads (term %d); order: %s", s.Leader, s.Term, cmp.Or(s.Do, "none yet"))
	if s.Reason != "" {
		line += " (" + s.Reason + ")"
	}
	return line + fmt.Sprintf(". %d partitions: %d owned, %d of them to move, %d of nobody; %d moves, %d lost by this leader. %d messages of links wait.",
		s.Parts.All, s.Parts.Owned, s.Parts.Moving, s.Parts.Orphans, s.Moves, s.Lost, s.Backlog.Waiting)
}

// describeCluster says how a manager leaves its cluster.
func describeCluster(m *manager.Manager) string {
	s := m.Status()
	if s.Leader == "" {
		return "the manager ends; nobody has led yet"
	}
	return fmt.Sprintf("%s In all %s, %s.", clusterLine(s), text.Count(s.Sum.Pages, "page", "pages"), text.Count(s.Sum.Targets, "call", "calls"))
}

func newOrderCommand(a *app.App, o serve.Order) *cobra.Command {
	var reason string
	cmd := asking(&cobra.Command{
		Use: o.Do, Short: o.Short, Args: args(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return ask(cmd.Context(), a, func(ctx context.Context, bus cluster.Bus) error {
				if _, err := cluster.ReadStatus(ctx, bus); err != nil {
					return err
				}
				return cluster.Give(ctx, bus, cluster.Order{Do: o.Do, Reason: reason, By: member.Name(a.Config), At: a.Now().UTC()})
			})
		},
	})
	cmd.Flags().StringVar(&reason, "reason", "", "why, for those who look at the status")
	return cmd
}

func newControlDrainCommand(a *app.App) *cobra.Command {
	var undo bool
	cmd := asking(&cobra.Command{
		Use: "drain NAME", Short: "Let a crawler hand over all it owns, and end", Args: args(cobra.ExactArgs(1)),
		Example: "  eventseer control drain w3\n  eventseer control drain w3 --undo",
		RunE: func(cmd *cobra.Command, names []string) error {
			return ask(cmd.Context(), a, func(ctx context.Context, bus cluster.Bus) error {
				if _, err := cluster.ReadStatus(ctx, bus); err != nil {
					return err
				}
				err := cluster.DrainWorker(ctx, bus, names[0], cluster.Drain{By: member.Name(a.Config), At: a.Now().UTC()}, undo)
				if errors.Is(err, cluster.ErrNoWorker) {
					return fmt.Errorf("%w%s", err, knownWorkers(ctx, bus))
				}
				return err
			})
		},
	})
	cmd.Flags().BoolVar(&undo, "undo", false, "let it take part again")
	return cmd
}

// knownWorkers is the end of a sentence that names the crawlers there are.
func knownWorkers(ctx context.Context, bus cluster.Bus) string {
	s, err := cluster.ReadStatus(ctx, bus)
	if err != nil || len(s.Workers) == 0 {
		return ""
	}
	var names []string
	for _, w := range s.Workers {
		names = append(names, w.Name)
	}
	slices.Sort(names)
	return "; there are " + strings.Join(names, ", ")
}

func newControlPageCommand(a *app.App) *cobra.Command {
	return asking(&cobra.Command{
		Use: "page URL", Short: "Write the copy of a page that a crawler keeps, headers and body", Args: args(cobra.ExactArgs(1)),
		Example: "  eventseer control page https://conf.example/cfp -o page.http",
		RunE: func(cmd *cobra.Command, urls []string) error {
			return ask(cmd.Context(), a, func(ctx context.Context, bus cluster.Bus) error {
				return a.WithOutput(func(w io.Writer) error { return cluster.Page(ctx, bus, urls[0], w) })
			})
		},
	})
}
