package features

import (
	"embed"
	"strings"
	"sync"
	"unicode/utf8"
)

// Calls in languages that are rare in the training pages are judged by translated words. Important
// words are read as their English translations, in vocabularies as well as in structure features.
// Translating only the terms that matter to a class was proposed by Bel, Koster and Villegas,
// "Cross-lingual text categorization", ECDL 2003.

// A glossary maps lower-case words and their stems to English words.
type glossary struct {
	words, stems map[string][]string
}

// The tables, and the English words in them, which other languages also use unchanged. Each is made when
// it is first needed, since most commands read no page.
var (
	meanings  = sync.OnceValue(makeGlossaries)
	loanWords = sync.OnceValue(makeLoanWords)
	// Chinese, in both scripts, Japanese and Korean
	eastern = sync.OnceValue(func() easternGlosses { return makeEastern(readGlossary("eastern")) })
)

func makeGlossaries() *[numLanguages]glossary {
	all := new([numLanguages]glossary)
	for l, list := range glossaries {
		g := glossary{make(map[string][]string), make(map[string][]string)}
		forEachTranslation(list, func(word string, english []string) {
			g.words[withoutDiacritics(word)] = english
		})
		forEachTranslation(list, func(word string, english []string) { // the first form of a stem is used
			if stem := withoutDiacritics(stemOf(word, language(l))); g.stems[stem] == nil {
				g.stems[stem] = english
			}
		})
		all[l] = g
	}
	return all
}

// forEachTranslation calls f for each word of a list and its translations.
func forEachTranslation(list string, f func(word string, english []string)) {
	for line := range strings.Lines(strings.TrimSpace(list)) {
		meaning, words, _ := strings.Cut(line, ":")
		english := strings.Fields(meaning)
		for _, w := range strings.Fields(words) {
			f(w, english)
		}
	}
}

func makeLoanWords() map[string]bool {
	set := make(map[string]bool)
	for _, list := range glossaries {
		forEachTranslation(list, func(_ string, english []string) {
			for _, w := range english {
				set[w] = true
			}
		})
	}
	return set
}

// translationsOf returns the English translations of a word of language l, or nil.
func (l language) translationsOf(word string) []string {
	if english := meanings()[l].words[withoutDiacritics(word)]; english != nil {
		return english
	}
	return meanings()[l].stems[withoutDiacritics(stemOf(word, l))]
}

// easternGlosses finds words in a text without spaces.
type easternGlosses struct {
	words   map[string]*word
	longest map[rune]int // length in bytes of the longest word, by first rune
}

func makeEastern(list string) easternGlosses {
	e := easternGlosses{make(map[string]*word), make(map[rune]int)}
	forEachTranslation(list, func(s string, means []string) {
		e.words[s] = translatedWord(s, unknown, means)
		r, _ := utf8.DecodeRuneInString(s)
		e.longest[r] = max(e.longest[r], len(s))
	})
	return e
}

// longestWord returns the longest word at the beginning of s, or nil. r is the first rune of s.
func (e easternGlosses) longestWord(s string, r rune) *word {
	for n := min(e.longest[r], len(s)); n > 0; n-- {
		if w := e.words[s[:n]]; w != nil {
			return w
		}
	}
	return nil
}

// glossaries translate the words for calls, dates, people and sites into English. A line has the
// English words, a colon, and their translations. Forms with a common stem are listed once. Words
// that are plural in English (papers, submissions) are plural here too, so that phrases match.
var glossaries = [numLanguages]string{
	german:     readGlossary("german"),
	french:     readGlossary("french"),
	spanish:    readGlossary("spanish"),
	portuguese: readGlossary("portuguese"),
	italian:    readGlossary("italian"),
	dutch:      readGlossary("dutch"),
	russian:    readGlossary("russian"),
	greek:      readGlossary("greek"),
	turkish:    readGlossary("turkish"),
	polish:     readGlossary("polish"),
	czech:      readGlossary("czech"),
	catalan:    readGlossary("catalan"),
	swedish:    readGlossary("swedish"),
	hungarian:  readGlossary("hungarian"),
	romanian:   readGlossary("romanian"),
	indonesian: readGlossary("indonesian"),
}

//go:embed glossary
var glossaryFiles embed.FS

func readGlossary(name string) string {
	list, err := glossaryFiles.ReadFile("glossary/" + name + ".txt")
	if err != nil {
		panic(err) // the file is included in the program
	}
	return string(list)
}
