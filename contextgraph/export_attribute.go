package contextgraph

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An attribute is a property of nodes or edges, under the name all formats have
// it.
type attribute[T any] struct {
	name string
	kind string // long, double, boolean or string, as GraphML names them
	// get returns the value as text, "" if it is left out.
	get func(*T) string
	// set reads it again. What was left out is as in a new T.
	set func(*T, string) error
}

var nodeAttributes = []attribute[Node]{
	{"layer", "long",
		func(n *Node) string {
			if n.Layer == NoLayer {
				return ""
			}
			return strconv.Itoa(n.Layer)
		},
		func(n *Node, s string) error { return setInt(&n.Layer, s, NoLayer, MaxLayers-1) }},
	{"status", "long", func(n *Node) string { return unlessZero(n.Status) }, func(n *Node, s string) error { return setInt(&n.Status, s, 0, math.MaxUint16) }},
	{"page_type", "string", func(n *Node) string { return n.PageType }, func(n *Node, s string) error { n.PageType = s; return nil }},
	{"cfp_score", "double", func(n *Node) string { return scoreText(n.CFPScore) }, func(n *Node, s string) error { return setScore(&n.CFPScore, s) }},
	{"bytes", "long", func(n *Node) string { return unlessZero(n.Bytes) }, func(n *Node, s string) error { return setInt(&n.Bytes, s, 0, maxCount) }},
	{"pages", "long", func(n *Node) string { return strconv.Itoa(n.Pages) }, func(n *Node, s string) error { return setInt(&n.Pages, s, 0, maxCount) }},
}

// weightOf is apart: most formats have a place of its own for it.
func weightOf(e *Edge) string { return strconv.Itoa(e.Weight) }

func setWeight(e *Edge, s string) error { return setInt(&e.Weight, s, 0, maxCount) }

var edgeAttributes = []attribute[Edge]{
	{"anchor", "string", func(e *Edge) string { return e.Anchor }, func(e *Edge, s string) error { e.Anchor = s; return nil }},
	{"nofollow", "boolean", func(e *Edge) string { return ifTrue(e.NoFollow) }, func(e *Edge, s string) error { return setBool(&e.NoFollow, s) }},
	{"verified", "boolean", func(e *Edge) string { return ifTrue(e.Verified) }, func(e *Edge, s string) error { return setBool(&e.Verified, s) }},
}

// newNode and newEdge are what is not said otherwise.
func newNode() Node { return Node{Layer: NoLayer, Pages: 1} }
func newEdge() Edge { return Edge{Weight: 1} }

func unlessZero(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

func ifTrue(b bool) string {
	if !b {
		return ""
	}
	return "true"
}

// scoreText leaves out what is no score.
func scoreText(v float64) string {
	if v == 0 || math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

// setInt reads a whole number from least to most, as a .graph file may hold it;
// other programs also write it with a fraction.
func setInt(to *int, s string, least, most int) error {
	s = strings.TrimSpace(s)
	n, err := strconv.Atoi(s)
	if err != nil {
		v, floatErr := strconv.ParseFloat(s, 64)
		if floatErr != nil || !(math.Abs(v) < math.MaxInt32) {
			return errors.New("not a whole number")
		}
		n = int(math.Round(v))
	}
	if n < least || n > most {
		return fmt.Errorf("not from %d to %d", least, most)
	}
	*to = n
	return nil
}

func setScore(to *float64, s string) error {
	v, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || !(v >= 0 && v <= 1) {
		return errors.New("not a number from 0 to 1")
	}
	*to = v
	return nil
}

func setBool(to *bool, s string) error {
	v, err := strconv.ParseBool(strings.ToLower(strings.TrimSpace(s)))
	if err != nil {
		return errors.New("neither true nor false")
	}
	*to = v
	return nil
}

// escape writes a text so that every format holds it: what is not UTF-8, control
// characters other than tab and newline, what XML has no place for, and the
// bytes of also become \x and two hexadecimal digits, as does a backslash that
// would else begin such an escape.
func escape(s, also string) string {
	if !mustEscape(s, also) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if odd(r, n) || strings.IndexByte(also, s[i]) >= 0 || s[i] == '\\' && isEscape(s[i:]) {
			for _, c := range []byte(s[i : i+n]) {
				fmt.Fprintf(&b, `\x%02x`, c)
			}
		} else {
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

func mustEscape(s, also string) bool {
	if also != "" && strings.ContainsAny(s, also) {
		return true
	}
	return strings.ContainsFunc(s, func(r rune) bool { return r == utf8.RuneError || r == '\\' || odd(r, 0) })
}

// odd reports whether a rune of n bytes is a byte that is not UTF-8, or has no
// place in some format.
func odd(r rune, n int) bool {
	return r == utf8.RuneError && n == 1 || r < ' ' && r != '\t' && r != '\n' || r == 0x7f || r == 0xfffe || r == 0xffff
}

// isEscape reports whether s begins with what escape writes.
func isEscape(s string) bool {
	_, ok := escaped(s)
	return ok
}

func escaped(s string) (byte, bool) {
	if len(s) < 4 || s[0] != '\\' || s[1] != 'x' {
		return 0, false
	}
	v, err := strconv.ParseUint(s[2:4], 16, 8)
	c := byte(v)
	return c, err == nil && (c < ' ' || c >= 0x7f || c == '"' || c == '\\')
}

// unescape undoes escape.
func unescape(s string) string {
	if !strings.Contains(s, `\x`) {
		return s
	}
	b := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if c, ok := escaped(s[i:]); ok {
			b = append(b, c)
			i += 3
		} else {
			b = append(b, s[i])
		}
	}
	return string(b)
}
