package monitor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// A Discoverer selects the new links of a source that are worth a visit. It is pure and safe for
// concurrent use.
type Discoverer interface {
	Name() string
	// Discover compares two versions of a source; old is nil at the first visit. It returns those
	// links of new that are not in old and worth a visit, best first.
	Discover(old, new *tagtree.Tree, known Known) []SelectedLink
}

// Known holds the data on a source besides its versions.
type Known struct {
	Source string
	Kind   Kind
	// Gave and Vain are the followed links of the source whose pages had records, or none. They are
	// canonical, the last maxLinks of each.
	Gave, Vain []string
	// Words are the statistics of words of all followed links. Nil has none.
	Words Words
}

// A SelectedLink is a new link that is worth a visit.
type SelectedLink struct {
	Link  webgraph.Link
	Score float64 // 0 to 1; higher is visited sooner
	Why   string  // for people
}

// AllNew selects all new links, in page order.
type AllNew struct{}

var _ Discoverer = AllNew{}

// Name implements Discoverer.
func (AllNew) Name() string { return "all" }

// Discover implements Discoverer.
func (AllNew) Discover(old, new *tagtree.Tree, _ Known) []SelectedLink {
	var all []SelectedLink
	for _, i := range newLinks(old, new) {
		all = append(all, SelectedLink{Link: new.Links()[i], Why: "new on the page"})
	}
	return all
}

// A Chance returns, for each of a page's links, the probability that it leads to a record, from 0
// to 1. It is safe for concurrent use.
type Chance func(*tagtree.Tree) []float64

// Likely selects the new links that probably lead to a record by their text and position. It
// ignores the history of the source.
type Likely struct {
	Chance Chance
	// Least is the minimum probability. Zero means leastChance.
	Least float64
}

var _ Discoverer = Likely{}

// leastChance is the minimum probability of a link worth a visit: missing a record costs as much as
// four visits without success.
const leastChance = 0.2

// Name implements Discoverer.
func (Likely) Name() string { return "classifier" }

// Discover implements Discoverer.
func (d Likely) Discover(old, new *tagtree.Tree, _ Known) []SelectedLink {
	least := cmp.Or(d.Least, leastChance)
	chances := d.Chance(new)
	var all []SelectedLink
	for _, i := range newLinks(old, new) {
		if p := chances[i]; p >= least {
			all = append(all, SelectedLink{Link: new.Links()[i], Score: p, Why: fmt.Sprintf("new on the page; its words and its place give it a probability of %.2f", p)})
		}
	}
	return bestFirst(all)
}

// newLinks returns the links of new that old does not have, each target once and not the page
// itself; all if old is nil.
func newLinks(old, new *tagtree.Tree) (fresh []int) {
	seen := map[string]bool{new.Page.URL: true}
	if old != nil {
		for _, l := range old.Links() {
			seen[l.Target] = true
		}
	}
	for i, l := range new.Links() {
		if !seen[l.Target] {
			seen[l.Target] = true
			fresh = append(fresh, i)
		}
	}
	return fresh
}

func bestFirst(all []SelectedLink) []SelectedLink {
	slices.SortStableFunc(all, func(a, b SelectedLink) int { return cmp.Compare(b.Score, a.Score) })
	return all
}

// pathsOf returns the tag path of each target on the newest version that has it.
func pathsOf(old, new *tagtree.Tree) map[string]string {
	paths := map[string]string{}
	for _, t := range []*tagtree.Tree{new, old} {
		if t == nil {
			continue
		}
		for _, l := range t.Links() {
			if _, ok := paths[l.Target]; !ok {
				paths[l.Target] = l.Path
			}
		}
	}
	return paths
}

// commonPath returns the path of the nearest node that is above both elements.
func commonPath(a, b string) string {
	end := 0
	for i := 0; ; i++ {
		if done := i == len(a) || i == len(b); done || a[i] != b[i] {
			if (i == len(a) || a[i] == '/') && (i == len(b) || b[i] == '/') {
				end = i
			}
			break
		}
		if a[i] == '/' {
			end = i
		}
	}
	return a[:end]
}

// pathDepth returns how many nodes a path has.
func pathDepth(path string) int {
	if path == "" {
		return 0
	}
	return strings.Count(path, "/") + 1
}

func isWithinPath(path, root string) bool {
	return strings.HasPrefix(path, root) && (len(path) == len(root) || path[len(root)] == '/')
}
