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
	if a.guest != nil {
		return a.admit()
	}
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

// decodeSettings reads values, as an environment would have them, into c.
func decodeSettings(values map[string]any, c *config) error {
	k := koanf.New("\x00")
	return errors.Join(k.Load(confmap.Provider(values, ""), nil), k.Unmarshal("", c))
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
