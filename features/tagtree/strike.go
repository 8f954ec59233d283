package tagtree

import (
	"slices"
	"strings"

	"golang.org/x/net/html"

	"github.com/eventseer/eventseer/features/htmltree"
	"github.com/eventseer/eventseer/internal/text"
)

// Limits on what is read of the style sheets in a page.
const (
	maxSheet       = 1 << 16 // bytes of a sheet
	maxRules       = 20      // rules per sheet that strike text out
	maxSelector    = 200     // bytes of a rule's selector
	maxStruckNames = 50      // classes per page that strike text out
)

const lineThrough = "line-through"

// readSheet records the classes that a style sheet in the page strikes out. It uses only selectors of a
// single class, with or without an element, such as in ".past, li.over { text-decoration: line-through }".
func (w *walker) readSheet(n *html.Node) {
	if n.FirstChild == nil || len(w.struckNames) >= maxStruckNames {
		return
	}
	sheet := strings.ToLower(text.CutBytes(n.FirstChild.Data, maxSheet))
	from := 0
	for range maxRules {
		at := strings.Index(sheet[from:], lineThrough)
		if at < 0 {
			return
		}
		at += from
		from = at + len(lineThrough)
		open := strings.LastIndexByte(sheet[:at], '{')
		if open < 0 || strings.IndexByte(sheet[open:at], '}') >= 0 {
			continue
		}
		selector := sheet[max(0, open-maxSelector):open]
		selector = selector[strings.LastIndexAny(selector, "{};/")+1:]
		for one := range strings.SplitSeq(selector, ",") {
			element, class, found := strings.Cut(strings.TrimSpace(one), ".")
			if found && class != "" && !strings.ContainsAny(element+class, " .:>+~#[*\n\t") && len(w.struckNames) < maxStruckNames {
				w.struckNames = append(w.struckNames, class)
			}
		}
	}
}

// isStruckByClass reports whether an element's classes strike its text out. It knows the page's own style
// sheets and, for sheets in other files, usual names of such classes.
func (w *walker) isStruckByClass(n *html.Node) bool {
	classes := htmltree.Attr(n, "class")
	if classes == "" {
		return false
	}
	for class := range strings.FieldsSeq(text.CutBytes(classes, maxStyle)) {
		if isStrikeClass(class) || len(w.struckNames) > 0 && slices.Contains(w.struckNames, strings.ToLower(class)) {
			return true
		}
	}
	return false
}

// isStrikeClass reports whether class is a usual name of a class that strikes text out.
func isStrikeClass(class string) bool {
	if strings.HasSuffix(class, "through") {
		return !strings.Contains(class, ":") && (strings.HasSuffix(class, lineThrough) || strings.HasSuffix(class, "linethrough") || strings.HasSuffix(class, "strikethrough") || strings.HasSuffix(class, "strike-through"))
	}
	switch class {
	case "strike", "struck", "striked", "strikeout", "strike-out", "crossed", "crossed-out", "crossout":
		return true
	}
	return false
}
