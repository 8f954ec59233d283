package clip

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/features/tagtree"

	"github.com/neurosnap/sentences"
	"github.com/neurosnap/sentences/english"
)

// A splitter finds the ends of sentences by the English model of Punkt (Kiss and Strunk 2006). It
// is also used for other languages with spaces between words. It is safe for concurrent use.
type splitter struct {
	tokenizer *sentences.DefaultSentenceTokenizer
}

// abbreviations of calls for papers that the model does not know.
const abbreviations = `apr approx assoc aug cf conf dec dept depts dr ed eds eng est etc feb fig fri incl inst int intl jan jul jun lab mar
	math mon nov oct pp proc prof ref refs rm sat sci sec sect sep sept str sun symp tel thu thurs tue tues univ vol vols wed`

// loadSplitter returns the shared splitter: it is read-only, and loading its model takes 10 ms.
var loadSplitter = sync.OnceValues(newSplitter)

func newSplitter() (*splitter, error) {
	t, err := english.NewSentenceTokenizer(nil)
	if err != nil {
		return nil, err
	}
	for _, a := range strings.Fields(abbreviations) {
		t.AbbrevTypes.Add(a)
	}
	t.Annotations = append(t.Annotations, fullStops{t.Storage})
	return &splitter{t}, nil
}

// fullStops is a last pass over the tokens: it corrects errors in calls of the model, which was
// trained on newspapers.
type fullStops struct{ known *sentences.Storage }

// Annotate implements sentences.AnnotateTokens.
func (f fullStops) Annotate(tokens []*sentences.Token) []*sentences.Token {
	for i := 0; i+1 < len(tokens); i++ {
		word, dotted := strings.CutSuffix(tokens[i].Tok, ".")
		if !dotted || word == "" {
			continue
		}
		next, _ := utf8.DecodeRuneInString(tokens[i+1].Tok)
		switch {
		case unicode.IsLower(next): // "et al. wrote"
			tokens[i].SentBreak = false
		case f.known.IsAbbr(strings.ToLower(strings.TrimLeft(word, `("'`))) && unicode.IsDigit(next): // "Oct. 5", "vol. 2"
			tokens[i].SentBreak = false
		case isInitial(word) && unicode.IsUpper(next): // "A. B. Smith"
			tokens[i].SentBreak = false
		case i > 0 && !tokens[i-1].SentBreak && isNumber(word) && unicode.IsUpper(next): // "on May 5. The talk"
			tokens[i].SentBreak = true
		}
	}
	return tokens
}

func isInitial(word string) bool {
	r, n := utf8.DecodeRuneInString(word)
	return n == len(word) && unicode.IsUpper(r)
}

func isNumber(word string) bool { return strings.Trim(word, "0123456789") == "" }

// maxPiece is the maximum number of bytes without a sentence end that the model reads at once. Its
// cost is linear, but text without spaces becomes one token.
const maxPiece = 32 << 10

// splitSentences appends to out the sentences of text, which begins at byte base of its
// page.
func (s *splitter) splitSentences(text string, base int, out []tagtree.Span) []tagtree.Span {
	for len(text) > 0 {
		n := pieceEnd(text)
		last := 0
		for _, end := range s.tokenizer.SentencePositions(text[:n]) {
			out = splitAtSentenceEnds(text[last:end], base+last, out)
			last = end
		}
		text, base = text[n:], base+n
	}
	return out
}

// pieceEnd returns the number of bytes of text to read at once: at most maxPiece, cut at a space if
// there is one.
func pieceEnd(text string) int {
	if len(text) <= maxPiece {
		return len(text)
	}
	if i := strings.LastIndexByte(text[:maxPiece], ' '); i > 0 {
		return i
	}
	n := maxPiece
	for n > maxPiece-utf8.UTFMax && !utf8.RuneStart(text[n]) {
		n--
	}
	return n
}

// splitAtSentenceEnds splits a sentence at signs that always end one: those of Chinese, Japanese, Arabic and
// Devanagari, of which Punkt knows few.
func splitAtSentenceEnds(s string, base int, out []tagtree.Span) []tagtree.Span {
	for {
		end := len(s)
		if i := strings.IndexAny(s, "。！？؟۔।"); i >= 0 {
			_, n := utf8.DecodeRuneInString(s[i:])
			end = i + n
		}
		if trimmed := strings.TrimSpace(s[:end]); trimmed != "" {
			from := base + strings.Index(s[:end], trimmed)
			out = append(out, tagtree.Span{Start: from, End: from + len(trimmed)})
		}
		if end == len(s) {
			return out
		}
		s, base = s[end:], base+end
	}
}

// wrapped is the minimum length of a wrapped line, in bytes.
const wrapped = 55

// forEachTextRun calls f with ranges of blocks of continuous text: single blocks, or the wrapped lines of a
// paragraph of plain text.
func forEachTextRun(blocks []tagtree.Block, r tagtree.Range, f func(from, to int)) {
	for from := r.Start; from < r.End; {
		to := from + 1
		for to < r.End && isContinuous(blocks[to-1], blocks[to]) {
			to++
		}
		f(from, to)
		from = to
	}
}

func isContinuous(a, b tagtree.Block) bool {
	if a.Kind != tagtree.Line || b.Kind != tagtree.Line || a.Path != b.Path || len(a.Text) < wrapped || !hasWords(a.Text) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(b.Text)
	return !strings.HasSuffix(a.Text, ":") && (unicode.IsLetter(r) || strings.ContainsRune(`("'“`, r))
}
