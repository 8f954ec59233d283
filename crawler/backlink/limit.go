package backlink

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/eventseer/eventseer/internal/bolt"
)

// Limits are the query limits of a provider, which persist across restarts.
type Limits struct {
	// Pause is the minimum time between two queries. Zero means none.
	Pause time.Duration
	// CallsPerDay is the maximum number of requests per day in UTC. Zero means no limit.
	CallsPerDay int
	// CostPerDay is the cost, in the provider's unit, after which no more queries are made that
	// day; the last answer may exceed it. Zero means no limit.
	CostPerDay float64
}

func (l Limits) check() error {
	if l.Pause < 0 || l.CallsPerDay < 0 || !(l.CostPerDay >= 0) || math.IsInf(l.CostPerDay, 1) {
		return fmt.Errorf("pause %s, calls per day %d, cost per day %v: none may be negative or infinite", l.Pause, l.CallsPerDay, l.CostPerDay)
	}
	return nil
}

// When a provider rests.
const (
	failuresToRest = 3                // failures in a row
	firstRest      = time.Minute      // doubled with each further failure
	longestRest    = time.Hour        // unless the provider names a time
	longestWait    = 10 * time.Second // for a Pause to end; otherwise no query is made
)

// providerBucket contains the state of each provider, JSON by name.
var providerBucket = []byte("provider")

// A Tally counts the results of querying a provider.
type Tally struct {
	Asked    int     `json:"asked"`    // questions, kept answers included
	Kept     int     `json:"kept"`     // number of these from the cache
	Calls    int     `json:"calls"`    // requests
	Cost     float64 `json:"cost"`     // in the provider's unit
	Failed   int     `json:"failed"`   // queries with an error
	Dropped  int     `json:"dropped"`  // rows left out: malformed, of another page, of the same site
	Returned int     `json:"returned"` // links handed on
	Visited  int     `json:"visited"`  // number of these whose source was read or found missing
	Verified int     `json:"verified"` // number of these found to link to the target
}

// Since returns the difference from an earlier tally.
func (t Tally) Since(b Tally) Tally {
	return Tally{
		t.Asked - b.Asked, t.Kept - b.Kept, t.Calls - b.Calls, t.Cost - b.Cost, t.Failed - b.Failed, t.Dropped - b.Dropped,
		t.Returned - b.Returned, t.Visited - b.Visited, t.Verified - b.Verified,
	}
}

// A Standing is the state of a provider.
type Standing struct {
	Name string `json:"name"`
	Tally
	Day      string    `json:"day,omitempty"` // day of the following calls and cost
	DayCalls int       `json:"day_calls"`
	DayCost  float64   `json:"day_cost"`
	Next     time.Time `json:"next,omitzero"`     // when its pause ends
	Failures int       `json:"failures"`          // in a row
	Trouble  Trouble   `json:"trouble,omitempty"` // the last one, until the next success
	Until    time.Time `json:"until,omitzero"`    // it rests
}

func decodeStanding(v []byte) (s Standing, err error) {
	if err := json.Unmarshal(v, &s); err != nil {
		return s, err
	}
	if s.Asked < 0 || s.Calls < 0 || s.Visited < 0 || s.Verified < 0 || s.DayCalls < 0 || !(s.DayCost >= 0) {
		return s, errKept
	}
	return s, nil
}

// errResting means that a provider was not queried.
var errResting = errors.New("not asked")

// checkAdmission returns why a provider may not be queried now: it rests or has spent its daily limit. The result
// wait is the remaining part of its delay.
func (s *Standing) checkAdmission(l Limits, now time.Time) (wait time.Duration, err error) {
	s.beginDay(now)
	tomorrow := now.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
	refuse := func(t Trouble, after time.Time, format string, args ...any) error {
		return &ProviderError{Provider: s.Name, Trouble: t, After: after, Err: fmt.Errorf("%w: "+format, append([]any{errResting}, args...)...)}
	}
	switch wait = s.Next.Sub(now); {
	case now.Before(s.Until):
		return 0, refuse(s.Trouble, s.Until, "it rests until %s", s.Until.UTC().Format(time.RFC3339))
	case l.CallsPerDay > 0 && s.DayCalls >= l.CallsPerDay:
		return 0, refuse(QuotaSpent, tomorrow, "the %d calls per day that the configuration allows are used up", l.CallsPerDay)
	case l.CostPerDay > 0 && s.DayCost >= l.CostPerDay:
		return 0, refuse(QuotaSpent, tomorrow, "the cost per day that the configuration allows, %g, is used up", l.CostPerDay)
	case wait > longestWait:
		return 0, refuse(Busy, s.Next, "the pause between its queries lasts until %s", s.Next.UTC().Format(time.RFC3339))
	}
	return max(0, wait), nil
}

// beginDay resets the counts on a new day.
func (s *Standing) beginDay(now time.Time) {
	if day := now.UTC().Format(time.DateOnly); day != s.Day {
		s.Day, s.DayCalls, s.DayCost = day, 0, 0
	}
}

// countCost counts the cost of an answer, or cancels a recorded call that was not made; on the previous day
// if the day has changed.
func (s *Standing) countCost(calls int, cost float64, now time.Time) {
	s.beginDay(now)
	s.Calls += calls
	s.DayCalls = max(0, s.DayCalls+calls)
	s.Cost += cost
	s.DayCost += cost
}

// clearFailures clears the failures.
func (s *Standing) clearFailures() { s.Failures, s.Trouble, s.Until = 0, "", time.Time{} }

// recordFailure records an error and until when the provider is not queried. A busy provider rests until
// the time it names, one with a spent quota until the next day, one that rejects its key for a day.
// Other errors count after failuresToRest in a row.
func (s *Standing) recordFailure(e *ProviderError, now time.Time) {
	s.Failed++
	s.Failures++
	s.Trouble = e.Trouble
	rest := time.Duration(0)
	switch {
	case e.After.After(now):
		rest = min(e.After.Sub(now), 31*24*time.Hour)
	case e.Trouble == QuotaSpent:
		rest = now.UTC().Truncate(24 * time.Hour).Add(24 * time.Hour).Sub(now)
	case e.Trouble == KeyRefused:
		rest = 24 * time.Hour
	case e.Trouble == Busy || s.Failures >= failuresToRest:
		doublings := max(0, s.Failures-failuresToRest)
		if e.Trouble == Busy {
			doublings = s.Failures - 1
		}
		rest = min(longestRest, firstRest<<min(doublings, 6))
	}
	if s.Until = (time.Time{}); rest > 0 {
		s.Until = now.Add(rest)
	}
}

// ExpectedShare returns the expected share of a provider's links that exist: the share among those visited,
// with 4 of 5 added for a new provider.
func (t Tally) ExpectedShare() float64 { return (float64(t.Verified) + 4) / (float64(t.Visited) + 5) }

// isMostlyStale reports whether a provider's links were missing so often that other providers come first.
// Then only the share Trust of its answers is used.
func (t Tally) isMostlyStale() bool { return t.Visited >= visitsToJudge && t.ExpectedShare() < 0.5 }

// visitsToJudge is the number of a provider's links that must be visited before it can be stale.
const visitsToJudge = 20

// Standings returns the state of all providers ever queried with this file, in order of name.
func (d *LinkDB) Standings() (all []Standing, err error) {
	err = d.db.View(func(tx *bolt.Tx) error {
		return tx.Bucket(providerBucket).ForEach(func(k, v []byte) error {
			s, err := decodeStanding(v)
			if err != nil {
				return fmt.Errorf("%w: provider %q: %w", errKept, k, err)
			}
			all = append(all, s)
			return nil
		})
	})
	return all, err
}
