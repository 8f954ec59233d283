package extract

import (
	"math"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer/extract/person"
)

// TestHostileLists reads megabytes of parts of lists, in one block and in very many. The results must be
// bounded, and the work, counted in allocations, may not grow faster than the text.
func TestHostileLists(t *testing.T) {
	const size = 1 << 20
	for _, unit := range []string{"Anna Brookfield, ", "Anna Brookfield (Tarn), ", "A and B and ", "(", ")", ",", ";A", "12 ", "x at y ", "{a}@", "Topics include: a, b; ", "[at] ", "Dr. ", "https://easychair.org/conferences/?"} {
		one := strings.Repeat(unit, size/len(unit))
		many := strings.Repeat(unit+"<br>", 25_000)
		for name, body := range map[string]string{"one block": one, "many blocks": many} {
			p := readPage(parse(t, "p.html", "<h2>Program Committee</h2><p>"+body+"</p><h2>Topics</h2><p>"+body))
			people, _ := readCommittee(p.places, shippedWeights().people)
			p.roles = shippedWeights().roles.Roles(p.t, p.blocks)
			topics, _ := readTopics(p.page, shippedWeights().topics)
			readSubmission(p.page)
			readPublisher(p.page)
			if len(people) > maxPeople || len(topics) > maxTopics {
				t.Errorf("%q in %s: %d people, %d topics", unit, name, len(people), len(topics))
			}
		}
		// The minimum of five runs counts. A garbage collection during a run empties the pools of package
		// regexp, and refilling them is not caused by the text.
		work := func(n int) float64 {
			s, least := cutToBytes(one, n), math.Inf(1)
			for range 5 {
				least = min(least, testing.AllocsPerRun(1, func() {
					shippedWeights().people.People(person.NewPage([]person.Block{{Text: withoutContacts(s)}}, eventRoleOf), leastPerson)
					topicParts(s)
				}))
			}
			return least
		}
		if small, large := work(maxPeopleBlock/4), work(maxPeopleBlock); large > 6*small+100 {
			t.Errorf("%q: %v allocations for %d bytes, %v for %d", unit, small, maxPeopleBlock/4, large, maxPeopleBlock)
		}
	}
}
