package app

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// momentary are flags that belong to a single command and are not recorded with a run.
var momentary = []string{
	"config", "data", "format", "output", "quiet", "verbose", "log-format", "no-color", "progress", "help",
	"contact", "admin", "admin-public", "run", "resume", "seeds",
}

// fileFlags are flags of files, which are recorded with their folder.
var fileFlags = []string{"replay", "record", "backlinks", "targets", "blocklist"}

// GivenFlags returns the values of the given flags that affect a run, by name.
func GivenFlags(flags *pflag.FlagSet) map[string][]string {
	given := map[string][]string{}
	flags.Visit(func(f *pflag.Flag) {
		if slices.Contains(momentary, f.Name) {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		if slices.Contains(fileFlags, f.Name) {
			values = slices.Clone(values)
			for i, path := range values {
				if absolute, err := filepath.Abs(path); err == nil && path != "" {
					values[i] = absolute
				}
			}
		}
		if f.Name == ModelKey {
			values = []string{absoluteModels(values[0])}
		}
		given[f.Name] = values
	})
	return given
}

// absoluteModels returns a list of models with the folders of its files.
func absoluteModels(list string) string {
	names := SplitList(list)
	for i, name := range names {
		if _, err := os.Stat(name); err != nil {
			continue // a version of the data directory
		}
		if absolute, err := filepath.Abs(name); err == nil {
			names[i] = absolute
		}
	}
	return strings.Join(names, ",")
}

// RestoreFlags sets flags to their recorded values, except those given on this command line and
// those that no longer exist. Configure must be called again.
func RestoreFlags(flags *pflag.FlagSet, recorded map[string][]string) error {
	for name, values := range recorded {
		f := flags.Lookup(name)
		if f == nil || f.Changed || len(values) == 0 || slices.Contains(momentary, name) {
			continue
		}
		list, isList := f.Value.(pflag.SliceValue)
		if !isList {
			if err := flags.Set(name, values[0]); err != nil {
				return Usagef("recorded --%s: %w", name, err)
			}
			continue
		}
		if err := flags.Set(name, strings.Join(values[:1], "")); err != nil { // marks it as given
			return Usagef("recorded --%s: %w", name, err)
		}
		if err := list.Replace(values); err != nil {
			return Usagef("recorded --%s: %w", name, err)
		}
	}
	return nil
}

// withoutData are commands without a data directory: they only read files and the web.
var withoutData = []string{"version", "man", "classify", "analyze", "robots"}

// CheckData returns an error if the data directory is a file, or if --data is given to a command that
// does not use it. If no setting names a data directory, the error says what to set. A command that uses
// one is refused if the address space of the process is too small for its databases.
func (a *App) CheckData(command string) error {
	if f := a.Flags.Lookup("data"); f == nil || f.Usage != Settings[0].Comment {
		return nil // the command's own flag, such as the labels of train
	}
	if a.Origins["data"] == "flag" && slices.Contains(withoutData, command) {
		return Usagef("%s uses no data directory; leave out --data", command)
	}
	if a.Config.Data == "" && a.defaultDataDir() == "" && !slices.Contains(withoutData, command) {
		return Usagef("there is no home directory: HOME is not set, and the system knows none of this user; set HOME, or name --data DIR and --config FILE")
	}
	if info, err := os.Stat(a.Config.Data); err == nil && !info.IsDir() {
		return fmt.Errorf("%w: %s is a file; --data must name a folder", ErrNoData, a.Config.Data)
	}
	if slices.Contains(withoutData, command) {
		return nil
	}
	return checkAddressSpace()
}

// NextOfEmpty returns the command to use after an empty data directory: one that names the state of
// its newest replay, if there is one.
func NextOfEmpty(dir string) string {
	states, _ := filepath.Glob(filepath.Join(dir, "runs", "*", "state", StoreFile)) // the pattern is well-formed
	if len(states) > 0 {
		return "a replay has a data directory of its own: --data " + filepath.Dir(slices.Max(states))
	}
	return "`eventseer start` or `eventseer crawl` creates it"
}
