// Package dictionary is the lexical database of paper 000, section 3.2: the stems of words and
// their synonyms, for clips, search, publisher and slicing.
//
// Stems are Snowball's, in the language of the text, as in vocabularies (package features); Greek,
// which no library in use supports, is stemmed by a short list of endings
// (doc/decisions/008-greek.md).
//
// Synonyms come from built-in sets of terms of calls for papers and the names of their topics, from
// sets the operator writes, and from a MyThes thesaurus or a WordNet database if one is named. Sets
// are used completely; of a thesaurus only the first senses are used, because further ones are
// usually about something else: none of WordNet's 13 senses of the noun "call" is a call for
// papers.
package dictionary

import (
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/features"
)

// MaxSynonyms is the maximum number of synonyms returned for one term.
const MaxSynonyms = 24

// MaxWords is the maximum number of words in a term.
const MaxWords = 10

// Options are the sources of a dictionary.
type Options struct {
	// Sets are files of the operator's own synonym sets. Each line is a set, its words and phrases
	// separated by commas; # begins a comment.
	Sets []string
	// MyThes are data files of MyThes thesauri, such as
	// /usr/share/mythes/th_en_US_v2.dat, one a language.
	MyThes []string
	// WordNet is the folder of a WordNet database, with files such as index.noun and data.noun, for
	// example /usr/share/wordnet. Empty means none.
	WordNet string
	// Senses is the number of senses of a word that are used for each part of speech. The thesaurus
	// lists frequent ones first. Zero means 1.
	Senses int
	// Bad is called with an error that names file and line for each line that cannot be used. Nil
	// ignores such lines.
	Bad func(error)
}

// A Dictionary provides synonyms. It is read-only and safe for concurrent use.
type Dictionary struct {
	own       synonymTable // built-in sets and the operator's sets
	thesaurus synonymTable
}

// Open reads a dictionary; the zero Options select the built-in sets of CFP terms and topics. It
// fails if a named file cannot be opened or read; a bad line is only reported.
func Open(o Options) (*Dictionary, error) {
	if o.Senses <= 0 {
		o.Senses = 1
	}
	d := &Dictionary{own: newSynonymTable(), thesaurus: newSynonymTable()}
	if err := readSets(strings.NewReader(builtIn), "built-in sets", o.Bad, &d.own); err != nil {
		return nil, err
	}
	addTopics(&d.own)
	for _, path := range o.Sets {
		err := readFile(path, func(r io.Reader) error { return readSets(r, path, o.Bad, &d.own) })
		if err != nil {
			return nil, err
		}
	}
	for _, path := range o.MyThes {
		err := readFile(path, func(r io.Reader) error { return readMyThes(r, path, o, &d.thesaurus) })
		if err != nil {
			return nil, err
		}
	}
	if o.WordNet != "" {
		if err := readWordNet(os.DirFS(o.WordNet), o.WordNet, o, &d.thesaurus); err != nil {
			return nil, err
		}
	}
	return d, nil
}

func readFile(path string, read func(io.Reader) error) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open dictionary: %w", err)
	}
	defer f.Close()
	if err := read(f); err != nil {
		return fmt.Errorf("read dictionary %s: %w", path, err)
	}
	return nil
}

// Synonyms returns the terms that mean the same as a word or a phrase, without the term itself.
// Those of sets come first; at most MaxSynonyms are returned. A term that is not found as written
// is looked up by stem: the synonyms of "deadlines" are those of "deadline". A nil Dictionary has
// none.
func (d *Dictionary) Synonyms(term string) []string {
	if d == nil {
		return nil
	}
	found := d.own.lookup(term)
	for _, s := range d.thesaurus.lookup(term) {
		if !slices.Contains(found, s) {
			found = append(found, s)
		}
	}
	return found[:min(len(found), MaxSynonyms)]
}

// SameNames returns the names that mean the same as a term by the built-in and the operator's sets, the
// term included, in alphabetical order. All terms of a set get the same result. It returns nil for
// a term in no set, like a nil Dictionary.
func (d *Dictionary) SameNames(term string) []string {
	if d == nil {
		return nil
	}
	key, ok := d.own.keyOf(term)
	if !ok {
		return nil
	}
	names := append([]string{key}, d.own.synonyms[key]...)
	slices.Sort(names)
	return slices.Compact(names)
}

// Words returns the words and numbers of a text like features.Words, but also stems words in Greek
// letters. The argument lang is the ISO 639-1 code of the text's language.
func Words(text, lang string) iter.Seq[features.Word] {
	return func(yield func(features.Word) bool) {
		for w := range features.Words(text, lang) {
			if isGreek(w.Text) {
				w.Stem = stemGreek(w.Text)
			}
			if !yield(w) {
				return
			}
		}
	}
}

// Stem returns the stem of a word in language lang, the same as Words returns.
func Stem(word, lang string) string {
	word = strings.ToLower(word)
	if isGreek(word) {
		return stemGreek(word)
	}
	return features.StemIn(word, lang)
}
