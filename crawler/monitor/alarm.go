package monitor

import (
	"fmt"
	"math"
	"time"
)

// An Alarm is a problem of a source. It is raised once and remains until the source recovers.
type Alarm struct {
	Kind  AlarmKind `json:"kind"`
	Since time.Time `json:"since"` // the visit that raised it
	Text  string    `json:"text"`
}

// An AlarmKind is the kind of problem.
type AlarmKind string

// The kinds of alarms.
const (
	SilentAlarm  AlarmKind = "silent"  // no change for far longer than its rate makes likely
	FailingAlarm AlarmKind = "failing" // no page at this number of visits in a row
	GoneAlarm    AlarmKind = "gone"    // the site reports that the page does not exist
)

// When alarms are raised.
const (
	// silenceChance is the probability of a silence below which an alarm is raised.
	silenceChance = 0.01
	// minChanges is the number of changes a source must have had for its silence to be significant.
	minChanges = 3
	// goneVisits and failedVisits are how many visits in a row raise an alarm.
	goneVisits, failedVisits = 2, 3
)

// currentAlarm returns the problem of a source after its last visit, nil if there is none.
func (s *Source) currentAlarm() *Alarm {
	last := s.Last()
	raise := func(kind AlarmKind, format string, args ...any) *Alarm {
		return &Alarm{Kind: kind, Since: last.At, Text: fmt.Sprintf(format, args...)}
	}
	switch {
	case last.Fate == Gone && s.countLastWithFate(Gone) >= goneVisits:
		return raise(GoneAlarm, "gone at each of the last %d visits", s.countLastWithFate(Gone))
	case s.Row >= failedVisits:
		return raise(FailingAlarm, "no page at each of the last %d visits", s.Row)
	case !last.Fate.hasPage():
		return s.Alarm // not serious enough, but no recovery either
	}
	if chance, changes, silence := s.unlikelySilence(); changes >= minChanges && chance < silenceChance {
		return raise(SilentAlarm, "no change for %s; after the %d earlier changes, such a long silence has a probability of %.2g", daysText(silence), changes, chance)
	}
	return nil
}

// countLastWithFate returns how many of the last visits had that fate.
func (s *Source) countLastWithFate(f Fate) (n int) {
	for i := len(s.Visits) - 1; i >= 0 && s.Visits[i].Fate == f; i-- {
		n++
	}
	return n
}

// unlikelySilence returns the probability that a source shows no change for as long as it has shown none. It
// also returns the number of earlier changes, on which this estimate is based, and the days since the last
// change. If it changed X times in T days before, its rate has a gamma distribution of shape X and rate T,
// and the chance of no change in s days is (T/(T+s))^X.
func (s *Source) unlikelySilence() (chance float64, changes int, silence float64) {
	last := -1 // the last visit with a change
	for i, v := range s.Visits {
		if v.Fate == Changed {
			last = i
		}
	}
	if last < 0 {
		return 1, 0, 0
	}
	var watched float64
	for _, a := range accessesOf(s.Visits[:last+1]) {
		watched += a.Interval
		if a.Changed {
			changes++
		}
	}
	silence = toDays(s.Last().At.Sub(s.Visits[last].At))
	if watched == 0 {
		return 1, changes, silence
	}
	return math.Pow(watched/(watched+silence), float64(changes)), changes, silence
}

// updateAlarm raises or clears the source's alarm after a visit, and reports whether it is new.
func (s *Source) updateAlarm() (raised bool) {
	now := s.currentAlarm()
	if now != nil && s.Alarm != nil && now.Kind == s.Alarm.Kind {
		now.Since = s.Alarm.Since
	} else {
		raised = now != nil
	}
	s.Alarm = now
	return raised
}

// daysText returns a number of days in words.
func daysText(days float64) string {
	switch {
	case days < 2:
		return fmt.Sprintf("%.3g hours", days*24)
	case days < 60:
		return fmt.Sprintf("%.3g days", days)
	}
	return fmt.Sprintf("%.3g weeks", days/7)
}
