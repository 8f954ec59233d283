package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"eventseer/classify"
	"eventseer/eventseer"
	"eventseer/eventseer/ui"

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
		Use: "serve", Short: "Serve the calls found as web pages and JSON",
		Long: `Serve the calls found as web pages and JSON.

Where the data directory holds a folder models with cfp.model and
page-type.model, these judge in place of the shipped models. The folder is
watched: whole, fitting models put there are taken up without a restart, others
are refused with a line in the log. /api/v1/models.json names the files in use.
SIGHUP reads the blocklist again.

/wrappers shows this machine what is known of the templates of sites, to say what
their fields mean.

With --label-input and --labels, /label serves the queue of eventseer label
serve to this machine, judged by the models in use.`,
		Example: `  eventseer serve
  eventseer serve --listen :8080
  eventseer serve --label-input crawl.warc.gz --labels labels.tsv`,
		Args: args(cobra.NoArgs),
	}
	addConfigFlags(cmd, "listen", "admin", "admin-public", "blocklist")
	inputs := cmd.Flags().StringArray("label-input", nil, "INPUT whose pages are labelled at /label, may be repeated")
	labels := cmd.Flags().String("labels", "", "labels file they are appended to")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if (len(*inputs) > 0) != (*labels != "") {
			return usagef("--label-input and --labels go together")
		}
		return a.serve(cmd.Context(), *inputs, *labels)
	}
	return cmd
}

// serve serves the data directory until ctx ends.
func (a *app) serve(ctx context.Context, inputs []string, labels string) error {
	used, stop, err := a.watchModels(ctx)
	if err != nil {
		return err
	}
	defer stop()
	st, index, err := a.openEvents(ctx)
	if err != nil {
		return err
	}
	var versions ui.Versions
	archive, err := a.openArchive()
	if err != nil {
		return err
	}
	if archive != nil {
		versions = archive
	}
	pages, err := a.newUI(st, index, versions)
	if err != nil {
		return err
	}
	silence, err := a.serveAdmin(ctx, a.config.Data, adminSite{metrics: newRegistry(), healthy: func() error { return nil }})
	if err != nil {
		return err
	}
	defer silence()
	defer a.reloadOnHangup(ctx)()
	mux := http.NewServeMux()
	mux.Handle("/", pages)
	mux.HandleFunc("GET /api/v1/models.json", used.serveVersion)
	wrappers, err := a.newWrapperUI()
	if err != nil {
		return err
	}
	mux.Handle("/wrappers", wrappers)
	mux.Handle("/wrappers/", wrappers)
	if labels != "" {
		f := labelFlags{labels: labels, task: classify.TaskCFP}
		handler, err := a.newLabelUI(ctx, used.judge, f, inputs, labelUI{})
		if err != nil {
			return err
		}
		mux.Handle("/label", handler)
	}
	return a.serveHTTP(ctx, mux, a.config.Listen, "/")
}

// serveUI serves the web UI over a store and its index.
func (a *app) serveUI(ctx context.Context, st eventseer.Store, index eventseer.Index) error {
	handler, err := a.newUI(st, index, nil)
	if err != nil {
		return err
	}
	return a.serveHTTP(ctx, handler, a.config.Listen, "/")
}

// serveHTTP serves handler, prints the URL of path, and returns when ctx ends
// and the requests under way are answered.
func (a *app) serveHTTP(ctx context.Context, handler http.Handler, address, path string) error {
	var listen net.ListenConfig
	l, err := listen.Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("%w; give another --listen", err)
	}
	server := &http.Server{
		Handler: handler, MaxHeaderBytes: maxHeaderBytes, ReadHeaderTimeout: readHeaderTimeout,
		ReadTimeout: readTimeout, WriteTimeout: writeTimeout, IdleTimeout: idleTimeout,
	}
	fmt.Fprintf(a.stdout, "%s\n", strings.TrimSuffix(listenURL(l), "/")+path)
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
