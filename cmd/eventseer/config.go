package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

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

	Strategy     string       `koanf:"strategy"`
	Workers      int          `koanf:"workers"`
	BacklinkCost float64      `koanf:"backlink-cost"`
	BacklinkTTL  duration     `koanf:"backlink-ttl"`
	Providers    providerList `koanf:"backlinks.providers"`
	RecordSize   size         `koanf:"record-size"`
	Listen       string       `koanf:"listen"`
	Admin        string       `koanf:"admin"`
	AdminPublic  bool         `koanf:"admin-public"`

	HostDelay     duration `koanf:"host-delay"`
	DelayFactor   float64  `koanf:"delay-factor"`
	MaxCrawlDelay duration `koanf:"max-crawl-delay"`
	Politeness    string   `koanf:"politeness"`
	PerHost       int      `koanf:"per-host"`
	PerDomain     int      `koanf:"per-domain"`
	PerDepth      int      `koanf:"per-depth"`
	Robots        string   `koanf:"robots"`
	Directives    string   `koanf:"directives"`
	Rel           string   `koanf:"rel"`
	Lists         string   `koanf:"lists"`
	Render        string   `koanf:"render"`
	Blocklist     string   `koanf:"blocklist"`
	AllowPrivate  bool     `koanf:"allow-private"`

	IMAPServer   string `koanf:"imap-server"`
	IMAPUser     string `koanf:"imap-user"`
	IMAPPassword secret `koanf:"imap-password"`
	IMAPFolders  string `koanf:"imap-folders"`
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
	{"strategy", "eventseer", "crawl strategy", ""},
	{"workers", 8, "fetches under way at once; a replay uses 1 so that it repeats exactly", ""},
	{"backlink-cost", 1.0, "pages of budget a backlink call costs", ""},
	{"backlink-ttl", "30d", "how long answers of providers of backlinks are kept, those without links a tenth of it", ""},
	{providersKey, providerList(nil), "who is asked for backlinks besides our own links, in this order; types: " + strings.Join(providerTypes, ", ") + " (doc/operating.md)", ""},
	{"record-size", "1GB", "size at which a file of --record is closed and the next one begun, unless --record names one file; 0 is no limit", ""},
	{"listen", "127.0.0.1:8080", "address the web UI listens on", ""},
	{"admin", "", "HOST:PORT or unix:PATH where a running process shows /metrics, /status, /why, /healthz and /debug/pprof, besides the socket " + adminSocket + " in its data directory; off for neither", ""},
	{"admin-public", false, "let --admin be an address that others reach", ""},
	{"host-delay", "5s", "shortest pause between two requests to one host", ""},
	{"delay-factor", 1.0, "the pause is also at least so many times what the host's answers take; 0 is off", ""},
	{"max-crawl-delay", "5m", "longest pause that a Crawl-delay of a robots.txt is granted", ""},
	{"politeness", "host", "whose requests wait for each other: one host's, one registered domain's, or one IP address's (host, domain, address)", ""},
	{"per-host", 0, "pages fetched from one host at most; 0 is no limit", ""},
	{"per-domain", 0, "pages fetched from one registered domain at most; 0 is no limit", ""},
	{"per-depth", 0, "pages fetched at each number of steps from a seed at most; 0 is no limit", ""},
	{"robots", "google", "how a robots.txt is read: with the leniencies of google's parser, or strict by RFC 9309", ""},
	{"directives", "obey", "whether meta robots and X-Robots-Tag hold: obey or ignore; ignored in a replay unless asked for", ""},
	{"rel", "follow", "links marked nofollow, ugc or sponsored: follow, follow last, or skip", ""},
	{"lists", "on", "sitemaps and feeds as sources of links: on or off; off in a replay unless asked for", ""},
	{"render", "off", "pages that show nothing until their scripts have run: off, on (read in a headless Chromium), or unsandboxed (the same as root, who can have no sandbox)", ""},
	{"blocklist", "", "file of hosts, .domains and URL beginnings, one a line, that are never asked; SIGHUP reads it again", ""},
	{"allow-private", false, "also fetch from private and loopback addresses", ""},
	{"imap-server", "", "HOST:PORT of the IMAP server that mail fetch reads", ""},
	{"imap-user", "", "name to log in there with", ""},
	{"imap-password", "", "password there; better in EVENTSEER_IMAP_PASSWORD or in the file that EVENTSEER_IMAP_PASSWORD_FILE names", ""},
	{"imap-folders", "INBOX", "folders to read there, separated by commas", ""},
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
func (a *app) configure(flags *pflag.FlagSet) (err error) {
	a.flags, a.level = flags, new(slog.LevelVar)
	a.config, a.origins, err = a.readConfig(flags)
	a.level.Set(logLevel(a.config))
	return err
}

// readConfig reads all layers, and where each value comes from.
func (a *app) readConfig(flags *pflag.FlagSet) (c config, origins map[string]string, err error) {
	path, _ := flags.GetString("config")
	file, err := a.readConfigFile(path)
	if err != nil {
		return c, nil, err
	}
	env, err := a.readEnvironment()
	if err != nil {
		return c, nil, err
	}
	k := koanf.New("\x00") // keys are flat
	origins = map[string]string{}
	for _, l := range []layer{a.defaults(), file, env, readFlags(flags)} {
		if err := k.Load(confmap.Provider(l.values, ""), nil); err != nil {
			return c, nil, err
		}
		for key := range l.values {
			origins[key] = l.origin
		}
		if err := k.Unmarshal("", &c); err != nil {
			return c, nil, usagef("configuration from %s: %s", l.origin, strings.TrimPrefix(err.Error(), decodePrefix))
		}
	}
	return c, origins, c.validate()
}

// decodePrefix is what mapstructure says before what is wrong.
const decodePrefix = "decoding failed due to the following error(s):\n\n"

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

// readConfigFile reads the file named by --config, which must exist unless it is
// about to be made, else the default one, which need not.
func (a *app) readConfigFile(path string) (layer, error) {
	named := path != ""
	if !named {
		path = a.defaultConfigPath()
	}
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && (!named || a.makesConfig) {
		return layer{}, nil
	}
	if err != nil {
		return layer{}, fmt.Errorf("config: %w", err)
	}
	values, err := yaml.Parser().Unmarshal(text)
	if err != nil {
		return layer{}, fmt.Errorf("config %s: %w", path, err)
	}
	if part, ok := values["backlinks"]; ok {
		delete(values, "backlinks")
		if values[providersKey], err = providersOf(part); err != nil {
			return layer{}, usagef("config %s: %w", path, err)
		}
	}
	for key, value := range values {
		i := slices.IndexFunc(settings, func(s setting) bool { return s.key == key })
		if i < 0 {
			return layer{}, usagef("config %s: unknown key %q; `eventseer config show` lists the keys", path, key)
		}
		// A number would be taken as a duration in nanoseconds, and nothing as none.
		if _, text := settings[i].def.(string); value == nil {
			delete(values, key)
		} else if text {
			values[key] = fmt.Sprint(value)
		}
	}
	return layer{path, values}, nil
}

func (a *app) readEnvironment() (layer, error) {
	values := map[string]any{}
	for _, s := range settings {
		name := "EVENTSEER_" + strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(s.key))
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
	if text, ok := values[providersKey].(string); ok {
		list, err := parseProviders([]byte(text))
		if err != nil {
			return layer{}, usagef("EVENTSEER_BACKLINKS_PROVIDERS: %w", err)
		}
		values[providersKey] = list
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
	values := a.config.values()
	for _, s := range settings {
		value := s.def
		if effective {
			value = values[s.key]
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
func (c config) values() map[string]any {
	values := map[string]any{}
	fields := reflect.ValueOf(&c).Elem()
	for i := range fields.NumField() {
		value := fields.Field(i).Addr().Interface()
		if s, ok := value.(fmt.Stringer); ok {
			value = s.String()
		} else {
			value = fields.Field(i).Interface()
		}
		values[fields.Type().Field(i).Tag.Get("koanf")] = value
	}
	return values
}
