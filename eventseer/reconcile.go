package eventseer

// WrapperRule is the Provenance.Rule of values that a wrapper read.
const WrapperRule = "wrapper"

// ListRule is the Provenance.Rule of values that a page which lists many events says of
// one: those of any other page come before them, except that a deadline may be extended.
const ListRule = "list"

// ImportRule is the Provenance.Rule of values that the operator imported from a file kept
// by hand: those of any page come before them, also where the file has a later deadline.
const ImportRule = "import"

// weaker reports whether one value is from a list or a file and another is from something
// better.
func weaker(a, b Provenance) bool { return weakness(a) > weakness(b) }

func weakness(p Provenance) int {
	switch p.Rule {
	case ImportRule:
		return 2
	case ListRule:
		return 1
	}
	return 0
}

// Reconcile joins what a wrapper and the extractor read on one page. A wrapper's value
// has passed the checks of its field, and stands; what the extractor reads otherwise
// stays in the trail. A list that a wrapper reads is whole: the extractor's is left
// out. Of what no wrapper reads the extractor is believed. It is pure.
func Reconcile(wrapped, extracted Event) Event {
	wrapped.LastSeen = extracted.LastSeen
	out, _ := Merge(extracted, wrapped) // of one page and time: the second reading stands
	if len(wrapped.Topics) > 0 {
		out.Topics, out.Sources["topics"] = wrapped.Topics, source(wrapped, "topics")
	}
	if len(wrapped.Committee) > 0 {
		out.Committee, out.Sources["committee"] = wrapped.Committee, source(wrapped, "committee")
	}
	out.Pages = nil
	return out
}
