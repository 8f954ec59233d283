package extract

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func show(d day) string { return fmt.Sprintf("%d-%d-%d", d.year, d.month, d.day) }

func TestDates(t *testing.T) {
	for _, c := range []struct{ text, lang, want string }{
		{"on May 3, 2027 in Bern", "en", "2027-5-3"},
		{"Oct. 22nd-25th 2027", "en", "2027-10-22..2027-10-25"},
		{"Sunday, September 23rd to Thursday, September 27th, 2029", "en", "2029-9-23..2029-9-27"},
		{"29 June – 1 July 2030", "en", "2030-6-29..2030-7-1"},
		{"Dec 30, 2026 – Jan 2, 2027", "en", "2026-12-30..2027-1-2"},
		{"December 30 - January 2, 2027", "en", "2026-12-30..2027-1-2"},
		{"Nov. 29-Dec 2, Bergen", "en", "0-11-29..0-12-2"},
		{"the 7th ~ 9th May, 2027", "en", "2027-5-7..2027-5-9"},
		{"the 5th of March 2027", "en", "2027-3-5"},
		{"March 4 (Thursday), 2027", "en", "2027-3-4"},
		{"July 20 or 21, 2027", "en", "2027-7-20..2027-7-21"},
		{"July 1 and July 8, 2027", "en", "0-7-1 2027-7-8"},
		{"17-May-19", "en", "2019-5-17"},
		{"2027-05-03", "en", "2027-5-3"},
		{"2027/5/3 and 2027.06.04", "en", "2027-5-3 2027-6-4"},
		{"10/13/27", "en", "2027-10-13"},
		{"13/10/2027", "en", "2027-10-13"},
		{"10/11/2027", "en", "2027-11-10?"},
		{"19.-21.05.2027", "de", "2027-5-19..2027-5-21"},
		{"19.05. – 21.05.2027", "de", "2027-5-19..2027-5-21"},
		{"16. 9. 2027", "cs", "2027-9-16"},
		{"vom 2. bis 6. März 2027", "de", "2027-3-2..2027-3-6"},
		{"24, 25 e 26 de outubro de 2027", "pt", "2027-10-24..2027-10-26"},
		{"21 y 22 de septiembre de 2027", "es", "2027-9-21..2027-9-22"},
		{"du 12 au 14 mai 2027", "fr", "2027-5-12..2027-5-14"},
		{"1er février 2027", "fr", "2027-2-1"},
		{"dal 3 al 5 giugno 2027", "it", "2027-6-3..2027-6-5"},
		{"12 de set. de 2027", "pt", "2027-9-12"},
		{"the rest set 12 records", "en", ""},
		{"2027年8月26-28日", "zh", "2027-8-26..2027-8-28"},
		{"2027 年 5 月 27 日 ~ 29 日", "zh", "2027-5-27..2027-5-29"},
		{"8月5日(金)", "ja", "0-8-5"},
		{"2027년 11월 1일(금) ~ 2일(토)", "ko", "2027-11-1..2027-11-2"},
		{"April 2027", "en", "2027-4-0"},
		{"June 5 23:59", "en", "0-6-5"},
		{"March 3, 11:59 pm", "en", "0-3-3"},
		{"May 9 '27", "en", "2027-5-9"},
		{"31 February 2027", "en", "2027-2-0"},
		{"29 February 2027", "en", "2027-2-0"},
		{"May 3, 0026", "en", ""},
		{"COVID-19 March 2027", "en", "2027-3-0"},
		{"Round 3 March 5, 2027", "en", "2027-3-5"},
		{"version 1.2.2020.4 of v3.10.2027", "en", ""},
		{"May we ask 19 people", "en", ""},
		{"July 5, 2027 July 12, 2027", "en", "2027-7-5 2027-7-12"},
	} {
		var got []string
		for _, s := range dates(c.text, c.lang) {
			g := show(s.from)
			if s.to != s.from {
				g += ".." + show(s.to)
			}
			if s.either {
				g += "?"
			}
			got = append(got, g)
		}
		if diff := cmp.Diff(c.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("%q: %s", c.text, diff)
		}
	}
}

func TestDatesAreBounded(t *testing.T) {
	if got := len(dates(strings.Repeat("May 3, 2027; ", 2000), "en")); got > maxDates {
		t.Errorf("%d dates read of one text, want at most %d", got, maxDates)
	}
	if got := tokenize(strings.Repeat("a ", maxBlockBytes)); len(got) > maxBlockBytes/2 {
		t.Errorf("%d tokens", len(got))
	}
}

func FuzzDate(f *testing.F) {
	for _, s := range []string{"May 3, 2027", "1.-2.3.2027", "2027年8月26-28日", "13/13/2027", "\xff 3 may", "Nov. 29-Dec 2, '27"} {
		f.Add(s, "en")
	}
	f.Fuzz(func(t *testing.T, s, lang string) {
		last := 0
		for _, sp := range dates(s, lang) {
			if sp.start < last || sp.end <= sp.start || sp.end > len(s) {
				t.Fatalf("span [%d,%d) of %q after %d", sp.start, sp.end, s, last)
			}
			last = sp.end
			for _, d := range []day{sp.from, sp.to} {
				if d.day != 0 && !d.valid() {
					t.Fatalf("%q: %v is no day", s, d)
				}
			}
		}
	})
}
