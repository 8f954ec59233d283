package crawler

import (
	"math/bits"
	"strings"

	"github.com/eventseer/eventseer/webgraph"
)

// A textFingerprints holds the fingerprints by which texts are compared, computed in one pass.
type textFingerprints struct {
	words int
	// same is equal for texts with the same words, regardless of case, punctuation and white space.
	same uint64
	// near is a simhash (Charikar 2002, section 3) of all sequences of three words. All numbers and
	// names of months count as equal, so two pages of a calendar have one fingerprint.
	near webgraph.Fingerprint
}

// A class is the role of a byte in UTF-8 text.
type class uint8

const (
	between class = iota
	letter
	digit
	// lead begins a character that may not be a letter; see nonWordBytes.
	lead
	// ideograph begins a character from U+3000 to U+DFFF, of scripts without spaces between words.
	// Each counts as a word.
	ideograph
)

// classes and lower are indexed by byte; lower maps ASCII capitals to small letters.
var classes, lower = byteTables()

func byteTables() (classes [256]class, lower [256]byte) {
	for i := range classes {
		c := byte(i)
		lower[i] = c
		switch {
		case c >= 'A' && c <= 'Z':
			classes[i], lower[i] = letter, c|0x20
		case c >= 'a' && c <= 'z', c >= 0x80 && c < 0xE3, c > 0xED:
			classes[i] = letter
		case c >= '0' && c <= '9':
			classes[i] = digit
		case c >= 0xE3:
			classes[i] = ideograph
		}
	}
	classes[0xC2], classes[0xE2] = lead, lead
	return classes, lower
}

// nonWordBytes returns how many bytes at the start of s are not part of a word. These are the signs of
// Latin-1 below U+00C0, the punctuation from U+2000 to U+207F and that from U+3000 to U+303F. s
// begins with a lead byte or an ideograph.
func nonWordBytes(s string) int {
	if len(s) < 2 {
		return 0
	}
	switch first, second := s[0], s[1]; {
	case first == 0xC2 && second >= 0x80:
		return 2
	case first == 0xE2 && (second == 0x80 || second == 0x81), first == 0xE3 && second == 0x80:
		return min(3, len(s))
	}
	return 0
}

// The constants of FNV-1a, and one of splitmix64.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
	golden    = 0x9E3779B97F4A7C15
)

// masked replaces every number and month.
const masked = golden

// fingerprintsOf reads texts one after the other.
func fingerprintsOf(texts ...string) textFingerprints {
	r := fingerprintReader{textFingerprints: textFingerprints{same: fnvOffset}}
	for _, s := range texts {
		r.readText(s)
	}
	r.near = r.votes.majorityBits()
	return r.textFingerprints
}

type fingerprintReader struct {
	textFingerprints
	last  [2]uint64 // hashes of the last two words
	votes votes
}

func (r *fingerprintReader) readText(s string) {
	h, start, number := uint64(fnvOffset), 0, false // of the word beginning at start
	for i := 0; i < len(s); {
		c := s[i]
		k := classes[c]
		for k == letter { // most bytes
			h = (h ^ uint64(lower[c])) * fnvPrime
			if i++; i == len(s) {
				break
			}
			c = s[i]
			k = classes[c]
		}
		if i == len(s) {
			break
		}
		skip := 1
		if k >= lead {
			skip = nonWordBytes(s[i:])
		}
		if k == digit || k == lead && skip == 0 {
			number = number || k == digit
			h = (h ^ uint64(c)) * fnvPrime
			i++
			continue
		}
		if start < i {
			r.addWord(h, i-start, number)
		}
		h, start, number = fnvOffset, i, false
		if skip == 0 { // each ideograph begins a word
			h = (h ^ uint64(c)) * fnvPrime
			i++
			continue
		}
		i += skip
		start = i
	}
	if start < len(s) {
		r.addWord(h, len(s)-start, number)
	}
}

// addWord adds one word by its hash.
func (r *fingerprintReader) addWord(h uint64, length int, number bool) {
	r.words++
	r.same = mixHash(r.same + h)
	if number || isMonth(h, length) {
		h = masked
	}
	shingle := mixHash(h + bits.RotateLeft64(r.last[1], 21)*golden + bits.RotateLeft64(r.last[0], 42))
	r.last[0], r.last[1] = r.last[1], h
	r.votes.add(shingle)
}

// mixHash applies the finalizer of splitmix64 (Steele, Lea and Flood 2014).
func mixHash(h uint64) uint64 {
	h = (h ^ h>>30) * 0xBF58476D1CE4E5B9
	h = (h ^ h>>27) * 0x94D049BB133111EB
	return h ^ h>>31
}

// votes counts how often each of 64 bits was set. Plane i holds bit i of all counts, so one
// addition updates all of them.
type votes struct {
	planes [24]uint64 // 2^24 exceeds the number of words of the longest text
	n      int
}

func (v *votes) add(h uint64) {
	v.n++
	for i := range v.planes {
		v.planes[i], h = v.planes[i]^h, v.planes[i]&h
		if h == 0 {
			return
		}
	}
}

// majorityBits has the bits that most votes had.
func (v *votes) majorityBits() (f webgraph.Fingerprint) {
	for b := range 64 {
		count := 0
		for i, plane := range v.planes {
			count |= int(plane>>b&1) << i
		}
		if 2*count > v.n {
			f |= 1 << b
		}
	}
	return f
}

// maxMonth is the length of the longest name of a month, in bytes.
const maxMonth = 18

// months are the hashes of names of months in the most common languages. monthBits is a filter on
// the first bits of a hash.
var months, monthBits = monthTables(`
	january february march april may june july august september october november december
	jan feb mar apr jun jul aug sep sept oct nov dec
	januar februar märz mai juni juli oktober dezember
	janvier février mars avril juin juillet août septembre octobre novembre décembre
	enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
	gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre
	janeiro fevereiro março maio junho julho setembro outubro novembro dezembro
	января февраля марта апреля мая июня июля августа сентября октября ноября декабря
	январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь`)

func monthTables(names string) (months map[uint64]bool, bits [1024]bool) {
	months = map[uint64]bool{}
	for name := range strings.FieldsSeq(names) {
		h := wordHash(name)
		months[h], bits[h>>54] = true, true
	}
	return months, bits
}

// isMonth reports whether a word of this hash and length names a month.
func isMonth(h uint64, length int) bool {
	return monthBits[h>>54] && length >= 3 && length <= maxMonth && months[h]
}

// wordHash returns the hash of a word as read computes it.
func wordHash(word string) uint64 {
	h := uint64(fnvOffset)
	for i := range len(word) {
		h = (h ^ uint64(lower[word[i]])) * fnvPrime
	}
	return h
}
