package htmltree

import (
	"slices"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/internal/text"

	"golang.org/x/net/html"
)

// Siblings counts the element children of one parent by name in one pass, so that the positions of all
// siblings are found in linear time. Its storage is reused.
type Siblings struct {
	names []nameCount
	index map[string]int // indices into names; nil while there are few
}

// Limits on paths, in bytes.
const (
	MaxName = 32      // an element's name in a path
	MaxPath = 2 << 10 // a path
)

type nameCount struct {
	name        string
	total, seen int
}

// Reset clears the counts; the storage is reused.
func (f *Siblings) Reset() {
	clear(f.names[:cap(f.names)])
	f.names, f.index = f.names[:0], nil
}

// fewNames is the number of names up to which linear search is faster than an index.
const fewNames = 12

// CountChildren fills f with the children of parent.
func (f *Siblings) CountChildren(parent *html.Node) {
	f.names, f.index = f.names[:0], nil
	for c := parent.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode {
			f.entryOf(c.Data).total++
		}
	}
}

// entryOf returns the entry for a name, and creates it if there is none.
func (f *Siblings) entryOf(name string) *nameCount {
	if f.index != nil {
		if i, ok := f.index[name]; ok {
			return &f.names[i]
		}
		f.index[name] = len(f.names)
		f.names = append(f.names, nameCount{name: name})
		return &f.names[len(f.names)-1]
	}
	for i := range f.names {
		if f.names[i].name == name {
			return &f.names[i]
		}
	}
	f.names = append(f.names, nameCount{name: name})
	if len(f.names) > fewNames {
		f.index = make(map[string]int, 2*len(f.names))
		for i, n := range f.names {
			f.index[n.name] = i
		}
	}
	return &f.names[len(f.names)-1]
}

// NextPlace returns the position of the next child with this name, from 1, or 0 if it is the only
// one.
func (f *Siblings) NextPlace(name string) int {
	n := f.entryOf(name)
	n.seen++
	if n.total < 2 {
		return 0
	}
	return n.seen
}

// AppendStep appends one step of a path, such as div[2].
func AppendStep(b []byte, name string, place int) []byte {
	b = append(b, text.CutBytes(name, MaxName)...)
	if place == 0 {
		return b
	}
	b = append(b, '[')
	b = strconv.AppendInt(b, int64(place), 10)
	return append(b, ']')
}

// StepText returns one step of a path.
func StepText(name string, place int) string { return string(AppendStep(nil, name, place)) }

// PathOf returns the tag path of a node, such as html/body/div[2]/p. Steps that would
// make it longer than MaxPath are left out.
func PathOf(n *html.Node) string {
	var steps []string
	size := 0
	for ; n != nil && n.Type == html.ElementNode; n = n.Parent {
		place, more := 1, false
		for s := n.PrevSibling; s != nil; s = s.PrevSibling {
			if s.Type == html.ElementNode && s.Data == n.Data {
				place++
			}
		}
		for s := n.NextSibling; s != nil && !more; s = s.NextSibling {
			more = s.Type == html.ElementNode && s.Data == n.Data
		}
		if place == 1 && !more {
			place = 0
		}
		step := StepText(n.Data, place)
		if size += len(step) + 1; size <= MaxPath {
			steps = append(steps, step)
		}
	}
	slices.Reverse(steps)
	return strings.Join(steps, "/")
}
