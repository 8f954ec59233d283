package date

import (
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/features/tagtree/tagtreetest"
)

// TestDatesStayLinear reads blocks full of beginnings of dates.
func TestDatesStayLinear(t *testing.T) {
	for _, s := range []string{
		"7", "1/", "3,", "3 and ", "3, mon ", "May 3 ", "2027 May 3 - ", "aA", "aMay", "5月27日至", "２０２７/", "3.", "31 June ", "12 ივნისი ", "٣",
		"© 2027 ", "May 3, 2027; ", "1st of the ", "2027-05-", "tháng ", "12 tháng 5 năm ", "二〇", "3月15日至", "15.3. bis ", "between 3 and ", "2000-", "2027/5/1(土)-",
	} {
		text := strings.Repeat(s, 10*MaxBytes/len(s))
		var ds []Span
		took := tagtreetest.CPU(t, func() {
			r := NewReader(text, "de")
			ds = r.Dates()
			r.Misprints(ds)
			FirstZone(text)
			FirstTimeOfDay(text)
		})
		if len(ds) > MaxDates || took > 5*time.Second {
			t.Errorf("%q repeated: %d dates in %v", s, len(ds), took)
		}
	}
}
