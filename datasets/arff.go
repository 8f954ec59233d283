package datasets

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of ARFF files, in addition to those of all files of vectors.
const (
	maxAttributes = 1 << 20
	maxNominals   = 1 << 20 // values of all nominal attributes
)

// attributeType is the type of an attribute.
type attributeType int

const (
	numeric attributeType = iota
	nominal
	text
)

// An arffAttribute is one column of an ARFF file.
type arffAttribute struct {
	name   string
	kind   attributeType
	values []string // of a nominal one
}

// An arffReader reads an ARFF file (Witten, Frank and Hall: Data Mining, section 2.4; Weka's manual,
// chapter 9). It reads the header first, then one row per call.
type arffReader struct {
	lineReader
	attributes []arffAttribute
	nominals   int
	lex        lexer
	cells      []arffCell
}

// An arffCell is one value of a row, valid until the next row is read.
type arffCell struct {
	attribute int
	text      []byte
	missing   bool
}

// readLine reads the next line that holds more than a comment, and puts it into a.lex.
func (a *arffReader) readLine() error {
	for {
		line, err := a.next()
		if err != nil {
			return err
		}
		if !utf8.Valid(line) {
			return a.at.errorf(ErrFormat, "the line is not UTF-8: convert the file first (iconv -f LATIN1 -t UTF-8)")
		}
		a.lex = lexer{rest: line, at: a.at}
		if a.lex.skipSeparators() {
			return nil
		}
	}
}

// readHeader reads the file up to the line @data.
func (a *arffReader) readHeader() error {
	seen := map[string]bool{}
	for {
		if err := a.readLine(); errors.Is(err, io.EOF) {
			return a.at.errorf(ErrFormat, "no @data line: is this an ARFF file?")
		} else if err != nil {
			return err
		}
		keyword, err := a.lex.nextWord()
		if err != nil {
			return err
		}
		switch strings.ToLower(string(keyword.text)) {
		case "@relation":
		case "@data":
			if len(a.attributes) == 0 {
				return a.at.errorf(ErrFormat, "@data before any @attribute")
			}
			return nil
		case "@attribute":
			attr, err := a.parseAttribute()
			switch {
			case err != nil:
				return err
			case seen[attr.name]:
				return a.at.errorf(ErrFormat, "attribute %q is declared twice: rename one", attr.name)
			case len(a.attributes) == maxAttributes:
				return a.at.errorf(ErrTooLarge, "more than %d attributes", maxAttributes)
			}
			seen[attr.name] = true
			a.attributes = append(a.attributes, attr)
		default:
			return a.at.errorf(ErrFormat, "%.60q before @data is neither @relation nor @attribute", keyword.text)
		}
	}
}

// parseAttribute parses the rest of a line after @attribute.
func (a *arffReader) parseAttribute() (arffAttribute, error) {
	name, err := a.lex.nextWord()
	if err != nil {
		return arffAttribute{}, err
	}
	attr := arffAttribute{name: string(name.text)}
	if a.lex.skipPunctuation('{') {
		attr.kind = nominal
		seen := map[string]bool{}
		for !a.lex.skipPunctuation('}') {
			value, err := a.lex.nextWord()
			if err != nil {
				return attr, err
			}
			if a.nominals++; a.nominals > maxNominals {
				return attr, a.at.errorf(ErrTooLarge, "more than %d nominal values", maxNominals)
			}
			if seen[string(value.text)] {
				return attr, a.at.errorf(ErrFormat, "attribute %q names the value %.60q twice", attr.name, value.text)
			}
			attr.values = append(attr.values, string(value.text))
			seen[string(value.text)] = true
		}
		if len(attr.values) == 0 {
			return attr, a.at.errorf(ErrFormat, "attribute %q has an empty list of values", attr.name)
		}
		return attr, nil
	}
	word, err := a.lex.nextWord()
	if err != nil {
		return attr, err
	}
	switch strings.ToLower(string(word.text)) {
	case "numeric", "real", "integer":
		attr.kind = numeric
	case "string":
		attr.kind = text
	default:
		return attr, a.at.errorf(ErrFormat, "attribute %q is of type %.60q, only numeric, nominal {…} and string are read: make it one of these", attr.name, word.text)
	}
	return attr, nil
}

// readRow reads the next row. It returns all cells of a dense row, and of a sparse row those that are given.
func (a *arffReader) readRow() (cells []arffCell, sparse bool, err error) {
	if err := a.readLine(); err != nil {
		return nil, false, err
	}
	a.cells = a.cells[:0]
	if a.lex.skipPunctuation('{') {
		return a.cells, true, a.sparseRow()
	}
	for a.lex.skipSeparators() {
		if a.lex.skipPunctuation('{') {
			return nil, false, a.at.errorf(ErrFormat, "the row has a weight in braces: weights are not read, remove it")
		}
		w, err := a.lex.nextWord()
		if err != nil {
			return nil, false, err
		}
		a.cells = append(a.cells, arffCell{len(a.cells), w.text, w.isMissing()})
	}
	if len(a.cells) != len(a.attributes) {
		return nil, false, a.at.errorf(ErrFormat, "%d values for %d attributes: quote values that hold spaces, commas or quotes", len(a.cells), len(a.attributes))
	}
	return a.cells, false, nil
}

// sparseRow parses "index value, index value}", with indexes from 0, into a.cells.
func (a *arffReader) sparseRow() error {
	last := -1
	for !a.lex.skipPunctuation('}') {
		w, err := a.lex.nextWord()
		if err != nil {
			return err
		}
		i, err := strconv.Atoi(string(w.text))
		switch {
		case err != nil || i < 0 || i >= len(a.attributes):
			return a.at.errorf(ErrFormat, "%.60q is not the number of an attribute, must be 0 to %d", w.text, len(a.attributes)-1)
		case i <= last:
			return a.at.errorf(ErrOrder, "attribute %d after %d: sort the pairs of a row by attribute, each once", i, last)
		}
		if w, err = a.lex.nextWord(); err != nil {
			return err
		}
		a.cells = append(a.cells, arffCell{i, w.text, w.isMissing()})
		last = i
	}
	if a.lex.skipSeparators() {
		return a.at.errorf(ErrFormat, "%.60q after the row's closing brace: remove it", a.lex.rest)
	}
	return nil
}

// A lexer splits a line like Weka: words are separated by spaces and commas, % begins a comment, and text
// in quotes may contain anything.
type lexer struct {
	rest []byte
	at   filePosition
}

// A word is one name or value.
type word struct {
	text   []byte
	quoted bool
}

func (w word) isMissing() bool { return !w.quoted && len(w.text) == 1 && w.text[0] == '?' }

// skipSeparators skips separators and reports whether a word follows.
func (l *lexer) skipSeparators() bool {
	for len(l.rest) > 0 && (l.rest[0] <= ' ' || l.rest[0] == ',') {
		l.rest = l.rest[1:]
	}
	return len(l.rest) > 0 && l.rest[0] != '%'
}

// skipPunctuation skips c and returns true if it is the next byte.
func (l *lexer) skipPunctuation(c byte) bool {
	if !l.skipSeparators() || l.rest[0] != c {
		return false
	}
	l.rest = l.rest[1:]
	return true
}

// nextWord returns the next word.
func (l *lexer) nextWord() (word, error) {
	if !l.skipSeparators() {
		return word{}, l.at.errorf(ErrFormat, "the line ends before its row or declaration is complete")
	}
	if c := l.rest[0]; c == '\'' || c == '"' {
		return l.nextQuoted(c)
	}
	n := 0
	for n < len(l.rest) && l.rest[n] > ' ' && !bytes.ContainsRune([]byte(",{}%"), rune(l.rest[n])) {
		n++
	}
	if n == 0 {
		return word{}, l.at.errorf(ErrFormat, "%q where a name or a value was expected", l.rest[0])
	}
	w := word{text: l.rest[:n]}
	l.rest = l.rest[n:]
	return w, l.checkLength(w)
}

// nextQuoted returns the next word, which is in quotes.
func (l *lexer) nextQuoted(quote byte) (word, error) {
	w := word{quoted: true}
	b := l.rest[1:]
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == quote:
			l.rest = b[i+1:]
			return w, l.checkLength(w)
		case c == '\\' && i+1 < len(b):
			i++
			w.text = append(w.text, unescapeByte(b[i]))
		default:
			w.text = append(w.text, c)
		}
	}
	return w, l.at.errorf(ErrFormat, "a quote %c is not closed on its line: write \\%c for one inside a value", quote, quote)
}

// checkLength limits the length of names. String values are limited by the length of the line.
func (l *lexer) checkLength(w word) error {
	if len(w.text) > maxNameBytes && !w.quoted {
		return l.at.errorf(ErrTooLarge, "%.20q… has %d bytes, at most %d are read outside quotes", w.text, len(w.text), maxNameBytes)
	}
	return nil
}

func unescapeByte(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'r':
		return '\r'
	}
	return c
}

// escapeARFF is the inverse of unescape; quoteARFF adds the quotes.
var escapeARFF = strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\t", `\t`, "\r", `\r`)

func quoteARFF(s string) string {
	return "'" + escapeARFF.Replace(strings.ToValidUTF8(s, "\ufffd")) + "'"
}
