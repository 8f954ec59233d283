package exchange

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/internal/text"
)

// A layoutLevel is one kind of mapping in the layout of ccfddl, with the names of its members and
// their aliases. A file without the required ones has a changed layout.
type layoutLevel struct {
	name   string
	known  []string
	needed [][]string
}

var (
	conferenceLevel = layoutLevel{"conference", []string{"title", "name", "name_en", "description", "full_name", "sub", "rank", "dblp", "confs"}, [][]string{{"title", "name"}}}
	editionLevel    = layoutLevel{"edition", []string{"year", "id", "link", "timeline", "timezone", "date", "place", "deadline", "abstract_deadline", "abstract deadline", "comment"},
		[][]string{{"year"}, {"link"}, {"timeline", "deadline"}, {"date"}, {"place"}}}
	deadlineLevel = layoutLevel{"deadline", []string{"deadline", "abstract_deadline", "abstract deadline", "comment"}, [][]string{{"deadline", "abstract_deadline", "abstract deadline"}}}
	// flatLevel is the original layout, in which each entry is an edition.
	flatLevel = layoutLevel{"entry", slices.Concat(conferenceLevel.known, editionLevel.known), slices.Concat(conferenceLevel.needed, editionLevel.needed)}
)

// A fieldCensus counts the members of one level's mappings in a file, to find renamed ones.
type fieldCensus struct {
	layoutLevel
	entries int
	has     map[string]int // required member, by its first name → entries that have it
	unknown []string       // members unknown to the layout, in file order
	guesses []fieldGuess
}

// A fieldGuess is a member that may be another one under a new name.
type fieldGuess struct {
	name, meant string
	entries     int
	first       string // where it was found first
}

// countMembers counts the members of an entry at place at.
func (c *fieldCensus) countMembers(f fields, at string) {
	c.entries++
	for _, names := range c.needed {
		if slices.ContainsFunc(names, f.hasMember) {
			c.has[names[0]]++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(f)) {
		if slices.Contains(c.known, name) {
			continue
		}
		if !slices.Contains(c.unknown, name) && len(c.unknown) < maxUnknownFields {
			c.unknown = append(c.unknown, name)
		}
		if meant := c.likelyMember(f, name); meant != "" {
			c.addGuess(name, meant, at)
		}
	}
}

// maxUnknownFields bounds the unknown members of a level that are stored.
const maxUnknownFields = 100

func (c *fieldCensus) addGuess(name, meant, at string) {
	for i, g := range c.guesses {
		if g.name == name && g.meant == meant {
			c.guesses[i].entries++
			return
		}
	}
	if len(c.guesses) < maxUnknownFields {
		c.guesses = append(c.guesses, fieldGuess{name, meant, 1, at})
	}
}

// likelyMember returns the member of the layout that an unknown one may stand for. The entry lacks that
// member, and the unknown one has a similar name or a matching value. It returns "" if there is
// none.
func (c *fieldCensus) likelyMember(f fields, name string) string {
	for _, known := range c.known {
		if c.lacksMember(f, known) && areSpeltAlike(name, known) {
			return known
		}
	}
	if items := f.listOf(name); len(items) > 0 {
		switch {
		case items[0].hasMember("year") && slices.Contains(c.known, "confs") && c.lacksMember(f, "confs") && !f.hasMember("year"):
			return "confs"
		case items[0].hasMember("deadline") && c.lacksMember(f, "timeline"):
			return "timeline"
		}
	}
	if value, _ := f[name].(string); webURL(value) != "" && slices.Contains(c.known, "link") && c.lacksMember(f, "link") {
		return "link"
	}
	return ""
}

// areSpeltAlike reports whether a name may be a misspelling of another, or differ by letters at its
// end.
func areSpeltAlike(name, known string) bool {
	short, long := known, strings.ToLower(name)
	if len(short) > len(long) {
		short, long = long, short
	}
	limit := max(1, len(known)/4) + 1
	return len(short) >= 4 && strings.HasPrefix(long, short) || text.EditDistance(strings.ToLower(name), known, limit) < limit
}

// mayBeRenamed reports whether an entry may have a member of the layout under a new name.
func (c *fieldCensus) mayBeRenamed(f fields, member string) bool {
	for name := range f {
		if !slices.Contains(c.known, name) && c.likelyMember(f, name) == member {
			return true
		}
	}
	return false
}

// lacksMember reports whether an entry has neither a member nor one of its aliases.
func (c *fieldCensus) lacksMember(f fields, name string) bool {
	for _, names := range c.needed {
		if slices.Contains(names, name) {
			return !slices.ContainsFunc(names, f.hasMember)
		}
	}
	return !f.hasMember(name)
}

// renameErrors returns the members that may have been renamed, and those that no entry has.
func (c *fieldCensus) renameErrors() (errs []error) {
	for _, g := range c.guesses {
		errs = append(errs, fmt.Errorf("%s: %q is not a field of this layout; did you mean %q? (%d of %s)",
			g.first, singleLine(g.name, 40), g.meant, g.entries, c.entriesText()))
	}
	for _, names := range c.needed {
		guessed := slices.ContainsFunc(c.guesses, func(g fieldGuess) bool { return slices.Contains(names, g.meant) })
		if c.has[names[0]] > 0 || guessed || len(c.unknown) == 0 {
			continue
		}
		shown := c.unknown[:min(len(c.unknown), 8)]
		errs = append(errs, fmt.Errorf("none of %s has %s; it has fields that this layout does not have: %s; rename the one with this meaning",
			c.entriesText(), strings.Join(names, " or "), singleLine(strings.Join(shown, ", "), 200)))
	}
	return errs
}

// entriesText describes the number of entries.
func (c *fieldCensus) entriesText() string {
	if c.name == "entry" {
		return text.Count(c.entries, "entry", "entries")
	}
	return text.Count(c.entries, c.name, c.name+"s")
}

func newFieldCensus(level layoutLevel) *fieldCensus {
	return &fieldCensus{layoutLevel: level, has: map[string]int{}}
}

// hasMember reports whether a member is there, with a value or without.
func (f fields) hasMember(name string) bool {
	_, ok := f[name]
	return ok
}
