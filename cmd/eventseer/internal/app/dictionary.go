package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/eventseer/eventseer/eventseer/search"
	"github.com/eventseer/eventseer/features/dictionary"
)

// OpenIndex opens the search index of a data directory with the dictionary of the configuration. An
// unusable one is rebuilt.
func OpenIndex(a *App, dir string) (*search.Index, error) {
	d, err := OpenConfiguredDictionary(a)
	if err != nil {
		return nil, err
	}
	return search.Open(WritableFolder(a, filepath.Join(dir, IndexDir)), search.Options{Log: a.Logger(), Now: a.Now, People: a.Config.People, Synonyms: d.Synonyms, Same: d.SameNames})
}

// OpenConfiguredDictionary opens the dictionary that the configuration names, nil if it is off.
func OpenConfiguredDictionary(a *App) (*dictionary.Dictionary, error) {
	if a.Config.Synonyms == "off" {
		return nil, nil
	}
	d, err := OpenDictionary(a, strings.FieldsFunc(a.Config.Synonyms, func(r rune) bool { return r == ',' }))
	if err != nil {
		return nil, fmt.Errorf("synonyms: %w", err)
	}
	return d, nil
}

// OwnSynonyms selects the built-in synonyms among the names of OpenDictionary.
const OwnSynonyms = "own"

// OpenDictionary opens the built-in synonyms and other named ones: files of sets, MyThes files
// (.dat), a folder of WordNet.
func OpenDictionary(a *App, names []string) (*dictionary.Dictionary, error) {
	o := dictionary.Options{Bad: func(err error) { a.Logf("%v: skipped", err) }}
	for _, name := range names {
		name = strings.TrimSpace(name)
		if name == OwnSynonyms || name == "" {
			continue // always there
		}
		info, err := os.Stat(name)
		switch {
		case err != nil:
			return nil, err
		case info.IsDir():
			o.WordNet = name
		case strings.HasSuffix(name, ".dat"):
			o.MyThes = append(o.MyThes, name)
		default:
			o.Sets = append(o.Sets, name)
		}
	}
	return dictionary.Open(o)
}
