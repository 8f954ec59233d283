package query

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
)

// rankOrders are the values of the ranking systems, best first; "" is for other systems.
var rankOrders = map[string][]string{
	"core":  {"A*", "A", "B", "C"},
	"ccf":   {"A", "B", "C"},
	"thcpl": {"A", "B"},
	"ggs":   {"A++", "A+", "A", "A-", "B", "B-"},
	"":      {"A++", "A*", "A+", "A", "A-", "B+", "B", "B-", "C", "D"},
}

// RankOrder returns the index of a value in its system, 0 for the best, and whether the system has
// it.
func RankOrder(system, value string) (int, bool) {
	i := slices.IndexFunc(rankOrder(system), func(v string) bool { return strings.EqualFold(v, value) })
	return max(i, 0), i >= 0
}

func rankOrder(system string) []string {
	if order, ok := rankOrders[strings.ToLower(system)]; ok {
		return order
	}
	return rankOrders[""]
}

// LatestRanks returns the newest rank of each system, in order of system.
func LatestRanks(ranks []eventseer.Rank) []eventseer.Rank {
	sorted := slices.Clone(ranks)
	slices.SortStableFunc(sorted, func(a, b eventseer.Rank) int {
		return cmp.Or(strings.Compare(a.System, b.System), b.Year-a.Year)
	})
	return slices.CompactFunc(sorted, func(a, b eventseer.Rank) bool { return a.System == b.System })
}

// A rankTest is the value of the field rank. It tests that the rank of a system, "" for any, is one
// of some values, or at least or at most one; op "" accepts any rank.
type rankTest struct {
	system string
	op     string
	values []string
}

func (r rankTest) String() string { return r.system + r.op + strings.Join(r.values, ",") }

// readRank reads "core>=A", "core=A*,A", "core:A*,A", "core", "A*" and ">=A".
func readRank(op, text string) (string, string, error) {
	r, err := parseRank(op, text)
	return ":", r.String(), err
}

func parseRank(op, text string) (rankTest, error) {
	var r rankTest
	i := strings.IndexAny(text, ":=<>")
	switch {
	case op != ":":
		r.op = op
	case i >= 0:
		r.system = strings.ToLower(strings.TrimSpace(text[:i]))
		r.op = leadingOperator(text[i:])
		text = text[i+len(r.op):]
		if r.op == ":" {
			r.op = "="
		}
	default:
		if _, isValue := RankOrder("", strings.Split(text, ",")[0]); !isValue {
			r.system = strings.ToLower(text)
			return r, checkSystem(r.system)
		}
		r.op = "="
	}
	if err := checkSystem(r.system); err != nil {
		return r, err
	}
	for v := range strings.SplitSeq(text, ",") {
		v = strings.ToUpper(strings.TrimSpace(v))
		if _, ok := RankOrder(r.system, v); !ok {
			return r, fmt.Errorf("needs one of the ranks %s, such as rank:core>=A", strings.Join(rankOrder(r.system), ", "))
		}
		r.values = append(r.values, v)
	}
	if r.op != "=" && len(r.values) > 1 {
		return r, fmt.Errorf("can be compared with one rank only")
	}
	return r, nil
}

// checkSystem returns an error unless name is a ranking system or "".
func checkSystem(name string) error {
	if strings.IndexFunc(name, func(r rune) bool { return r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') }) >= 0 {
		return fmt.Errorf("needs a system of ranks and a rank, such as rank:core>=A")
	}
	return nil
}

func (r rankTest) matchesAny(ranks []eventseer.Rank) bool {
	return slices.ContainsFunc(ranks, func(k eventseer.Rank) bool {
		return (r.system == "" || r.system == k.System) && r.matchesRank(k)
	})
}

func (r rankTest) matchesRank(k eventseer.Rank) bool {
	if r.op == "" {
		return true
	}
	if r.op == "=" {
		return slices.ContainsFunc(r.values, func(v string) bool { return strings.EqualFold(v, k.Value) })
	}
	is, known := RankOrder(k.System, k.Value)
	asked, comparable := RankOrder(k.System, r.values[0])
	return known && comparable && satisfies(r.op, cmp.Compare(asked, is)) // the best has the lowest index
}
