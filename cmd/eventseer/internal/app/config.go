package app

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/eventseer/eventseer/internal/bolt"

	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/v2"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// AddGlobalFlags adds the flags that every command has.
func (a *App) AddGlobalFlags(flags *pflag.FlagSet) {
	flags.String("config", "", "config file (default $XDG_CONFIG_HOME/eventseer/config.yaml)")
	for _, s := range Settings {
		if s.global != "" {
			addFlag(flags, s)
		}
	}
}

// AddConfigFlags adds the flags of settings that are not global to cmd, except those that it
// defines itself.
func AddConfigFlags(cmd *cobra.Command, keys ...string) {
	for _, s := range Settings {
		if slices.Contains(keys, s.Key) && cmd.Flags().Lookup(s.Key) == nil {
			addFlag(cmd.Flags(), s)
		}
	}
}

func addFlag(flags *pflag.FlagSet, s Setting) {
	short := strings.Trim(s.global, "-")
	switch def := s.Def.(type) {
	case string:
		if s.Key == ModelKey {
			flags.Var(new(listFlag), s.Key, s.Comment)
			return
		}
		flags.StringP(s.Key, short, def, s.Comment)
	case bool:
		flags.BoolP(s.Key, short, def, s.Comment)
	case int:
		flags.IntP(s.Key, short, def, s.Comment)
	case uint64:
		flags.Uint64P(s.Key, short, def, s.Comment)
	case float64:
		flags.Float64P(s.Key, short, def, s.Comment)
	}
}

// A settingsLayer is one source of settings.
type settingsLayer struct {
	origin string
	values map[string]any
}

// Configure reads all layers into a.Config. A session has its own configuration.
func (a *App) Configure(flags *pflag.FlagSet) (err error) {
	a.Flags, a.Level, a.reloads, a.inputs = flags, new(slog.LevelVar), new(reloadState), new(atomic.Pointer[Meter])
	if a.Session == nil {
		a.Config, a.Origins, err = a.readConfig(flags)
	} else if !slices.Contains(SessionCommands, a.Command) {
		err = fmt.Errorf("%w: %s cannot run while serve runs; stop the service first", bolt.ErrLocked, a.Command)
	}
	a.Level.Set(LogLevel(a.Config))
	return err
}

// readConfig reads all layers, and the source of each value.
func (a *App) readConfig(flags *pflag.FlagSet) (c Config, origins map[string]string, err error) {
	path, _ := flags.GetString("config")
	file, err := a.readConfigFile(path)
	if err != nil {
		return c, nil, err
	}
	env, err := a.readEnvironment()
	if err != nil {
		return c, nil, err
	}
	return joinLayers(a.defaultSettings(), file, env, readFlags(flags))
}

// joinLayers has later layers override earlier ones.
func joinLayers(layers ...settingsLayer) (c Config, origins map[string]string, err error) {
	k := koanf.New("\x00") // keys are flat
	origins = map[string]string{}
	for _, l := range layers {
		if err := k.Load(confmap.Provider(l.values, ""), nil); err != nil {
			return c, nil, err
		}
		for key := range l.values {
			origins[key] = l.origin
		}
		if err := k.Unmarshal("", &c); err != nil {
			return c, nil, Usagef("configuration from %s: %s", l.origin, strings.TrimPrefix(err.Error(), decodePrefix))
		}
	}
	return c, origins, c.validate()
}

// decodePrefix is the prefix of mapstructure's error messages.
const decodePrefix = "decoding failed due to the following error(s):\n\n"

func (a *App) defaultSettings() settingsLayer {
	values := map[string]any{}
	for _, s := range Settings {
		values[s.Key] = s.Def
	}
	values["data"] = a.defaultDataDir()
	return settingsLayer{"default", values}
}

// defaultDataDir returns the state directory under systemd, otherwise the XDG data home. It is ""
// if no variable names either: see CheckData.
func (a *App) defaultDataDir() string {
	if dir := a.Getenv("STATE_DIRECTORY"); dir != "" {
		return dir
	}
	return homePath(a.Getenv, "XDG_DATA_HOME", ".local/share", "eventseer")
}

// DefaultConfigPath returns the path of the configuration without --config. It is "" if there is no
// home directory.
func (a *App) DefaultConfigPath() string {
	return homePath(a.Getenv, "XDG_CONFIG_HOME", ".config", "eventseer/config.yaml")
}

// homePath returns a path in the folder of a variable, or if it is not set, in a folder of the home
// directory. It is "" without a home directory.
func homePath(getenv func(string) string, variable, folder, path string) string {
	if dir := getenv(variable); dir != "" {
		return filepath.Join(dir, path)
	}
	if home := getenv("HOME"); home != "" {
		return filepath.Join(home, folder, path)
	}
	return ""
}

func (a *App) readEnvironment() (settingsLayer, error) {
	values := map[string]any{}
	for _, s := range Settings {
		name := "EVENTSEER_" + strings.ToUpper(strings.NewReplacer("-", "_", ".", "_").Replace(s.Key))
		if v := a.Getenv(name); v != "" {
			value, err := parseSettingValue(s, v)
			if err != nil {
				return settingsLayer{}, Usagef("%s: %w", name, err)
			}
			values[s.Key] = value
		} else if path := a.Getenv(name + "_FILE"); path != "" {
			text, err := os.ReadFile(path)
			if err != nil {
				return settingsLayer{}, fmt.Errorf("%s_FILE: %w", name, err)
			}
			values[s.Key] = strings.TrimSpace(string(text))
		}
	}
	if text, ok := values[ProvidersKey].(string); ok {
		list, err := ParseProviders([]byte(text))
		if err != nil {
			return settingsLayer{}, Usagef("EVENTSEER_BACKLINKS_PROVIDERS: %w", err)
		}
		values[ProvidersKey] = list
	}
	if a.Getenv("NO_COLOR") != "" {
		values["no-color"] = true
	}
	return settingsLayer{"environment", values}, nil
}

func readFlags(flags *pflag.FlagSet) settingsLayer {
	values := map[string]any{}
	flags.Visit(func(f *pflag.Flag) {
		if slices.ContainsFunc(Settings, func(s Setting) bool { return s.Key == f.Name }) {
			values[f.Name] = f.Value.String()
		}
	})
	return settingsLayer{"flag", values}
}

// Values returns the config as the map of a config file.
func (c Config) Values() map[string]any {
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

// ConfigOf returns the config of settings given as texts, by key, like those of Values.
func ConfigOf(values map[string]string) (c Config, err error) {
	layer := map[string]any{}
	for key, value := range values {
		layer[key] = value
	}
	k := koanf.New("\x00")
	return c, errors.Join(k.Load(confmap.Provider(layer, ""), nil), k.Unmarshal("", &c))
}

func (c *Config) validate() error {
	check := func(key, value string, allowed ...string) error {
		if !slices.Contains(allowed, value) {
			return Usagef("--%s %q is not one of %s", key, value, strings.Join(allowed, ", "))
		}
		return nil
	}
	return errors.Join(
		check("progress", c.Progress, "auto", "plain", "json", "none"),
		check("log-format", c.LogFormat, "text", "json"),
		check("politeness", c.Politeness, "host", "domain", "address"),
		check("robots", c.Robots, "google", "strict"),
		check("directives", c.Directives, "obey", "ignore"),
		check("rel", c.Rel, "follow", "last", "skip"),
		check("lists", c.Lists, "on", "off"),
		check("render", c.Render, "off", "on", "unsandboxed"),
		c.checkNumbers(), c.CheckAdmin(),
	)
}

func (c *Config) checkNumbers() error {
	if !(c.DelayFactor >= 0 && c.DelayFactor <= maxDelayFactor) {
		return Usagef("--delay-factor %v is not from 0 to %v", c.DelayFactor, maxDelayFactor)
	}
	if !(c.BacklinkCost >= 0) || math.IsInf(c.BacklinkCost, 1) {
		return Usagef("--backlink-cost %v is not a number of pages", c.BacklinkCost)
	}
	if c.BacklinkTTL <= 0 {
		return Usagef("--backlink-ttl must be above 0")
	}
	if c.MaxCrawlDelay == 0 {
		return Usagef("--max-crawl-delay 0 would ignore the delays that sites ask for")
	}
	if c.Workers < 1 || c.Workers > maxWorkers {
		return Usagef("--workers %d is not from 1 to %d", c.Workers, maxWorkers)
	}
	if c.PerHost < 0 || c.PerDomain < 0 || c.PerDepth < 0 {
		return Usagef("--per-host, --per-domain and --per-depth must not be negative")
	}
	return nil
}

const (
	// maxDelayFactor ensures that slow hosts are requested again.
	maxDelayFactor = 1000
	// maxWorkers bounds connections and goroutines by what a machine can handle.
	maxWorkers = 10_000
)

// CheckAdmin rejects an --admin that is invalid, or would expose the process to other machines.
func (c *Config) CheckAdmin() error {
	path, socket := strings.CutPrefix(c.Admin, "unix:")
	if c.Admin == "" || c.Admin == "off" || socket && path != "" {
		return nil
	}
	host, _, err := net.SplitHostPort(c.Admin)
	if err != nil || socket {
		return Usagef("--admin %q is not HOST:PORT, unix:PATH or off", c.Admin)
	}
	if !c.AdminPublic && !IsLoopback(host) {
		return Usagef("--admin %s would be open to other machines; use a loopback address, or add --admin-public", c.Admin)
	}
	return nil
}

// IsLoopback reports whether a server listening on host can only be reached from this machine.
func IsLoopback(host string) bool {
	addr, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && addr.IsLoopback()
}
