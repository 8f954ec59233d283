package features

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/internal/text"

	uax29 "github.com/clipperhouse/uax29/v2/words"
)

// A token is a word or a number of a text.
type token struct {
	word   *word // nil for a number
	number int   // value of a number, -1 beyond four digits
	joined bool  // a number that follows another one after a single /, - or .
}

// A tokenizer splits texts at Unicode word boundaries (UAX #29), and those words into runs of letters and
// runs of digits. It is not safe for concurrent use.
//
// UAX #29 does not divide runs of Chinese, Japanese and Korean text into words. They are read as the
// longest words in the glossary, and otherwise character by character. With the pairs that vocabularies
// may add, these are the unigrams and bigrams that are as good for retrieval in these languages as true
// words (Nie, Gao, Zhang and Zhou 2000).
type tokenizer struct {
	language    language // of words in Latin letters
	buf         []byte
	afterNumber bool // the last token is a number
	gap         int  // text since the last token: 1 for a single /, - or .
	pending     []pendingToken
}

// forEachToken calls f for every token of s. The words of an ASCII text are its runs of letters. Other texts
// are divided at spaces, where UAX #29 always has a boundary, so that only a few parts need its rules.
func (z *tokenizer) forEachToken(s string, f func(token)) {
	z.afterNumber = false
	for s != "" {
		n := text.ASCIILength(s)
		if n < len(s) {
			n = strings.LastIndexByte(s[:n], ' ') + 1
		}
		z.readASCII(s[:n], f)
		s = s[n:]
		if s != "" {
			s = s[z.readPart(s, f):]
		}
	}
}

// A pendingToken is a token of a text. If isPlain is set, its word is to be found.
type pendingToken struct {
	token
	isPlain  bool
	set, tag uint32 // where the word is in the lexicon
	start    int    // in the text
	spelling spelling
}

// maxPending is the number of tokens whose words are found together.
const maxPending = 64

// readASCII reads the tokens of an ASCII text. The words of many tokens are found together, because the
// processor can wait for many places in memory at the same time.
func (z *tokenizer) readASCII(s string, f func(token)) {
	note := func(t token) { z.pending = append(z.pending, pendingToken{token: t}) }
	for i := 0; i < len(s); {
		if s[i] == ' ' { // as usually between words, see readToken
			z.gap += 2
			i++
			continue
		}
		if c, ok := spellingAt(s[i:], z.language); ok {
			z.afterNumber = false
			set, tag := known.setFor(&c)
			z.pending = append(z.pending, pendingToken{isPlain: true, set: set, tag: tag, start: i, spelling: c})
			i += int(c.length)
		} else {
			i += z.readToken(s[i:], len(s)-i, note)
		}
		if len(z.pending) >= maxPending {
			z.findPending(s, f)
		}
	}
	z.findPending(s, f)
}

// findPending finds the words of the pending tokens of s and calls f for each token. Each step is a loop of
// its own, so that it does not wait for the one before.
func (z *tokenizer) findPending(s string, f func(token)) {
	for i := range z.pending {
		known[z.pending[i].set].hashes[0].Load() // brings the set into the cache
	}
	for i := range z.pending {
		if t := &z.pending[i]; t.isPlain {
			t.word = known[t.set].wordWith(t.tag)
		}
	}
	for i := range z.pending {
		if t := &z.pending[i]; t.isPlain && !t.word.isSpelled(&t.spelling) {
			t.word, _ = z.readWord(s[t.start:])
		}
	}
	for i := range z.pending {
		t := &z.pending[i]
		if !t.isPlain {
			f(t.token)
			continue
		}
		t.word.readAs(func(w *word) { f(token{word: w}) })
	}
	z.pending = z.pending[:0]
}

// readPart reads the tokens of s until the first space and returns their length.
func (z *tokenizer) readPart(s string, f func(token)) int {
	part := len(s)
	if i := strings.IndexByte(s, ' '); i >= 0 {
		part = i
	}
	end := 0 // end of the text read so far
	it := uax29.FromString(s[:part])
	for it.Next() {
		for i := max(it.Start(), end); i < it.End(); {
			i += z.readToken(s[i:], it.End()-i, f)
			end = i
		}
	}
	return max(end, part)
}

// readToken reads the token at the beginning of s and returns its length. It reads at most n bytes, except for
// words of the eastern glossary.
func (z *tokenizer) readToken(s string, n int, f func(token)) int {
	c := s[0]
	switch {
	case c >= '0' && c <= '9':
		end := 1
		for end < n && s[end] >= '0' && s[end] <= '9' {
			end++
		}
		f(token{number: valueOf(s[:end]), joined: z.afterNumber && z.gap <= 1})
		z.afterNumber, z.gap = true, 0
		return end
	case c >= utf8.RuneSelf:
		if size := z.readEastern(s, f); size > 0 {
			return size
		}
	case !isASCIILetter(c):
		if c != '/' && c != '-' && c != '.' {
			z.gap++ // any other character separates numbers
		}
		z.gap++
		return 1
	}
	z.afterNumber = false
	w, size := z.readWord(s[:n])
	if w != nil {
		w.readAs(func(w *word) { f(token{word: w}) })
	}
	return size
}

// readWord returns the word at the beginning of s, and its length in s. If it is too long, or if s begins
// with something else, it returns nil.
func (z *tokenizer) readWord(s string) (*word, int) {
	if c, ok := spellingAt(s, z.language); ok {
		if w := known.find(&c, nil); w != nil {
			return w, int(c.length)
		}
	}
	size := z.readLetters(s)
	switch {
	case size == 0:
		_, size = utf8.DecodeRuneInString(s)
		return nil, size
	case len(z.buf) > maxWord:
		return nil, size
	}
	return known.lookUp(z.buf, z.languageOf(z.buf)), size
}

// spellingAt returns the spelling of the word of language l at the beginning of s. It is ok if the word consists
// of at most packedBytes ASCII letters; it then equals the spelling of what readLetters puts into z.buf.
func spellingAt(s string, l language) (c spelling, ok bool) {
	head, n := firstLetters(firstBytes(s))
	c.head, c.language = head, l
	if n == 8 {
		tail, more := firstLetters(firstBytes(s[8:]))
		c.tail = tail
		n += more
	}
	c.length = uint8(n)
	return c, n > 0 && (n == len(s) || s[n] < utf8.RuneSelf && s[n] != '\'' && !isASCIILetter(s[n]))
}

// languageOf returns the language in which a word is read: that of its script, or of the text.
func (z *tokenizer) languageOf(w []byte) language {
	switch w[0] {
	case 0xD0, 0xD1, 0xD2, 0xD3: // U+0400 to U+04FF in UTF-8
		return russian
	case 0xCE, 0xCF: // U+0380 to U+03FF
		return greek
	}
	return z.language
}

// readEastern reads the Chinese, Japanese or Korean word or character at the beginning of s. It returns its
// length, 0 if there is none.
func (z *tokenizer) readEastern(s string, f func(token)) int {
	r, size := utf8.DecodeRuneInString(s)
	if r < 0x3000 || r >= 0xD7B0 {
		return 0
	}
	if z.afterNumber {
		switch r {
		case '年', '月', '日', '년', '월', '일':
			z.gap = -1 // 2026年5月1日 is one date, with or without spaces
			return size
		}
	}
	if w := eastern().longestWord(s, r); w != nil {
		z.afterNumber = false
		w.readAs(func(w *word) { f(token{word: w}) })
		return len(w.text)
	}
	if isKana := r >= 0x3041 && r < 0x3100; isKana && r >= 0x30A0 || !isKana && !unicode.IsLetter(r) {
		return 0 // Katakana is read in whole words
	} else if !isKana {
		f(token{word: known.lookUp([]byte(s[:size]), unknown)})
	}
	z.afterNumber = false
	return size
}

// readLetters puts the run of letters at the start of s into z.buf in lower case
// and returns its length in s.
func (z *tokenizer) readLetters(s string) int {
	z.buf = z.buf[:0]
	i := 0
	for i < len(s) {
		c := s[i]
		if isASCIILetter(c) {
			z.buf = append(z.buf, c|0x20)
			i++
			continue
		}
		if c == '\'' && i > 0 && i+1 < len(s) && isASCIILetter(s[i+1]) {
			z.buf = append(z.buf, c)
			i++
			continue
		}
		if c < utf8.RuneSelf {
			break
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case unicode.IsLetter(r):
			z.buf = utf8.AppendRune(z.buf, unicode.ToLower(r))
		case r == '\u2019' && i > 0 && i+n < len(s):
			z.buf = append(z.buf, '\'')
		case !unicode.Is(unicode.M, r) || i == 0:
			return i
		default:
			z.buf = utf8.AppendRune(z.buf, r)
		}
		i += n
	}
	return i
}

func isASCIILetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// valueOf returns the value of up to four digits, else -1.
func valueOf(digits string) int {
	if len(digits) > 4 {
		return -1
	}
	v := 0
	for i := range len(digits) {
		v = 10*v + int(digits[i]-'0')
	}
	return v
}

// isYear reports whether a number is read as a year.
func isYear(n int) bool { return n >= firstYear && n <= lastYear }

// Years that are recognized on pages.
const (
	firstYear = 1980
	lastYear  = 2043
)
