package publish

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish/account"
	"github.com/eventseer/eventseer/internal/bolt"
)

// A movedDeadline is a deadline whose date changed.
type movedDeadline struct{ old, new eventseer.Deadline }

// movedDeadlines returns the submission deadlines whose date changed. Changes of the time zone or of the format do
// not count.
func movedDeadlines(e eventseer.Event, c eventseer.Change) (moves []movedDeadline) {
	for _, f := range c.Fields {
		kind, track, ok := deadlineOf(f.Field)
		if !ok || !kind.IsSubmission() {
			continue
		}
		now, ok := currentDeadline(e, kind, track, dayOf(f.New))
		if !ok {
			continue
		}
		was := dayOf(f.Old)
		if was == "" { // the deadline is new but has an earlier date
			was = now.ExtendedFrom
		}
		if was == "" || was == now.Date {
			continue
		}
		now.Source = eventseer.Provenance{URL: now.Source.URL}
		moves = append(moves, movedDeadline{eventseer.Deadline{Kind: kind, Track: now.Track, Round: now.Round, Date: was, TZ: zoneOf(f.Old)}, now})
	}
	return moves
}

// deadlineOf parses the field of a change, such as "deadlines.submission[papers]", into kind and track. ok is
// false for other fields.
func deadlineOf(field string) (eventseer.DeadlineKind, string, bool) {
	name, ok := strings.CutPrefix(field, "deadlines.")
	kind, track, tracked := strings.Cut(name, "[")
	if tracked {
		track = strings.TrimSuffix(track, "]")
	}
	return eventseer.DeadlineKind(kind), track, ok
}

// dayOf returns the date of a deadline in the format of changes, "2027-01-15 AoE". zoneOf returns the time
// zone.
func dayOf(printed string) eventseer.Date {
	day, _, _ := strings.Cut(printed, " ")
	if _, ok := eventseer.Date(day).Time(); !ok {
		return ""
	}
	return eventseer.Date(day)
}

func zoneOf(printed string) string {
	_, zone, _ := strings.Cut(printed, " ")
	return zone
}

// currentDeadline returns the deadline of an event to which a change refers. ok is false if it no longer has the
// given date.
func currentDeadline(e eventseer.Event, kind eventseer.DeadlineKind, track string, day eventseer.Date) (eventseer.Deadline, bool) {
	i := slices.IndexFunc(e.Deadlines, func(d eventseer.Deadline) bool { return d.Kind == kind && d.Track == track && d.Date == day })
	if day == "" || i < 0 {
		return eventseer.Deadline{}, false
	}
	return e.Deadlines[i], true
}

// reportMoves reports moved deadlines to all accounts that were notified of the event or follow it. Followers
// are mailed at once, others by the rhythm of their list. It returns the number of items.
func (s *Service) reportMoves(tx *bolt.Tx, e eventseer.Event, c eventseer.Change) (int, error) {
	moves := movedDeadlines(e, c)
	now := s.now()
	moves = slices.DeleteFunc(moves, func(m movedDeadline) bool { return m.new.Moment().Before(now) })
	if len(moves) == 0 {
		return 0, nil
	}
	return forEachReader(tx, e.ID, func(a *account.Account, lists []string, starred bool) (int, error) {
		n := 0
		for _, m := range moves {
			what := fmt.Sprintf("moved %s %s %d %s", m.new.Kind, strings.ReplaceAll(m.new.Track, "\x00", ""), m.new.Round, m.new.Date)
			i := newItem(eventseer.Moved, e, now)
			i.Source, i.Old, i.Next = sourceOf(e, c), m.old, m.new
			told, err := s.reportOnce(tx, a, i, what, lists, starred, now)
			n += told
			if err != nil {
				return n, err
			}
		}
		return n, nil
	})
}

// forEachReader calls tell for every account that was notified of an event or follows it. lists are the lists
// through which it was notified. It returns the sum of the results.
func forEachReader(tx *bolt.Tx, id eventseer.EventID, tell func(a *account.Account, lists []string, starred bool) (int, error)) (int, error) {
	n := 0
	accounts, lists, starred := account.ReadersOf(tx, id)
	for _, reader := range accounts {
		a, err := account.Get(tx, reader)
		if errors.Is(err, eventseer.ErrNotFound) {
			continue
		}
		if err != nil {
			return n, err
		}
		told, err := tell(&a, lists[reader], starred[reader])
		n += told
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// reportOnce adds an item to the streams of the lists through which the account was notified and, if starred,
// to that of starred events. The item is mailed once. what identifies the report, so that it is not repeated.
func (s *Service) reportOnce(tx *bolt.Tx, a *account.Account, item eventseer.Item, what string, lists []string, starred bool, now time.Time) (int, error) {
	if known, err := account.IsReported(tx, item.Event, a.ID, what); err != nil || known {
		return 0, err
	}
	var streams []account.List
	if starred {
		streams = append(streams, account.List{List: eventseer.List{Rhythm: eventseer.Immediate}})
	}
	for _, id := range lists {
		l, err := account.GetList(tx, a.ID, id)
		if errors.Is(err, eventseer.ErrNotFound) || err == nil && !l.Left.IsZero() {
			continue
		}
		if err != nil {
			return 0, err
		}
		streams = append(streams, l)
	}
	n, sent := 0, false
	for _, l := range streams {
		i := item
		i.List = l.ID
		i, err := account.AddItem(tx, a.ID, i)
		if err != nil {
			return n, err
		}
		n++
		if sent || l.Rhythm == eventseer.Quiet || !account.ReceivesMail(*a) {
			continue
		}
		sent = true
		if err := s.queueItemFor(tx, a, l, i, now); err != nil {
			return n, err
		}
	}
	if n == 0 {
		return 0, nil
	}
	return n, account.RecordReport(tx, item.Event, a.ID, what, "", now)
}

// reminderItems returns items for the starred events of an account whose next deadline is within one of its
// reminders. Each reminder is reported once. The events read are added to events.
func (s *Service) reminderItems(ctx context.Context, tx *bolt.Tx, a account.Account, events map[eventseer.EventID]eventseer.Event, now time.Time) (items []eventseer.Item, err error) {
	for _, id := range a.Stars {
		e, known := events[id]
		if !known && s.o.Store != nil {
			if e, err = s.o.Store.Event(ctx, id); ctx.Err() != nil {
				return nil, ctx.Err()
			} else if err != nil {
				continue
			}
			events[id] = e
		}
		next, ok := eventseer.NextDeadline(e, now)
		if !ok {
			continue
		}
		days, due := dueReminder(a.Reminders, next.Moment().Sub(now))
		if !due {
			continue
		}
		what := fmt.Sprintf("closing %s %s %d %s %d", next.Kind, strings.ReplaceAll(next.Track, "\x00", ""), next.Round, next.Date, days)
		if known, err := account.IsReported(tx, id, a.ID, what); err != nil || known {
			if err != nil {
				return nil, err
			}
			continue
		}
		i, err := account.AddItem(tx, a.ID, newItem(eventseer.Closing, e, now))
		if err != nil {
			return nil, err
		}
		if err := account.RecordReport(tx, id, a.ID, what, "", now); err != nil {
			return nil, err
		}
		items = append(items, i)
	}
	return items, nil
}

// dueReminder returns the shortest reminder, in days, that is due when a deadline is left away.
func dueReminder(reminders []int, left time.Duration) (days int, due bool) {
	for _, r := range reminders { // in descending order
		if left <= time.Duration(r)*24*time.Hour {
			days, due = r, true
		}
	}
	return days, due
}

// documentBefore returns the document as it was before a change, nil for a new event. ok is false if the change
// cannot affect which lists match.
func documentBefore(doc eventseer.Document, c eventseer.Change, now time.Time) (before *eventseer.Document, ok bool) {
	if c.New {
		return nil, true
	}
	old := doc
	old.Clips = slices.DeleteFunc(slices.Clone(doc.Clips), func(clip eventseer.Clip) bool { return !clip.Seen.Before(c.At) })
	changed := len(old.Clips) < len(doc.Clips)
	if len(c.Fields) == 0 && len(c.Kinds) == 0 { // the series was stored again
		old.Ranks = nil
		return &old, len(doc.Ranks) > 0 && doc.Event.FirstSeen.After(now.Add(-maxNews))
	}
	for _, f := range c.Fields {
		changed = revertField(&old.Event, f) || changed
	}
	changed = changed || !doc.Changed.IsZero()
	return &old, changed
}

// revertField sets a field that lists can match to its value before a change. It returns false for other
// fields.
func revertField(e *eventseer.Event, f eventseer.FieldChange) bool {
	switch f.Field {
	case "title":
		e.Title = f.Old
	case "acronym":
		e.Acronym = f.Old
	case "kind":
		e.Kind = eventseer.Kind(f.Old)
	case "topics":
		e.Topics = nil
		if f.Old != "" {
			e.Topics = []string{f.Old}
		}
	case "location":
		e.Location = nil
		if f.Old != "" {
			e.Location = &eventseer.Venue{Text: f.Old}
		}
	case "state":
		e.State = eventseer.State(f.Old)
	case "parent":
		e.Parent = f.Old
	case "year":
		e.Year, _ = strconv.Atoi(f.Old)
	case "event_start":
		e.EventStart = eventseer.Date(f.Old)
	default:
		return revertDeadline(e, f)
	}
	return true
}

// revertDeadline reverts the change of a submission deadline. It returns false for other fields.
func revertDeadline(e *eventseer.Event, f eventseer.FieldChange) bool {
	kind, track, ok := deadlineOf(f.Field)
	if !ok || !kind.IsSubmission() {
		return false
	}
	e.Deadlines = slices.Clone(e.Deadlines)
	if now, ok := currentDeadline(*e, kind, track, dayOf(f.New)); ok {
		i := slices.Index(e.Deadlines, now)
		e.Deadlines = slices.Delete(e.Deadlines, i, i+1)
	}
	if was := dayOf(f.Old); was != "" {
		e.Deadlines = append(e.Deadlines, eventseer.Deadline{Kind: kind, Track: track, Date: was, TZ: zoneOf(f.Old)})
	}
	return true
}
