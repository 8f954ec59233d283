package exchange

import (
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

// No cell of `find --format csv` is a formula.
func TestFindRowsHaveNoFormulas(t *testing.T) {
	rows := FindRows([]eventseer.Event{{ID: "a-2027", Acronym: "@SUM(A1)", Title: "=1+1", Location: &eventseer.Venue{City: "-Oslo"}}}, time.Unix(0, 0))
	if got := rows[1]; got[1] != "'@SUM(A1)" || got[2] != "'=1+1" || got[7] != "'-Oslo" || got[0] != "a-2027" {
		t.Errorf("%q", got)
	}
}
