package wrapper

import (
	"strconv"
	"strings"
	"unicode"
)

// Bounds on what is looked for within a text.
const (
	maxPieced = 200 // bytes of a text
	maxPieces = 8
)

// separators part the pieces of a text: "Room 5 | 10:00", "Ada (Oslo)".
var separators = []string{" | ", " · ", " • ", " – ", " — ", " - ", ", ", "; ", ": ", " / ", " @ ", " (", ". "}

// pieces observes the parts of a text: the value after a label of its own, and what
// separators part, by place and as a list.
func (o *observer) pieces(t *templateNode, p *pageNode) {
	if len(p.text) > maxPieced {
		return
	}
	if label, value := ownLabel(p.text); label != "" {
		o.add(viewKey{Node: t.id, Part: Core, By: byLabel + Kept(label, maxLabel)}, p, value)
	}
	for _, sep := range separators {
		parts := strings.Split(p.text, sep)
		if len(parts) < 2 || len(parts) > maxPieces {
			continue
		}
		for i, part := range parts {
			part = trimPiece(part, sep)
			o.add(viewKey{Node: t.id, Part: Piece, By: byPlace + strconv.Itoa(i+1) + " of " + strconv.Itoa(len(parts)) + " by " + sep}, p, part)
			if sep == ", " || sep == "; " {
				o.add(viewKey{Node: t.id, Part: Pieces, By: byPlace + "by " + sep}, p, part)
			}
		}
	}
}

func trimPiece(s, sep string) string {
	s = strings.TrimSpace(s)
	if sep == " (" {
		s = strings.TrimSuffix(s, ")")
	}
	return s
}

// ownLabel returns the label with which a text begins, in lower case and with its
// colon, and what follows: "room:" and "5" of "Room: 5". It is "" if there is none.
func ownLabel(text string) (label, value string) {
	label, value, found := strings.Cut(text, ":")
	if !found || len(label) > maxLabel || len(strings.Fields(label)) > labelWords || strings.ContainsFunc(label, unicode.IsDigit) ||
		!strings.ContainsFunc(label, unicode.IsLetter) || !strings.HasPrefix(value, " ") {
		return "", ""
	}
	return strings.ToLower(strings.TrimSpace(label)) + ":", strings.TrimSpace(value)
}
