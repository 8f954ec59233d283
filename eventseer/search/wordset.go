package search

import "context"

// set returns the documents that match a node, of which each may be one that is not
// live. The result is the caller's.
func (f *finding) set(ctx context.Context, n node) (set, error) {
	found := newSet(len(f.rows))
	return found, f.addTo(ctx, found, n)
}

// addTo puts the documents that match a node into found.
func (f *finding) addTo(ctx context.Context, found set, n node) error {
	switch n := n.(type) {
	case anyOf:
		for _, one := range n {
			if err := f.addTo(ctx, found, one); err != nil {
				return err
			}
		}
	case allOf:
		all, err := f.set(ctx, n[0])
		if err != nil {
			return err
		}
		for _, one := range n[1:] {
			other, err := f.set(ctx, one)
			if err != nil {
				return err
			}
			all.keep(other)
		}
		found.unite(all)
	case *leaf:
		return f.addLeaf(ctx, found, n)
	}
	return nil
}

// addLeaf puts the documents that have the words of a leaf into found.
func (f *finding) addLeaf(ctx context.Context, found set, l *leaf) error {
	if len(l.words) == 0 {
		return nil
	}
	var documents []uint32
	if l.phrase {
		p, err := f.phrase(ctx, l)
		if err != nil {
			return err
		}
		documents = p.documents
	} else {
		var err error
		if documents, err = f.having(ctx, l); err != nil {
			return err
		}
	}
	for _, d := range documents {
		found.add(d)
	}
	return nil
}

// having returns the documents with each word of a leaf, wherever it stands in the
// field. It is not the caller's.
func (f *finding) having(ctx context.Context, l *leaf) ([]uint32, error) {
	var documents []uint32
	for i, w := range l.words {
		p, err := f.word(ctx, l.field, w.text)
		switch {
		case err != nil:
			return nil, err
		case i == 0:
			documents = p.documents
		default:
			documents = both(documents, p.documents)
		}
		if len(documents) == 0 {
			return nil, nil
		}
	}
	return documents, nil
}

// both returns what two lists in order have in common.
func both(a, b []uint32) (out []uint32) {
	if len(a) > len(b) {
		a, b = b, a
	}
	w := walker{list: b}
	for _, d := range a {
		if w.has(d) {
			out = append(out, d)
		}
	}
	return out
}

// A walker looks things up in a list in order, asked for in order.
type walker struct {
	list []uint32
	at   int // of the last one that was found or passed
}

// has goes to d. It doubles its steps, so that short lists are found in long ones soon.
func (w *walker) has(d uint32) bool {
	step := 1
	for w.at+step < len(w.list) && w.list[w.at+step] <= d {
		w.at += step
		step *= 2
	}
	for ; step > 0; step /= 2 {
		if w.at+step < len(w.list) && w.list[w.at+step] <= d {
			w.at += step
		}
	}
	return w.at < len(w.list) && w.list[w.at] == d
}
