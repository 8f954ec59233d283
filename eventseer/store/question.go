package store

import (
	"cmp"
	"context"
	"slices"

	"eventseer/eventseer"
	"eventseer/eventseer/match"

	"go.etcd.io/bbolt"
)

// A Question is a pair of events that may be one edition: too much speaks against it to
// unite them and too little to be sure that they are two.
type Question struct {
	A, B eventseer.EventID // in order
	// Likeness is what speaks for one edition less what would be enough to unite them, in
	// log-odds; below 0. See match.Scorer.
	Likeness float64
	// Probability is that of one edition, at least match.QuestionProbability.
	Probability float64
}

// MaxQuestions bounds the pairs that Questions returns.
const MaxQuestions = 1000

// Questions returns the pairs of events that may be one, the likeliest first. It compares
// each event with those it shares a key with, and writes nothing. Events that cannot be
// read are left out; Check reports them.
func (s *Store) Questions(ctx context.Context) (open []Question, err error) {
	for e, err := range s.Events(ctx) {
		if err != nil {
			continue
		}
		key := match.NewEventKey(e)
		err := s.view(ctx, func(tx *bbolt.Tx) error {
			for _, id := range candidates(tx, e) {
				if id <= string(e.ID) {
					continue // the other way round
				}
				c, err := s.memo.of(id, tx.Bucket(eventBucket).Get([]byte(id)))
				if err != nil {
					continue
				}
				like := s.score(c.EventKey, key)
				if p := match.Probability(c.EventKey, key); like < 0 && p >= match.QuestionProbability {
					open = append(open, Question{e.ID, eventseer.EventID(id), like, p})
				}
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(open, func(a, b Question) int {
		return cmp.Or(cmp.Compare(b.Probability, a.Probability), cmp.Compare(b.Likeness, a.Likeness), cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B))
	})
	return open[:min(len(open), MaxQuestions)], ctx.Err()
}
