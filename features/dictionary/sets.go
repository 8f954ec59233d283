package dictionary

import (
	_ "embed"
	"fmt"
	"io"
	"strings"

	"eventseer/internal/lines"
)

// builtIn are our own sets of terms of calls for papers.
//
//go:embed cfp.txt
var builtIn string

// maxSet is how many terms a set has at most.
const maxSet = MaxSynonyms + 1

// readSets adds the sets of a file: a set a line, its terms parted by commas.
func readSets(r io.Reader, name string, bad func(error), t *table) error {
	in := lines.NewScanner(r, name, bad)
	for in.Next() {
		line, _, _ := strings.Cut(in.UTF8(), "#")
		if strings.TrimSpace(line) == "" {
			continue
		}
		set, err := parseSet(line)
		if err != nil {
			in.Bad(err)
			continue
		}
		for _, term := range set {
			t.add(term, set)
		}
	}
	return in.Err()
}

// parseSet returns the keys of a set's terms.
func parseSet(line string) ([]string, error) {
	terms := strings.Split(line, ",")
	if len(terms) < 2 {
		return nil, fmt.Errorf("a set of one term says nothing; part its terms by commas")
	}
	if len(terms) > maxSet {
		return nil, fmt.Errorf("a set of %d terms; at most %d", len(terms), maxSet)
	}
	set := make([]string, 0, len(terms))
	for _, term := range terms {
		key, _, n := keys(term)
		if n == 0 || n > MaxWords {
			return nil, fmt.Errorf("term %q has %d words; 1 to %d are read", strings.TrimSpace(term), n, MaxWords)
		}
		set = append(set, key)
	}
	return set, nil
}
