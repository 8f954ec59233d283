package date

import (
	"strings"
	"time"

	"github.com/eventseer/eventseer/internal/text"
)

// weekdayNames lists the names of the weekdays in lower case, Sunday first, in the languages of monthNames.
var weekdayNames = [7]string{
	"sunday sun sonntag so dimanche domingo domenica zondag diumenge niedziela neděle nedeľa vasárnap duminică söndag søndag sunnuntai nedjelja nedelja pazar minggu воскресенье неділя неделя недеља κυριακή الأحد sunnuntaina niedzielę vasárnap неділю недељу ראשון یکشنبه",
	"monday mon montag mo lundi lunes segunda lunedì lunedi maandag dilluns poniedziałek pondělí pondelok hétfő luni måndag mandag maanantai ponedjeljak ponedeljek pazartesi senin понедельник понеділок понеделник понедељак δευτέρα الاثنين maanantaina hétfőn понеделника понеделка שני دوشنبه الإثنين",
	"tuesday tue tues dienstag di mardi martes terça terca martedì martedi dinsdag dimarts wtorek úterý utorok kedd marți tirsdag tisdag tiistai utorak torek salı selasa вторник вівторок уторак τρίτη الثلاثاء tiistaina kedden вторника שלישי سهشنبه",
	"wednesday wed mittwoch mi mercredi miércoles miercoles quarta mercoledì mercoledi woensdag dimecres środa středa streda szerda miercuri onsdag keskiviikko srijeda sreda çarşamba rabu среда середа сряда τετάρτη الأربعاء keskiviikkona środę středu stredu szerdán среду середу רביעי چهارشنبه الاربعاء",
	"thursday thu thur thurs donnerstag do jeudi jueves quinta giovedì giovedi donderdag dijous czwartek čtvrtek štvrtok csütörtök joi torsdag torstai četvrtak četrtek perşembe kamis четверг четвер четвъртък четвртак πέμπτη الخميس torstaina csütörtökön четверга חמישי پنجشنبه",
	"friday fri freitag fr vendredi viernes sexta venerdì venerdi vrijdag divendres piątek pátek piatok péntek vineri fredag perjantai petak petek cuma jumat пятница пятниця петък петак παρασκευή الجمعة perjantaina pénteken пятницу שישי جمعه",
	"saturday sat samstag sonnabend sa samedi sábado sabado sabato zaterdag dissabte sobota szombat sâmbătă lördag lørdag lauantai subota cumartesi sabtu суббота субота събота σάββατο السبت lauantaina sobotę sobotu szombaton субботу суботу שבת شنبه",
}

// A Weekday is a time.Weekday plus one; 0 means none.
type Weekday uint8

// weekdayOf maps the name of a weekday to its number.
var weekdayOf = func() map[string]Weekday {
	m := map[string]Weekday{}
	for i, names := range weekdayNames {
		for _, name := range strings.Fields(names) {
			m[name] = Weekday(i + 1)
		}
	}
	return m
}()

// weekdays are the names of weekdays and words printed with them, such as "feira".
var weekdays = func() map[string]bool {
	m := text.WordSet("feira يوم יום")
	for name := range weekdayOf {
		m[name] = true
	}
	return m
}()

// weekdaySigns lists the characters for the weekdays in brackets after a date, Sunday first: (金), (금),
// （星期五）.
var weekdaySigns = [7]string{"日일天", "月월一", "火화二", "水수三", "木목四", "金금五", "土토六"}

// IsWeekdayOf reports whether d is on weekday w. It is true if the weekday or the year is unknown.
func (w Weekday) IsWeekdayOf(d Day) bool {
	return w == 0 || !d.HasYear() || d.Time().Weekday() == time.Weekday(w-1)
}

// withWeekday sets the weekday printed with the date of tokens [i, next). If day and month may be swapped
// and only one reading fits the weekday, that reading is chosen.
func (r Reader) withWeekday(s Span, i, next int) Span {
	s.Weekday = r.weekdayBefore(i)
	if s.Weekday == 0 && s.From == s.To {
		s.Weekday = r.weekdayWithin(i, next)
	}
	if o := s.Swapped(); s.Either && s.Weekday.IsWeekdayOf(s.From) != s.Weekday.IsWeekdayOf(o.From) {
		if s.Weekday.IsWeekdayOf(o.From) {
			s = o
			s.Style = MonthFirst
		} else {
			s.Style = DayFirst
		}
		s.Either = false
	}
	return s
}

// weekdayBefore returns the weekday before the date at token i, as in "Monday, the 3rd"; 0 for none.
func (r Reader) weekdayBefore(i int) Weekday {
	j := i - 1
	for n := 0; n < 3 && r.isOneOf(j, ",", ".", "(", "the", "den", "dem", "le", "el", "on"); n++ {
		j--
	}
	return r.weekdayAt(j)
}

// weekdayWithin returns the weekday among the tokens [i, next) of a date, or after them if no other date
// follows; 0 for none.
func (r Reader) weekdayWithin(i, next int) Weekday {
	for j := i; j < next; j++ {
		if w := r.weekdayAt(j); w != 0 {
			return w
		}
	}
	j := next
	for n := 0; n < 2 && r.isOneOf(j, ",", "("); n++ {
		j++
	}
	if _, _, ok := r.readMonth(r.skipOneOf(j+1, ",", ".")); ok || r.tokenAt(r.skipOneOf(j+1, ",", ".")).kind == number {
		return 0
	}
	if w := r.weekdayAt(j); w != 0 || !r.isOneOf(j-1, "(") {
		return w
	}
	for n := 0; n < 2 && r.isOneOf(j, "星", "期", "周", "週"); n++ {
		j++
	}
	for w, signs := range weekdaySigns {
		if t := r.tokenAt(j); t.kind == mark && t.text != "" && strings.Contains(signs, t.text) {
			return Weekday(w + 1)
		}
	}
	return 0
}

// weekdayAt returns the weekday named by token i; 0 for none. Names of two letters count only on German,
// Dutch and Luxembourgish pages, since they are words of other languages.
func (r Reader) weekdayAt(i int) Weekday {
	t := r.tokenAt(i)
	if t.kind != word || len(t.text) < 3 && !r.germanic {
		return 0
	}
	return weekdayOf[t.text]
}

// IsDateWord reports whether w, in lower case, is the name of a month or weekday.
func IsDateWord(w string) bool { return months[w] != 0 || weekdays[w] }

// IsWeekday reports whether w, in lower case, is the name of a weekday or a word printed with one, such as
// "feira".
func IsWeekday(w string) bool { return weekdays[w] }
