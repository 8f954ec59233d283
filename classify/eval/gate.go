package eval

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/internal/usage"
)

// A Gate is a figure and the minimum it must reach.
type Gate struct {
	figure, text string
	least        float64
}

// ParseGate parses NAME=VALUE. If classes are given, it also checks that reports on them have a figure
// NAME.
func ParseGate(text string, classes []string) (Gate, error) {
	name, value, _ := strings.Cut(text, "=")
	least, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(least) {
		return Gate{}, usage.Errorf("--min %s is not NAME=VALUE, such as f1=0.9", text)
	}
	g := Gate{name, value, least}
	if classes == nil {
		return g, nil
	}
	return g, g.check(classes)
}

// check returns an error if reports on classes have no such figure, or if lower values of it are better.
func (g Gate) check(classes []string) error {
	names := slices.DeleteFunc(FigureNames(classes), LowerIsBetter)
	switch {
	case slices.Contains(names, g.figure):
		return nil
	case LowerIsBetter(g.figure):
		return usage.Errorf("--min %s=%s: a lower %s is better, so it has no minimum", g.figure, g.text, g.figure)
	}
	return usage.Errorf("--min %s=%s: the report has no figure %q, only %s", g.figure, g.text, g.figure, strings.Join(names, ", "))
}

// MissedGates returns a message for each gate that r does not reach, which says by how much.
func (r *Report) MissedGates(gates []Gate) ([]string, error) {
	var missed []string
	var classes []string
	for _, c := range r.Classes {
		classes = append(classes, c.Name)
	}
	for _, g := range gates {
		if err := g.check(classes); err != nil {
			return nil, err
		}
		if figure, ok := r.Figure(g.figure); !ok {
			missed = append(missed, fmt.Sprintf("%s is withheld because there are too few examples", g.figure))
		} else if figure.Value < g.least {
			missed = append(missed, fmt.Sprintf("%s is %.4f, which does not reach %s", g.figure, figure.Value, g.text))
		}
	}
	return missed, nil
}
