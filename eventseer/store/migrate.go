package store

import (
	"bytes"

	"eventseer/eventseer"
	"eventseer/eventseer/series"

	"go.etcd.io/bbolt"
)

// Schema is the version of the files that this program writes.
func Schema() int { return len(migrations) }

// addSearched makes room for series and for the operator's notes, and files the
// events under their series and the changes under their classes of news.
func addSearched(tx *bbolt.Tx) error {
	if err := createBuckets(tx, newsBucket, seriesBucket, editionBucket, noteBucket, noteDoneBucket, noteIDBucket); err != nil {
		return err
	}
	err := tx.Bucket(eventBucket).ForEach(func(id, value []byte) error {
		e, err := decodeEvent(id, value)
		if err != nil {
			return nil // Check reports it; the others count
		}
		return putEdition(tx, eventseer.Event{}, e)
	})
	if err != nil {
		return err
	}
	return tx.Bucket(changeBucket).ForEach(func(seq, value []byte) error {
		c, err := decodeChange(seq, value)
		if err != nil {
			return nil // the same
		}
		return putNews(tx, c)
	})
}

// putEdition files an event under its series, and no longer under that of what was
// stored of it before.
func putEdition(tx *bbolt.Tx, before, e eventseer.Event) error {
	key := editionKey(e)
	if !bytes.Equal(editionKey(before), key) {
		if err := dropEdition(tx, before); err != nil {
			return err
		}
	}
	if b := tx.Bucket(editionBucket); key != nil && b.Get(key) == nil {
		return b.Put(key, []byte{})
	}
	return nil
}

func dropEdition(tx *bbolt.Tx, e eventseer.Event) error {
	if key := editionKey(e); key != nil {
		return tx.Bucket(editionBucket).Delete(key)
	}
	return nil
}

// editionKey files an event under its series; nil of an event without a name.
func editionKey(e eventseer.Event) []byte {
	series := series.Of(e)
	if series == "" || e.ID == "" {
		return nil
	}
	return join(series, yearText(9999-e.Year), string(e.ID))
}
