package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/member"

	"github.com/spf13/cobra"
)

func newControlInitCommand(a *app.App) *cobra.Command {
	return withClusterFlags(&cobra.Command{
		Use: "init", Short: "Create the keys of a cluster, and credentials for its first members", Args: usageArgs(cobra.NoArgs),
		Long: `Create the keys of a cluster in DATA/bus, on the machine that is to issue credentials.
authority.json issues and revokes them and stays there. node.json must be copied to
DATA/bus of every manager with a node. manager.creds and reader.creds are for managers and
for read-only access (control status, control page). Each crawler needs credentials of its
own: control issue crawler NAME. A manager whose node listens on a loopback address creates
all itself, and crawler.creds for crawlers of any name.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return member.InitBus(a, false) },
	})
}

func newControlIssueCommand(a *app.App) *cobra.Command {
	var valid app.Duration
	cmd := withClusterFlags(&cobra.Command{
		Use: "issue manager|crawler|reader NAME", Short: "Create credentials for a member of the cluster, and print the name of their file", Args: usageArgs(cobra.ExactArgs(2)),
		Example: "  eventseer control issue crawler w1 --data m1\n  eventseer control issue reader ann --data m1 --valid 720h",
		RunE: func(cmd *cobra.Command, words []string) error {
			path, err := member.IssueCredentials(a, words[0], words[1], time.Duration(valid))
			if err != nil {
				return err
			}
			return a.WithOutput(func(w io.Writer) error {
				_, err := fmt.Fprintln(w, path)
				return err
			})
		},
	})
	cmd.Flags().Var(&valid, "valid", "validity of the credentials; 0 is unlimited")
	return cmd
}

func newControlRevokeCommand(a *app.App) *cobra.Command {
	var r member.Revocation
	cmd := withClusterFlags(&cobra.Command{
		Use: "revoke [NAME]", Short: "Revoke the credentials of a member, or a certificate: the nodes refuse it from then on", Args: usageArgs(cobra.MaximumNArgs(1)),
		Long: `Revoke the credentials of a member: the nodes disconnect it at once. With --certificate, revoke
a certificate: the nodes refuse it, and others of the same key, at the next connection. If
a machine is stolen, revoke both. If its node is still connected, restart the other
nodes, one after the other.`,
		Example: "  eventseer control revoke w1 --data m1\n  eventseer control revoke w1 --certificate w1.pem --data m1\n  eventseer control revoke --certificate m3.pem --data m1",
		RunE: func(cmd *cobra.Command, names []string) error {
			if len(names) > 0 {
				r.Name = names[0]
			}
			if r == (member.Revocation{}) {
				return app.MarkUsage(errors.New("nothing to revoke: name a member, or a certificate with --certificate"))
			}
			return member.RevokeAccess(cmd.Context(), a, r)
		},
	})
	cmd.Flags().StringVar(&r.Certificate, "certificate", "", "`FILE` of the certificate to revoke, in PEM format")
	return cmd
}
