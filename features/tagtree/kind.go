package tagtree

// pageKind tells what the page is for by the ratio of its text to its links.
func (a *Analysis) pageKind() PageKind {
	switch ltr := a.LTR(); {
	case ltr < 0.5:
		return HubPage
	case ltr < 2:
		return MixedPage
	}
	return InfoPage
}
