// Package eventstest makes fictitious events, series, clips and readers' lists that look like those
// of the web. The same seed gives the same ones on every machine. Benchmarks and tests of search,
// pages and mail use it.
package eventstest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

// editions is the number of editions of a series that Events makes, one per year; the last is that of the
// year after now.
const editions = 5

// ranked is the number of series with ranks: those that Series returns.
const ranked = 1000

// Events returns n events, as a store would hold them at the time now: about a
// third of them call for papers still. They are editions of n/5 series; the
// first of those are the ones of Series with the same seed.
func Events(seed uint64, n int, now time.Time) []eventseer.Event {
	events := make([]eventseer.Event, n)
	for i := range events {
		events[i] = event(seed, i, now)
	}
	return events
}

// Series returns the series that have ranks, rates and identifiers.
func Series(seed uint64) []eventseer.Series {
	all := make([]eventseer.Series, ranked)
	for i := range all {
		c, r := newCall(seed, i), newRand(seed, 3, i)
		all[i] = eventseer.Series{
			ID: strings.ToLower(c.acronym), Acronym: c.acronym, Name: c.name, Homepage: "https://" + c.host + "/",
			DBLP: "conf/" + strings.ToLower(c.acronym), Wikidata: fmt.Sprintf("Q%d", 90_000_000+i),
			Ranks: ranks(r), Rates: rates(r),
		}
	}
	return all
}

func ranks(r *rand.Rand) []eventseer.Rank {
	const source = "https://ranks.example/table.csv"
	out := []eventseer.Rank{{System: "core", Value: weighted(r, coreRanks), Year: 2023, Source: source}}
	if r.IntN(2) == 0 {
		out = append(out, eventseer.Rank{System: "ccf", Value: weighted(r, ccfRanks), Year: 2022, Source: source})
	}
	return out
}

func rates(r *rand.Rand) (out []eventseer.Rate) {
	submitted := 80 + r.IntN(900)
	for year := 2022; year <= 2026; year++ {
		accepted := submitted * (15 + r.IntN(30)) / 100
		out = append(out, eventseer.Rate{
			Year: year, Accepted: accepted, Submitted: submitted, Rate: float64(accepted) / float64(submitted),
			Source: "https://rates.example/",
		})
		submitted += submitted * (r.IntN(30) - 10) / 100
	}
	return out
}

// A call is the common part of a series' editions.
type call struct {
	acronym, name, host string
	kind                eventseer.Kind
	area                area
	core                []string // topics of every edition
	month               time.Month
}

func newCall(seed uint64, series int) call {
	r := newRand(seed, 1, series)
	c := call{acronym: acronym(seed, series), area: areas[r.IntN(len(areas))], month: time.Month(1 + r.IntN(12))}
	c.host = strings.ToLower(c.acronym) + ".example"
	kind := pickKind(r)
	c.kind = kind.kind
	c.core = sample(r, c.area.topics, 3)
	c.name = kind.words + " on " + headline(c.core[0])
	if r.IntN(3) > 0 {
		c.name += " and " + headline(c.core[1])
	}
	return c
}

// acronym returns a name of two or three syllables, another for each series.
func acronym(seed uint64, series int) string {
	const consonants, vowels = "BCDFGHJKLMNPRSTVWZXQ", "AEIOU"
	const all = 1_000_000
	n := int((uint64(series)*618_033 + seed%all) % all) // 618,033 has no divisor of 10: no number comes twice
	var b strings.Builder
	for range 3 {
		s := n % 100
		b.WriteByte(consonants[s%20])
		b.WriteByte(vowels[s/20])
		n /= 100
	}
	return b.String()
}

func headline(topic string) string {
	words := strings.Fields(topic)
	for i, w := range words {
		if i == 0 || w != "of" && w != "and" && w != "for" && w != "in" {
			words[i] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, " ")
}

func newRand(seed, stream uint64, i int) *rand.Rand {
	return rand.New(rand.NewPCG(seed^stream<<56, uint64(i)))
}

// sample returns n different values of all, or all of them.
func sample[T any](r *rand.Rand, all []T, n int) []T {
	n = min(n, len(all))
	out := make([]T, 0, n)
	for _, i := range r.Perm(len(all))[:n] {
		out = append(out, all[i])
	}
	return out
}

// A weight is a value and how often it comes among a hundred.
type weight struct {
	value string
	of100 int
}

func weighted(r *rand.Rand, values []weight) string {
	n := r.IntN(100)
	for _, w := range values {
		if n -= w.of100; n < 0 {
			return w.value
		}
	}
	return values[len(values)-1].value
}
