package train

import (
	"hash/fnv"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Bounds of what makes two messages near copies.
const (
	shingleWords = 5   // words of a shingle
	sketchSize   = 64  // smallest shingle hashes kept of a message
	minSketch    = 8   // hashes of a text that says enough to tie messages
	maxHolders   = 50  // messages that are looked up by one shingle
	sketchShare  = 0.5 // of the smaller sketch that near copies have in common
	minSubject   = 8   // letters of a subject that says enough to tie messages
)

// threads gives messages groups that do not leak from one fold into another: a
// group holds a thread, the calls of a series whose subjects differ only in
// numbers, and near copies, such as one call sent to two lists. The zero value
// is empty.
type threads struct {
	urls      []string
	parent    []int
	bySubject map[string]int
	byShingle map[uint64][]int
	sketches  []int // size of each sketch
}

// group adds a message and returns its group for now: its URL. Join returns
// the final ones.
func (t *threads) group(url, subject, text string) string {
	if t.bySubject == nil {
		t.bySubject, t.byShingle = map[string]int{}, map[uint64][]int{}
	}
	i := len(t.urls)
	t.urls = append(t.urls, url)
	t.parent = append(t.parent, i)
	for _, key := range subjectKeys(subject) {
		if j, ok := t.bySubject[key]; ok {
			t.union(i, j)
		} else {
			t.bySubject[key] = i
		}
	}
	sketch := sketchOf(text)
	t.sketches = append(t.sketches, len(sketch))
	shared := map[int]int{}
	for _, h := range sketch {
		holders := t.byShingle[h]
		for _, j := range holders {
			shared[j]++
			if n := min(len(sketch), t.sketches[j]); n >= minSketch && float64(shared[j]) >= sketchShare*float64(n) {
				t.union(i, j)
			}
		}
		if len(holders) < maxHolders {
			t.byShingle[h] = append(holders, i)
		}
	}
	return url
}

// join replaces the groups of the messages among groups by those of the first
// message they are tied to.
func (t *threads) join(groups []string) {
	first := map[string]string{}
	for i, url := range t.urls {
		first[url] = t.urls[t.find(i)]
	}
	for i, g := range groups {
		if f, ok := first[g]; ok {
			groups[i] = f
		}
	}
}

func (t *threads) find(i int) int {
	for t.parent[i] != i {
		t.parent[i] = t.parent[t.parent[i]]
		i = t.parent[i]
	}
	return i
}

func (t *threads) union(i, j int) {
	i, j = t.find(i), t.find(j)
	t.parent[max(i, j)] = min(i, j)
}

var (
	subjectMark = regexp.MustCompile(`(?i)^(?:re|fwd?|aw|wg|antw|sv|tr|rv)(?:\[\d+\])?\s*:|^\[[^\]]*\]|^\d{4}-\d\d-\d\d -|\(fwd\)`)
	subjectWas  = regexp.MustCompile(`(?i)[(\[]\s*was\b:?`)
)

// subjectKeys returns what a subject ties messages by: its letters without
// marks of lists, replies and forwards, and those of the subject it replaced.
// Digits do not count: calls of two years are one series.
func subjectKeys(subject string) []string {
	var keys []string
	for _, s := range subjectWas.Split(subject, 2) {
		s = strings.TrimSpace(s)
		for {
			rest := strings.TrimSpace(subjectMark.ReplaceAllString(s, ""))
			if rest == s {
				break
			}
			s = rest
		}
		key := strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, s)
		if len(key) >= minSubject {
			keys = append(keys, key)
		}
	}
	return keys
}

// footer is where the signature or the footer of a mailing list begins, which
// messages share that have nothing else in common.
var footer = regexp.MustCompile(`(?m)^(?:--|_{20,})$`)

// sketchOf returns the smallest hashes of a text's shingles, sorted (bottom-k
// sketch, Broder 1997).
func sketchOf(text string) []uint64 {
	if at := footer.FindStringIndex(text); at != nil {
		text = text[:at[0]]
	}
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) })
	var hashes []uint64
	for i := range max(0, len(words)-shingleWords+1) {
		h := fnv.New64a()
		for _, w := range words[i : i+shingleWords] {
			_, _ = h.Write([]byte(w + " ")) // a hash takes all
		}
		hashes = append(hashes, h.Sum64())
	}
	slices.Sort(hashes)
	hashes = slices.Compact(hashes)
	return hashes[:min(len(hashes), sketchSize)]
}
