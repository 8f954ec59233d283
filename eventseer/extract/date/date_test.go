package date

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func show(d Day) string { return fmt.Sprintf("%d-%d-%d", d.Year, d.Month, d.Day) }

func TestDates(t *testing.T) {
	for _, c := range []struct{ text, lang, want string }{
		{"on May 3, 2027 in Bern", "en", "2027-5-3"},
		{"Oct. 22nd-25th 2027", "en", "2027-10-22..2027-10-25"},
		{"Sunday, September 23rd to Thursday, September 27th, 2029", "en", "2029-9-23..2029-9-27"},
		{"29 June – 1 July 2030", "en", "2030-6-29..2030-7-1"},
		{"Dec 30, 2026 – Jan 2, 2027", "en", "2026-12-30..2027-1-2"},
		{"Dec 30, 2026 – Jan 2", "en", "2026-12-30..2027-1-2"},
		{"30.12. – 02.01.2027", "de", "2026-12-30..2027-1-2"},
		{"12\u200f May\u200b 2027", "en", "2027-5-12"},
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
		{"Rio de Janeiro, 30 August 2027", "en", "2027-8-30"},
		{"30 de Janeiro de 2027", "pt", "2027-1-30"},
		{"3 maggio 2027", "en", "2027-5-3"},
		{"28July 31, 2027", "en", "2027-7-31"},
		{"28July 2027", "en", "2027-7-28"},
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
		{"2.–4. června 2027", "cs", "2027-6-2..2027-6-4"},
		{"od 5. do 7. března 2027", "cs", "2027-3-5..2027-3-7"},
		{"15 października 2027", "pl", "2027-10-15"},
		{"3. listopada 2027", "hr", "2027-10-3"},
		{"3 listopada 2027", "pl", "2027-11-3"},
		{"2027. május 12–14.", "hu", "2027-5-12..2027-5-14"},
		{"2027 m. gegužės 12 d.", "lt", "2027-5-12"},
		{"2027. gada 12. maijs", "lv", "2027-5-12"},
		{"12-14 mai 2027 și 3 iunie 2027", "ro", "2027-5-12..2027-5-14 2027-6-3"},
		{"8–10 сентября 2027 г.", "ru", "2027-9-8..2027-9-10"},
		{"до 31 березня 2027 року", "uk", "2027-3-31"},
		{"15. мај 2027.", "sr", "2027-5-15"},
		{"5 Μαΐου 2027", "el", "2027-5-5"},
		{"12 Mayıs 2027, 3 Eylül 2027", "tr", "2027-5-12 2027-9-3"},
		{"5. kesäkuuta 2027", "fi", "2027-6-5"},
		{"den 5 maj och 6 juni 2027", "sv", "0-5-5 2027-6-6"},
		{"12. desember 2027", "nb", "2027-12-12"},
		{"12 Agustus 2027", "id", "2027-8-12"},
		{"12 tháng 5 năm 2027", "vi", "2027-5-12"},
		{"12 مايو 2027 ١٢/٠٥/٢٠٢٧", "ar", "2027-5-12 2027-5-12?"},
		{"१२ मई २०२७", "hi", "2027-5-12"},
		{"5 ביוני 2027", "he", "2027-6-5"},
		{"3 d’agost de 2027", "ca", "2027-8-3"},
		{"２０２７／０５／０３", "ja", "2027-5-3"},
		{"令和9年5月3日", "ja", "2027-5-3"},
		{"民國116年5月3日", "zh", "2027-5-3"},
		{"2027 年 5 月 27 至 29 日", "zh", "2027-5-27..2027-5-29"},
		{"5月27日から29日まで", "ja", "0-5-27..0-5-29"},
		{"截稿：2027年5月3", "zh", "2027-5-3"},
		{"2027. 5. 3.(월)", "ko", "2027-5-3"},
		{"1er mars et 2ème avril 2027", "fr", "0-3-1 2027-4-2"},
		{"Feburary 27, 2027 and Novemeber 3, 2027", "en", "2027-2-27 2027-11-3"},
		{"ConferenceMay 31–June 3, 2027", "en", "2027-5-31..2027-6-3"},
		{"2027, May 3", "en", "2027-5-3"},
		{"ANT 2027 April 29 - May 2, 2027", "en", "2027-4-29..2027-5-2"},
		{"born May 3, 1945", "en", ""},
		{"3 May 1700 CET", "en", "0-5-3"},
		{"3 May, 2359 hrs", "en", "0-5-3"},
		{"15 June, 1330-1715", "en", "0-6-15"},
		{"ICX 2026, May 3, 2027", "en", "2027-5-3"},
		{"9 Oct 96, 9-July-96", "en", "1996-10-9 1996-7-9"},
		{"12 set 2027", "", "2027-9-12"},
		{"12 février 2027", "fr", "2027-2-12"},
		{"June 31, 2027; 31.06.2027; May 3, 2207; 3 May 0026", "en", ""},
		{"July 5, 2027 July 12, 2027", "en", "2027-7-5 2027-7-12"},
	} {
		if diff := cmp.Diff(c.want, shown(Read(c.text, c.lang))); diff != "" {
			t.Errorf("%q: %s", c.text, diff)
		}
	}
}

func TestDatesAreBounded(t *testing.T) {
	if got := len(Read(strings.Repeat("May 3, 2027; ", 2000), "en")); got > MaxDates {
		t.Errorf("%d dates read of one text, want at most %d", got, MaxDates)
	}
	if got := tokenize(strings.Repeat("a ", MaxBytes), nil); len(got) > MaxBytes/2 {
		t.Errorf("%d tokens", len(got))
	}
}

func FuzzDates(f *testing.F) {
	for _, s := range []string{
		"May 3, 2027", "1.-2.3.2027", "2027年8月26-28日", "13/13/2027", "\xff 3 may", "Nov. 29-Dec 2, '27", "Monday, 04/03/2027", "2027. május 12–14.",
		"١٢/٠٥/٢٠٢٧", "令和9年5月3日から5日", "12 tháng 5 năm 2027", "ConferenceMay 3", "31 June 2027", "May 3, 0026", "3 d’agost", "99999999999999999999/1/1", "12 ივნისი 2027",
	} {
		f.Add(s, "en")
		f.Add(s, "hr")
	}
	f.Fuzz(func(t *testing.T, s, lang string) {
		r := NewReader(s, lang)
		found, last := r.Dates(), 0
		for _, sp := range found {
			if sp.Start < last || sp.End <= sp.Start || sp.End > len(s) {
				t.Fatalf("span [%d,%d) of %q after %d", sp.Start, sp.End, s, last)
			}
			last = sp.End
			for _, d := range []Day{sp.From, sp.To} {
				if d.Day != 0 && !d.IsValid() || d.Year != 0 && (d.Year < FirstYear || d.Year > lastYear) || d.Month < 1 || d.Month > 12 {
					t.Fatalf("%q: %v is no day", s, d)
				}
			}
			if sp.Weekday > 7 || sp.From.Day != 0 && sp.From.HasYear() && sp.To.IsBefore(sp.From) {
				t.Fatalf("%q: %+v", s, sp)
			}
		}
		last = 0
		for _, m := range r.Misprints(found) {
			if m.Start < last || m.End <= m.Start || m.End > len(s) {
				t.Fatalf("misprint [%d,%d) of %q after %d", m.Start, m.End, s, last)
			}
			last = m.End
		}
	})
}
