package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"eventseer/features"
	"eventseer/internal/text"
)

// featureText is the name of a feature in words: “call paper” in the URL.
// Words stand as their stems; a block without words of its own is named.
func featureText(term string) string {
	block, name, ok := strings.Cut(term, ":")
	switch {
	case !ok:
		return term
	case block == features.Structure:
		return strings.ReplaceAll(name, "_", " ")
	case block == features.Body:
		return "“" + name + "”"
	case block == features.Headings:
		return "“" + name + "” in a heading"
	case block == features.URL:
		return "“" + name + "” in the URL"
	}
	return "“" + name + "” in the " + strings.ReplaceAll(block, "_", " ")
}

// printReasons writes what spoke for and against an answer, strongest first, a
// line each.
func printReasons(w io.Writer, indent, answer string, list []reason) error {
	for _, side := range []struct {
		name string
		sign float64
	}{{"for", 1}, {"against", -1}} {
		var parts []string
		for _, r := range list {
			if r.Weight*side.sign > 0 {
				parts = append(parts, fmt.Sprintf("%s %.2f", featureText(r.Term), math.Abs(r.Weight)))
			}
		}
		if len(parts) == 0 {
			continue
		}
		if _, err := fmt.Fprintf(w, "%s%s %s: %s\n", indent, side.name, answer, text.Printable(strings.Join(parts, ", "))); err != nil {
			return err
		}
	}
	return nil
}
