package datasets

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/eventseer/eventseer/features"
)

// The table is made from the source, whose lines are sorted already, by
//
//	gzip -cd ../shared/corpora/newsgroups/vocab_df_stem.tsv.gz | gzip -9n > datasets/newsgroups.tsv.gz
//
//go:embed newsgroups.tsv.gz
var newsgroupsTable []byte

// maxNewsgroups is the largest size of the decompressed table, in bytes.
const maxNewsgroups = 4 << 20

// Newsgroups returns the document frequencies of the 20 Newsgroups corpus by English stem. They are the
// reference vocabulary of paper 002, section 3.1.2 (Lang 1995; 19,997 messages, bodies only). It is
// decoded at the first call and shared by all callers. It is safe for concurrent use.
func Newsgroups() (*features.DocumentFrequencies, error) { return newsgroups() }

var newsgroups = sync.OnceValues(func() (*features.DocumentFrequencies, error) {
	return unpackTable("20 newsgroups", newsgroupsTable, maxNewsgroups, features.ReadDocumentFrequencies)
})

// unpackTable decompresses an embedded table of at most limit bytes and parses it with read.
func unpackTable[T any](name string, packed []byte, limit int64, read func(io.Reader) (*T, error)) (*T, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	table, err := read(io.LimitReader(z, limit))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return table, nil
}

//go:embed disciplines.txt
var disciplinesText string

// A TopicList is a list of topics from one part of a discipline, as in a call for papers.
type TopicList struct {
	Discipline string
	Topics     string // separated by commas
}

// Disciplines returns several lists of topics for each discipline, written for this project. The
// classifier of disciplines is trained on them and on pages, because most disciplines have too few sites.
func Disciplines() []TopicList {
	var lists []TopicList
	discipline := ""
	for line := range strings.Lines(disciplinesText) {
		line = strings.TrimSpace(line)
		switch name, isName := strings.CutPrefix(line, "["); {
		case line == "" || line[0] == '#':
		case isName:
			discipline = strings.TrimSuffix(name, "]")
		default:
			lists = append(lists, TopicList{discipline, line})
		}
	}
	return lists
}
