package dictionary

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/internal/lines"
)

// readWordNet adds a WordNet database (format: wndb(5WN)). data.POS holds the sets of synonyms by
// offset, index.POS the offsets of each word's senses, frequent ones first. dir is named in errors.
func readWordNet(files fs.FS, dir string, o Options, t *synonymTable) error {
	for _, pos := range [...]string{"noun", "verb", "adj", "adv"} {
		sets := make(map[string][]string)
		err := forEachLine(files, dir, "data."+pos, o.Bad, func(line string) error { return readSynset(line, sets) })
		if err != nil {
			return err
		}
		err = forEachLine(files, dir, "index."+pos, o.Bad, func(line string) error { return readLemma(line, sets, o.Senses, t) })
		if err != nil {
			return err
		}
	}
	return nil
}

// forEachLine calls read for each line of a file except those of its licence, which begin with a
// space, and reports its errors.
func forEachLine(files fs.FS, dir, name string, bad func(error), read func(line string) error) error {
	f, err := files.Open(name)
	if err != nil {
		return fmt.Errorf("open WordNet: %w", err)
	}
	defer f.Close()
	in := lines.NewScanner(f, filepath.Join(dir, name), bad)
	for in.Next() {
		line := in.Text()
		if line == "" || line[0] == ' ' {
			continue
		}
		if err := read(line); err != nil {
			in.ReportBad(err)
		}
	}
	if err := in.Err(); err != nil {
		return fmt.Errorf("read WordNet %s: %w", filepath.Join(dir, name), err)
	}
	return nil
}

// readSynset adds a line of data.POS to sets: "offset file type count" and count
// times "word id", count being hexadecimal.
func readSynset(line string, sets map[string][]string) error {
	f := strings.Fields(line)
	if len(f) < 6 {
		return errors.New("not a synset: it has fewer than 6 fields")
	}
	n, err := strconv.ParseUint(f[3], 16, 8)
	if err != nil || n == 0 || len(f) < 4+2*int(n) {
		return fmt.Errorf("not a synset: it announces %.10q words", f[3])
	}
	if n < 2 {
		return nil // the word has no synonyms
	}
	if len(sets) >= maxHeadwords {
		return fmt.Errorf("more than %d synsets", maxHeadwords)
	}
	words := make([]string, 0, n)
	for i := range int(n) {
		word, _, _ := strings.Cut(f[4+2*i], "(") // "able(p)": a predicate adjective
		if key, _, k := wordAndStemKeys(strings.ReplaceAll(word, "_", " ")); k > 0 && k <= MaxWords {
			words = append(words, key)
		}
	}
	sets[f[0]] = words
	return nil
}

// readLemma adds a line of index.POS: "word pos senses p", p pointers, "senses
// tagged", and the offsets of the senses.
func readLemma(line string, sets map[string][]string, senses int, t *synonymTable) error {
	f := strings.Fields(line)
	if len(f) < 7 {
		return errors.New("not an entry: it has fewer than 7 fields")
	}
	n, err := strconv.Atoi(f[2])
	if err != nil || n < 1 || n > len(f)-6 {
		return fmt.Errorf("not an entry: it announces %.10q senses", f[2])
	}
	var synonyms []string
	for _, offset := range f[len(f)-n:][:min(n, senses)] {
		synonyms = append(synonyms, sets[offset]...)
	}
	t.addSynonyms(strings.ReplaceAll(f[0], "_", " "), synonyms)
	return nil
}
