package tagtree

import "strings"

// textOf returns the visible text of nodes in one line. Between two elements, and where
// lines end, there is a space: an outline does not keep those between elements.
func textOf(nodes []*Node) string {
	var w recordWriter
	for _, n := range nodes {
		w.write(n)
	}
	return cut(strings.Join(strings.Fields(w.text.String()), " "), maxRecordText)
}

type recordWriter struct {
	text strings.Builder
	// element says that the node before was an element.
	element bool
}

func (w *recordWriter) write(n *Node) {
	if n.Hidden || w.text.Len() > maxRecordText {
		return
	}
	if n.Name == "" {
		w.text.WriteString(n.Text)
		w.element = false
		return
	}
	if apart := !isInlineName(n.Name) || n.Name == "br"; apart || w.element {
		w.text.WriteByte(' ')
		defer func() {
			if apart {
				w.text.WriteByte(' ')
			}
		}()
	}
	w.element = false
	for _, c := range n.Children {
		w.write(c)
	}
	w.element = true
}
