package date

import (
	"fmt"
	"strings"
	"testing"
)

// TestFarMonths reads a date of each month of each language.
func TestFarMonths(t *testing.T) {
	for lang, names := range rareMonthNames {
		forms := strings.Fields(names)
		if len(forms) != 12 {
			t.Fatalf("%s has %d months", lang, len(forms))
		}
		for i, months := range forms {
			for _, month := range strings.Split(months, "/") {
				if month == "-" {
					continue
				}
				text, want := "x: 12 "+month+" 2027", fmt.Sprintf("2027-%d-12", i+1)
				if ds := NewReader(text, "und").Dates(); len(ds) != 1 || show(ds[0].From) != want {
					t.Errorf("%s %q: %v", lang, text, ds)
				}
			}
		}
	}
}

func TestFarDates(t *testing.T) {
	for _, c := range []struct{ text, lang, want string }{
		{"ბოლო ვადა: 12 ივნისი 2027", "ka", "2027-6-12"},
		{"শেষ তারিখ ১২ মে ২০২৭", "bn", "2027-5-12"},
		{"12. október 2027", "is", "2027-10-12"},
		{"Dyddiad cau: 12 Mehefin 2027", "cy", "2027-6-12"},
		{"12 հունիսի 2027", "hy", "2027-6-12"},
		{"31 ივნისი 2027", "ka", "2027-6-0"}, // no such day: only the month is read
		{"5 Must Haves 2027", "de", ""},
		{"12 people in 2027", "en", ""},
		{"le 5 à 7 de 2027", "fr", ""},
	} {
		var got []string
		for _, sp := range NewReader(c.text, c.lang).Dates() {
			got = append(got, show(sp.From))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q: %v, want %q", c.text, got, c.want)
		}
	}
}
