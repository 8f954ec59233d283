package monitor

import (
	"cmp"
	"fmt"

	"github.com/eventseer/eventseer/internal/bolt"
)

// maxVocabulary bounds the stored words. New ones are not learned beyond it.
const maxVocabulary = 200_000

// storedWords are the Words of a DB.
type storedWords struct{ db *bolt.DB }

var _ Words = storedWords{}

// Words returns the statistics of words of followed links, always in their present state.
func (d *DB) Words() Words { return storedWords{d.db} }

// Tally implements Words. A damaged word counts as unknown; Check reports it.
func (w storedWords) Tally(word string) (t Tally) {
	_ = w.db.View(func(tx *bolt.Tx) (err error) { // a closed database has none
		t, _, err = getValue[Tally](tx, wordBucket, wordKey(word))
		return err
	})
	return t
}

func wordKey(word string) string { return cmp.Or(word, " ") }

// countFollowed counts a link that was followed.
func countFollowed(tx *bolt.Tx, text string, gave bool) error {
	b := tx.Bucket(wordBucket)
	for _, word := range append(wordsOf(text), "") {
		key := wordKey(word)
		t, known, err := getValue[Tally](tx, wordBucket, key)
		if err != nil {
			return err
		}
		if !known && word != "" {
			if b.Sequence() >= maxVocabulary {
				continue
			}
			if _, err := b.NextSequence(); err != nil {
				return err
			}
		}
		if err := putValue(tx, wordBucket, []byte(key), t.withResult(gave)); err != nil {
			return err
		}
	}
	return nil
}

// checkWords reports the tallies that cannot be read.
func (d *DB) checkWords() (broken []error) {
	err := d.db.View(func(tx *bolt.Tx) error {
		return tx.Bucket(wordBucket).ForEach(func(word, value []byte) error {
			var t Tally
			if err := decodeJSON(value, &t); err != nil {
				broken = append(broken, fmt.Errorf("word %q: %w", word, err))
			}
			return nil
		})
	})
	if err != nil {
		broken = append(broken, err)
	}
	return broken
}
