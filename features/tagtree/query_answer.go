package tagtree

// An answer says which occurrences of its terms a query as a whole asks for.
type answer struct {
	seen  []occurrence
	known map[occurrence]bool
	alive map[*expression]bool // of each allOf: whether the page holds all it asks for
}

// An occurrence is the terms found in one node and those in the line around.
type occurrence struct{ terms, line uint64 }

func newAnswer(q *Query, l *labelReader) *answer {
	a := &answer{known: make(map[occurrence]bool), alive: make(map[*expression]bool)}
	for _, h := range l.hits {
		o := occurrence{h.terms, l.lines[h.line]}
		if !a.known[o] {
			a.known[o] = true
			a.seen = append(a.seen, o)
		}
	}
	a.settle(q.root)
	return a
}

// settle decides of each AND whether the page holds all it asks for, the inner
// ones first.
func (a *answer) settle(e *expression) {
	for _, k := range e.kids {
		a.settle(k)
	}
	if e.op == allOf {
		all := true
		for _, k := range e.kids {
			all = all && a.occurs(k)
		}
		a.alive[e] = all
	}
}

func (a *answer) occurs(e *expression) bool {
	for _, o := range a.seen {
		if a.holds(e, o.terms, o.line) {
			return true
		}
	}
	return false
}

// holds reports whether e asks for a node that holds some terms in a line that
// holds some more.
func (a *answer) holds(e *expression, terms, line uint64) bool {
	switch e.op {
	case isTerm:
		return terms&(1<<e.term) != 0
	case without:
		return a.holds(e.kids[0], terms, line) && !e.kids[1].isTrue(line)
	case allOf:
		if !a.alive[e] {
			return false
		}
	}
	for _, k := range e.kids {
		if a.holds(k, terms, line) {
			return true
		}
	}
	return false
}

// isTrue reports whether a line that holds some terms is as e says.
func (e *expression) isTrue(line uint64) bool {
	switch e.op {
	case isTerm:
		return line&(1<<e.term) != 0
	case without:
		return e.kids[0].isTrue(line) && !e.kids[1].isTrue(line)
	}
	for _, k := range e.kids {
		if k.isTrue(line) == (e.op == anyOf) {
			return e.op == anyOf
		}
	}
	return e.op == allOf
}
