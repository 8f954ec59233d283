package dictionary

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/internal/lines"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
)

// Bounds of a thesaurus.
const (
	maxHeadwords = 1_000_000
	maxMeanings  = 1_000 // of a headword
)

// readMyThes adds a MyThes thesaurus from its data file; the index only repeats the headwords. The
// first line names the encoding; then come, for each headword, a line "word|n" and n lines "(part
// of speech)|term|term…". A term with a note in brackets is not a synonym: it is a broader, a
// related or an opposite term.
func readMyThes(r io.Reader, name string, o Options, t *synonymTable) error {
	in := lines.NewScanner(r, name, o.Bad)
	if !in.Next() {
		return errors.Join(errors.New("the file is empty: its first line must name an encoding"), in.Err())
	}
	decoder, err := decoderOf(in.Text())
	if err != nil {
		return err
	}
	m := myThes{in: in, decoder: decoder, senses: o.Senses, table: t}
	for m.nextLine() {
		if m.heads++; m.heads > maxHeadwords {
			return fmt.Errorf("more than %d headwords", maxHeadwords)
		}
		m.readEntry()
	}
	return in.Err()
}

// decoderOf returns the decoder of an encoding by the names that MyThes files
// use, or nil for UTF-8.
func decoderOf(name string) (*encoding.Decoder, error) {
	name = strings.ToLower(strings.TrimSpace(strings.TrimPrefix(name, "\ufeff")))
	if name == "utf-8" {
		return nil, nil
	}
	e, err := htmlindex.Get(strings.Replace(name, "microsoft-cp", "windows-", 1))
	if err != nil {
		return nil, fmt.Errorf("the first line %.40q does not name an encoding: is this the .dat file?", name)
	}
	return e.NewDecoder(), nil
}

// A myThes is a thesaurus being read.
type myThes struct {
	in      *lines.Scanner
	decoder *encoding.Decoder
	senses  int
	table   *synonymTable
	heads   int
	line    string
	again   bool // line was read in advance and must still be processed
}

func (m *myThes) nextLine() bool {
	if m.again {
		m.again = false
		return true
	}
	if !m.in.Next() {
		return false
	}
	m.line = m.in.Text()
	if m.decoder != nil {
		m.line, _ = m.decoder.String(m.line)
	}
	m.line = strings.ToValidUTF8(m.line, "\ufffd")
	return true
}

// readEntry reads the entry that begins at the last line.
func (m *myThes) readEntry() {
	if strings.TrimSpace(m.line) == "" {
		return
	}
	head, count, _ := strings.Cut(m.line, "|")
	n, err := strconv.Atoi(strings.TrimSpace(count))
	if err != nil || n < 1 || n > maxMeanings || strings.HasPrefix(head, "(") {
		m.in.ReportBad(fmt.Errorf("%.60q is not an entry \"word|number of meanings\"", m.line))
		return
	}
	taken := make(map[string]int) // number of senses used so far, by part of speech
	var synonyms []string
	for range n {
		if !m.nextLine() {
			break
		}
		fields := strings.Split(m.line, "|")
		_, notCount := strconv.Atoi(fields[len(fields)-1])
		if len(fields) > 1 && notCount == nil && !strings.HasPrefix(m.line, "(") && fields[0] != "-" {
			m.in.ReportBad(fmt.Errorf("entry %.60q has fewer than the %d meanings that it announces", head, n))
			m.again = true
			break
		}
		if taken[fields[0]]++; taken[fields[0]] <= m.senses {
			synonyms = append(synonyms, keysWithoutNote(fields[1:])...)
		}
	}
	m.table.addSynonyms(head, synonyms)
}

// keysWithoutNote returns the keys of the terms without a note.
func keysWithoutNote(terms []string) []string {
	var out []string
	for _, term := range terms {
		if strings.HasSuffix(strings.TrimSpace(term), ")") {
			continue
		}
		if key, _, n := wordAndStemKeys(term); n > 0 && n <= MaxWords {
			out = append(out, key)
		}
	}
	return out
}
