package extract

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func oddDates(s, lang string) string {
	o := oddReader{lang: lang, left: maxOddDates}
	r := newDateReader(s, lang)
	var got []string
	for _, sp := range o.dates(s, r) {
		got = append(got, s[sp.start:sp.end]+" = "+show(sp.from))
	}
	return strings.Join(got, "; ")
}

func TestOddDates(t *testing.T) {
	for _, c := range []struct{ text, lang, want string }{
		{"ბოლო ვადა: 12 ივნისი 2027", "ka", "12 ივნისი 2027 = 2027-6-12"},
		{"শেষ তারিখ ১২ মে ২০২৭", "bn", "১২ মে ২০২৭ = 2027-5-12"},
		{"12. október 2027", "is", "12. október 2027 = 2027-10-12"},
		{"Dyddiad cau: 12 Mehefin 2027", "cy", "12 Mehefin 2027 = 2027-6-12"},
		{"12 հունիսի 2027", "hy", "12 հունիսի 2027 = 2027-6-12"},
		{"12 ივნისი", "ka", ""},      // no year: the library would take today's
		{"ივნისი 2027", "ka", ""},    // no day
		{"32 ივნისი 2027", "ka", ""}, // no such day
		{"31 ივნისი 2027", "ka", ""}, // nor this one
		{"5 Must Haves 2027", "de", ""},
		{"12 people in 2027", "en", ""},
		{"le 5 à 7 de 2027", "fr", ""},
	} {
		if diff := cmp.Diff(c.want, oddDates(c.text, c.lang)); diff != "" {
			t.Errorf("%q: %s", c.text, diff)
		}
	}
}

// TestOddDatesAreBounded gives the library no more than a few dates of a page.
func TestOddDatesAreBounded(t *testing.T) {
	o := oddReader{lang: "ka", left: maxOddDates}
	s := strings.Repeat("12 უცნობი 2027; ", 500)
	o.dates(s, newDateReader(s, "ka"))
	if o.left != 0 {
		t.Errorf("%d tries left", o.left)
	}
	p := read(parse(t, "p.html", "<html lang=ka><h1>X 2027</h1><p>"+strings.Repeat("12 ივნისი 2027<p>", 50)), 2037)
	if len(p.dates) != maxOddDates {
		t.Errorf("%d dates read, want %d", len(p.dates), maxOddDates)
	}
}
