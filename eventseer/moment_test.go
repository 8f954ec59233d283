package eventseer

import (
	"testing"
	"time"
)

func TestMoment(t *testing.T) {
	instant := time.Date(2027, 1, 15, 23, 59, 0, 0, time.FixedZone("", 2*60*60))
	for _, tt := range []struct {
		d    Deadline
		want time.Time
	}{
		{Deadline{Date: "2027-01-15", Instant: instant}, instant},
		{Deadline{Date: "2027-01-15"}, time.Date(2027, 1, 16, 11, 59, 59, 0, time.UTC)},
		{Deadline{Date: "soon"}, time.Time{}},
	} {
		if got := tt.d.Moment(); !got.Equal(tt.want) || got.Location() != time.UTC {
			t.Errorf("Moment of %+v = %v, want %v", tt.d, got, tt.want)
		}
	}
}
