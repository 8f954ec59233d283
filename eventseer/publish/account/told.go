package account

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish/records"
	"github.com/eventseer/eventseer/internal/bolt"
)

// reportLifetime is how long the records of reports are kept. It is longer than any call is open.
const reportLifetime = 500 * 24 * time.Hour

// A reportRecord records that an account got a report about an event. Its key ends in "new" for a mail, "list ID" for
// an item in a list's stream, or the report on a deadline or state: "moved …", "closing …", "state …".
type reportRecord struct {
	List string    `json:"list,omitempty"` // list through which the event was found
	At   time.Time `json:"at"`
}

func IsReported(tx *bolt.Tx, event eventseer.EventID, account, what string) (bool, error) {
	return tx.Bucket(records.ReportBucket).Get(records.JoinKey(string(event), account, what)) != nil, nil
}

func RecordReport(tx *bolt.Tx, event eventseer.EventID, account, what, list string, now time.Time) error {
	return records.Put(tx, records.ReportBucket, records.JoinKey(string(event), account, what), reportRecord{list, now})
}

// ReadersOf returns the accounts that were notified of an event or follow it, sorted. lists has the lists
// through which they were notified, starred the accounts that follow the event.
func ReadersOf(tx *bolt.Tx, event eventseer.EventID) (accounts []string, lists map[string][]string, starred map[string]bool) {
	lists, starred = map[string][]string{}, map[string]bool{}
	for k := range records.WithPrefix(tx, records.ReportBucket, records.PrefixKey(string(event))) {
		account, what, _ := strings.Cut(string(k[len(event)+1:]), "\x00")
		if list, ok := strings.CutPrefix(what, "list "); ok {
			lists[account] = append(lists[account], list)
			accounts = append(accounts, account)
		}
	}
	for k := range records.WithPrefix(tx, records.StarBucket, records.PrefixKey(string(event))) {
		account := string(k[len(event)+1:])
		starred[account] = true
		accounts = append(accounts, account)
	}
	slices.Sort(accounts)
	return slices.Compact(accounts), lists, starred
}

// ReaderCounts returns the number of accounts that ReadersOf would return for each event. Events without any
// are omitted.
func (s *Accounts) ReaderCounts(ctx context.Context) (map[eventseer.EventID]int, error) {
	return records.Read(ctx, s.db, func(tx *bolt.Tx) (map[eventseer.EventID]int, error) {
		type reader struct{ event, account string }
		seen := map[reader]bool{}
		for k := range records.WithPrefix(tx, records.ReportBucket, nil) {
			event, rest, _ := strings.Cut(string(k), "\x00")
			if account, what, _ := strings.Cut(rest, "\x00"); strings.HasPrefix(what, "list ") {
				seen[reader{event, account}] = true
			}
		}
		for k := range records.WithPrefix(tx, records.StarBucket, nil) {
			event, account, _ := strings.Cut(string(k), "\x00")
			seen[reader{event, account}] = true
		}
		counts := map[eventseer.EventID]int{}
		for r := range seen {
			counts[eventseer.EventID(r.event)]++
		}
		return counts, nil
	})
}

// MergeReports assigns the reports and stars of event lost to event kept, because both are the same event.
func MergeReports(tx *bolt.Tx, lost, kept eventseer.EventID) error {
	b := tx.Bucket(records.ReportBucket)
	for _, k := range records.KeysWithPrefix(tx, records.ReportBucket, records.PrefixKey(string(lost))) {
		v := bytes.Clone(b.Get(k))
		to := slices.Concat([]byte(kept), k[len(lost):])
		if err := errors.Join(b.Delete(k), b.Put(to, v)); err != nil {
			return err
		}
	}
	for _, k := range records.KeysWithPrefix(tx, records.StarBucket, records.PrefixKey(string(lost))) {
		a, err := Get(tx, string(k[len(lost)+1:]))
		if err != nil && !errors.Is(err, eventseer.ErrNotFound) {
			return err
		}
		if err := tx.Bucket(records.StarBucket).Delete(k); err != nil {
			return err
		}
		if a.ID == "" {
			continue
		}
		for i := range a.Stars {
			if a.Stars[i] == lost {
				a.Stars[i] = kept
			}
		}
		a.Stars = distinctIDs(a.Stars)
		if err := errors.Join(tx.Bucket(records.StarBucket).Put(records.JoinKey(string(kept), a.ID), []byte{}), Put(tx, a)); err != nil {
			return err
		}
	}
	return nil
}
