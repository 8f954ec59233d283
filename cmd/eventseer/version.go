package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is the release; builds from a checkout add the commit.
const version = "0.8.0"

func newVersionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: args(cobra.NoArgs),
		Example: "  eventseer version --format json",
		RunE: func(*cobra.Command, []string) error {
			format, err := a.format("table", "json")
			if err != nil {
				return err
			}
			return a.withOutput(func(w io.Writer) error { return writeVersion(w, format) })
		},
	}
}

func writeVersion(w io.Writer, format string) error {
	if format == "json" {
		return writeJSONLine(w, map[string]string{
			"version": version, "commit": commit(), "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH,
		})
	}
	_, err := fmt.Fprintf(w, "eventseer %s %s %s/%s\n", fullVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

// commit is the revision the program was built from, or "".
func commit() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return s.Value
		}
	}
	return ""
}

func fullVersion() string {
	if c := commit(); len(c) >= 12 {
		return version + "+" + c[:12]
	}
	return version
}
