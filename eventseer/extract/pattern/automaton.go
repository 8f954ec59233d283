package pattern

import (
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"
)

// An automaton decides in one pass over a text whether an expression matches anywhere in it. It is a
// deterministic automaton whose states are built when a text first needs them (Cox, "Regular Expression
// Matching in the Wild", 2010). A state is a set of instructions of the expression's program that may be
// executed next. Runes that the program does not distinguish form one class. An automaton is safe for
// concurrent use.
type automaton struct {
	prog       *syntax.Prog
	anchored   bool           // matches must begin at the start of the text
	nonASCII   bool           // every match contains a rune outside ASCII
	ordered    bool           // finds the end of a match, see newEnder
	assertions syntax.EmptyOp // all assertions in the program
	ascii      [utf8.RuneSelf]uint16
	bounds     []rune   // ascending runes from utf8.RuneSelf on at which a class may begin
	classOf    []uint16 // of[i] is the class of the runes from bounds[i] to the next bound
	members    []rune   // one rune of each class; the last is endOfText
	setOf      []int32  // by instruction: index of the set of runes that it matches
	setsOf     []bitset // by class: the sets of runes that contain its runes
	starts     [len(startContexts)]uint32
	next       atomic.Pointer[transitions]

	mu         sync.Mutex // guards the fields below
	states     []*state
	number     map[string]uint32 // key of a state (instructions and previous rune) → number of the state
	stateBytes int               // bytes used by the states
	work       successorBuffer
}

// A successorBuffer is memory that calls of successor reuse.
type successorBuffer struct {
	seen, next  []uint32 // by instruction: the last round that visited it, or that added it to after
	round       uint32
	todo, after []uint32
	key         []byte
}

// A bitset is a set of small non-negative integers.
type bitset []uint64

func newBitset(n int) bitset      { return make(bitset, (n+63)/64) }
func (b bitset) has(i int32) bool { return b[i/64]>>(i%64)&1 != 0 }
func (b bitset) add(i int)        { b[i/64] |= 1 << (i % 64) }

// A state is a state of an automaton. Its number is its index in states times the number of members; its
// transitions begin at that index.
type state struct {
	threads []uint32 // instructions that may be executed next, ascending
	before  rune     // previous rune, as far as assertions distinguish it; see context
}

// Transitions map the number of a state plus a class to the number of the next state. They are only
// extended: a reader with an older version computes missing entries again.
type transitions []atomic.Uint32

// Special numbers of states. They cannot be numbers of real states, since states[0] is unused and there are
// at least three members.
const (
	unknown uint32 = iota // not computed yet
	matched               // the text read so far contains a match
	failed                // no text that follows can lead to a match
)

// endsMatch is a bit of a transition of an ender: a match ends before the rune, and a longer one may follow. A
// matched transition of an ender means that no longer one follows.
const endsMatch = 1 << 31

// endOfText represents the start and the end of a text among the runes.
const endOfText = -1

// maxStates is the maximum memory of the states of an automaton, in bytes. Package regexp is used for texts
// that need more.
const maxStates = 1 << 20

// newAutomaton returns the automaton of an expression, or an error of package syntax if the expression is
// invalid.
func newAutomaton(expr string) (*automaton, error) {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, err
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return nil, err
	}
	a := buildAutomatonOf(prog, prog.StartCond()&syntax.EmptyBeginText != 0)
	a.nonASCII = needsNonASCII(re)
	return a, nil
}

// needsNonASCII reports whether every match of an expression contains a rune outside ASCII. Many patterns consist
// of words of other scripts.
func needsNonASCII(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral:
		return slices.ContainsFunc(re.Rune, func(r rune) bool {
			for f := unicode.SimpleFold(r); f != r && re.Flags&syntax.FoldCase != 0; f = unicode.SimpleFold(f) {
				if f < utf8.RuneSelf {
					return false
				}
			}
			return r >= utf8.RuneSelf
		})
	case syntax.OpCharClass:
		return len(re.Rune) > 0 && re.Rune[0] >= utf8.RuneSelf
	case syntax.OpCapture, syntax.OpPlus:
		return needsNonASCII(re.Sub[0])
	case syntax.OpConcat:
		return slices.ContainsFunc(re.Sub, needsNonASCII)
	case syntax.OpAlternate:
		return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !needsNonASCII(sub) })
	}
	return false
}

// newStarter returns an automaton that decides whether a match begins at a given position. It returns nil
// for an invalid expression, one that may match an empty text, one that matches only at the start of a
// text, and one that is too large.
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
	a := buildAutomatonOf(prog, true)
	if slices.Contains(a.starts[:], unknown) {
		return nil // too large for maxStates
	}
	return a
}

// newEnder returns an automaton that finds where a match ends whose start is known. Its states are lists of
// instructions in the order in which package regexp prefers them, so it finds the same end. The expression
// must be one for which newStarter returns an automaton.
func newEnder(expr string) *automaton {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return nil
	}
	a := buildAutomatonOf(prog, true)
	if a.ordered = true; slices.Contains(a.starts[:], unknown) {
		return nil // too large for maxStates
	}
	return a
}

// matchEnd returns the end of the match at the start of s, or -1 for none. The search begins in state st of an
// ender. read is the number of bytes that decide on it: the match in s[:read] is the same. known is false if the
// states would need more memory than maxStates.
func (a *automaton) matchEnd(st uint32, s string) (end, read int, known bool) {
	next, end := *a.next.Load(), -1
	for i := 0; ; {
		class, size := uint16(len(a.members)-1), 0
		if i < len(s) {
			if c := s[i]; c < utf8.RuneSelf {
				class, size = a.ascii[c], 1
			} else {
				var r rune
				r, size = utf8.DecodeRuneInString(s[i:])
				class = a.classAbove(r)
			}
		}
		to := next[st+uint32(class)].Load()
		if to == unknown {
			if to, next = a.computeTransition(st, class); to == unknown {
				return 0, i, false
			}
		}
		switch {
		case to == matched:
			return i, i + size, true
		case to == failed:
			return end, i + size, true
		case to&endsMatch != 0:
			end, to = i, to&^endsMatch
		}
		st = to
		i += size
	}
}

// matchesEmpty reports whether an expression may match the empty text.
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

// buildAutomatonOf returns the automaton of a program. anchored means that matches must begin at the start of the
// text.
func buildAutomatonOf(prog *syntax.Prog, anchored bool) *automaton {
	a := &automaton{prog: prog, states: []*state{nil}, number: map[string]uint32{}, anchored: anchored}
	a.work.seen, a.work.next = make([]uint32, len(prog.Inst)), make([]uint32, len(prog.Inst))
	for _, in := range prog.Inst {
		if in.Op == syntax.InstEmptyWidth {
			a.assertions |= syntax.EmptyOp(in.Arg)
		}
	}
	a.classifyRunes()
	a.next.Store(new(make(transitions, 8*len(a.members))))
	a.stateNumber([]uint32{uint32(prog.Start)}, endOfText)
	for i, r := range startContexts {
		a.starts[i] = a.stateNumber([]uint32{uint32(prog.Start)}, a.contextRune(r))
	}
	return a
}

// startContexts are one representative of each kind of rune before a match that assertions distinguish.
var startContexts = [...]rune{endOfText, 'a', '\n', ' '}

// startAfter returns the number of the start state for a match after rune r.
func (a *automaton) startAfter(r rune) uint32 {
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

// classifyRunes divides all runes into classes that no instruction and no assertion distinguishes.
func (a *automaton) classifyRunes() {
	sets, bounds := a.runeSets()
	points := make([]rune, utf8.RuneSelf, utf8.RuneSelf+len(bounds)) // runes at which a class may begin
	for r := range points {
		points[r] = rune(r)
	}
	points = append(points, bounds...)
	held := make([]bitset, len(points))
	width := len(newBitset(len(sets)))
	all := make(bitset, len(points)*width)
	for i := range held {
		held[i] = all[i*width : (i+1)*width]
	}
	for k, in := range sets {
		forEachMatched(in, points, func(i int) { held[i].add(k) })
	}
	classes := map[string]uint16{}
	var key []byte
	a.bounds = bounds
	for i, r := range points {
		key = utf8.AppendRune(key[:0], a.contextRune(r))
		for _, word := range held[i] {
			key = binary.LittleEndian.AppendUint64(key, word)
		}
		c, ok := classes[string(key)]
		if !ok {
			c = uint16(len(a.members))
			classes[string(key)] = c
			a.members, a.setsOf = append(a.members, r), append(a.setsOf, held[i])
		}
		if i < utf8.RuneSelf {
			a.ascii[i] = c
		} else {
			a.classOf = append(a.classOf, c)
		}
	}
	a.members = append(a.members, endOfText)
}

// forEachMatched calls give with the index of each rune of points that an instruction matches. points must be
// ascending.
func forEachMatched(in *syntax.Inst, points []rune, visit func(i int)) {
	if len(in.Rune) < 2 || len(in.Rune)%2 != 0 { // a single rune, possibly in both cases
		for i, r := range points {
			if in.MatchRune(r) {
				visit(i)
			}
		}
		return
	}
	i := 0
	for k := 0; k < len(in.Rune); k += 2 {
		n, _ := slices.BinarySearch(points[i:], in.Rune[k])
		for i += n; i < len(points) && points[i] <= in.Rune[k+1]; i++ {
			visit(i)
		}
	}
}

// runeSets returns one instruction for each different set of runes in the program. bounds are the runes
// outside ASCII, ascending, at which a set begins or ends. It also sets setOf.
func (a *automaton) runeSets() (sets []*syntax.Inst, bounds []rune) {
	seen := map[string]int32{}
	bounds = []rune{utf8.RuneSelf}
	a.setOf = make([]int32, len(a.prog.Inst))
	var key []byte
	for i := range a.prog.Inst {
		in := &a.prog.Inst[i]
		if len(in.Rune) == 0 {
			continue
		}
		key = binary.LittleEndian.AppendUint32(key[:0], in.Arg)
		for _, r := range in.Rune {
			key = binary.LittleEndian.AppendUint32(key, uint32(r))
		}
		set, ok := seen[string(key)]
		if !ok {
			set = int32(len(sets))
			seen[string(key)] = set
			sets = append(sets, in)
			bounds = appendBounds(bounds, in.Rune)
		}
		a.setOf[i] = set
	}
	slices.Sort(bounds)
	bounds = slices.Compact(bounds)
	at, _ := slices.BinarySearch(bounds, utf8.RuneSelf)
	return sets, bounds[at:]
}

// appendBounds appends the runes at which the set of an instruction begins or ends.
func appendBounds(bounds, set []rune) []rune {
	if len(set) == 1 {
		r := set[0]
		bounds = append(bounds, r, r+1)
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			bounds = append(bounds, f, f+1)
		}
		return bounds
	}
	for j := 0; j+1 < len(set); j += 2 {
		bounds = append(bounds, set[j], set[j+1]+1)
	}
	return bounds
}

// classAbove returns the class of a rune outside ASCII.
func (a *automaton) classAbove(r rune) uint16 {
	i, found := slices.BinarySearch(a.bounds, r)
	if !found {
		i--
	}
	return a.classOf[i]
}

// contextRune returns the representative of the runes that the program's assertions do not distinguish from r.
func (a *automaton) contextRune(r rune) rune {
	switch {
	case r == endOfText:
		return r
	case a.assertions&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0 && syntax.IsWordChar(r):
		return 'a'
	case a.assertions&(syntax.EmptyBeginLine|syntax.EmptyEndLine) != 0 && r == '\n':
		return '\n'
	}
	return ' '
}

// matches reports whether the expression matches in s. known is false if deciding this would need more
// memory than maxStates.
func (a *automaton) matches(s string) (match, known bool) {
	if a.nonASCII && isASCII(s) {
		return false, true
	}
	match, known, _ = a.matchesFrom(a.firstState(), s)
	return match, known
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// matchesFrom is matches, starting from state st. It also returns the number of bytes read.
func (a *automaton) matchesFrom(st uint32, s string) (match, known bool, read int) {
	next, ascii := *a.next.Load(), &a.ascii
	for i := 0; i < len(s); {
		var class uint16
		if c := s[i]; c < utf8.RuneSelf {
			class = ascii[c]
			i++
		} else {
			r, size := utf8.DecodeRuneInString(s[i:])
			class = a.classAbove(r)
			i += size
		}
		to := next[st+uint32(class)].Load()
		if to <= failed {
			if to == unknown {
				if to, next = a.computeTransition(st, class); to == unknown {
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
		to, _ = a.computeTransition(st, end)
	}
	return to == matched, true, len(s)
}

// firstState returns the number of the state at the start of a text.
func (a *automaton) firstState() uint32 { return uint32(len(a.members)) }

// computeTransition computes the transition of state st by a class. It returns the next state and the current
// transitions. The next state is unknown if it would exceed maxStates.
func (a *automaton) computeTransition(st uint32, class uint16) (to uint32, next transitions) {
	a.mu.Lock()
	defer a.mu.Unlock()
	to = a.nextState(a.states[int(st)/len(a.members)], class)
	next = *a.next.Load()
	next[st+uint32(class)].Store(to)
	return to, next
}

// nextState returns the number of the state after state st and a rune of a class. a.mu must be held.
func (a *automaton) nextState(st *state, class uint16) uint32 {
	r, w := a.members[class], &a.work
	ahead := syntax.EmptyOpContext(st.before, a.contextRune(r))
	w.round++
	w.after = w.after[:0]
	w.todo = append(w.todo[:0], st.threads...)
	if a.ordered { // the last of todo comes first
		slices.Reverse(w.todo)
	}
	ends := false
threads:
	for len(w.todo) > 0 {
		pc := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		if w.seen[pc] == w.round {
			continue
		}
		w.seen[pc] = w.round
		switch in := &a.prog.Inst[pc]; in.Op {
		case syntax.InstMatch:
			if !a.ordered {
				return matched
			}
			ends = true
			break threads // the match is preferred to those of the instructions left
		case syntax.InstAlt, syntax.InstAltMatch:
			if a.ordered {
				w.todo = append(w.todo, in.Arg, in.Out)
			} else {
				w.todo = append(w.todo, in.Out, in.Arg)
			}
		case syntax.InstCapture, syntax.InstNop:
			w.todo = append(w.todo, in.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(in.Arg)&^ahead == 0 {
				w.todo = append(w.todo, in.Out)
			}
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			if r != endOfText && a.setsOf[class].has(a.setOf[pc]) {
				w.addInstruction(in.Out)
			}
		}
	}
	switch {
	case ends && (r == endOfText || len(w.after) == 0):
		return matched
	case r == endOfText:
		return failed
	}
	if !a.anchored {
		w.addInstruction(uint32(a.prog.Start))
	}
	if len(w.after) == 0 {
		return failed
	}
	if !a.ordered {
		slices.Sort(w.after)
	}
	to := a.stateNumber(w.after, a.contextRune(r))
	if ends && to != unknown {
		to |= endsMatch
	}
	return to
}

// addInstruction adds an instruction to after, unless it is there already.
func (w *successorBuffer) addInstruction(pc uint32) {
	if w.next[pc] != w.round {
		w.next[pc] = w.round
		w.after = append(w.after, pc)
	}
}

// stateNumber returns the number of the state with the given instructions and previous rune, and creates it if
// necessary. It returns unknown if that would exceed maxStates. a.mu must be held.
func (a *automaton) stateNumber(threads []uint32, before rune) uint32 {
	key := binary.AppendVarint(a.work.key[:0], int64(before))
	for _, pc := range threads {
		key = binary.AppendUvarint(key, uint64(pc))
	}
	a.work.key = key
	if n, ok := a.number[string(key)]; ok {
		return n
	}
	size := 128 + len(key) + 4*len(threads) + 4*len(a.members)
	if a.stateBytes+size > maxStates {
		return unknown
	}
	a.stateBytes += size
	n := uint32(len(a.states) * len(a.members))
	a.states = append(a.states, &state{slices.Clone(threads), before})
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
