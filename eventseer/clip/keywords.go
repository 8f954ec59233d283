package clip

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/features/dictionary"
	"github.com/eventseer/eventseer/internal/lines"
)

// Limits on the lists of keywords.
const (
	MaxTerms = 20_000 // terms of all lists together
	MaxLists = 1_000
)

// A List holds the keywords of one interest.
type List struct {
	// Name is the name of the list in clips. It is "" for terms of a file before its first name.
	Name string
	// Terms are words and phrases of at most dictionary.MaxWords words.
	Terms []string
	// Not are words and phrases; a passage that contains one is not a clip of the list.
	Not []string
	// Exact matches the words as written, ignoring case, instead of all words of their stems.
	Exact bool
	// NoSynonyms leaves synonyms of the terms out.
	NoSynonyms bool
}

// ReadFile reads the lists of a file, see ReadLists.
func ReadFile(path string, bad func(error)) ([]List, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open keywords: %w", err)
	}
	defer f.Close()
	return ReadLists(f, path, bad)
}

// ReadLists reads lists of keywords, one term per line:
//
//	# a comment
//	call for papers
//	-past events             excludes
//	[databases] exact        begins a list; after its name "exact" (no stems)
//	query optimisation       and "no-synonyms" may follow
//
// If bad is not nil, it is called for each invalid line with an error that names file and line; the other
// lines are used. ReadLists returns an error if the file cannot be read or has no term.
func ReadLists(r io.Reader, name string, bad func(error)) ([]List, error) {
	in := lines.NewScanner(r, name, bad)
	var f listFile
	for in.Next() {
		line := in.TrimmedText()
		if line == "" || line[0] == '#' {
			continue
		}
		if err := f.readLine(line); err != nil {
			in.ReportBad(err)
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("read keywords: %w", err)
	}
	if !slices.ContainsFunc(f.lists, func(l List) bool { return len(l.Terms) > 0 }) {
		return nil, fmt.Errorf("read keywords: %s has no term; write one word or phrase per line", name)
	}
	return f.lists, nil
}

// A listFile is a file of lists being read.
type listFile struct {
	lists []List
	terms int
	lost  bool // the lines belong to a list whose name was invalid
}

func (f *listFile) readLine(s string) error {
	if s[0] == '[' {
		l, err := parseHead(s)
		if err == nil && len(f.lists) >= MaxLists {
			err = fmt.Errorf("more than %d lists", MaxLists)
		}
		if f.lost = err != nil; f.lost {
			return fmt.Errorf("%w; the list is left out", err)
		}
		f.lists = append(f.lists, l)
		return nil
	}
	if f.lost {
		return nil
	}
	term, not := strings.CutPrefix(s, "-")
	if err := checkTerm(term); err != nil {
		return err
	}
	if f.terms >= MaxTerms {
		return fmt.Errorf("more than %d terms", MaxTerms)
	}
	if len(f.lists) == 0 {
		f.lists = append(f.lists, List{})
	}
	l := &f.lists[len(f.lists)-1]
	f.terms++
	if term = strings.TrimSpace(term); not {
		l.Not = append(l.Not, term)
	} else {
		l.Terms = append(l.Terms, term)
	}
	return nil
}

// parseHead reads "[name] option…".
func parseHead(s string) (List, error) {
	name, options, ok := strings.Cut(s[1:], "]")
	l := List{Name: strings.TrimSpace(name)}
	if !ok || l.Name == "" {
		return l, fmt.Errorf("%.60q does not name a list; write [name]", s)
	}
	for _, o := range strings.Fields(options) {
		switch o {
		case "exact":
			l.Exact = true
		case "no-synonyms":
			l.NoSynonyms = true
		default:
			return l, fmt.Errorf("unknown option %.30q of list %.60q; the options are exact and no-synonyms", o, l.Name)
		}
	}
	return l, nil
}

// checkTerm returns an error for an invalid term. One with a single letter is invalid: of "C++"
// only the letter would be searched.
func checkTerm(term string) error {
	n, longest := 0, 0
	for w := range dictionary.Words(term, "") {
		n++
		longest = max(longest, len(w.Text))
	}
	switch {
	case n == 0:
		return fmt.Errorf("term %.60q has no word", term)
	case n > dictionary.MaxWords:
		return fmt.Errorf("term %.60q has %d words, more than the maximum of %d", term, n, dictionary.MaxWords)
	case longest < 2:
		return errors.New("a single letter or digit cannot be a keyword")
	}
	return nil
}

// checkLists returns an error if the lists exceed the limits or contain an invalid term.
func checkLists(lists []List) error {
	n := 0
	for _, l := range lists {
		for _, term := range slices.Concat(l.Terms, l.Not) {
			if err := checkTerm(term); err != nil {
				return fmt.Errorf("list %q: %w", l.Name, err)
			}
			n++
		}
	}
	if n > MaxTerms || len(lists) > MaxLists {
		return fmt.Errorf("there are %d lists with %d terms; at most %d lists and %d terms are allowed", len(lists), n, MaxLists, MaxTerms)
	}
	return nil
}
