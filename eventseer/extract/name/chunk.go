package name

import (
	"unicode"
	"unicode/utf8"
)

// A separator is the strongest separator between a chunk and the previous one.
type separator uint8

const (
	space    separator = iota // only white space, or a mark of no weight
	comma                     // a comma or an equivalent mark
	closing                   // a closing bracket
	opening                   // an opening bracket
	atSign                    // @
	sentence                  // end of a sentence
	hard                      // a separator of titles: | – : •
)

// A chunkForm is a set of bits that describe how a chunk is written.
type chunkForm uint8

const (
	capital      chunkForm = 1 << iota // begins with a capital or a digit
	lower                              // begins with a small letter
	year                               // is a year from 1980 to 2099
	digits                             // contains a digit
	innerCapital                       // contains a capital after its first letter
	allCapitals                        // consists of two or more capitals
	ideo                               // contains an ideograph or a letter of a script without capitals
)

// A chunk is a word including the marks inside it, such as "RDX'27" or "e-mail".
type chunk struct {
	from, to int // bytes [from, to) of the text
	gap      separator
	form     chunkForm
	inDate   bool   // is part of a full date
	hash     uint32 // hash of the letters in lower case and the digits
	shape    uint32 // the same hash with every digit replaced by 0
	letters  int    // number of letters and digits
	starts   uint64 // bit set of its first letter and its capitals, see bitOf
	all      uint64 // bit set of all its letters
}

// bitOf returns one of 64 bits for a letter, equal for upper and lower case.
func bitOf(r rune) uint64 { return 1 << (uint(unicode.ToUpper(r)) & 63) }

func (c chunk) hasForm(f chunkForm) bool { return c.form&f != 0 }

const maxChunks = 400 // chunks per text

// separatorOf returns the gap that mark r makes. before and behind mean that white space, or the start or end of
// the text, is before or after the mark.
func separatorOf(r rune, before, behind bool) separator {
	switch r {
	case '|', '·', '•', '»', '«', '｜', '：', '【', '】', '「', '」', '『', '』', '→', '›', '‹', '★', '▶', '—', '〜', '～':
		return hard
	case '–', '-', '―', '−', '~', ':', '/', ';':
		if behind && (before || r != '-' && r != '/') || r == '–' && before {
			return hard
		}
	case ',', '、', '，', '；':
		return comma
	case '(', '[', '（', '{':
		return opening
	case ')', ']', '）', '}':
		return closing
	case '@':
		return atSign
	case '.', '!', '?', '。', '！', '？', '…':
		if behind || r >= utf8.RuneSelf {
			return sentence
		}
	}
	return space
}

// isInsideChunk reports whether r between two letters or digits is part of a chunk.
func isInsideChunk(r rune) bool {
	switch r {
	case '\'', '’', '‘', '&', '+', '-', '.', '/', '_', '‐', '‑', '×':
		return true
	}
	return false
}

// splitChunks divides a text into chunks, at most maxChunks.
func (d *document) splitChunks(s string) []chunk {
	cs := splitChunks(d.memory.split[:0], s)
	d.memory.split = cs
	kept := d.memory.chunks.allocate(len(cs))
	copy(kept, cs)
	return kept
}

// splitChunks appends the chunks of s to out, at most maxChunks.
func splitChunks(out []chunk, s string) []chunk {
	pending := space
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !isInWord(r) {
			if r != ' ' {
				pending = max(pending, separatorAt(s, i, r, n))
			}
			i += n
			continue
		}
		end := wordEnd(s, i)
		c := readChunk(s, i, end)
		c.gap = pending
		if pending == sentence && len(out) > 0 && !endsSentence(s, out[len(out)-1]) {
			c.gap = space
		}
		if len(out) == maxChunks {
			return out
		}
		out = append(out, c)
		pending = space
		i = end
	}
	return out
}

// separatorAt returns the gap made by mark r, which is n bytes long, at s[i].
func separatorAt(s string, i int, r rune, n int) separator {
	return separatorOf(r, i == 0 || isBlank(s[:i]), i+n >= len(s) || startsBlank(s[i+n:]))
}

// separatorBefore returns the gap between chunk k of s and the previous chunk.
func separatorBefore(s string, cs []chunk, k int) separator {
	pending, i := space, 0
	if k > 0 {
		i = cs[k-1].to
	}
	for i < cs[k].from {
		r, n := utf8.DecodeRuneInString(s[i:])
		pending = max(pending, separatorAt(s, i, r, n))
		i += n
	}
	if pending == sentence && k > 0 && !endsSentence(s, cs[k-1]) {
		return space
	}
	return pending
}

// endsSentence reports whether a full stop after chunk c ends a sentence. It does not after an initial, a
// short word or a number other than a year.
func endsSentence(s string, c chunk) bool {
	next, _ := utf8.DecodeRuneInString(s[c.to:])
	return next != '.' || c.letters > 3 && !c.hasForm(digits) || c.hasForm(year)
}

func isInWord(r rune) bool {
	return r < utf8.RuneSelf && (r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9') ||
		r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r))
}

func isBlank(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return unicode.IsSpace(r)
}

func startsBlank(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsSpace(r)
}

// wordEnd returns the end of the chunk that begins at byte i.
func wordEnd(s string, i int) int {
	end := i
	for end < len(s) {
		r, n := utf8.DecodeRuneInString(s[end:])
		if isInWord(r) {
			end += n
			continue
		}
		if !isInsideChunk(r) || end+n >= len(s) {
			break
		}
		next, _ := utf8.DecodeRuneInString(s[end+n:])
		if r == '+' && !isInWord(next) {
			for end < len(s) && s[end] == '+' {
				end++
			}
			break
		}
		if !isInWord(next) {
			break
		}
		end += n
	}
	if end < len(s) && s[end] == '+' {
		for end < len(s) && s[end] == '+' {
			end++
		}
	}
	return end
}

const (
	fnvOffset = 2166136261
	fnvPrime  = 16777619
)

func readChunk(s string, from, to int) chunk {
	c := chunk{from: from, to: to, hash: fnvOffset, shape: fnvOffset}
	upper, small, first := 0, 0, true
	number, numbers := 0, true
	for i := from; i < to; {
		if b := s[i]; b|0x20 >= 'a' && b|0x20 <= 'z' { // a faster path for ASCII letters, equal to the code below
			i++
			bit := uint64(1) << (b &^ 0x20 & 63)
			c.all |= bit
			if b >= 'a' {
				if small++; first {
					c.form |= lower
					c.starts |= bit
				}
			} else {
				c.starts |= bit
				if upper++; first {
					c.form |= capital
				} else {
					c.form |= innerCapital
				}
			}
			numbers, first = false, false
			c.letters++
			c.hash = (c.hash ^ uint32(b|0x20)) * fnvPrime
			c.shape = (c.shape ^ uint32(b|0x20)) * fnvPrime
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		i += n
		switch {
		case r >= '0' && r <= '9':
			c.form |= digits
			number = min(number*10+int(r-'0'), 1_000_000)
			if first {
				c.form |= capital // an ordinal or another number may begin a name
			}
		case unicode.IsUpper(r):
			if upper++; first {
				c.form |= capital
			} else {
				c.form |= innerCapital
			}
			numbers = false
		case unicode.IsLower(r):
			if small++; first {
				c.form |= lower
			}
			numbers = false
		case unicode.IsLetter(r):
			c.form |= ideo | capital
			numbers = false
		case unicode.IsNumber(r):
			c.form |= digits
		default:
			if r != '\'' && r != '’' {
				numbers = false
			}
			continue
		}
		if unicode.IsLetter(r) {
			bit := bitOf(r)
			if c.all |= bit; first || unicode.IsUpper(r) {
				c.starts |= bit
			}
		}
		first = false
		c.letters++
		l := unicode.ToLower(r)
		c.hash = (c.hash ^ uint32(l)) * fnvPrime
		if unicode.IsDigit(r) {
			l = '0'
		}
		c.shape = (c.shape ^ uint32(l)) * fnvPrime
	}
	if upper >= 2 && small == 0 {
		c.form |= allCapitals
	}
	if numbers && c.letters == 4 && number >= 1980 && number < 2100 {
		c.form |= year
	}
	return c
}

// markDates sets dated for the chunks that overlap one of dates, which are ranges of bytes.
func markDates(cs []chunk, dates [][2]int) {
	for _, d := range dates {
		for i := range cs {
			if cs[i].from < d[1] && cs[i].to > d[0] {
				cs[i].inDate = true
			}
		}
	}
}
