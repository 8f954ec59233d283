package publish

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"eventseer/eventseer"
)

// subjectOf is the subject of a digest as PRODUCT.md has it: `3 new calls, 1 deadline
// moved - "web crawling", "digital libraries"`. Lists that do not fit are left out whole.
func subjectOf(d eventseer.Digest) string {
	counts := map[eventseer.ItemKind]int{}
	for _, s := range d.Sections {
		for _, i := range s.Items {
			counts[i.Kind]++
		}
		counts[eventseer.NewCall] += s.More // they are sorted last
	}
	var said []string
	say := func(kind eventseer.ItemKind, one, many string) {
		if n := counts[kind]; n == 1 {
			said = append(said, "1 "+one)
		} else if n > 1 {
			said = append(said, fmt.Sprintf("%d %s", n, many))
		}
	}
	say(eventseer.NewCall, "new call", "new calls")
	say(eventseer.StateChanged, "event cancelled or postponed", "events cancelled or postponed")
	say(eventseer.Moved, "deadline moved", "deadlines moved")
	say(eventseer.Closing, "call closes soon", "calls close soon")
	subject := strings.Join(said, ", ")
	separator := " - "
	for _, s := range d.Sections {
		name := cleanLine(strings.ReplaceAll(s.List.Name, `"`, ""), eventseer.MaxListName)
		if name == "" {
			continue
		}
		longer := subject + separator + `"` + name + `"`
		if utf8.RuneCountInString(longer) > maxSubject-3 {
			return subject + ", …"
		}
		subject, separator = longer, ", "
	}
	return subject
}
