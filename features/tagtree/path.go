package tagtree

import (
	"strconv"

	"golang.org/x/net/html"
)

// A family counts the element children of one parent by name, once, so that
// the places of all siblings together cost linear time. Its storage is reused.
type family struct {
	names []nameCount
	index map[string]int // into names; nil while there are few names
}

type nameCount struct {
	name        string
	total, seen int
}

// fewNames is how many names are searched one by one before an index pays.
const fewNames = 12

// count fills f with the children of parent.
func (f *family) count(parent *html.Node) {
	f.names, f.index = f.names[:0], nil
	for c := parent.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode {
			f.find(c.Data).total++
		}
	}
}

// find returns the entry of a name, made where there is none.
func (f *family) find(name string) *nameCount {
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

// place returns the place of the next child of this name, from 1, or 0 if it
// is the only one.
func (f *family) place(name string) int {
	n := f.find(name)
	n.seen++
	if n.total < 2 {
		return 0
	}
	return n.seen
}

// appendStep appends one step of a path, such as div[2].
func appendStep(b []byte, name string, place int) []byte {
	b = append(b, cut(name, maxName)...)
	if place == 0 {
		return b
	}
	b = append(b, '[')
	b = strconv.AppendInt(b, int64(place), 10)
	return append(b, ']')
}

// pathStep returns one step of a path.
func pathStep(name string, place int) string { return string(appendStep(nil, name, place)) }
