package pattern

import (
	"encoding/binary"
	"fmt"
	"regexp/syntax"
	"slices"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"
)

// An automaton tells in one pass over a text whether an expression matches
// anywhere in it. It is deterministic and built as texts need its states (Cox,
// "Regular Expression Matching in the Wild", 2010): a state is the set of
// instructions of the expression's program that stand next, and the runes
// between which the program does not distinguish are one class. It is safe for
// concurrent use.
type automaton struct {
	prog     *syntax.Prog
	anchored bool           // matches begin where the text does
	looks    syntax.EmptyOp // the assertions of the program
	ascii    [utf8.RuneSelf]uint16
	bounds   []rune   // the other runes, from bounds[i] to the next bound,
	of       []uint16 // are of class of[i]
	members  []rune   // one rune of each class, and at last endOfText
	first    *state

	mu     sync.Mutex // guards the rest
	states map[string]*state
	held   int // bytes the states take
}

// A state of an automaton. Its transitions, one a class, are nil until needed.
type state struct {
	threads []uint32 // instructions, ascending
	before  rune     // what the assertions see before the next rune
	next    []atomic.Pointer[state]
}

// Two states have no transitions.
var (
	matched = &state{} // the text read so far holds a match
	failed  = &state{} // whatever follows, there is no match
)

// endOfText stands for what is before and behind a text.
const endOfText = -1

// maxStates bounds what the states of an automaton may take, in bytes. Texts
// that need more are left to package regexp.
const maxStates = 1 << 20

// newAutomaton returns the automaton of an expression.
func newAutomaton(expr string) (*automaton, error) {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, err
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return nil, err
	}
	a := &automaton{prog: prog, states: map[string]*state{}}
	a.anchored = prog.StartCond()&syntax.EmptyBeginText != 0
	for _, in := range prog.Inst {
		if in.Op == syntax.InstEmptyWidth {
			a.looks |= syntax.EmptyOp(in.Arg)
		}
	}
	a.classify()
	a.first = a.state([]uint32{uint32(prog.Start)}, endOfText)
	return a, nil
}

// classify divides the runes into classes.
func (a *automaton) classify() {
	sets, bounds := a.runeSets()
	classes := map[string]uint16{}
	classOf := func(r rune) uint16 {
		key := []byte(string(a.context(r)))
		for _, in := range sets {
			if in.MatchRune(r) {
				key = append(key, 1)
			} else {
				key = append(key, 0)
			}
		}
		c, ok := classes[string(key)]
		if !ok {
			c = uint16(len(a.members))
			classes[string(key)] = c
			a.members = append(a.members, r)
		}
		return c
	}
	for r := range a.ascii {
		a.ascii[r] = classOf(rune(r))
	}
	for _, r := range bounds {
		a.bounds, a.of = append(a.bounds, r), append(a.of, classOf(r))
	}
	a.members = append(a.members, endOfText)
}

// runeSets returns an instruction for each set of runes that the program asks
// for, and the runes outside ASCII, ascending, at which one of the sets begins
// or ends.
func (a *automaton) runeSets() (sets []*syntax.Inst, bounds []rune) {
	seen := map[string]bool{}
	bounds = []rune{utf8.RuneSelf}
	for i := range a.prog.Inst {
		in := &a.prog.Inst[i]
		key := fmt.Sprint(in.Rune, in.Arg)
		if len(in.Rune) == 0 || seen[key] {
			continue
		}
		seen[key] = true
		sets = append(sets, in)
		if len(in.Rune) == 1 {
			r := in.Rune[0]
			bounds = append(bounds, r, r+1)
			for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
				bounds = append(bounds, f, f+1)
			}
			continue
		}
		for j := 0; j+1 < len(in.Rune); j += 2 {
			bounds = append(bounds, in.Rune[j], in.Rune[j+1]+1)
		}
	}
	slices.Sort(bounds)
	bounds = slices.Compact(bounds)
	at, _ := slices.BinarySearch(bounds, utf8.RuneSelf)
	return sets, bounds[at:]
}

// class returns the class of a rune.
func (a *automaton) class(r rune) uint16 {
	if r < utf8.RuneSelf {
		return a.ascii[r]
	}
	return a.classAbove(r)
}

// classAbove returns the class of a rune above ASCII.
func (a *automaton) classAbove(r rune) uint16 {
	i, found := slices.BinarySearch(a.bounds, r)
	if !found {
		i--
	}
	return a.of[i]
}

// context returns a rune that the assertions of the program do not tell from r.
func (a *automaton) context(r rune) rune {
	switch {
	case r == endOfText:
		return r
	case a.looks&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0 && syntax.IsWordChar(r):
		return 'a'
	case a.looks&(syntax.EmptyBeginLine|syntax.EmptyEndLine) != 0 && r == '\n':
		return '\n'
	}
	return ' '
}

// matches reports whether the expression matches in s; known is false if that
// would take more than maxStates to tell.
func (a *automaton) matches(s string) (match, known bool) {
	st := a.first
	for _, r := range s {
		class := a.class(r)
		next := st.next[class].Load()
		if next == nil {
			if next = a.extend(st, class); next == nil {
				return false, false
			}
		}
		if len(next.next) == 0 {
			return next == matched, true
		}
		st = next
	}
	end := uint16(len(a.members) - 1)
	if st.next[end].Load() == nil {
		a.extend(st, end)
	}
	return st.next[end].Load() == matched, true
}

// extend adds the transition of a state by the runes of a class and returns its
// end, nil if there is no room for that.
func (a *automaton) extend(st *state, class uint16) *state {
	a.mu.Lock()
	defer a.mu.Unlock()
	next := a.successor(st, a.members[class])
	st.next[class].Store(next)
	return next
}

// successor works out the state after rune r. The caller holds the lock.
func (a *automaton) successor(st *state, r rune) *state {
	var after []uint32
	seen := make([]bool, len(a.prog.Inst))
	ahead := syntax.EmptyOpContext(st.before, a.context(r))
	todo := slices.Clone(st.threads)
	for len(todo) > 0 {
		pc := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[pc] {
			continue
		}
		seen[pc] = true
		switch in := &a.prog.Inst[pc]; in.Op {
		case syntax.InstMatch:
			return matched
		case syntax.InstAlt, syntax.InstAltMatch:
			todo = append(todo, in.Out, in.Arg)
		case syntax.InstCapture, syntax.InstNop:
			todo = append(todo, in.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(in.Arg)&^ahead == 0 {
				todo = append(todo, in.Out)
			}
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			if r != endOfText && in.MatchRune(r) {
				after = append(after, in.Out)
			}
		}
	}
	if r == endOfText {
		return failed
	}
	if !a.anchored {
		after = append(after, uint32(a.prog.Start))
	}
	if len(after) == 0 {
		return failed
	}
	slices.Sort(after)
	return a.state(slices.Compact(after), a.context(r))
}

// state returns the state of some threads, nil if the states take too much.
// The caller holds the lock.
func (a *automaton) state(threads []uint32, before rune) *state {
	key := binary.AppendVarint(nil, int64(before))
	for _, pc := range threads {
		key = binary.AppendUvarint(key, uint64(pc))
	}
	st := a.states[string(key)]
	size := 128 + 2*len(key) + 4*len(threads) + 8*len(a.members)
	if st == nil && a.held+size <= maxStates {
		a.held += size
		st = &state{threads: threads, before: before, next: make([]atomic.Pointer[state], len(a.members))}
		a.states[string(key)] = st
	}
	return st
}
