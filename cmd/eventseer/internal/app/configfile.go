package app

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/internal/text"

	"go.yaml.in/yaml/v3"
)

// Essential are the keys that all users need first. They are at the top of the config file, in no
// section.
var Essential = []string{"contact", "data", "listen", "seeds", "sources", "base-url"}

// A Section is a part of the config file: keys with a common prefix.
type Section struct {
	Name, About string
	Keys        []string
}

// Sections contains all keys except the essential ones, in the order of the manual. Names of
// sections differ from names of keys.
var Sections = []Section{
	{"crawl", "crawling", []string{"strategy", ModelKey, "crawl-per-day", "workers", "per-host", "per-domain", "per-depth", "lists", "render", "record-size", "seed"}},
	{"hosts", "treatment of hosts", []string{"host-delay", "delay-factor", "max-crawl-delay", "politeness", "robots", "directives", "rel", "blocklist", "allow-private"}},
	{backlinksSection, "sources of backlinks", []string{ProvidersKey, "backlink-cost", "backlink-ttl"}},
	{"service", "parts of serve, and access to its pages", []string{"parts", "people", "synonyms", "dumps", "user-header", "user-proxies", "admin", "admin-public", "admin-token"}},
	{"mail", "mails to readers, and bounces", []string{"smtp-server", "smtp-user", "smtp-password", "smtp-tls", "smtp-ca", "smtp-clear", "mail-from", "mail-reply-to", "mail-leave", "mail-rate", "mail-dkim-key", "mail-dkim-selector", "imap-server", "imap-user", "imap-password", "imap-folders", "bounce-folder"}},
	{"cluster", "a crawl on many machines", []string{"name", "bucket", "replicas", "nats", "nats-creds", "nats-ca", "nats-cert", "nats-key", "nats-listen", "nats-cluster", "nats-routes", "nats-config", "nats-store", "nats-open"}},
	{"terminal", "output of commands", []string{"format", "output", "quiet", "verbose", "log-format", "no-color", "progress"}},
}

// backlinksSection is the section whose key providers is the setting ProvidersKey.
const backlinksSection = "backlinks"

// SectionOf returns the section of a key, "" for the top of the file.
func SectionOf(key string) string {
	for _, s := range Sections {
		if slices.Contains(s.Keys, key) {
			return s.Name
		}
	}
	return ""
}

// FindSetting returns the setting of a key; the error for an unknown one suggests a similar one.
func FindSetting(key string) (Setting, error) {
	near, best := "", 3
	for _, s := range Settings {
		if s.Key == key {
			return s, nil
		}
		if d := text.EditDistance(key, s.Key, best); d < best {
			near, best = s.Key, d
		}
	}
	if near != "" {
		return Setting{}, fmt.Errorf("unknown key %q; did you mean %s?", key, near)
	}
	return Setting{}, fmt.Errorf("unknown key %q; `eventseer config show` lists the keys", key)
}

// A configFile is the content of a config file.
type configFile struct {
	values map[string]any
	// loose are keys at the top that belong to a section, as in all files up to version 0.8.
	loose []string
}

// readConfigFile reads the file named by --config, which must exist unless it is about to be
// created, otherwise the default one, which may be missing.
func (a *App) readConfigFile(path string) (settingsLayer, error) {
	named := path != ""
	if !named {
		path = a.DefaultConfigPath()
	}
	if path == "" {
		return settingsLayer{}, nil
	}
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && (!named || a.MakesConfig) {
		return settingsLayer{}, nil
	}
	if err != nil {
		return settingsLayer{}, fmt.Errorf("config: %w", err)
	}
	file, err := parseConfig(content)
	if err != nil {
		return settingsLayer{}, Usagef("config %s: %w", path, err)
	}
	return settingsLayer{path, file.values}, nil
}

// parseConfig reads a config file. Its errors name the line.
func parseConfig(content []byte) (file configFile, err error) {
	file.values = map[string]any{}
	root, err := parseMapping(content)
	if root == nil || err != nil {
		return file, err
	}
	lines := map[string]int{}
	add := func(name, value *yaml.Node, section string) error {
		err := file.add(name.Value, value, section)
		if first := lines[name.Value]; err == nil && first > 0 {
			err = fmt.Errorf("%s is already set in line %d; remove one of them", name.Value, first)
		}
		lines[name.Value] = name.Line
		if err != nil {
			return fmt.Errorf("line %d: %w", name.Line, err)
		}
		return nil
	}
	for name, value := range mappingPairs(root) {
		if !slices.ContainsFunc(Sections, func(s Section) bool { return s.Name == name.Value }) {
			if err := add(name, value, ""); err != nil {
				return file, err
			}
			continue
		}
		if value.Kind != yaml.MappingNode && value.Tag != "!!null" {
			return file, fmt.Errorf("line %d: %s is a section: its keys stand below it, indented, such as %q", name.Line, name.Value, "  "+lastPart(sectionKeys(name.Value)[0])+": …")
		}
		for inner, innerValue := range mappingPairs(value) {
			if err := add(inner, innerValue, name.Value); err != nil {
				return file, err
			}
		}
	}
	return file, nil
}

// add adds a key of a section, "" is the top of the file.
func (f *configFile) add(name string, value *yaml.Node, section string) error {
	if section == backlinksSection && name == "providers" {
		list, err := providersOfNode(value)
		f.values[ProvidersKey] = list
		return err
	}
	s, err := FindSetting(name)
	if err != nil && section == backlinksSection {
		return fmt.Errorf("unknown key %q", section+"."+name)
	}
	if err != nil {
		return err
	}
	switch right := SectionOf(name); {
	case section == right:
	case section == "":
		f.loose = append(f.loose, name)
	default:
		if right == "" {
			return fmt.Errorf("%s belongs at the top of the file, not in %s", name, section)
		}
		return fmt.Errorf("%s belongs in %s, not in %s", name, right, section)
	}
	content, err := valueOf(s, value)
	if err == nil && content != nil {
		f.values[name] = content
	}
	return err
}

// sectionKeys returns the keys of a section.
func sectionKeys(name string) []string {
	return Sections[slices.IndexFunc(Sections, func(s Section) bool { return s.Name == name })].Keys
}

// lastPart returns the name of a key within its section.
func lastPart(key string) string { return key[strings.LastIndexByte(key, '.')+1:] }

// providersOfNode reads the providers of the section backlinks.
func providersOfNode(value *yaml.Node) (ProviderList, error) {
	content, err := yaml.Marshal(value)
	if err != nil {
		return nil, err
	}
	return ParseProviders(content)
}

// valueOf returns the value of a setting in the file, nil if it is missing, which selects the
// default. Values are read as text, because a number would be interpreted as nanoseconds; lists
// become texts separated by commas.
func valueOf(s Setting, value *yaml.Node) (any, error) {
	if value.Kind == yaml.AliasNode {
		value = value.Alias
	}
	_, isText := s.Def.(string)
	switch {
	case value.Tag == "!!null":
		return nil, nil
	case value.Kind == yaml.SequenceNode && isText:
		var items []string
		for _, item := range value.Content {
			if item.Kind != yaml.ScalarNode {
				return nil, fmt.Errorf("%s: the value must be a list of texts", s.Key)
			}
			items = append(items, item.Value)
		}
		return strings.Join(items, ","), nil
	case value.Kind != yaml.ScalarNode:
		return nil, fmt.Errorf("%s: the value must be a single one, not a list", s.Key)
	}
	return parseSettingValue(s, value.Value)
}

// switches are settings with more than two values, two of which are on and off.
var switches = []string{"lists", "render", "admin", "synonyms"}

// parseSettingValue parses the value of a setting. Booleans may be true or false, yes or no, on or off.
func parseSettingValue(s Setting, value string) (any, error) {
	on, isBool := boolOf(value)
	switch _, wanted := s.Def.(bool); {
	case wanted && isBool:
		return on, nil
	case wanted:
		return nil, fmt.Errorf("%s: %q is neither true nor false", s.Key, value)
	case isBool && slices.Contains(switches, s.Key) && value != "0" && value != "1":
		return map[bool]string{true: "on", false: "off"}[on], nil
	}
	return value, nil
}

// boolOf parses true or false, yes or no, on or off.
func boolOf(value string) (on, ok bool) {
	switch strings.ToLower(value) {
	case "yes", "on":
		return true, true
	case "no", "off":
		return false, true
	}
	on, err := strconv.ParseBool(value)
	return on, err == nil
}

// parseMapping returns the mapping that a YAML file is, nil for an empty one.
func parseMapping(content []byte) (*yaml.Node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(content, &doc); err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if len(doc.Content) == 0 || doc.Content[0].Tag == "!!null" {
		return nil, nil
	}
	if doc.Content[0].Kind != yaml.MappingNode {
		return nil, fmt.Errorf("line %d: expected lines such as `contact: you@example.org`", doc.Content[0].Line)
	}
	return doc.Content[0], nil
}

// mappingPairs yields the keys and values of a mapping.
func mappingPairs(m *yaml.Node) func(yield func(key, value *yaml.Node) bool) {
	return func(yield func(key, value *yaml.Node) bool) {
		for i := 0; i+1 < len(m.Content); i += 2 {
			if !yield(m.Content[i], m.Content[i+1]) {
				return
			}
		}
	}
}

// ShowConfig writes the configuration by sections: the values in force, or without effective the
// defaults, and with origin the source of each value.
func (a *App) ShowConfig(w io.Writer, effective, origin bool) error {
	show := func(keys []string) error {
		for _, key := range keys {
			if err := a.showSetting(w, key+": ", key, effective, origin); err != nil {
				return err
			}
		}
		return nil
	}
	if err := show(Essential); err != nil {
		return err
	}
	for _, section := range Sections {
		if _, err := fmt.Fprintf(w, "\n# %s: %s\n", section.Name, section.About); err != nil {
			return err
		}
		if err := show(section.Keys); err != nil {
			return err
		}
	}
	return nil
}

// ShowSetting writes the value of one setting like ShowConfig, without its key.
func (a *App) ShowSetting(w io.Writer, key string, effective, origin bool) error {
	if _, err := FindSetting(key); err != nil {
		return MarkUsage(err)
	}
	return a.showSetting(w, "", key, effective, origin)
}

func (a *App) showSetting(w io.Writer, label, key string, effective, origin bool) error {
	value := a.Config.Values()[key]
	if s, err := FindSetting(key); !effective {
		value = s.Def
		if err != nil {
			return err
		}
	}
	line := fmt.Sprintf("%s%v", label, value)
	if origin && effective {
		line = fmt.Sprintf("%-32s # %s", line, a.Origins[key])
	}
	_, err := fmt.Fprintln(w, line)
	return err
}

// DescribeKeys lists all keys of the config file by section, with their defaults, for the
// manual.
func DescribeKeys() string {
	var b strings.Builder
	describe := func(indent, key string) {
		s, _ := FindSetting(key) // the tables agree, see TestSections
		def := ""
		switch value := fmt.Sprint(s.Def); value {
		case "", "[]":
		default:
			def = " (default " + value + ")"
		}
		fmt.Fprintf(&b, "%s%s: %s%s\n", indent, lastPart(key), s.Comment, def)
	}
	for _, key := range Essential {
		describe("", key)
	}
	for _, section := range Sections {
		fmt.Fprintf(&b, "\n%s:   # %s\n", section.Name, section.About)
		for _, key := range section.Keys {
			describe("  ", key)
		}
	}
	return b.String()
}

// A FileReport is the report on a config file.
type FileReport struct {
	Keys  []string // that are set
	Loose []string // keys at the top that belong to a section
}

// InspectConfig checks a config file. Errors contain the line, those of values the key.
func (a *App) InspectConfig(path string) (FileReport, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return FileReport{}, err
	}
	file, err := parseConfig(content)
	if err != nil {
		return FileReport{}, Usagef("config %s: %w", path, err)
	}
	if _, _, err := joinLayers(a.defaultSettings(), settingsLayer{path, file.values}); err != nil {
		return FileReport{}, err
	}
	return FileReport{Keys: slices.Sorted(maps.Keys(file.values)), Loose: file.loose}, nil
}

// SectionConfig returns the content of a config file with each key in its section. Comments stay
// above their keys.
func SectionConfig(content []byte) ([]byte, error) {
	root, err := parseMapping(content)
	if root == nil || err != nil {
		return content, err
	}
	kept := yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	of := map[string]*yaml.Node{}
	var loose []*yaml.Node
	for name, value := range mappingPairs(root) {
		if SectionOf(name.Value) != "" {
			loose = append(loose, name, value)
			continue
		}
		kept.Content = append(kept.Content, name, value)
		of[name.Value] = value
	}
	for i := 0; i < len(loose); i += 2 {
		section := SectionOf(loose[i].Value)
		if m := of[section]; m == nil || m.Kind != yaml.MappingNode {
			of[section] = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
			kept.Content = append(kept.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: section}, of[section])
		}
		of[section].Content = append(of[section].Content, loose[i], loose[i+1])
	}
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	err = e.Encode(&kept)
	return b.Bytes(), errors.Join(err, e.Close())
}

// NewConfig returns the text of a new config file. It begins with the settings that all users need
// first, set or with an example. Below are the other settings of c, by sections, with the origins
// of their values. Passwords outside files and settings of a single command are left out.
func NewConfig(c Config, origins map[string]string) (string, error) {
	var b strings.Builder
	b.WriteString("# EventSeer. `eventseer config show` prints all keys, the manual eventseer-config(1) explains them.\n" +
		"# Flags and EVENTSEER_* variables take precedence over this file.\n")
	values := c.Values()
	for _, key := range Essential {
		s, err := FindSetting(key)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\n# %s\n", s.Comment)
		if values[key] == s.Def {
			fmt.Fprintf(&b, "#%s: %s\n", key, examples[key])
			continue
		}
		line, err := yaml.Marshal(map[string]any{key: values[key]})
		if err != nil {
			return "", err
		}
		b.Write(line)
	}
	values["admin-token"], values["smtp-password"], values["imap-password"] = string(c.AdminToken), string(c.SMTPPassword), string(c.IMAPPassword)
	values[ProvidersKey] = []ProviderConfig(c.Providers)
	for _, section := range Sections {
		set := map[string]any{}
		for _, key := range section.Keys {
			origin := origins[key]
			given := origin == "environment" || origin == "flag"
			if origin != "default" && !(given && (slices.Contains(secrets, key) || section.Name == "terminal")) {
				set[lastPart(key)] = values[key]
			}
		}
		if len(set) == 0 {
			continue
		}
		part, err := yaml.Marshal(map[string]any{section.Name: set})
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "\n# %s\n%s", section.About, part)
	}
	return b.String(), nil
}

// examples of essential settings, for a new config file.
var examples = map[string]string{
	"contact": "you@example.org", "listen": "127.0.0.1:8080", "seeds": "[https://conf.example/]",
	"sources": "[https://society.example/calendar]", "base-url": "https://seer.example/",
}

// secrets are the keys of passwords and tokens.
var secrets = []string{"admin-token", "smtp-password", "imap-password"}

// HoldsSecrets reports whether any of the keys of a config file is or may contain a secret.
func HoldsSecrets(keys []string) bool {
	return slices.ContainsFunc(keys, func(key string) bool { return slices.Contains(secrets, key) || key == ProvidersKey })
}
