package store

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

// TestSiblingsAreStoredApart: workshops of one site share days, place and deadlines and differ in
// one word of their names. They are separate events, in any order, and a second page of each finds
// its own.
func TestSiblingsAreStoredApart(t *testing.T) {
	subjects := []string{"Crawling", "Ranking", "Weaving"}
	var records []eventseer.Event
	for i, subject := range subjects {
		for j, title := range []string{"Workshop on Learning for %s 2027", "Fourth International Workshop on Learning for %s: New Results"} {
			e := call(1, time.Date(2026, 11, 2, 9, 2*i+j, 0, 0, time.UTC))
			e.Title, e.Acronym, e.Parent, e.Kind = fmt.Sprintf(title, subject), "", "WEBX 2027", eventseer.Workshop
			e.URL = fmt.Sprintf("https://webx.example/2027/%s/%d.html", subject, j)
			e.Pages, e.Year, e.EventStart, e.EventEnd = []string{e.URL}, 2027, "2027-06-01", "2027-06-02"
			records = append(records, e)
		}
	}
	for _, order := range []string{"forwards", "backwards"} {
		s := openStore(t, filepath.Join(t.TempDir(), "store.db"), Options{})
		ids := map[string][]eventseer.EventID{}
		for i, e := range records {
			id, err := s.Put(t.Context(), e, nil)
			if err != nil {
				t.Fatal(err)
			}
			subject := subjects[i/2]
			if order == "backwards" {
				subject = subjects[2-i/2]
			}
			if !slices.Contains(ids[subject], id) {
				ids[subject] = append(ids[subject], id)
			}
		}
		seen := map[eventseer.EventID]bool{}
		for subject, of := range ids {
			if len(of) != 1 || seen[of[0]] {
				t.Errorf("%s: the workshop on %s is %v", order, subject, of)
			}
			seen[of[0]] = true
		}
		slices.Reverse(records)
	}
}
