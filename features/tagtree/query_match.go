package tagtree

// A matcher finds a query's terms in words that it is given one by one.
type matcher struct {
	norm     func(string) string
	exact    map[string]int32 // numbers, from 1, of the words that must occur as written
	folded   map[string]int32 // and of those that must occur as norm makes them
	memo     map[string]int32 // numbers of words of the page that norm was called with
	patterns [][]pattern      // that end with the word of each number
	// found is called with the number of a term and the first and last of its words.
	found func(term int, first, last seenWord)

	seen  [maxPhrase]seenWord // the last words, a ring
	count int                 // of the words seen in this text
	line  int32               // the number of the line being read
}

// A pattern is one form of a term: the numbers of its words, last one first.
type pattern struct {
	words []int32
	exact bool
	term  int
}

// A seenWord is a word of the page: its numbers, 0 if no pattern has it, and
// where it stands.
type seenWord struct {
	exact, folded int32
	from, to      position
	line          int32
}

func newMatcher(q *Query, found func(term int, first, last seenWord)) *matcher {
	m := &matcher{
		norm: q.norm, exact: make(map[string]int32), folded: make(map[string]int32), memo: make(map[string]int32),
		patterns: make([][]pattern, 1), found: found,
	}
	for i, t := range q.terms {
		for _, f := range t.forms {
			m.add(f, i, t.phrase || m.norm == nil)
		}
	}
	return m
}

func (m *matcher) add(f form, term int, exact bool) {
	p := pattern{exact: exact, term: term}
	for i := len(f) - 1; i >= 0; i-- {
		word, numbers := unaccented(f[i]), m.exact
		if !exact {
			word, numbers = unaccented(m.norm(f[i])), m.folded
		}
		n, ok := numbers[word]
		if !ok {
			n = int32(len(m.patterns))
			numbers[word] = n
			m.patterns = append(m.patterns, nil)
		}
		p.words = append(p.words, n)
	}
	m.patterns[p.words[0]] = append(m.patterns[p.words[0]], p)
}

// reset begins a text that has nothing to do with what came before.
func (m *matcher) reset() { m.count = 0 }

// word takes the next word, in lower case, and reports the terms that it ends.
func (m *matcher) word(word []byte, from, to position) {
	w := seenWord{from: from, to: to, line: m.line}
	w.exact, w.folded = m.numbers(word)
	m.seen[m.count%maxPhrase] = w
	m.count++
	m.report(w, w.exact, true)
	m.report(w, w.folded, false)
}

// numbers returns the numbers of a word as written and as norm makes it.
func (m *matcher) numbers(word []byte) (exact, folded int32) {
	if isASCII(string(word)) {
		exact = m.exact[string(word)]
	} else {
		exact = m.exact[unaccented(string(word))]
	}
	if m.norm == nil {
		return exact, 0
	}
	folded, ok := m.memo[string(word)]
	if !ok {
		s := string(word)
		folded = m.folded[unaccented(m.norm(s))]
		if len(m.memo) < maxFoldedWords {
			m.memo[s] = folded
		}
	}
	return exact, folded
}

// report reports the patterns that end with the word of number n.
func (m *matcher) report(last seenWord, n int32, exact bool) {
	if n == 0 {
		return
	}
	for _, p := range m.patterns[n] {
		if p.exact == exact && len(p.words) <= m.count && m.holds(p) {
			m.found(p.term, m.seen[(m.count-len(p.words))%maxPhrase], last)
		}
	}
}

// holds reports whether the last words seen are those of a pattern.
func (m *matcher) holds(p pattern) bool {
	for i, n := range p.words {
		w := &m.seen[(m.count-1-i)%maxPhrase]
		if p.exact && w.exact != n || !p.exact && w.folded != n {
			return false
		}
	}
	return true
}
