package main

import (
	"encoding"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// config holds every setting. Precedence: flag, then EVENTSEER_* in the
// environment (also *_FILE), then the file, then the default.
type config struct {
	Data      string `koanf:"data"`
	Contact   string `koanf:"contact"`
	Format    string `koanf:"format"`
	Output    string `koanf:"output"`
	Quiet     bool   `koanf:"quiet"`
	Verbose   bool   `koanf:"verbose"`
	LogFormat string `koanf:"log-format"`
	NoColor   bool   `koanf:"no-color"`
	Progress  string `koanf:"progress"`
	Seed      uint64 `koanf:"seed"`

	Strategy     string   `koanf:"strategy"`
	HostDelay    duration `koanf:"host-delay"`
	Workers      int      `koanf:"workers"`
	AllowPrivate bool     `koanf:"allow-private"`
	BacklinkCost float64  `koanf:"backlink-cost"`
	Listen       string   `koanf:"listen"`
}

// duration is a time.Duration that also reads days: "90d".
type duration time.Duration

var _ encoding.TextUnmarshaler = (*duration)(nil)

func (d *duration) UnmarshalText(text []byte) error {
	v, err := parseDuration(string(text))
	*d = duration(v)
	return err
}

// String and Type make duration a flag value.
func (d *duration) String() string     { return time.Duration(*d).String() }
func (d *duration) Set(s string) error { return d.UnmarshalText([]byte(s)) }
func (d *duration) Type() string       { return "duration" }

func parseDuration(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.ParseFloat(days, 64)
		if err != nil || n < 0 || n > 36500 {
			return 0, fmt.Errorf("%q is no number of days", s)
		}
		return time.Duration(n * 24 * float64(time.Hour)), nil
	}
	v, err := time.ParseDuration(s)
	if err != nil || v < 0 {
		return 0, fmt.Errorf("%q is no duration such as 90d, 12h or 30s", s)
	}
	return v, nil
}

// A setting is one key of the config, its default, and what it is for.
type setting struct {
	key     string
	def     any
	comment string
	global  string // shorthand of the global flag; "-" for a global flag without one
}

// settings lists every key once; defaults, config file, flags and `config
// show` all follow it.
var settings = []setting{
	{"data", "", "data directory", "-"},
	{"contact", "", "e-mail address or URL by which site owners reach you; needed before a live crawl", "-"},
	{"format", "", "output format: table, jsonl, json or csv", "-"},
	{"output", "-", "file the result is written to, - is stdout", "o"},
	{"quiet", false, "no talk on stderr", "-"},
	{"verbose", false, "more talk on stderr", "v"},
	{"log-format", "text", "format of the talk: text or json", "-"},
	{"no-color", false, "no colours (NO_COLOR works too)", "-"},
	{"progress", "auto", "progress of long work: auto, plain, json or none", "-"},
	{"seed", uint64(1), "seed wherever chance plays", "-"},
	{"strategy", "back-and-forward", "crawl strategy", ""},
	{"host-delay", "5s", "shortest pause between two fetches from one host", ""},
	{"workers", 8, "fetches under way at once; a replay uses 1 so that it repeats exactly", ""},
	{"allow-private", false, "also fetch from private and loopback addresses", ""},
	{"backlink-cost", 1.0, "pages of budget a backlink call costs", ""},
	{"listen", "127.0.0.1:8080", "address the web UI listens on", ""},
}

func (a *app) addGlobalFlags(flags *pflag.FlagSet) {
	flags.String("config", "", "config file (default $XDG_CONFIG_HOME/eventseer/config.yaml)")
	for _, s := range settings {
		if s.global != "" {
			addFlag(flags, s)
		}
	}
}

// addConfigFlags gives cmd the flags of settings that are not global.
func addConfigFlags(cmd *cobra.Command, keys ...string) {
	for _, s := range settings {
		if slices.Contains(keys, s.key) {
			addFlag(cmd.Flags(), s)
		}
	}
}

func addFlag(flags *pflag.FlagSet, s setting) {
	short := strings.Trim(s.global, "-")
	switch def := s.def.(type) {
	case string:
		flags.StringP(s.key, short, def, s.comment)
	case bool:
		flags.BoolP(s.key, short, def, s.comment)
	case int:
		flags.IntP(s.key, short, def, s.comment)
	case uint64:
		flags.Uint64P(s.key, short, def, s.comment)
	case float64:
		flags.Float64P(s.key, short, def, s.comment)
	}
}

// A layer is one source of settings.
type layer struct {
	origin string
	values map[string]any
}

// configure reads all layers into a.config.
func (a *app) configure(flags *pflag.FlagSet) error {
	path, _ := flags.GetString("config")
	file, err := a.readConfigFile(path)
	if err != nil {
		return err
	}
	env, err := a.readEnvironment()
	if err != nil {
		return err
	}
	k := koanf.New("\x00") // keys are flat
	a.origins = map[string]string{}
	for _, l := range []layer{a.defaults(), file, env, readFlags(flags)} {
		if err := k.Load(confmap.Provider(l.values, ""), nil); err != nil {
			return err
		}
		for key := range l.values {
			a.origins[key] = l.origin
		}
	}
	if err := k.Unmarshal("", &a.config); err != nil {
		return usagef("configuration: %w", err)
	}
	return a.config.validate()
}

func (c *config) validate() error {
	check := func(key, value string, allowed ...string) error {
		if !slices.Contains(allowed, value) {
			return usagef("--%s %q is none of %s", key, value, strings.Join(allowed, ", "))
		}
		return nil
	}
	return errors.Join(
		check("progress", c.Progress, "auto", "plain", "json", "none"),
		check("log-format", c.LogFormat, "text", "json"),
	)
}

func (a *app) defaults() layer {
	values := map[string]any{}
	for _, s := range settings {
		values[s.key] = s.def
	}
	values["data"] = a.defaultDataDir()
	return layer{"default", values}
}

// defaultDataDir is the state directory under systemd, else the XDG data home.
func (a *app) defaultDataDir() string {
	if dir := a.getenv("STATE_DIRECTORY"); dir != "" {
		return dir
	}
	if dir := a.getenv("XDG_DATA_HOME"); dir != "" {
		return filepath.Join(dir, "eventseer")
	}
	return filepath.Join(a.getenv("HOME"), ".local", "share", "eventseer")
}

func (a *app) defaultConfigPath() string {
	if dir := a.getenv("XDG_CONFIG_HOME"); dir != "" {
		return filepath.Join(dir, "eventseer", "config.yaml")
	}
	return filepath.Join(a.getenv("HOME"), ".config", "eventseer", "config.yaml")
}

// readConfigFile reads the file named by --config, which must exist, else the
// default one, which need not.
func (a *app) readConfigFile(path string) (layer, error) {
	named := path != ""
	if !named {
		path = a.defaultConfigPath()
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && !named {
		return layer{}, nil
	}
	if err != nil {
		return layer{}, fmt.Errorf("config: %w", err)
	}
	values, err := yaml.Parser().Unmarshal(text)
	if err != nil {
		return layer{}, fmt.Errorf("config %s: %w", path, err)
	}
	for key := range values {
		if !slices.ContainsFunc(settings, func(s setting) bool { return s.key == key }) {
			return layer{}, usagef("config %s: unknown key %q; `eventseer config show` lists the keys", path, key)
		}
	}
	return layer{path, values}, nil
}

func (a *app) readEnvironment() (layer, error) {
	values := map[string]any{}
	for _, s := range settings {
		name := "EVENTSEER_" + strings.ToUpper(strings.ReplaceAll(s.key, "-", "_"))
		if v := a.getenv(name); v != "" {
			values[s.key] = v
		} else if path := a.getenv(name + "_FILE"); path != "" {
			text, err := os.ReadFile(path)
			if err != nil {
				return layer{}, fmt.Errorf("%s_FILE: %w", name, err)
			}
			values[s.key] = strings.TrimSpace(string(text))
		}
	}
	if a.getenv("NO_COLOR") != "" {
		values["no-color"] = true
	}
	return layer{"environment", values}, nil
}

func readFlags(flags *pflag.FlagSet) layer {
	values := map[string]any{}
	flags.Visit(func(f *pflag.Flag) {
		if slices.ContainsFunc(settings, func(s setting) bool { return s.key == f.Name }) {
			values[f.Name] = f.Value.String()
		}
	})
	return layer{"flag", values}
}

func newConfigCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{Use: "config", Short: "Show the configuration", Args: args(cobra.NoArgs)}
	show := &cobra.Command{
		Use: "show", Short: "Print every setting", Args: args(cobra.NoArgs),
		Example: "  eventseer config show --effective --origin",
	}
	show.Flags().Bool("effective", true, "the values in force (as opposed to the defaults)")
	origin := show.Flags().Bool("origin", false, "also say where each value comes from")
	show.RunE = func(cmd *cobra.Command, _ []string) error {
		effective, _ := cmd.Flags().GetBool("effective")
		return a.withOutput(func(w io.Writer) error { return a.showConfig(w, effective, *origin) })
	}
	cmd.AddCommand(show)
	return cmd
}

func (a *app) showConfig(w io.Writer, effective, origin bool) error {
	k := koanf.New("\x00")
	if err := k.Load(confmap.Provider(a.config.values(), ""), nil); err != nil {
		return err
	}
	for _, s := range settings {
		value := s.def
		if effective {
			value = k.Get(s.key)
		}
		line := fmt.Sprintf("%s: %v", s.key, value)
		if origin && effective {
			line = fmt.Sprintf("%-32s # %s", line, a.origins[s.key])
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// values is the config as the map a file would hold.
func (c *config) values() map[string]any {
	return map[string]any{
		"data": c.Data, "contact": c.Contact, "format": c.Format, "output": c.Output,
		"quiet": c.Quiet, "verbose": c.Verbose, "log-format": c.LogFormat, "no-color": c.NoColor,
		"progress": c.Progress, "seed": c.Seed, "strategy": c.Strategy,
		"host-delay": c.HostDelay.String(), "workers": c.Workers, "allow-private": c.AllowPrivate,
		"backlink-cost": c.BacklinkCost, "listen": c.Listen,
	}
}
