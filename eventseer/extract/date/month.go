package date

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/unicode/norm"

	"github.com/eventseer/eventseer/internal/text"
)

// monthNames lists names of the months in Latin script, in lower case. They include the forms used beside a
// day, such as genitives and partitives.
var monthNames = [12]string{
	"january jan januar jän jänner januari janvier janv enero ene janeiro xaneiro gennaio genn gener stycznia styczeń ledna leden januára január ianuarie januárja januarja januara siječnja janvāris janvārī sausio jaanuar ocak yanvar január siječanj sausis",
	"february feb febr februar feber februari février fevrier févr fev febrero fevereiro febreiro febbraio febbr febrer lutego luty února únor februára február februarie februarja februara veljače februāris februārī vasario veebruar şubat subat fevral veljača vasaris",
	"march mar márc march märz maerz mrz mars marzo março marco maart maaliskuuta març marca marec marzec března březen március marts martā martie märts maret ožujka kovo ožujak kovas",
	"april apr apri avril avr abril abr aprile kwietnia kwiecień dubna duben apríla apríl aprílis április aprilie aprilja travnja aprīlis aprīlī aprill balandžio nisan aprel travanj balandis",
	"may mai mayo maio maggio magg mei maig maja maj května květen mája máj május svibnja maijs maijā gegužės mayıs mayis svibanj gegužė",
	"june jun juni juin junio junho giugno giu juny xuño jún czerwca czerwiec června červen júna jún június iunie junija juna lipnja jūnijs jūnijā birželio juuni haziran iyun lipanj birželis",
	"july jul juli juillet juil julio julho luglio lug juliol xullo júl lipca lipiec července červenec júla júl július iulie julija srpnja jūlijs jūlijā liepos juuli temmuz iyul julai srpanj liepa",
	"august aug août aout agosto augustus agost sierpnia sierpień srpna srpen augustusza augusztus avgusta kolovoza augusts augustā rugpjūčio ağustos agustos agustus augusti avqust ogos avgust kolovoz rugpjūtis",
	"september sep sept septembre septiembre setiembre setembro settembre sett setembre września wrzesień září septembra szeptember szept septembrie rujna septembris septembrī rugsėjo eylül eylul sentyabr septembar rujan rugsėjis",
	"october oct oktober okt octobre octubre outubro ottobre ott octubre października październik října říjen októbra október octombrie oktobra oktobris oktobrī spalio oktoober ekim oktyabr oktobar spalis",
	"november nov novembre noviembre novembro listopada listopadu listopad novembra noiembrie studenoga studenog novembris novembrī lapkričio kasım kasim noyabr novembar studeni lapkritis",
	"december dec dezember dez décembre decembre déc diciembre dic dezembro dicembre desembre grudnia grudzień prosince prosinec decembra decembrie prosinca decembris decembrī gruodžio detsember aralık aralik desember dekabr disember decembar prosinac gruodis",
}

// otherMonthNames lists names in other scripts: Russian, Ukrainian, Belarusian, Bulgarian, Serbian and
// Macedonian; Greek; Arabic and Persian; Hebrew; Hindi.
var otherMonthNames = [12]string{
	"января январь янв січня січень студзеня януари јануар јануара јануари ιανουαρίου ιανουάριος ιαν يناير جانفي ژانویه ינואר בינואר जनवरी",
	"февраля февраль фев лютого лютий лютага февруари фебруар фебруара фебруари φεβρουαρίου φεβρουάριος φεβ فبراير فيفري فوریه פברואר בפברואר फरवरी फ़रवरी",
	"марта март мар березня березень сакавіка μαρτίου μάρτιος μαρ مارس ماس מרץ במרץ मार्च",
	"апреля апрель апр квітня квітень красавіка април априла απριλίου απρίλιος απρ أبريل ابريل إبريل أفريل آوریل אפריל באפריל अप्रैल",
	"мая май травня травень мај маја μαΐου μάιος μαϊ μάι مايو ماي مه מאי במאי मई",
	"июня июнь июн червня червень чэрвеня юни јун јуна јуни ιουνίου ιούνιος ιουν يونيو جوان ژوئن יוני ביוני जून",
	"июля июль июл липня липень ліпеня юли јул јула јули ιουλίου ιούλιος ιουλ يوليو جويلية ژوئیه יולי ביולי जुलाई",
	"августа август авг серпня серпень жніўня αυγούστου αύγουστος αυγ أغسطس اغسطس أوت اوت אוגוסט באוגוסט अगस्त",
	"сентября сентябрь сен сент вересня вересень верасня септември септембар септембра σεπτεμβρίου σεπτέμβριος σεπ σεπτ سبتمبر سپتامبر ספטמבר בספטמבר सितंबर सितम्बर",
	"октября октябрь окт жовтня жовтень кастрычніка октомври октобар октобра οκτωβρίου οκτώβριος οκτ أكتوبر اكتوبر اکتبر אוקטובר באוקטובר अक्टूबर",
	"ноября ноябрь ноя нояб листопада листопад лістапада ноември новембар новембра νοεμβρίου νοέμβριος νοε نوفمبر نوامبر נובמבר בנובמבר नवंबर नवम्बर",
	"декабря декабрь дек грудня грудень снежня декември децембар децембра δεκεμβρίου δεκέμβριος δεκ ديسمبر دسامبر דצמבר בדצמבר दिसंबर दिसम्बर",
}

// finnishMonths are the Finnish names without the ending -kuu: tammikuu, tammikuuta.
var finnishMonths = strings.Fields("tammi helmi maalis huhti touko kesä heinä elo syys loka marras joulu")

// shortMonths are abbreviations that are also words, or names of other months, in other languages. They are
// months only between a day and a year.
var shortMonths = map[string]int{
	"oca": 1, "şub": 2, "nis": 4, "haz": 6, "tem": 7, "ağu": 8, "eyl": 9, "eki": 10, "kas": 11, "ara": 12,
	"sty": 1, "lut": 2, "kwi": 4, "cze": 6, "lip": 7, "sie": 8, "wrz": 9, "paź": 10, "lis": 11, "gru": 12,
	"led": 1, "úno": 2, "bře": 3, "dub": 4, "kvě": 5, "čvn": 6, "čvc": 7, "srp": 8, "zář": 9, "říj": 10, "pro": 12,
	"січ": 1, "лют": 2, "бер": 3, "кві": 4, "тра": 5, "чер": 6, "лип": 7, "сер": 8, "вер": 9, "жов": 10, "лис": 11, "гру": 12,
	"ian": 1, "iun": 6, "iul": 7, "des": 12, "agu": 8, "avg": 8, "mei": 5,
}

// romanMonths maps Roman numerals to months.
var romanMonths = map[string]int{"i": 1, "ii": 2, "iii": 3, "iv": 4, "v": 5, "vi": 6, "vii": 7, "viii": 8, "ix": 9, "x": 10, "xi": 11, "xii": 12}

// vietnameseMonths maps the Vietnamese names of months, which are numerals, to months.
var vietnameseMonths = map[string]int{"giêng": 1, "một": 1, "hai": 2, "ba": 3, "tư": 4, "năm": 5, "sáu": 6, "bảy": 7, "tám": 8, "chín": 9, "mười": 10, "chạp": 12}

// englishLookalikes are names that are also English words or names. They are months on pages in other
// languages, and between a day and a year.
var englishLookalikes = map[string]int{"set": 9, "out": 10, "ago": 8, "mart": 3, "marta": 3, "augusta": 8, "aprila": 4}

// croatianMonths are names that mean another month in related languages.
var croatianMonths = map[string]int{"listopada": 10, "listopad": 10}

var months = func() map[string]int {
	m := map[string]int{}
	for i := range 12 {
		for _, name := range strings.Fields(monthNames[i] + " " + otherMonthNames[i]) {
			m[name] = i + 1
		}
		for _, end := range []string{"kuu", "kuuta", "kuun"} {
			m[finnishMonths[i]+end] = i + 1
		}
	}
	addRareMonths(m)
	for _, name := range slices.Sorted(maps.Keys(m)) {
		// Names in capitals are often printed without accents.
		if plain := withoutAccents(name); len(name) >= minPlain && m[plain] == 0 {
			m[plain] = m[name]
		}
	}
	return m
}()

// minPlain is the minimum length, in bytes, of a name that is also recognised without its accents.
const minPlain = 6

// withoutAccents returns s without the accents of its letters.
func withoutAccents(s string) string {
	return norm.NFC.String(strings.Map(func(r rune) rune {
		if r >= 0x300 && r < 0x370 {
			return -1
		}
		return r
	}, norm.NFD.String(s)))
}

// misspelt maps misspellings of the longer English names, with one letter wrong, missing, added or swapped,
// to the month: Feburary, Novemeber. No other English word is so similar.
var misspelt = sync.OnceValue(func() map[string]int {
	m := map[string]int{}
	for i, name := range []string{"january", "february", "", "", "", "", "", "", "september", "october", "november", "december"} {
		for k := range name {
			m[name[:k]+name[k+1:]] = i + 1
			for c := 'a'; c <= 'z'; c++ {
				m[name[:k]+string(c)+name[k:]] = i + 1
				m[name[:k]+string(c)+name[k+1:]] = i + 1
			}
			if k > 0 {
				m[name[:k-1]+name[k:k+1]+name[k-1:k]+name[k+1:]] = i + 1
			}
		}
	}
	return m
})

// monthWords are all words by which readMonth may recognise a month. Most words are none of them.
var monthWords = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{"tháng": true}
	for _, names := range []map[string]int{months, croatianMonths, englishLookalikes, shortMonths, romanMonths, misspelt()} {
		for name := range names {
			all[name] = true
		}
	}
	return all
})

// rangeWords are words between the two ends of a range.
var rangeWords = text.WordSet("to until till through thru bis au al a à hasta até ate fino tot til till až po по до iki līdz ile sampai hingga sd đến tới έως ως إلى الى")

// betweenWords are words before the two ends of a range.
var betweenWords = text.WordSet("between zwischen entre tra fra tussen między mezi medzi između među între mellan mellem mellom между між μεταξύ antara giữa")

// countedThings are nouns that calls give numbers of. A number before one of them is not a year.
var countedThings = text.WordSet("words word characters chars signs pages participants attendees people persons members papers submissions euro euros eur usd dollars wörter wörtern worte worten zeichen anschläge mots caractères signes pages participants palabras caracteres páginas participantes asistentes palavras parole caratteri battute partecipanti woorden tekens deelnemers słów znaków uczestników slov znaků znakov účastníků szó karakter cuvinte caractere kelime sözcük karakter ord tegn tecken sanaa merkkiä слов знаков участников слів знаків λέξεις từ kata")

// countSigns are characters after an amount: currencies, percent, and the East Asian words for pages, words
// and persons.
const countSigns = "字词詞页頁名人元자€$£¥%"

// elided are words that an apostrophe joins to the next word.
var elided = text.WordSet("d l dell all nell dall sull")

// listWords join two days of one month, but not two complete dates.
var listWords = text.WordSet("and or und oder et ou y e o en och og ja i и і та és dan và ve și si και و")

// ofWords are words between the day, the month and the year of a date.
var ofWords = text.WordSet("of de del di do the in von d dell od roku г год года р року năm dei año ano anno anul year jahr jahres any")
