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
	starts   [len(startContexts)]uint32
	next     atomic.Pointer[transitions]

	mu     sync.Mutex // guards the rest
	states []*state
	number map[string]uint32 // of a state, by its threads and what is before it
	held   int               // bytes the states take
}

// A state of an automaton. Its number is its place in states times the number of
// members, which is where its transitions begin.
type state struct {
	threads []uint32 // instructions, ascending
	before  rune     // what the assertions see before the next rune
}

// Transitions hold the number of the state that follows a state by a class. They only
// grow: who reads an older version asks for what it lacks.
type transitions []atomic.Uint32

// Numbers of no state: states[0] is never used, and there are always at least three
// members.
const (
	unknown uint32 = iota // not worked out yet
	matched               // the text read so far holds a match
	failed                // whatever follows, there is no match
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
	return build(prog, prog.StartCond()&syntax.EmptyBeginText != 0), nil
}

// newStarter returns the automaton that tells whether a match begins where it is started, nil
// for an expression that may match an empty text, or only where the text begins.
func newStarter(expr string) *automaton {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil
	}
	re = re.Simplify()
	prog, err := syntax.Compile(re)
	if err != nil || prog.StartCond()&syntax.EmptyBeginText != 0 || matchesEmpty(re) {
		return nil
	}
	a := build(prog, true)
	if slices.Contains(a.starts[:], unknown) {
		return nil // too large
	}
	return a
}

// matchesEmpty reports whether an expression may match no rune at all.
func matchesEmpty(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral, syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL, syntax.OpNoMatch:
		return false
	case syntax.OpCapture, syntax.OpPlus:
		return matchesEmpty(re.Sub[0])
	case syntax.OpConcat:
		return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !matchesEmpty(sub) })
	case syntax.OpAlternate:
		return slices.ContainsFunc(re.Sub, matchesEmpty)
	}
	return true
}

// build returns the automaton of a program.
func build(prog *syntax.Prog, anchored bool) *automaton {
	a := &automaton{prog: prog, states: []*state{nil}, number: map[string]uint32{}, anchored: anchored}
	for _, in := range prog.Inst {
		if in.Op == syntax.InstEmptyWidth {
			a.looks |= syntax.EmptyOp(in.Arg)
		}
	}
	a.classify()
	a.next.Store(new(make(transitions, 8*len(a.members))))
	a.state([]uint32{uint32(prog.Start)}, endOfText)
	for i, r := range startContexts {
		a.starts[i] = a.state([]uint32{uint32(prog.Start)}, a.context(r))
	}
	return a
}

// startContexts are runes before a start that assertions may tell apart.
var startContexts = [...]rune{endOfText, 'a', '\n', ' '}

// startBehind returns the state of a start behind rune r.
func (a *automaton) startBehind(r rune) uint32 {
	switch {
	case r == endOfText:
		return a.starts[0]
	case r == '\n':
		return a.starts[2]
	case syntax.IsWordChar(r):
		return a.starts[1]
	}
	return a.starts[3]
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
	match, known, _ = a.matchesFrom(a.first(), s)
	return match, known
}

// matchesFrom is matches from a state on. It also returns how many bytes it read.
func (a *automaton) matchesFrom(st uint32, s string) (match, known bool, read int) {
	next := *a.next.Load()
	for i := 0; i < len(s); {
		var class uint16
		if c := s[i]; c < utf8.RuneSelf {
			class = a.ascii[c]
			i++
		} else {
			r, size := utf8.DecodeRuneInString(s[i:])
			class = a.classAbove(r)
			i += size
		}
		to := next[st+uint32(class)].Load()
		if to <= failed {
			if to == unknown {
				if to, next = a.extend(st, class); to == unknown {
					return false, false, i
				}
			}
			if to <= failed {
				return to == matched, true, i
			}
		}
		st = to
	}
	end := uint16(len(a.members) - 1)
	to := next[st+uint32(end)].Load()
	if to == unknown {
		to, _ = a.extend(st, end)
	}
	return to == matched, true, len(s)
}

// first is the number of the state before any text.
func (a *automaton) first() uint32 { return uint32(len(a.members)) }

// extend adds the transition of a state by a class and returns its end, unknown if
// there is no room for that, and the transitions that hold it.
func (a *automaton) extend(st uint32, class uint16) (to uint32, next transitions) {
	a.mu.Lock()
	defer a.mu.Unlock()
	to = a.successor(a.states[int(st)/len(a.members)], a.members[class])
	next = *a.next.Load()
	next[st+uint32(class)].Store(to)
	return to, next
}

// successor works out the state after rune r. The caller holds the lock.
func (a *automaton) successor(st *state, r rune) uint32 {
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

// state returns the number of the state of some threads, unknown if the states take too
// much. The caller holds the lock.
func (a *automaton) state(threads []uint32, before rune) uint32 {
	key := binary.AppendVarint(nil, int64(before))
	for _, pc := range threads {
		key = binary.AppendUvarint(key, uint64(pc))
	}
	if n, ok := a.number[string(key)]; ok {
		return n
	}
	size := 128 + len(key) + 4*len(threads) + 4*len(a.members)
	if a.held+size > maxStates {
		return unknown
	}
	a.held += size
	n := uint32(len(a.states) * len(a.members))
	a.states = append(a.states, &state{threads, before})
	a.number[string(key)] = n
	if old := *a.next.Load(); int(n)+len(a.members) > len(old) {
		grown := make(transitions, 2*len(old))
		for i := range old {
			grown[i].Store(old[i].Load())
		}
		a.next.Store(&grown)
	}
	return n
}
