package tagtree

import (
	"strings"

	"eventseer/internal/text"
)

// textOf returns the visible text of nodes in one line, a space where a line ends.
func textOf(nodes []*Node) string {
	var b strings.Builder
	for _, n := range nodes {
		n.appendShown(&b)
	}
	return text.Cut(strings.Join(strings.Fields(b.String()), " "), maxRecordText)
}

// appendShown is appendContent without what is hidden and what is too long.
func (n *Node) appendShown(b *strings.Builder) {
	if n.Hidden || b.Len() > maxRecordText {
		return
	}
	if n.Apart {
		b.WriteByte(' ')
	}
	if n.Name == "" {
		b.WriteString(n.Text)
		return
	}
	apart := !isInlineName(n.Name) || n.Name == "br"
	if apart {
		b.WriteByte(' ')
	}
	for _, c := range n.Children {
		c.appendShown(b)
	}
	if apart {
		b.WriteByte(' ')
	}
}
