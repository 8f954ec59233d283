package features

// Select returns a Vectorizer of only those terms of v that keep says to keep;
// keep is asked once a term, by its component, in order. Structure stays.
// Blocks are brought to length 1 after the selection.
func (v *Vectorizer) Select(keep func(component int) bool) *Vectorizer {
	var terms []term
	for i, t := range v.terms {
		if keep(i) {
			terms = append(terms, t)
		}
	}
	return newVectorizer(v.options, v.n, terms)
}
