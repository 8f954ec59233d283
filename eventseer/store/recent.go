package store

import (
	"context"
	"slices"
	"strings"

	"eventseer/eventseer"

	"go.etcd.io/bbolt"
)

// Classes of news. Each change that people are told has a row of allNews, and one of
// each other class that it is of, so that the newest of a class are read without the
// others. The class is the first byte of a row's key.
const (
	allNews   = 'a' // whatever is told
	newNews   = 'n' // events seen for the first time
	movedNews = 'm' // events of which a deadline has another day
)

// MaxRecent bounds the changes that one call of Recent, RecentNew or RecentMoved
// returns.
const MaxRecent = 1000

// Recent returns the changes that people are told, newest first: at most limit of
// those with a number below before, where 0 means all. Series that were put again are
// not among them. A change that cannot be read is left out; Check tells of it.
func (s *Store) Recent(ctx context.Context, before uint64, limit int) ([]eventseer.Change, error) {
	return s.recent(ctx, allNews, before, limit)
}

// RecentNew is Recent for the changes that brought an event, which may have become
// part of another since.
func (s *Store) RecentNew(ctx context.Context, before uint64, limit int) ([]eventseer.Change, error) {
	return s.recent(ctx, newNews, before, limit)
}

// RecentMoved is Recent for the changes by which a known deadline has another day.
func (s *Store) RecentMoved(ctx context.Context, before uint64, limit int) ([]eventseer.Change, error) {
	return s.recent(ctx, movedNews, before, limit)
}

func (s *Store) recent(ctx context.Context, class byte, before uint64, limit int) (changes []eventseer.Change, err error) {
	limit = min(limit, MaxRecent)
	err = s.view(ctx, func(tx *bbolt.Tx) error {
		c := tx.Bucket(newsBucket).Cursor()
		for k := lastBelow(c, class, before); len(k) == 9 && k[0] == class && len(changes) < limit; k, _ = c.Prev() {
			if change, err := decodeChange(k[1:], tx.Bucket(changeBucket).Get(k[1:])); err == nil {
				changes = append(changes, change)
			}
		}
		return nil
	})
	return changes, err
}

// lastBelow moves c to the last row of a class with a number below before, 0 for the
// last of all, and returns its key; where there is none, another key or nil.
func lastBelow(c *bbolt.Cursor, class byte, before uint64) []byte {
	to := []byte{class + 1}
	if before > 0 {
		to = newsKey(class, before)
	}
	if k, _ := c.Seek(to); k == nil {
		k, _ = c.Last()
		return k
	}
	k, _ := c.Prev()
	return k
}

func newsKey(class byte, seq uint64) []byte { return append([]byte{class}, seqBytes(seq)...) }

// classesOf returns the classes of news that a change is of.
func classesOf(c eventseer.Change) []byte {
	if !tells(c) || ofPeople(c) {
		return nil
	}
	classes := []byte{allNews}
	if c.New {
		classes = append(classes, newNews)
	}
	if slices.ContainsFunc(c.Fields, movesDeadline) {
		classes = append(classes, movedNews)
	}
	return classes
}

// tells reports whether people are told of a change. Other changes are for indexes
// only: what is known of the event's series is more.
func tells(c eventseer.Change) bool {
	return c.New || len(c.Fields) > 0 || slices.ContainsFunc(c.Kinds, eventseer.ChangeKind.Telling) || c.Into != ""
}

// ofPeople reports whether a change is of the committee only. Names of people are no
// news; the event's history has it.
func ofPeople(c eventseer.Change) bool {
	if c.New || c.Into != "" {
		return false
	}
	other := func(f eventseer.FieldChange) bool { return f.Field != "committee" }
	tells := func(k eventseer.ChangeKind) bool { return k.Telling() && k != eventseer.CommitteeChanged }
	return !slices.ContainsFunc(c.Fields, other) && !slices.ContainsFunc(c.Kinds, tells)
}

// movesDeadline reports whether a field is a deadline that had a day and has another.
// What stands behind the day is its zone.
func movesDeadline(f eventseer.FieldChange) bool {
	from, _, _ := strings.Cut(f.Old, " ")
	to, _, _ := strings.Cut(f.New, " ")
	return strings.HasPrefix(f.Field, "deadlines.") && from != "" && to != "" && from != to
}

func putNews(tx *bbolt.Tx, c eventseer.Change) error {
	b := tx.Bucket(newsBucket)
	for _, class := range classesOf(c) {
		if err := b.Put(newsKey(class, c.Seq), []byte{}); err != nil {
			return err
		}
	}
	return nil
}
