package eventseer

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/internal/text"
)

// Limits of the publication gate.
const (
	// MinNameConfidence is the minimum confidence of the name of a listed event. Most names with a lower
	// confidence are wrong.
	MinNameConfidence = 0.5
	// maxLead is the maximum time from a deadline to its event.
	maxLead = 2 * 366 * 24 * time.Hour
	// maxYearsApart is the maximum number of years between an event with unknown dates and its
	// deadline. Special issues appear in the following year.
	maxYearsApart = 1
)

// ListNameRule is the rule of the warning that the acronym of an event is the name of the
// mailing list that announced it.
const ListNameRule = "list-name"

var nameYear = regexp.MustCompile(`\b(19[89]\d|20\d\d)\b`)

// maxNameRead is the maximum number of bytes of a name that are examined.
const maxNameRead = 1000

// YearIn returns the first year in a name, or 0.
func YearIn(name string) int {
	y, _ := strconv.Atoi(nameYear.FindString(text.CutBytes(name, maxNameRead))) // four digits or none
	return y
}

// NamedYear returns the year in an event's name, or 0.
func (e Event) NamedYear() int { return cmp.Or(YearIn(e.Title), YearIn(e.Acronym)) }

// ExclusionReason returns why an event is excluded from lists of open calls, or "" if it is listed. An excluded
// event still has its own page. ExclusionReason is pure and does not use the clock.
func (e Event) ExclusionReason() string {
	title := e.Sources["title"]
	switch {
	case e.Hidden:
		return "an editor hides it"
	case title.Rule == EditorRule && e.Title != "": // an editor has confirmed the name
		return ""
	case e.Title == "" && e.Acronym == "" && len(e.Sources) > 0:
		return "no page states its name"
	case slices.ContainsFunc(e.Warnings, func(w Warning) bool { return w.Rule == ListNameRule }):
		return "its name is that of a mailing list"
	case e.isAcronymAlone(): // the acronym is used instead of an uncertain name
	case e.Title != "" && title.Confidence > 0 && title.Confidence < MinNameConfidence, isNotAName(e.Title):
		return "its name is uncertain"
	}
	return ""
}

// isAcronymAlone reports whether the title is the acronym, with or without its year.
func (e Event) isAcronymAlone() bool {
	if len(e.Title) > maxNameRead || len(e.Acronym) > maxNameRead {
		return false
	}
	bare := func(name string) string {
		return strings.ReplaceAll(text.FoldForComparison(nameYear.ReplaceAllLiteralString(name, " ")), " ", "")
	}
	acronym := strings.TrimRight(bare(e.Acronym), "0123456789")
	return acronym != "" && strings.TrimRight(bare(e.Title), "0123456789") == acronym && !isNotAName(e.Acronym)
}

var (
	// dayWords match words that are printed with dates and extensions.
	dayWords = regexp.MustCompile(`(?i)\b(jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?|dec(ember)?|` +
		`mon(day)?|tue(sday)?|wed(nesday)?|thu(rsday)?|fri(day)?|sat(urday)?|sun(day)?|extended|extension|deadline|final|new|due|aoe|utc|(\d+(st|nd|rd|th)?))\b`)
	// cutShort matches the end of an incomplete name.
	cutShort  = regexp.MustCompile(`(?i)\b(on|of|for|in|and|the|at|with|to|de|del|sobre|sur|et|für|und|zu)\W*$`)
	anyLetter = regexp.MustCompile(`\pL`)
)

// isNotAName reports whether a title cannot be a name: it is a day, a phrase about an extension, or an incomplete
// name.
func isNotAName(title string) bool {
	if title == "" || len(title) > maxNameRead {
		return false
	}
	return cutShort.MatchString(title) || !anyLetter.MatchString(dayWords.ReplaceAllLiteralString(title, " "))
}

// SubmissionDeadlines returns the submission deadlines of an event, in the order of the record. A cancelled or
// excluded event has none. Deadlines that contradict the days, the year or the other deadlines of
// the event are left out, and so are those after the event; they stay in the record. Due is pure
// and does not use the clock.
func (e Event) SubmissionDeadlines() (due []Deadline) {
	if e.State == Cancelled || e.ExclusionReason() != "" {
		return nil
	}
	named, decisions := e.NamedYear(), newDecisionDays(e.Deadlines)
	for _, d := range e.Deadlines {
		if d.Kind.IsSubmission() && !d.Moment().IsZero() && e.isConsistentWith(d, named) && !decisions.isBefore(d) {
			due = append(due, d)
		}
	}
	return due
}

// isConsistentWith reports whether a deadline is consistent with the days of the event, otherwise with its
// year and the year in its name.
func (e Event) isConsistentWith(d Deadline, named int) bool {
	at := d.Moment()
	start, ok := e.EventStart.Time()
	if ok {
		end, ok := e.EventEnd.Time()
		if !ok || end.Before(start) {
			end = start
		}
		if at.After(end.Add(36*time.Hour)) || start.Sub(at) > maxLead { // 36 hours: the end of that day in any time zone
			return false
		}
	}
	for _, year := range []int{e.Year, named} {
		if year != 0 && at.Year() > year+maxYearsApart {
			return false
		}
	}
	return true
}

// decisionDays are the last days of decisions and the first days of deadlines of an event, by call and round. They
// take time linear in the number of deadlines, which a hostile page may raise to MaxDeadlines.
type decisionDays struct {
	last  map[CallKind]map[int]Date // of notifications
	first map[roundsOf]map[int]Date // of deadlines by kind
}

// roundsOf identifies the rounds of a call for one kind of deadline.
type roundsOf struct {
	kind DeadlineKind
	call CallKind
}

// anyRound stands for all rounds of a call.
const anyRound = -1

func newDecisionDays(ds []Deadline) decisionDays {
	days := decisionDays{map[CallKind]map[int]Date{}, map[roundsOf]map[int]Date{}}
	for _, d := range ds {
		call := d.Call()
		of := roundsOf{d.Kind, call}
		if days.first[of] == nil {
			days.first[of] = map[int]Date{}
		}
		for _, round := range []int{d.Round, anyRound} {
			if first := days.first[of][round]; first == "" || d.Date < first {
				days.first[of][round] = d.Date
			}
			if d.Kind != Notification {
				continue
			}
			if days.last[call] == nil {
				days.last[call] = map[int]Date{}
			}
			days.last[call][round] = max(days.last[call][round], d.Date)
		}
	}
	return days
}

// isBefore reports whether a submission deadline is later than the decisions on submissions. It is if all
// notifications of its call and round are earlier, and another deadline of its kind is not later than the
// last of them. A deadline without a round belongs to all rounds.
func (x decisionDays) isBefore(d Deadline) bool {
	call := d.Call()
	rounds := []int{anyRound}
	if d.Round != 0 {
		rounds = []int{d.Round, 0}
	}
	var last Date
	for _, round := range rounds {
		last = max(last, x.last[call][round])
	}
	if d.Date <= last || last == "" {
		return false
	}
	return slices.ContainsFunc(rounds, func(round int) bool {
		first := x.first[roundsOf{d.Kind, call}][round]
		return first != "" && first <= last
	})
}
