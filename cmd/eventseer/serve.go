package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"eventseer/eventseer"

	"github.com/spf13/cobra"
)

// Limits of the web server.
const (
	maxHeaderBytes    = 32 << 10
	readHeaderTimeout = 5 * time.Second
	readTimeout       = 10 * time.Second
	writeTimeout      = 30 * time.Second
	idleTimeout       = time.Minute
	shutdownTime      = 5 * time.Second // for the requests under way
)

func newServeCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "serve", Short: "Serve the calls found as web pages and JSON", Args: args(cobra.NoArgs),
		Example: "  eventseer serve\n  eventseer serve --listen :8080",
		RunE: func(cmd *cobra.Command, _ []string) error {
			st, index, err := a.openEvents(cmd.Context())
			if err != nil {
				return err
			}
			return a.serveUI(cmd.Context(), st, index)
		},
	}
	addConfigFlags(cmd, "listen")
	return cmd
}

// serveUI serves the web UI over a store and its index, prints its URL, and
// returns when ctx ends and the requests under way are answered.
func (a *app) serveUI(ctx context.Context, st eventseer.Store, index eventseer.Index) error {
	handler, err := a.newUI(st, index)
	if err != nil {
		return err
	}
	var listen net.ListenConfig
	l, err := listen.Listen(ctx, "tcp", a.config.Listen)
	if err != nil {
		return fmt.Errorf("%w; give another --listen", err)
	}
	server := &http.Server{
		Handler: handler, MaxHeaderBytes: maxHeaderBytes, ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
	}
	fmt.Fprintf(a.stdout, "%s\n", listenURL(l))
	a.logf("serving; Ctrl-C stops")
	stopped := make(chan error, 1)
	go func() { stopped <- server.Serve(l) }()
	select {
	case err := <-stopped:
		return err
	case <-ctx.Done():
	}
	stopCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	err = server.Shutdown(stopCtx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = server.Close()
	}
	<-stopped
	return err
}
