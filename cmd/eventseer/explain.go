package main

import (
	"fmt"
	"io"
	"math"
	"strings"

	"eventseer/features"
	"eventseer/internal/text"
)

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
				parts = append(parts, fmt.Sprintf("%s %.2f", features.TermText(r.Term), math.Abs(r.Weight)))
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
