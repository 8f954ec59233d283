package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// ProvidersKey is the key of the providers of backlinks: in the file, providers
// below backlinks.
const ProvidersKey = "backlinks.providers"

// providerTypes are the types of providers.
var providerTypes = []string{"mediawiki", "marginalia", "moz", "searxng", "edges"}

// maxProviders is the largest number of configured providers.
const maxProviders = 50

// A ProviderConfig is the configuration of a backlink provider: type, address and limits.
type ProviderConfig struct {
	Name string `yaml:"name,omitempty" json:"name,omitempty"` // "" is its type
	Type string `yaml:"type" json:"type"`
	URL  string `yaml:"url,omitempty" json:"url,omitempty"`   // of the service; "" is its default, if it has one
	File string `yaml:"file,omitempty" json:"file,omitempty"` // of edges
	// Key, otherwise the first line of the file KeyFile, is the API key.
	// EVENTSEER_BACKLINKS_NAME_KEY and …_KEY_FILE take precedence over both.
	Key     string `yaml:"key,omitempty" json:"key,omitempty"`
	KeyFile string `yaml:"key-file,omitempty" json:"key-file,omitempty"`
	// Pause is the minimum time between two requests; nil means a second.
	Pause       *Duration `yaml:"pause,omitempty" json:"-"`
	CallsPerDay int       `yaml:"calls-per-day,omitempty" json:"calls-per-day,omitempty"` // 0 means no limit
	CostPerDay  float64   `yaml:"cost-per-day,omitempty" json:"cost-per-day,omitempty"`   // 0 means no limit
	Timeout     Duration  `yaml:"timeout,omitempty" json:"-"`                             // of a request; 0 is 30s
}

// ProviderPause is the default pause.
const ProviderPause = Duration(time.Second)

// Label returns the name of the provider, which is in its backlinks.
func (p ProviderConfig) Label() string {
	if p.Name == "" {
		return p.Type
	}
	return p.Name
}

// KeyVariable returns the name of the environment variable for the key.
func (p ProviderConfig) KeyVariable() string {
	letters := func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}
	return "EVENTSEER_BACKLINKS_" + strings.Map(letters, strings.ToUpper(p.Label())) + "_KEY"
}

// check returns the error of the provider's settings, which never contains its key.
func (p ProviderConfig) check() error {
	needsURL := p.Type == "mediawiki" || p.Type == "searxng"
	switch {
	case !slices.Contains(providerTypes, p.Type):
		return fmt.Errorf("type %q is not one of %s", p.Type, strings.Join(providerTypes, ", "))
	case needsURL && p.URL == "":
		return errors.New("url is missing")
	case (p.Type == "edges") != (p.File != ""):
		return errors.New("only a provider of type edges has a file")
	case strings.ContainsAny(p.URL, "?#"):
		return errors.New("url must end before its ? or #; a key belongs in key or key-file") // it is not shown, because it may contain a key
	case strings.ContainsAny(p.Label(), " \t\n,\x00"):
		return fmt.Errorf("name %q must be one word", p.Label())
	case p.CallsPerDay < 0, !(p.CostPerDay >= 0), math.IsInf(p.CostPerDay, 1):
		return errors.New("calls-per-day and cost-per-day must not be negative")
	}
	return nil
}

// ProviderList is the value of the setting ProvidersKey.
type ProviderList []ProviderConfig

// keylessProviders are the services that are queried for backlinks if the setting ProvidersKey is absent. They need
// neither a key nor an account. No service publishes a limit for this use; these per process are our choice (doc/operating.md).
func keylessProviders() ProviderList {
	pause := Duration(5 * time.Second)
	return ProviderList{
		{Name: "wikipedia", Type: "mediawiki", URL: "https://en.wikipedia.org/w/api.php", CallsPerDay: 5000},
		{Type: "marginalia", Pause: &pause, CallsPerDay: 500},
	}
}

// BacklinkProviders returns the providers that live commands query for backlinks besides the local link database, and a
// sentence on why these or none. Without the setting ProvidersKey they are the keyless services, unless no valid contact
// is set or private addresses may be fetched, which public services must not receive. An empty list turns them off.
func (c Config) BacklinkProviders() (list ProviderList, why string) {
	const off = "only the local link database is queried for backlinks: "
	switch {
	case len(c.Providers) > 0:
		return c.Providers, "backlinks are queried from the local link database, " + c.Providers.labels() + " (backlinks.providers)"
	case c.Providers != nil:
		return nil, off + "backlinks.providers is an empty list; remove it to query the services without keys (" + keylessProviders().labels() + ")"
	case c.Contact == "":
		return nil, off + "services are queried once a contact is set; add `contact: you@example.org` to the config file"
	case c.AllowPrivate:
		return nil, off + "--allow-private is on, and public services must not receive addresses of a private network; configure backlinks.providers to add services"
	}
	list = keylessProviders()
	return list, "backlinks are queried from the local link database, " + list.labels() + " (services without keys, on by default; `backlinks: {providers: []}` in the config file turns them off)"
}

// labels returns the names of the providers.
func (l ProviderList) labels() string {
	var names []string
	for _, p := range l {
		names = append(names, p.Label())
	}
	return strings.Join(names, ", ")
}

// String writes the list in one line of JSON, which YAML reads, keys masked.
func (l ProviderList) String() string {
	if l == nil {
		return "null" // the keyless ones, see Config.BacklinkProviders
	}
	masked := append(ProviderList{}, l...)
	for i := range masked {
		if masked[i].Key != "" {
			masked[i].Key = "***"
		}
		masked[i].URL = withoutUser(masked[i].URL)
	}
	text, err := json.Marshal([]ProviderConfig(masked))
	if err != nil {
		return err.Error() // strings and numbers always encode
	}
	return string(text)
}

// withoutUser masks the name and password in a URL.
func withoutUser(url string) string {
	scheme, rest, ok := strings.Cut(url, "://")
	authority, path, _ := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(authority, '@'); ok && at >= 0 {
		return scheme + "://***" + authority[at:] + "/" + path
	}
	return url
}

// ParseProviders reads the list as YAML and checks it.
func ParseProviders(text []byte) (ProviderList, error) {
	var l ProviderList
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err := d.Decode(&l); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: %s", ProvidersKey, rewriteDecodeError(err))
	}
	if len(l) > maxProviders {
		return nil, fmt.Errorf("%s: more than %d", ProvidersKey, maxProviders)
	}
	seen := map[string]bool{"own": true, "links-file": true}
	for i, p := range l {
		if err := p.check(); err != nil {
			return nil, fmt.Errorf("%s: %d (%s): %w", ProvidersKey, i+1, p.Label(), err)
		}
		if seen[p.Label()] {
			return nil, fmt.Errorf("%s: %d: the name %q is used twice", ProvidersKey, i+1, p.Label())
		}
		seen[p.Label()] = true
	}
	return l, nil
}

// Errors of the YAML decoder for a value that is not a list of providers.
var (
	unknownKey = regexp.MustCompile(`field (\S+) not found in type`)
	misshapen  = regexp.MustCompile(`cannot unmarshal !!\S+ .*into (\S+)`)
)

// rewriteDecodeError rewrites an error of the decoder. It omits values, which may be keys, line numbers, which
// are relative to the part, and Go types.
func rewriteDecodeError(err error) string {
	var wrong *yaml.TypeError
	if !errors.As(err, &wrong) || len(wrong.Errors) == 0 {
		return strings.TrimPrefix(err.Error(), "yaml: ")
	}
	first := wrong.Errors[0]
	if m := unknownKey.FindStringSubmatch(first); m != nil {
		return fmt.Sprintf("unknown key %q", m[1])
	}
	if m := misshapen.FindStringSubmatch(first); m != nil {
		switch m[1] {
		case "int", "float64":
			return "calls-per-day and cost-per-day must be numbers"
		case "string":
			return "name, type, url, file, key and key-file must be single texts"
		}
	}
	return "the value must be a list of providers, each as {type: moz, key-file: FILE}"
}

// ProviderKey returns the key of a provider: from the environment, the configuration, or a file named by
// either. It is "" if there is none.
func ProviderKey(a *App, p ProviderConfig) (string, error) {
	path := p.KeyFile
	switch variable := p.KeyVariable(); {
	case a.Getenv(variable) != "":
		return a.Getenv(variable), nil
	case a.Getenv(variable+"_FILE") != "":
		path = a.Getenv(variable + "_FILE")
	case p.Key != "" || path == "":
		return p.Key, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("key of %s: %w", p.Label(), err)
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return strings.TrimSpace(first), nil
}
